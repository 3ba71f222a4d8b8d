"""Interleave two running programs by the clock, in slices of time.

Each program preloads ``clock_turns.c``, which hands over inside a call of the clock and subtracts
the time that the program was away. So no harness needs support for turns, and no sample contains a
pause. Programs that do not load it (static ones, and Go, which makes system calls directly) cannot
be interleaved in this way.

The idea is that of Bulej, Horky, Tuma, Farquet and Prokopec, *Duet Benchmarking*, ICPE 2020, on a
single processor.
"""

import os
import tempfile
import threading
import time
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from steady.execution.processes import Group, kill_group, uninterrupted
from steady.harness.runs import Session, Turn, all_or_none
from steady.harness.trial import Trial, TrialError
from steady.model import Identity
from steady.programs.clock_turns import ClockPage, SideTurns, clock_page
from steady.programs.process import Ended, NotInTurnError, Program, launched, text_of

SLICE_SECONDS = 0.005
"""Minimum length of a turn, which ends with the next call of the clock."""

_LOADING_SECONDS = 10.0
"""Maximum time for a program to load the library."""

_LOOK_SECONDS = 0.005
"""Interval of the checks whether a program has loaded it, before the first turn only."""

_WORKS_WHILE_AWAY = 0.1
"""Maximum processor time of a program while it is away, as a share of that time."""

_MOST_UNACCOUNTED = 0.02
"""Maximum share of the time in which not exactly one side was away."""

_FEWEST_TURNS = 1
_GRACE_SECONDS = 5.0


def run_in_turn(
    programs: Sequence[Program],
    timeouts: Sequence[float],
    library: Path,
    folder: Path,
    *,
    slice_seconds: float = SLICE_SECONDS,
    each: Sequence[float] = (),
) -> Sequence[Ended]:
    """Run two programs interleaved by the clock, on one processor while both are single-threaded.

    Parameters
    ----------
    programs : sequence of Program
        Two programs. The second one has the first turn: the first one waits while the second one
        starts.
    timeouts : sequence of float
        Seconds after which each is stopped, excluding the time in which it is away.
    library : Path
        The result of `steady.programs.clock_turns.built_library`.
    folder : Path
        Folder for the shared page.
    slice_seconds : float
        Minimum length of a turn.
    each : sequence of float
        Seconds after which a program is stopped at each of its benchmarks, if it runs several.
        Both wait for each other before each of them (``steady_meet`` in ``clock_turns.c``). If one
        ends before its last benchmark, the other one is stopped.

    Returns
    -------
    sequence of Ended
        One for each program, with the number of turns while both were alive. None of their
        processes remains.

    Raises
    ------
    NotInTurnError
        If a program does not load the library, never reads the clock, or uses the processor
        during the other's turn.
    OSError
        If a program cannot be started.
    """
    with tempfile.TemporaryDirectory(dir=folder) as place, ExitStack() as stack:
        path = Path(place, "page").resolve()
        page = stack.enter_context(clock_page(path, _processor()))
        sides: list[_Side] = []
        begin = time.monotonic()
        for number, (program, timeout) in enumerate(zip(programs, timeouts, strict=True)):
            variables = {
                **program.environment,
                "LD_PRELOAD": str(library.resolve()),
                "STEADY_TURNS_PAGE": str(path),
                "STEADY_TURNS_SIDE": str(number),
                "STEADY_TURNS_SLICE": str(round(slice_seconds * 1e9)),
            }
            own = replace(program, environment=variables)
            side = _Side(own, number, timeout, page, each, sides)
            stack.callback(side.close)
            side.start()
            sides.append(side)
        _wait(sides, begin + sum(timeouts) + _GRACE_SECONDS)
        ended = [side.close() for side in sides]
        told = [page.side(number) for number in range(len(sides))]
        unaccounted = page.unaccounted_share
    if all(one.code == 0 for one in ended):
        _check(told, unaccounted)
    turns = min(one.turns for one in told)
    places = [one.place for one in told]
    return [replace(one, turns=turns, place=at) for one, at in zip(ended, places, strict=True)]


