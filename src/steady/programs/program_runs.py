"""What runs the benchmarks of a harness that is a program: one process for each fork.

A harness only has to say how its benchmarks are listed, and by which program one of them is run
(`ProgramKind`). Two processes take turns by the clock (`steady.programs.in_turn`).
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from steady.errors import InputError
from steady.harness.runs import (
    DEFAULTS,
    ForkResult,
    HarnessSettings,
    RunFacts,
    Runs,
    identities_in,
)
from steady.harness.search import EVERYTHING, Search
from steady.harness.trial import Trial, TrialError, Version, out_of_time
from steady.model import Identity, Suite
from steady.programs.clock_library import NoClockError, built_library
from steady.programs.counting import INSTRUCTIONS, Counter, number_in
from steady.programs.fork_file import COUNTS, Counts, joined, merged
from steady.programs.in_turn import run_in_turn
from steady.programs.process import Ended, Program, run_alone, signal_of
from steady.programs.turn_session import TurnSession
from steady.readers import open_document
from steady.readers.sources import Document

_LISTING_SECONDS = 60.0
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


class ProgramKind(Protocol):
    """A harness that is a program and writes JSON."""

    name: str
    """As in `Plan.harness`."""

    key: str
    """Where the list of results stands in its JSON."""

    mark: str
    """What else stands there in any case, and tells whose JSON it is."""

    def check(self, place: Place) -> None:
        """Raise InputError if there is nothing of this kind."""
        ...

    def listed(self, place: Place) -> Sequence[Identity]:
        """List the benchmarks.

        Raises
        ------
        InputError
            If they cannot be listed; the message says why.
        """
        ...

    def program(self, place: Place, trial: Trial, result: Path) -> Program:
        """Return what runs one benchmark once, and writes its JSON to `result`."""
        ...

    def collect(self, result: Path) -> None:  # noqa: ARG002
        """Write `result`, if the program has ended and does not do it by itself."""
        return

    def counting(self, place: Place, identity: Identity, file: Path, library: str) -> Program:
        """Return what runs one benchmark once; only for kinds that count (`Running.counts`).

        It counts instructions if it gets a library, and else writes allocations to `file`.
        """
        raise TypeError(f"{self.name} does not count for {identity.name} in {place.target}")

    def counted(self, file: Path) -> float:
        """Return the bytes that `counting` has written."""
        return number_in(file)

    def read(self, document: Document) -> Suite:
        """Read its JSON."""
        ...

    def reason(self, output: str) -> str:
        """Return the line of a failed process's output that says why; empty if none does."""
        ...


class ProgramRuns(Runs):
    """Runs the benchmarks of a kind; see `steady.harness.runs.Runs`.

    Parameters
    ----------
    kind : ProgramKind
        Which harness.
    settings : HarnessSettings
        The user's options.
    """

    suffix = ".json"

    def __init__(self, kind: ProgramKind, settings: HarnessSettings = DEFAULTS) -> None:
        self.name = kind.name
        self.kind = kind
        self._settings = settings

    def check(self, versions: Sequence[Version]) -> None:
        """Raise InputError if a version cannot be run."""
        for version in versions:
            self.kind.check(self.place(version))

    def benchmarks(self, version: Version, search: Search = EVERYTHING) -> Sequence[Identity]:  # noqa: ARG002
        """List the benchmarks of a version."""
        return tuple(self.kind.listed(self.place(version)))

    @contextmanager
    def open(self, versions: Sequence[Version], scratch: Path) -> Iterator[ProgramSession]:
        """Look up where each version is; nothing keeps running."""
        places = {version.name: self.place(version) for version in versions}
        alone = self._settings.one_processor
        counter = Counter(self._settings.count, scratch)
        yield ProgramSession(self.kind, places, scratch, one_processor=alone, counter=counter)

    def merge(self, results: Sequence[ForkResult], facts: RunFacts) -> bytes:
        """Join the forks of one version into one file."""
        return merged(results, facts, self.kind.key, mark=self.kind.mark)

    def measured(self, merged: Path) -> Sequence[Identity]:
        """List the benchmarks of a merged file."""
        return identities_in(self.kind.read(open_document(merged)))

    def join(self, merged: Sequence[Path]) -> bytes:
        """Join merged files into one."""
        return joined(merged, self.kind.key)

    def place(self, version: Version) -> Place:
        """Return where a version is, and what is typed there."""
        return Place(version.target, version.command or self._settings.command)


