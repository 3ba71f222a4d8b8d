"""Runs of Go: each trial is one process of a test binary for one benchmark.

Results are written in Go's benchmark data format. Lines that only steady reads begin with ``#``,
which benchstat ignores: the facts about a fork (`steady.harness.fork_facts`) before each process,
and the iterations of the warm-up.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from steady import safe_open
from steady.execution.lanes import Lane
from steady.harness.document import Document
from steady.harness.fork_facts import VERSION, as_text
from steady.harness.go import GO
from steady.harness.go.bench_pattern import printed_name, split_name
from steady.harness.go.read import benchmark_format
from steady.harness.go.read.lines import PROCESS, WARMUP, Result, cause_in
from steady.harness.go.read.output import HEADER, REASON_LENGTH, SILENT, Process, parse
from steady.harness.go.run.discovery import Discovered, discover
from steady.harness.go.run.layouts import LayoutOrder, layouts_of
from steady.harness.go.run.paused_process import supports_one_write_pipes
from steady.harness.go.run.processes_in_turn import take_turns
from steady.harness.go.run.test_binaries import (
    binaries,
    exit_summary,
    go_version,
    package_of,
    reject_duplicates,
    require_executable,
    start,
)
from steady.harness.go.samecode.decide import GoBuilds
from steady.harness.go.test_flags import benchmark_flags
from steady.harness.runs import ForkResult, HarnessSettings, RunFacts, Runs, identities_in
from steady.harness.search import EVERYTHING, Search
from steady.harness.trial import Trial, TrialError, Version, out_of_time
from steady.model import Identity
from steady.programs.in_turn import TurnSession
from steady.programs.process import Ended
from steady.programs.program_runs import refuse_foreign
from steady.readers import open_document

_CAUSE = re.compile(r"(?:^|\s)(?:panic: |fatal error: |\*\*\* Test killed)")
_OF_GO = re.compile(
    r"(?:{}): |--- [A-Z]+: |Benchmark|PASS$|FAIL$|ok\s|exit status ".format("|".join(HEADER))
)
_EARLIER = re.compile(r"\s{0,20}\[recovered.{0,200}\]$")


def result_text(ended: Ended, trial: Trial) -> str:
    """Return the results of a process.

    Parameters
    ----------
    ended : Ended
        The process.
    trial : Trial
        The requested measurement.

    Returns
    -------
    str
        Go's header, and a line for each iteration; warm-up iterations are comments.

    Raises
    ------
    TrialError
        If iterations are missing, or the process failed.
    """
    name = printed_name(trial.identity)
    processes = parse(Document(Path(), ended.output)).processes
    configuration = trial.configuration
    expected = configuration.warmup_iterations + configuration.iterations
    results = [r for p in processes if name in p.benchmarks for r in p.benchmarks[name].measured]
    if len(results) != expected or ended.code != 0:
        why = reason_of(ended, processes, name) or _reason_by_results(
            trial, processes, len(results), expected
        )
        raise TrialError(why, ended.log)
    lines = [f"{key}: {value}" for key in HEADER if (value := processes[0].keys.get(key))]
    for number, result in enumerate(results):
        mark = WARMUP if number < configuration.warmup_iterations else ""
        lines.append(mark + _line(name, result))
    return "\n".join(lines) + "\n"


def reason_of(ended: Ended, processes: Iterable[Process], name: str) -> str:
    """Return the reason, in one line, why a process printed no result; empty if it is unknown.

    Go names a failed benchmark after ``--- FAIL:``, followed by the message of ``b.Fatal``. A panic
    prints neither, a parent's message follows the parent's name, and the output of a benchmark
    before ``b.FailNow`` precedes the name.

    Parameters
    ----------
    ended : Ended
        The process.
    processes : iterable of Process
        The parsed output.
    name : str
        Name of the benchmark as Go prints it.
    """
    lines = ended.output.splitlines()
    failures = [p.failures for p in processes]
    reasons = [own[name] for own in failures if name in own]
    reasons += [reason for own in failures for reason in own.values()]
    reported = next((reason for reason in reasons if reason != SILENT), "")
    panic = next((_EARLIER.sub("", cause_in(line)) for line in lines if _CAUSE.search(line)), "")
    before = _last_output(lines) if reasons else ""
    ending = exit_summary(ended) if ended.code != 0 and not reasons else ""
    known = (text for text in (panic, reported, before, ending, *reasons[:1]) if text)
    return next(known, "")[:REASON_LENGTH]


def _last_output(lines: Sequence[str]) -> str:
    """Return the last line that the benchmark itself printed before Go reports its failure."""
    verdict = next((n for n, line in enumerate(lines) if "--- FAIL: " in line), 0)
    own = (line.strip() for line in reversed(lines[:verdict]) if not _OF_GO.match(line))
    return next((line for line in own if line), "")


def _reason_by_results(
    trial: Trial, processes: Sequence[Process], results: int, expected: int
) -> str:
    """Return the reason if the output contains none, from the results that it does contain."""
    _, benchmark = split_name(trial.identity.name)
    if any(name.startswith(f"{benchmark}/") for p in processes for name in p.benchmarks):
        return "it has sub-benchmarks now, which are not in the plan; make a new plan"
    return f"Go printed {results} of {expected} results"


def merge_forks(results: Sequence[ForkResult], facts: RunFacts) -> bytes:
    """Join the forks of one version; see `steady.harness.runs.Runs.merge`."""
    if not results:  # the file is recognized as Go's nevertheless
        return f"{PROCESS} {json.dumps({'version': VERSION})}\n".encode()
    parts = (
        f"{PROCESS} {as_text(fork, facts)}\n{safe_open.read_regular(fork.path).decode()}"
        for fork in results
    )
    return "".join(parts).encode()


def _line(name: str, result: Result) -> str:
    metrics = (f"{repr(value).removesuffix('.0')} {unit}" for unit, value in result.metrics.items())
    return "\t".join((name, f"{result.operations:8}", *metrics))


class GoRuns(Runs):
    """Benchmarks of Go's package testing, from the binaries that ``go test -c`` builds.

    A binary runs in its own folder, so that it finds its ``testdata`` if it was built into the
    folder of its package. If it has layouts (`steady.harness.go.run.layouts`), rounds run these.

    Parameters
    ----------
    seed : int
        Seed of the order of layouts.
    """

    name = GO.name
    suffix = ".txt"
    has_pairs = True

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        self._held: dict[Path, dict[Identity, Path]] = {}
        self._operation_seconds: dict[Identity, float] = {}
        self._complete: dict[str, Discovered] = {}
        self.builds: GoBuilds | None = None
        """The differences between base and head, if both are measured."""

    def check(self, versions: Sequence[Version]) -> None:
        """Raise InputError if a version has no test binary."""
        for version in versions:
            for binary in binaries(version.target):
                for layout in layouts_of(binary).values():
                    require_executable(layout)
        if len(versions) == 2:
            self.builds = GoBuilds(versions[0].target, versions[1].target)

    def benchmarks(self, version: Version, search: Search = EVERYTHING) -> Sequence[Identity]:
        """List the requested benchmarks of a version (`discovery.discover`).

        Packages with identical code in both versions have the same benchmarks, so they are run only
        once.
        """
        builds, paths = self.builds, binaries(version.target)
        if builds is None:
            shown = discover(paths, search)
        elif search.only is None and (
            search.functions == "always"
            or (search.functions == "if same" and builds.nothing_differs)
        ):
            shown = discover(paths, search, functions=True)
        else:
            twins = {p: package_of(p) for p in paths if version.target == builds.head}
            known = {
                path: self._complete[package]
                for path, package in twins.items()
                if package in self._complete and builds.runs_same_code(path)
            }
            others = [path for path in paths if path not in known]
            shown = known | (discover(others, search, builds.nearness) if others else {})
            self._complete = {package_of(p): found for p, found in shown.items() if found.whole}
        pairs = [(identity, path) for path, found in shown.items() for identity in found.seconds]
        self._operation_seconds |= {
            i: took for found in shown.values() for i, took in found.seconds.items()
        }
        reject_duplicates((identity.label, path) for identity, path in pairs)
        self._held[version.target] = dict(pairs)
        return tuple(self._held[version.target])

    def operation_seconds(self, identity: Identity) -> float:
        """Return the seconds of one operation at discovery; NaN if it did not run."""
        return self._operation_seconds.get(identity, math.nan)

    @contextmanager
    def open(self, versions: Sequence[Version], scratch: Path) -> Iterator[GoSession]:  # noqa: ARG002
        """Look up the binary of each benchmark; no process is kept running."""
        held = {version.name: self._binary_of(version) for version in versions}
        yield GoSession(held, self._seed)

    merge = staticmethod(merge_forks)

    def measured(self, merged: Path) -> Sequence[Identity]:
        """List the benchmarks of a merged file."""
        return identities_in(benchmark_format.read(open_document(merged)))

    def join(self, merged: Sequence[Path]) -> bytes:
        """Concatenate merged files; each process has its own header."""
        return b"".join(path.read_bytes() for path in merged)

    def describe(self, versions: Sequence[Version]) -> Mapping[str, str]:
        """Return the version of Go that built the binaries."""
        built = (go_version(path) for v in versions for path in binaries(v.target))
        return {"go": ", ".join(dict.fromkeys(version or "unknown" for version in built))}

    def _binary_of(self, version: Version) -> Mapping[Identity, Path]:
        if version.target not in self._held:
            self.benchmarks(version)
        return self._held[version.target]


def go_runs(settings: HarnessSettings) -> GoRuns:
    """Return the runs of Go's benchmarks; raise InputError for options of JMH."""
    refuse_foreign(settings, GO.title)
    return GoRuns(settings.seed)