@dataclass
class _Side:
    """One of the two programs.

    `started` holds the sides that have been started, this one included.
    """

    program: Program
    number: int
    timeout: float
    page: ClockPage
    each: Sequence[float] = ()
    started: Sequence["_Side"] = ()
    has_ended: threading.Event = field(default_factory=threading.Event)
    timed_out: bool = False
    _output: IO[bytes] = field(default_factory=tempfile.TemporaryFile)
    _process: Group | None = None
    _begin: float = 0.0

    def start(self) -> None:
        """Start the program, and wait until it has loaded the library."""
        with uninterrupted():
            process = launched(self.program, self._output, self._output)
            self._process = process
        self._begin = time.monotonic()
        threading.Thread(target=self._watch, args=(process,), daemon=True).start()
        deadline = time.monotonic() + min(_LOADING_SECONDS, self.timeout)
        ended = False
        while not self.page.side(self.number).here:
            if ended or (time.monotonic() > deadline and self.timeout > _LOADING_SECONDS):
                raise NotInTurnError(
                    "its program does not load steady's library (LD_PRELOAD), so steady cannot "
                    "interleave it"
                )
            if time.monotonic() > deadline:
                break  # it will be stopped, because it took too long
            ended = self.has_ended.wait(_LOOK_SECONDS)

    def left(self) -> float:
        """Return the remaining seconds, excluding the time in which it was away."""
        state = self.page.side(self.number)
        own = time.monotonic() - max(state.away_seconds, 0.0)
        left = self.timeout - (own - self._begin)
        if self.each:
            begin = state.arrived if state.place else self._begin
            left = min(left, self.each[max(state.place, 1) - 1] - (own - begin))
        return left

    def stop(self) -> None:
        """Kill the program, because it took too long."""
        self.timed_out = True
        self.kill()

    def kill(self) -> None:
        """Kill the program and all that it has started."""
        if self._process is not None:
            kill_group(self._process)

    def close(self) -> Ended:
        """Kill the remaining processes, and return how the program ended."""
        if self._process is None:
            return Ended(0, "")
        if not self._output.closed:
            kill_group(self._process)
            self._process.wait()
            self.has_ended.wait()
            with self._output:
                self._text = text_of(self._output)
        return Ended(self._process.returncode, self._text, self.timed_out)

    _text: str = ""

    def _watch(self, process: Group) -> None:
        """Give all turns to the other side once this one has ended, or end it as well."""
        process.wait()
        if self.page.side(self.number).place < len(self.each):
            for side in self.started:
                side.kill()
        self.page.leave(self.number)
        self.has_ended.set()


def _processor() -> int | None:
    """Return the processor for both; None if there is only one."""
    usable = os.sched_getaffinity(0)
    return max(usable) if len(usable) > 1 else None


def _wait(sides: Sequence[_Side], deadline: float) -> None:
    """Wait until both have ended; stop those that take too long."""
    while alive := [side for side in sides if not side.has_ended.is_set()]:
        if time.monotonic() > deadline:
            for side in alive:
                side.stop()
        for side in alive:
            if side.left() <= 0:
                side.stop()
        # Poll rarely, so as not to wake a processor while a benchmark is measured.
        shortest = min(side.left() for side in alive)
        alive[0].has_ended.wait(min(max(shortest, 0.01), max(deadline - time.monotonic(), 0.01)))


def _check(told: Sequence[SideTurns], unaccounted: float) -> None:
    """Raise NotInTurnError if the turns of these programs are not valid."""
    if unaccounted > _MOST_UNACCOUNTED:
        raise NotInTurnError("the recorded lengths of its turns do not add up to the elapsed time")
    if min(one.turns for one in told) < _FEWEST_TURNS:
        raise NotInTurnError(
            "it does not call the clock while it runs, so steady cannot interleave it"
        )
    if any(one.busy_seconds > _WORKS_WHILE_AWAY * one.away_seconds for one in told):
        raise NotInTurnError("its other threads run during the other program's turn")


@dataclass
class TurnSession(Session):
    """A session that interleaves processes, except for benchmarks for which this has failed."""

    _obstacles: dict[Identity, str] = field(default_factory=dict, init=False)

    @abstractmethod
    def lacks(self, trials: Sequence[Trial]) -> str:
        """Return the missing requirement of interleaving, in one line; empty if none is missing."""

    @abstractmethod
    def run_in_turn(self, trials: Sequence[Trial], results: Sequence[Path]) -> Sequence[Ended]:
        """Run two processes interleaved.

        Their results count as interleaved only if both had the same number of turns.

        Raises
        ------
        NotInTurnError
            If they cannot be interleaved.
        """

    @abstractmethod
    def keep(self, ended: Ended, trial: Trial, result: Path) -> None:
        """Store the measurements of a process; raise TrialError if some are missing."""

    def obstacle(self, trials: Sequence[Trial]) -> str:
        """Return in one line why two processes cannot be interleaved; empty if they can."""
        return self.lacks(trials) or self._obstacles.get(trials[0].identity, "")

    def measure_in_turn(
        self, trials: Sequence[Trial], results: Sequence[Path]
    ) -> Sequence[Turn | TrialError]:
        """Run two interleaved processes.

        If this fails, they run one after the other, in this and all later rounds, and `obstacle`
        returns the reason.
        """
        if not self.obstacle(trials):
            with suppress(NotInTurnError), all_or_none(results):
                return self._in_turn(trials, results)
        return super().measure_in_turn(trials, results)

    def _in_turn(
        self, trials: Sequence[Trial], results: Sequence[Path]
    ) -> Sequence[Turn | TrialError]:
        try:
            both = self.run_in_turn(trials, results)
        except NotInTurnError as reason:
            self._obstacles[trials[0].identity] = str(reason)
            raise
        in_turn = both[0].turns == both[1].turns
        outcomes: list[Turn | TrialError] = []
        for ended, trial, result in zip(both, trials, results, strict=True):
            try:
                self.keep(ended, trial, result)
                outcomes.append(Turn(None, in_turn=in_turn))
            except TrialError as error:
                outcomes.append(error)
        return outcomes
