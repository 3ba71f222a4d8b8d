"""Runs of Go: each trial is one process of a test binary for one benchmark."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from steady.harness.go import GO
from steady.harness.go.read import benchmark_format
from steady.harness.go.run.discovery import Shown, discover
from steady.harness.go.run.paused_process import holds_one_write
from steady.harness.go.run.processes_in_turn import take_turns
from steady.harness.go.run.result_file import merge_forks, result_text
from steady.harness.go.run.test_binaries import (
    binaries,
    go_version,
    package_of,
    refuse_twins,
    start,
)
from steady.harness.go.samecode.decide import GoBuilds
from steady.harness.go.test_flags import benchmark_flags
from steady.harness.runs import HarnessSettings, Runs, identities_in
from steady.harness.search import EVERYTHING, Search
from steady.harness.trial import Trial, TrialError, Version, out_of_time
from steady.model import Identity
from steady.programs.in_turn import TurnSession
from steady.programs.process import Ended
from steady.programs.program_runs import refuse_foreign
from steady.readers import open_document


class GoRuns(Runs):
    """Benchmarks of Go's package testing, from the binaries that ``go test -c`` builds.

    A binary runs in its own folder, so that it finds its ``testdata`` if it was built in the folder
    of its package.
    """

    name = GO.name
    suffix = ".txt"

    def __init__(self) -> None:
        self._held: dict[Path, dict[Identity, Path]] = {}
        self._took: dict[Identity, float] = {}
        self._whole: dict[str, Shown] = {}
        self.builds: GoBuilds | None = None
        """The differences of base and head, once both are known."""

    def check(self, versions: Sequence[Version]) -> None:
        """Raise InputError if a version has no test binary."""
        for version in versions:
            binaries(version.target)
        if len(versions) == 2:
            self.builds = GoBuilds(versions[0].target, versions[1].target)

    def benchmarks(self, version: Version, search: Search = EVERYTHING) -> Sequence[Identity]:
        """List the requested benchmarks of a version (`discovery.discover`).

        Packages that are identical in both versions have the same benchmarks, and are run once.
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
                path: self._whole[package]
                for path, package in twins.items()
                if package in self._whole and builds.runs_same_code(path)
            }
            others = [path for path in paths if path not in known]
            shown = known | (discover(others, search, builds.nearness) if others else {})
            self._whole = {package_of(p): found for p, found in shown.items() if found.whole}
        pairs = [(identity, path) for path, found in shown.items() for identity in found.seconds]
        self._took |= {i: took for found in shown.values() for i, took in found.seconds.items()}
        refuse_twins((identity.label, path) for identity, path in pairs)
        self._held[version.target] = dict(pairs)
        return tuple(self._held[version.target])

    def operation_seconds(self, identity: Identity) -> float:
        """Return the seconds of one operation at discovery; NaN if it did not run."""
        return self._took.get(identity, math.nan)

    @contextmanager
    def open(self, versions: Sequence[Version], scratch: Path) -> Iterator[GoSession]:  # noqa: ARG002
        """Look up the binary of each benchmark; no process stays alive."""
        yield GoSession({version.name: self._binary_of(version) for version in versions})

    merge = staticmethod(merge_forks)

    def measured(self, merged: Path) -> Sequence[Identity]:
        """List the benchmarks of a merged file."""
        return identities_in(benchmark_format.read(open_document(merged)))

    def join(self, merged: Sequence[Path]) -> bytes:
        """Concatenate merged files; each process is complete in itself."""
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
    return GoRuns()


@dataclass
class GoSession(TurnSession):
    """A session that runs trials; a `steady.harness.runs.Session`.

    Parameters
    ----------
    held : mapping of str to mapping of Identity to Path
        The binary of each benchmark, by name of the version.
    """

    held: Mapping[str, Mapping[Identity, Path]]

    def measure(self, trial: Trial, result: Path) -> None:
        """Run one process and write its results to `result`."""
        binary = self._binary_of(trial)
        flags = benchmark_flags(trial.identity, trial.configuration, prefix="-test.")
        self.keep(start(binary, *flags, timeout=trial.timeout), trial, result)

    def lacks(self, trials: Sequence[Trial]) -> str:
        """Return the reason in one line why two processes cannot take turns; empty if they can."""
        if not holds_one_write():
            return "Go processes take turns only if a pipe can be limited to one write, as on Linux"
        missing = (f"no test binary of {t.version} holds it" for t in trials if not self._holds(t))
        return next(missing, "")

    def run_in_turn(
        self,
        trials: Sequence[Trial],
        results: Sequence[Path],  # noqa: ARG002
    ) -> Sequence[Ended]:
        """Run two live processes that take turns (`steady.harness.go.run.processes_in_turn`)."""
        return take_turns([self._binary_of(trial) for trial in trials], trials)

    def keep(self, ended: Ended, trial: Trial, result: Path) -> None:
        """Write the results of a process; raise TrialError if they are incomplete."""
        if ended.timed_out:
            raise out_of_time(trial.timeout, ended.log)
        result.write_text(result_text(ended, trial), encoding="utf-8")

    def _holds(self, trial: Trial) -> bool:
        return trial.identity in self.held[trial.version]

    def _binary_of(self, trial: Trial) -> Path:
        if not self._holds(trial):
            raise TrialError(f"no test binary of {trial.version} holds it")
        return self.held[trial.version][trial.identity]
