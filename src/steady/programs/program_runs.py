"""The runs of a harness that is a program: one process for each fork.

A harness only has to say how its benchmarks are listed, and by which program one of them is run
(`ProgramKind`). Two processes take turns by the clock (`steady.programs.in_turn`).
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from steady.errors import InputError
from steady.harness.document import Document
from steady.harness.fork_facts import Counters
from steady.harness.runs import DEFAULTS, ForkResult, HarnessSettings, RunFacts, Runs, identities_in
from steady.harness.search import EVERYTHING, Search
from steady.harness.trial import Trial, TrialError, Version, out_of_time
from steady.model import Identity, Suite
from steady.programs.clock_turns import built_library
from steady.programs.counting import INSTRUCTIONS, Counter, number_in
from steady.programs.fork_file import COUNTS, joined, merged
from steady.programs.in_turn import run_in_turn
from steady.programs.process import Ended, Program, run_alone, signal_of
from steady.programs.turn_session import NotInTurnError, TurnSession
from steady.readers import open_document

_LISTING_SECONDS = 60.0
_LONG_LISTING_SECONDS = 300.0
_NOT_RUN = (126, 127)
"""Exit codes of ``env``, by which programs are started: there is no such program."""
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Place:
    """One version of a program: where it is, and what is typed there.

    Parameters
    ----------
    target : Path
        Its folder, or the program itself.
    command : tuple of str
        The words behind ``--``; empty if there are none.
    """

    target: Path
    command: tuple[str, ...] = ()


class Results(Protocol):
    """A module that knows the JSON of a harness."""

    NAME: str
    """As in `Plan.harness`."""

    KEY: str
    """Where the list of results stands."""

    MARK: str
    """What else stands there in any case, and tells whose JSON it is."""

    def read(self, document: Document) -> Suite:
        """Read it."""


class JsonRuns(Runs):
    """Runs whose results are JSON, an entry for each fork; see `steady.harness.runs.Runs`.

    Parameters
    ----------
    results : Results
        What knows the JSON.
    """

    suffix = ".json"

    def __init__(self, results: Results) -> None:
        self.name = results.NAME
        self.results = results

    def merge(self, results: Sequence[ForkResult], facts: RunFacts) -> bytes:
        """Join the forks of one version into one file."""
        return merged(results, facts, self.results.KEY, mark=self.results.MARK)

    def measured(self, merged: Path) -> Sequence[Identity]:
        """List the benchmarks of a merged file."""
        return identities_in(self.results.read(open_document(merged)))

    def join(self, merged: Sequence[Path]) -> bytes:
        """Join merged files into one."""
        return joined(merged, self.results.KEY)


class ProgramKind(Protocol):
    """A harness that is a program and writes JSON."""

    builder: str = ""
    """As in `Runs.builder`."""

    def check(self, place: Place) -> None:
        """Raise InputError if there is nothing of this kind."""

    def build(self, place: Place) -> None:  # noqa: ARG002
        """Build what is not built yet; only for kinds with a `builder`."""
        return

    def listed(self, place: Place) -> Sequence[Identity]:
        """List the benchmarks.

        Raises
        ------
        InputError
            If they cannot be listed; the message says why.
        """

    def program(self, place: Place, trial: Trial, result: Path) -> Program:
        """Return what runs one benchmark once, and writes its JSON to `result`."""

    def collect(self, result: Path) -> None:  # noqa: ARG002
        """Write `result`, if the program has ended and does not do it by itself."""
        return

    def counting(self, place: Place, identity: Identity, file: Path, library: str) -> Program:  # noqa: ARG002
        """Return what runs one benchmark once; only for kinds that count (`Running.counts`).

        It counts instructions if it gets a library, and else writes allocations to `file`.
        """
        raise TypeError(f"nothing counts for {identity.name} in {place.target}")

    def counted(self, file: Path) -> float:
        """Return the bytes that `counting` has written."""
        return number_in(file)

    def reason(self, output: str) -> str:
        """Return the line of a failed process's output that says why; empty if none does."""


class ProgramRuns(JsonRuns):
    """The runs of one kind of program; see `steady.harness.runs.Runs`.

    Parameters
    ----------
    kind : ProgramKind
        Which harness.
    results : Results
        What knows its JSON.
    settings : HarnessSettings
        The user's options.
    """

    def __init__(
        self, kind: ProgramKind, results: Results, settings: HarnessSettings = DEFAULTS
    ) -> None:
        super().__init__(results)
        self.kind = kind
        self.builder = kind.builder
        self.settings = settings

    def check(self, versions: Sequence[Version]) -> None:
        """Raise InputError if a version cannot be run."""
        for version in versions:
            self.kind.check(self.place(version))

    def build(self, version: Version) -> None:
        """Build what a version lacks."""
        self.kind.build(self.place(version))

    def benchmarks(self, version: Version, search: Search = EVERYTHING) -> Sequence[Identity]:  # noqa: ARG002
        """List the benchmarks of a version."""
        return tuple(self.kind.listed(self.place(version)))

    @contextmanager
    def open(self, versions: Sequence[Version], scratch: Path) -> Iterator[ProgramSession]:
        """Look up where each version is; nothing keeps running."""
        places = {version.name: self.place(version) for version in versions}
        yield ProgramSession(self, places, scratch, Counter(self.settings.count, scratch))

    def place(self, version: Version) -> Place:
        """Return where a version is, and what is typed there."""
        return Place(version.target, version.command or self.settings.command)