@dataclass
class GoSession(TurnSession):
    """A session that runs trials; a `steady.harness.runs.Session`.

    Parameters
    ----------
    held : mapping of str to mapping of Identity to Path
        The plain binary of each benchmark, by name of version.
    seed : int
        Seed of the order of layouts.
    """

    held: Mapping[str, Mapping[Identity, Path]]
    seed: int = 0
    _layouts: dict[Path, Mapping[str, Path]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._order = LayoutOrder(tuple(self.held), self.seed)

    def layout(self, trial: Trial) -> str:
        """Return the number of the layout that a trial runs; empty for the plain binary."""
        return self._order.choose(self._common_layouts(trial.identity), trial)

    def measure(self, trial: Trial, result: Path) -> None:
        """Run one process and write its results to `result`."""
        binary = self._binary_of(trial)
        flags = benchmark_flags(trial.identity, trial.configuration, prefix="-test.")
        self.keep(start(binary, *flags, timeout=trial.timeout), trial, result)

    def lacks(self, trials: Sequence[Trial]) -> str:
        """Return in one line why two processes cannot take turns; empty if they can."""
        if not supports_one_write_pipes():
            return "Go processes take turns only if a pipe can be limited to one write, as on Linux"
        missing = (
            f"no test binary of {t.version} contains it" for t in trials if not self._holds(t)
        )
        return next(missing, "")

    def run_in_turn(
        self,
        trials: Sequence[Trial],
        results: Sequence[Path],  # noqa: ARG002
        lane: Lane,
    ) -> Sequence[Ended]:
        """Run two processes that take turns (`steady.harness.go.run.processes_in_turn`)."""
        return take_turns([self._binary_of(trial) for trial in trials], trials, lane)

    def keep(self, ended: Ended, trial: Trial, result: Path) -> None:
        """Write the results of a process; raise TrialError if they are incomplete."""
        if ended.timed_out:
            raise out_of_time(trial.timeout, ended.log)
        result.write_text(result_text(ended, trial), encoding="utf-8")

    def _holds(self, trial: Trial) -> bool:
        return trial.identity in self.held[trial.version]

    def _binary_of(self, trial: Trial) -> Path:
        if not self._holds(trial):
            raise TrialError(f"no test binary of {trial.version} contains it")
        plain = self.held[trial.version][trial.identity]
        layout = self.layout(trial)
        return self._layouts_of(plain)[layout] if layout else plain

    def _common_layouts(self, identity: Identity) -> tuple[str, ...]:
        """Return the layouts that the binaries of a benchmark have in all versions."""
        plain = [own[identity] for own in self.held.values() if identity in own]
        first, *others = [self._layouts_of(binary) for binary in plain] or [{}]
        return tuple(name for name in first if all(name in other for other in others))

    def _layouts_of(self, plain: Path) -> Mapping[str, Path]:
        if plain not in self._layouts:
            self._layouts[plain] = layouts_of(plain)
        return self._layouts[plain]
