"""Measure any command, with interleaved executions of base and head."""

from __future__ import annotations

import json
import math
import os
import shlex
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from steady.errors import InputError
from steady.execution.fork_log import excerpt_of
from steady.execution.processes import Child, uninterrupted
from steady.harness.command import results
from steady.harness.runs import HarnessSettings, Session, Turn, all_or_none
from steady.harness.search import EVERYTHING, LISTING_SECONDS, Search
from steady.harness.trial import Trial, TrialError, Version, out_of_time
from steady.model import Identity
from steady.programs.counting import Counter
from steady.programs.entries_format import COUNTS
from steady.programs.process import Program, program_in, signal_of
from steady.programs.program_runs import JsonRuns, refuse_foreign

_DRIVER = str(Path(__file__).resolve().with_name("driver.py"))


class Execution(NamedTuple):
    """One execution of a command, as reported by ``driver.py``."""

    seconds: float
    processor_seconds: float
    memory: int
    code: int
    said: str


class CommandRuns(JsonRuns):
    """A command in the folders of base and head; see `steady.harness.runs.Runs`.

    Parameters
    ----------
    command : tuple of str
        Its words; empty if each version has its own command.
    count : tuple of str
        Names of the counts in addition to the times.
    """

    def __init__(self, command: tuple[str, ...], count: tuple[str, ...] = ()) -> None:
        super().__init__(results.FORMAT)
        self._command = command
        self._count = count
        self._identity = Identity(shlex.join(command) or "command")
        self._took: dict[Identity, float] = {}

    def check(self, versions: Sequence[Version]) -> None:
        """Raise InputError if there is no command, or no folder to run it in."""
        if not hasattr(os, "wait4"):
            raise InputError("commands are measured on Linux and macOS only")
        for version in versions:
            if version.command or _is_program(version):
                continue
            if not self._command:
                raise InputError(
                    "give the command to run in both folders, as in: -- ./tool input.txt; or give "
                    "base and "
                    "head as commands of several words",
                    source=version.target,
                )
            if not version.target.is_dir():
                raise InputError("is not a folder in which a command runs", source=version.target)

    def benchmarks(self, version: Version, search: Search = EVERYTHING) -> Sequence[Identity]:  # noqa: ARG002
        """Return the command; raise InputError unless an execution shows that it runs."""
        identity = self._identity
        with tempfile.TemporaryDirectory() as folder:
            side = _Side(version, self._command, Path(folder, "log"), LISTING_SECONDS)
            try:
                self._took[identity] = side.execute().seconds
            except TrialError as error:
                words = shlex.join(_own_command(version) or self._command)
                raise InputError(f"`{words}` {error}", source=version.name) from None
            finally:
                side.close()
        return (identity,)

    def operation_seconds(self, identity: Identity) -> float:
        """Return the duration of its first execution; NaN if it was not executed."""
        return self._took.get(identity, math.nan)

    @contextmanager
    def open(self, versions: Sequence[Version], scratch: Path) -> Iterator[CommandSession]:
        """Open a session without any process."""
        own = {one.name: one for one in versions}
        yield CommandSession(own, self._command, scratch, Counter(self._count, scratch, whole=True))


def make_runs(settings: HarnessSettings) -> CommandRuns:
    """Return the runs of a command; raise InputError for options of JMH."""
    refuse_foreign(settings, "a command")
    return CommandRuns(settings.command, settings.count)


def takes(command: Sequence[str], folder: Path) -> bool:  # noqa: ARG001
    """Return whether there is a command; any can be run."""
    return bool(command)


def _own_command(version: Version) -> tuple[str, ...]:
    """Return the version's own command; empty if the common one runs in its folder."""
    return (str(version.target.absolute()),) if _is_program(version) else version.command


def _is_program(version: Version) -> bool:
    """Return whether a version is a program to run without arguments."""
    is_file = not version.command and version.target.is_file()
    return is_file and os.access(version.target, os.X_OK)