def listing(program: Program, target: Path) -> list[str]:
    """Return the lines that a program prints, in which it lists its benchmarks.

    Raises
    ------
    InputError
        If it fails, or takes too long; the message names `target`.
    """
    try:
        ended = run_alone(program, _LISTING_SECONDS, errors=subprocess.DEVNULL)
    except OSError as error:
        raise InputError(
            f"{program.command[0]} cannot be run ({error.strerror})", source=target
        ) from None
    if ended.timed_out or ended.code != 0:
        why = signal_of(ended.code) or f"ended with exit code {ended.code}"
        if ended.timed_out:
            why = f"takes longer than {_LISTING_SECONDS:g} s to list them"
        raise InputError(f"cannot list its benchmarks: {program.command[0]} {why}", source=target)
    return ended.output.splitlines()


def listed_in(
    file: Path,
    program: Program,
    place: Place,
    *,
    cannot: str,
    install: str,
    reason: Callable[[str], str],
    fine: Collection[int] = (0,),
) -> None:
    """Run what writes a list of benchmarks to a file.

    Parameters
    ----------
    file : Path
        The file.
    program : Program
        What writes it.
    place : Place
        Where.
    cannot : str
        Begins the message that it did not: ``"pytest cannot list its tests"``.
    install : str
        What to install where the program is not there.
    reason : callable
        Returns what its output says of that; empty if nothing.
    fine : collection of int
        The exit codes of a program that has written it.

    Raises
    ------
    InputError
        If there is no list.
    """
    try:
        ended = run_alone(program, _LONG_LISTING_SECONDS)
    except OSError:
        ended = Ended(_NOT_RUN[0], "")
    if ended.code in _NOT_RUN:
        problem = f"holds no {program.command[0]} that can be run; install {install}"
    elif ended.timed_out:
        problem = f"{cannot}: it takes longer than {_LONG_LISTING_SECONDS:g} s"
    elif ended.code in fine and file.is_file():
        return
    else:
        problem = f"{cannot}: {reason(ended.output) or f'exit code {ended.code}'}"
    raise InputError(problem, source=place.target)


def check_folder(place: Place, what: str) -> None:
    """Raise InputError if a version is not a folder: its programs run there."""
    if not place.target.is_dir():
        raise InputError(
            f"is not a folder; give the check-out in which {what} runs, or a virtual environment",
            source=place.target,
        )


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
        raise InputError(f"{' and '.join(given)} {verb} for JMH, and not for {title}")


@dataclass
class ProgramSession(TurnSession):
    """A session that runs trials; a `steady.harness.runs.Session`.

    Parameters
    ----------
    runs : ProgramRuns
        What runs the harness.
    places : mapping of str to Place
        By name of the version.
    scratch : Path
        An empty folder.
    counter : Counter
        Counts beside what is timed.
    """

    runs: ProgramRuns
    places: Mapping[str, Place]
    scratch: Path
    counter: Counter

    def measure(self, trial: Trial, result: Path) -> None:
        """Run one process, which writes its results to `result`."""
        self.counter.begin(trial.timeout)
        ended = run_alone(self._program(trial, result), trial.timeout)
        self.keep(ended, trial, result)

    def lacks(self, trials: Sequence[Trial]) -> str:  # noqa: ARG002
        """Say in one line why there is no library of turns; empty if there is one."""
        return self._library if isinstance(self._library, str) else ""

    def run_in_turn(self, trials: Sequence[Trial], results: Sequence[Path]) -> Sequence[Ended]:
        """Run two programs that take turns by the clock."""
        self.counter.begin(sum(trial.timeout for trial in trials))
        return run_in_turn(
            [self._program(*pair) for pair in zip(trials, results, strict=True)],
            [trial.timeout for trial in trials],
            Path(self._library),
            self.scratch,
        )

    @cached_property
    def _library(self) -> Path | str:
        """The library of turns, or why there is none."""
        try:
            return built_library(self.scratch)
        except NotInTurnError as error:
            return str(error)

    def _program(self, trial: Trial, result: Path) -> Program:
        return self.runs.kind.program(self.places[trial.version], trial, result)

    def keep(self, ended: Ended, trial: Trial, result: Path) -> None:
        """Keep the results of one benchmark alone; raise TrialError if they are not there."""
        self.runs.kind.collect(result)
        try:
            document = self._own(ended, trial, result) | self._counts(trial)
            result.write_text(json.dumps(document), encoding="utf-8")
        except TrialError:
            result.unlink(missing_ok=True)
            raise

    def _counts(self, trial: Trial) -> dict[str, Counters]:
        def program(what: str, file: Path) -> Program:
            library = str(self.counter.library) if what == INSTRUCTIONS else ""
            return self.runs.kind.counting(
                self.places[trial.version], trial.identity, file, library
            )

        counts = self.counter.counts(trial.round, program, self.runs.kind.counted)
        return {COUNTS: counts} if counts else {}

    def _own(self, ended: Ended, trial: Trial, result: Path) -> Any:
        if ended.timed_out:
            raise out_of_time(trial.timeout, ended.log)
        if ended.code != 0:
            said = self.runs.kind.reason(ended.output) or signal_of(ended.code) or _last_line(ended)
            raise _failed(said[:_LONGEST] or f"ended with exit code {ended.code}", ended)
        try:
            document = open_document(result, within=result.parent)
            suite = self.runs.results.read(document)
        except InputError as error:
            said = self.runs.kind.reason(ended.output) or error.problem
            raise _failed(f"left no result ({said})"[:_LONGEST], ended) from None
        if trial.identity not in suite:
            reasons = (one.reason for one in suite.failures if one.identity == trial.identity)
            raise _failed(next(reasons, "left no result of this benchmark"), ended)
        return document.data


def _failed(reason: str, ended: Ended) -> TrialError:
    return TrialError(reason, ended.log)


def _last_line(ended: Ended) -> str:
    lines = (line.strip() for line in reversed(ended.output.splitlines()))
    return next((line for line in lines if line), "")
