"""The runs of a harness that is a program: one process for each fork.

A harness declares a `steady.programs.program_kind.ProgramKind`; `runs_of` returns its `make_runs`.
Two processes are interleaved at their calls of the clock (`steady.programs.in_turn`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from steady.errors import InputError
from steady.execution.lanes import Lane
from steady.harness.fork_facts import Counters
from steady.harness.runs import (
    DEFAULTS,
    ForkResult,
    HarnessSettings,
    RunFacts,
    Runs,
    Turn,
    all_or_none,
    identities_in,
)
from steady.harness.search import EVERYTHING, Search
from steady.harness.trial import Trial, TrialError, Version, out_of_time
from steady.model import Identity
from steady.programs.clock_turns import built_library
from steady.programs.counting import INSTRUCTIONS, Counter
from steady.programs.entries_format import COUNTS, EntriesFormat, joined, merged
from steady.programs.environment_size import VARIABLE, padding_bytes
from steady.programs.in_turn import TurnSession, run_in_turn
from steady.programs.process import Ended, NotInTurnError, Program, run_alone, signal_of
from steady.programs.program_kind import Place, ProgramKind
from steady.programs.shared_process import SECONDS, Member, SharedProcess
from steady.readers import open_document

_LONGEST = 200


class JsonRuns(Runs):
    """Runs whose results are JSON with an entry for each fork; see `steady.harness.runs.Runs`.

    Parameters
    ----------
    form : EntriesFormat
        Their format.
    """

    suffix = ".json"

    def __init__(self, form: EntriesFormat) -> None:
        self.name = form.name
        self.form = form

    def merge(self, results: Sequence[ForkResult], facts: RunFacts) -> bytes:
        """Join the forks of one version into one file."""
        return merged(results, facts, self.form.key, mark=self.form.mark)

    def measured(self, merged: Path) -> Sequence[Identity]:
        """List the benchmarks of a merged file."""
        return identities_in(self.form.read(open_document(merged)))

    def join(self, merged: Sequence[Path]) -> bytes:
        """Join merged files into one."""
        return joined(merged, self.form.key)


class ProgramRuns(JsonRuns):
    """The runs of one kind of program; see `steady.harness.runs.Runs`.

    Parameters
    ----------
    kind : ProgramKind
        The harness.
    settings : HarnessSettings
        The user's options.
    """

    has_pairs = True

    def __init__(self, kind: ProgramKind, settings: HarnessSettings = DEFAULTS) -> None:
        super().__init__(kind.format)
        self.kind = kind
        self.builder = kind.builder
        self.settings = settings

    def check(self, versions: Sequence[Version]) -> None:
        """Raise InputError if a version cannot be run."""
        for version in versions:
            self.kind.check(self.place(version))

    def build(self, version: Version) -> None:
        """Build a version if necessary."""
        self.kind.build(self.place(version))

    def benchmarks(self, version: Version, search: Search = EVERYTHING) -> Sequence[Identity]:  # noqa: ARG002
        """List the benchmarks of a version."""
        return tuple(self.kind.listed(self.place(version)))

    def shared_process(self, identity: Identity) -> str:
        """Return the name of the process that a benchmark can share."""
        return self.kind.shared_process(identity)

    @contextmanager
    def open(self, versions: Sequence[Version], scratch: Path) -> Iterator[ProgramSession]:
        """Open a session without any process."""
        places = {version.name: self.place(version) for version in versions}
        counter = Counter(self.settings.count, scratch)
        yield ProgramSession(self.kind, places, scratch, counter, self.settings.seed)

    def place(self, version: Version) -> Place:
        """Return the location and command of a version."""
        return Place(version.target, version.command or self.settings.command)


def runs_of(kind: Callable[[], ProgramKind]) -> Callable[[HarnessSettings], ProgramRuns]:
    """Return a function that creates the runs; see `steady.harness.contract.Running.make`."""

    def make_runs(settings: HarnessSettings) -> ProgramRuns:
        """Return the runs; raise InputError for options of another harness."""
        own = kind()
        refuse_foreign(settings, own.title)
        return ProgramRuns(own, settings)

    return make_runs


def refuse_foreign(settings: HarnessSettings, title: str) -> None:
    """Raise InputError for options that are for JMH."""
    foreign = {
        "--java": settings.java != DEFAULTS.java,
        "--jvm-arg": settings.jvm_args != DEFAULTS.jvm_args,
        "--stop": settings.stop != DEFAULTS.stop,
    }
    given = [option for option, is_given in foreign.items() if is_given]
    if given:
        verb = "is" if len(given) == 1 else "are"
        raise InputError(f"{' and '.join(given)} {verb} for JMH, not for {title}")


@dataclass
class ProgramSession(TurnSession):
    """A session that runs trials; a `steady.harness.runs.Session`.

    Parameters
    ----------
    kind : ProgramKind
        The harness.
    places : mapping of str to Place
        By name of the version.
    scratch : Path
        An empty folder.
    counter : Counter
        Counts in addition to the timed processes.
    seed : int
        Seed of the environment sizes (`steady.programs.environment_size`).
    """

    kind: ProgramKind
    places: Mapping[str, Place]
    scratch: Path
    counter: Counter
    seed: int = 0

    def layout(self, trial: Trial) -> str:
        """Return the padding of the environment of a native program, such as ``environment+48``."""
        return f"environment+{padding_bytes(trial, self.seed)}" if self.kind.native else ""

    def measure(self, trial: Trial, result: Path) -> None:
        """Run one process, which writes its results to `result`."""
        self.counter.begin(trial.timeout)
        ended = run_alone(self._program(trial, result), trial.timeout)
        self.keep(ended, trial, result)

    def lacks(self, trials: Sequence[Trial]) -> str:  # noqa: ARG002
        """Return in one line why the library of turns is missing; empty if it exists."""
        return self._library if isinstance(self._library, str) else ""

    def measure_in_turn(
        self, trials: Sequence[Trial], results: Sequence[Path]
    ) -> Sequence[Turn | TrialError]:
        """Run two interleaved programs, or several such pairs."""
        self.counter.begin(sum(trial.timeout for trial in trials))
        return super().measure_in_turn(trials, results)

    def run_in_turn(
        self, trials: Sequence[Trial], results: Sequence[Path], lane: Lane
    ) -> Sequence[Ended]:
        """Run two programs interleaved by the clock."""
        return run_in_turn(
            [self._program(*pair) for pair in zip(trials, results, strict=True)],
            [trial.timeout for trial in trials],
            Path(self._library),
            self.scratch,
            lane,
        )

    def measure_shared(
        self, trials: Sequence[Trial], results: Sequence[Path], seconds: float
    ) -> Sequence[Turn | TrialError]:
        """Run several benchmarks in each of two interleaved programs."""
        process = SharedProcess(trials, results)
        with all_or_none(results), TemporaryDirectory(dir=self.scratch) as folder:
            self.counter.begin(sum(trial.timeout for trial in trials))
            try:
                both = run_in_turn(
                    [self._together(side, Path(folder)) for side in process.sides],
                    [seconds / 2] * 2,
                    Path(self._library),
                    self.scratch,
                    each=process.timeouts,
                )
            except NotInTurnError as reason:
                error = TrialError(str(reason))
                return [error for _ in trials]
            return process.outcomes(both, self._finished)

    def _together(self, members: Sequence[Member], folder: Path) -> Program:
        version = members[0][0].version
        return self.kind.together(self.places[version], members, folder / f"{version}.json")

    def _finished(self, ended: Ended, trial: Trial, result: Path) -> float:
        """Complete the result of one benchmark of a program, and return its seconds."""
        if not result.exists() and ended.timed_out:
            raise out_of_time(trial.timeout, ended.log)
        if not result.exists():  # its own process will give the reason
            raise _failed("it has no result in a process with other benchmarks", ended)
        document = self._result(ended, trial, result) | self._counts(trial)
        seconds = float(document.pop(SECONDS, 0.0))
        result.write_text(json.dumps(document), encoding="utf-8")
        return seconds

    @cached_property
    def _library(self) -> Path | str:
        """The library of turns, or the reason why there is none."""
        try:
            return built_library(self.scratch)
        except NotInTurnError as error:
            return str(error)

    def _program(self, trial: Trial, result: Path) -> Program:
        program = self.kind.program(self.places[trial.version], trial, result)
        if not self.kind.native:
            return program
        padding = {VARIABLE: "x" * padding_bytes(trial, self.seed)}
        return replace(program, environment={**program.environment, **padding})

    def keep(self, ended: Ended, trial: Trial, result: Path) -> None:
        """Check and store the results of a trial; raise TrialError if they are missing."""
        self.kind.collect(result)
        try:
            document = self._own(ended, trial, result) | self._counts(trial)
            result.write_text(json.dumps(document), encoding="utf-8")
        except TrialError:
            result.unlink(missing_ok=True)
            raise

    def _counts(self, trial: Trial) -> dict[str, Counters]:
        def program(what: str, file: Path) -> Program:
            library = str(self.counter.library) if what == INSTRUCTIONS else ""
            return self.kind.counting(self.places[trial.version], trial.identity, file, library)

        counts = self.counter.counts(trial.round, program, self.kind.counted)
        return {COUNTS: counts} if counts else {}

    def _own(self, ended: Ended, trial: Trial, result: Path) -> Any:
        if ended.timed_out:
            raise out_of_time(trial.timeout, ended.log)
        if ended.code != 0:
            said = self.kind.reason(ended.output) or signal_of(ended.code) or _last_line(ended)
            raise _failed(said[:_LONGEST] or f"ended with exit code {ended.code}", ended)
        return self._result(ended, trial, result)

    def _result(self, ended: Ended, trial: Trial, result: Path) -> Any:
        try:
            document = open_document(result, within=result.parent)
            suite = self.kind.format.read(document)
        except InputError as error:
            said = self.kind.reason(ended.output) or error.problem
            raise _failed(f"wrote no result ({said})"[:_LONGEST], ended) from None
        if trial.identity not in suite:
            reasons = (one.reason for one in suite.failures if one.identity == trial.identity)
            raise _failed(next(reasons, "wrote no result for this benchmark"), ended)
        return document.data


def _failed(reason: str, ended: Ended) -> TrialError:
    return TrialError(reason, ended.log)


def _last_line(ended: Ended) -> str:
    lines = (line.strip() for line in reversed(ended.output.splitlines()))
    return next((line for line in lines if line), "")