@dataclass(frozen=True, slots=True)
class CommandSession(Session):
    """A session that runs trials; a `steady.harness.runs.Session`.

    Parameters
    ----------
    versions : mapping of str to Version
        By name.
    command : tuple of str
        The words of the command.
    scratch : Path
        An empty folder.
    counter : Counter
        Counts in addition to the timed executions.
    """

    versions: Mapping[str, Version]
    command: tuple[str, ...]
    scratch: Path
    counter: Counter

    def measure(self, trial: Trial, result: Path) -> float | None:
        """Execute the command for all iterations, and write the times."""
        (end,) = self._executed([trial], [result])
        if isinstance(end, TrialError):
            raise end
        return end.iteration_seconds

    def obstacle(self, trials: Sequence[Trial]) -> str:  # noqa: ARG002
        """Return an empty text: any two commands can be interleaved."""
        return ""

    def measure_in_turn(
        self, trials: Sequence[Trial], results: Sequence[Path]
    ) -> Sequence[Turn | TrialError]:
        """Interleave the executions of both commands (ABBA)."""
        return self._executed(trials, results)

    def _executed(
        self, trials: Sequence[Trial], results: Sequence[Path]
    ) -> Sequence[Turn | TrialError]:
        how = trials[0].configuration
        count = how.warmup_iterations + how.iterations
        self.counter.begin(sum(trial.timeout for trial in trials))
        with all_or_none(results), ExitStack() as stack:
            sides = []
            for number, trial in enumerate(trials):
                log = self.scratch / f"errors-{number}"
                version = self.versions[trial.version]
                sides.append(_Side(version, self.command, log, trial.timeout))
                stack.callback(sides[-1].close)
            begin = time.monotonic()
            for number in range(count):
                second_begins = (number - how.warmup_iterations) % 2
                for side in reversed(sides) if second_begins else sides:
                    side.go_on()
            seconds = time.monotonic() - begin
            pairs = zip(sides, trials, results, strict=True)
            both = all(not side.failure for side in sides) and len(sides) > 1
            return [self._kept(*one, Turn(seconds, in_turn=both)) for one in pairs]

    def _kept(self, side: _Side, trial: Trial, result: Path, turn: Turn) -> Turn | TrialError:
        """Write the times of a side's executions, or return its failure."""
        if side.failure is not None:
            return side.failure
        done = side.executions
        entry = {
            "command": trial.identity.name,
            "times": [one.seconds for one in done],
            results.PROCESSOR: [one.processor_seconds for one in done],
            results.MEMORY: [one.memory for one in done],
            "exit_codes": [one.code for one in done],
        }
        counts = self.counter.counts(trial.round, lambda *_: side.program)
        document = {results.KEY: [entry], **({COUNTS: counts} if counts else {})}
        result.write_text(json.dumps(document), encoding="utf-8")
        return turn


@dataclass
class _Side:
    """One of two versions, whose executions are interleaved.

    Parameters
    ----------
    version : Version
        The version.
    command : tuple of str
        Its words, unless the version has its own.
    log : Path
        Log of the driver itself.
    timeout : float
        Maximum duration of all its executions, in seconds.
    """

    version: Version
    command: tuple[str, ...]
    log: Path
    timeout: float
    executions: list[Execution] = field(default_factory=list)
    failure: TrialError | None = None

    def __post_init__(self) -> None:
        words = _own_command(self.version)
        self.program = Program(words) if words else program_in(self.version.target, self.command)
        folder, words = self.program.folder or Path(), self.program.command
        with uninterrupted():
            self._child = Child([sys.executable, "-ISB", _DRIVER, str(folder), *words], self.log)
        self._left = self.timeout

    def go_on(self) -> None:
        """Execute the command once more, unless an execution has failed."""
        if self.failure is None:
            try:
                self.executions.append(self.execute())
            except TrialError as error:
                self.failure = error

    def execute(self) -> Execution:
        """Execute the command once; raise TrialError if it fails or takes too long."""
        begin = time.monotonic()
        try:
            self._child.write("go")
            line = self._child.line(begin + self._left)
        except (TimeoutError, OSError):
            self._child.kill()
            raise out_of_time(self.timeout) from None
        self._left -= time.monotonic() - begin
        if line is None:
            raise TrialError("cannot be executed", excerpt_of(self.log))
        told = json.loads(line)
        if isinstance(told, str):
            raise TrialError(f"cannot be started ({told})")
        done = Execution(*told)
        if done.code != 0:
            how = signal_of(done.code) or f"ended with exit code {done.code}"
            raise TrialError(f"{how}: {done.said}" if done.said else how)
        return done

    def close(self) -> None:
        """End the driver and all remaining processes."""
        self._child.kill()