def holds_nothing(target: Path) -> bool:  # noqa: ARG001
    """Return False, for a harness that only a command tells: its folders may hold anything."""
    return False


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


class ProgramSession(TurnSession):
    """Runs trials; a `steady.harness.runs.Session`.

    Parameters
    ----------
    kind : ProgramKind
        Which harness.
    places : mapping of str to Place
        By name of the version.
    scratch : Path
        An empty folder.
    one_processor : bool
        Whether two that take turns are kept on one processor.
    counter : Counter, optional
        Counts beside what is timed.
    """

    def __init__(
        self,
        kind: ProgramKind,
        places: Mapping[str, Place],
        scratch: Path,
        *,
        one_processor: bool = True,
        counter: Counter | None = None,
    ) -> None:
        super().__init__()
        self._counter = counter or Counter((), scratch)
        self.kind = kind
        self._places = places
        self._scratch = scratch
        self._one_processor = one_processor

    def measure(self, trial: Trial, result: Path) -> None:
        """Run one process, which writes its results to `result`."""
        self._counter.begin(trial.timeout)
        ended = run_alone(self._program(trial, result), trial.timeout)
        self.keep(ended, trial, result)

    def lacks(self, trials: Sequence[Trial]) -> str:  # noqa: ARG002
        """Say in one line why there is no library of turns; empty if there is one."""
        return self._library if isinstance(self._library, str) else ""

    def run_in_turn(
        self, trials: Sequence[Trial], results: Sequence[Path]
    ) -> Sequence[tuple[Ended, bool]]:
        """Run two programs that take turns by the clock."""
        self._counter.begin(sum(trial.timeout for trial in trials))
        taken = run_in_turn(
            [self._program(*pair) for pair in zip(trials, results, strict=True)],
            [trial.timeout for trial in trials],
            Path(self._library),
            self._scratch,
            one_processor=self._one_processor,
        )
        return [(side.ended, True) for side in taken]

    @cached_property
    def _library(self) -> Path | str:
        """The library of turns, or why there is none."""
        try:
            return built_library(self._scratch)
        except NoClockError as error:
            return str(error)

    def _program(self, trial: Trial, result: Path) -> Program:
        return self.kind.program(self._places[trial.version], trial, result)

    def keep(self, ended: Ended, trial: Trial, result: Path) -> None:
        """Keep the results of one benchmark alone; raise TrialError if they are not there."""
        self.kind.collect(result)
        try:
            document = self._own(ended, trial, result) | self._counts(trial)
            result.write_text(json.dumps(document), encoding="utf-8")
        except TrialError:
            result.unlink(missing_ok=True)
            raise

    def _counts(self, trial: Trial) -> dict[str, Counts]:
        def program(what: str, file: Path) -> Program:
            library = str(self._counter.library) if what == INSTRUCTIONS else ""
            return self.kind.counting(self._places[trial.version], trial.identity, file, library)

        counts = self._counter.counts(trial.round, program, self.kind.counted)
        return {COUNTS: counts} if counts else {}

    def _own(self, ended: Ended, trial: Trial, result: Path) -> Any:
        if ended.timed_out:
            raise out_of_time(trial.timeout, ended.log)
        if ended.code != 0:
            said = self.kind.reason(ended.output) or signal_of(ended.code) or _last_line(ended)
            raise _failed(said[:_LONGEST] or f"ended with exit code {ended.code}", ended)
        try:
            document = open_document(result, within=result.parent)
            suite = self.kind.read(document)
        except InputError as error:
            said = self.kind.reason(ended.output) or error.problem
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
