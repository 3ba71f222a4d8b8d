"""Interleaving of two processes by iteration.

Measurements at nearly the same time share the state of the machine, which cancels out in their
difference (Bulej et al., "Duet Benchmarking", ICPE 2020). Unlike in duet benchmarking, only one of
the two processes runs at a time, since they would otherwise share a processor's caches and affect
each other.
"""

import enum
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

SIDES = (0, 1)


@dataclass(frozen=True, slots=True)
class Course:
    """The iterations of each of two processes.

    Parameters
    ----------
    warmup, measured : int
        Numbers of iterations; the warm-up comes first and is interleaved too.
    """

    warmup: int
    measured: int

    def first(self, place: int) -> int:
        """Return the side that begins a pair of iterations, in ABBA order within each phase."""
        index = place if place < self.warmup else place - self.warmup
        return 0 if index % 4 in (0, 3) else 1

    @property
    def end(self) -> int:
        """Number of all iterations."""
        return self.warmup + self.measured


class State(enum.Enum):
    """The state of a process."""

    STARTING = enum.auto()
    WAITING = enum.auto()
    RUNNING = enum.auto()
    GONE = enum.auto()


@dataclass(slots=True)
class _Side:
    state: State = State.STARTING
    place: int = -1
    """The current iteration; after the last one, the number of iterations."""
    in_turn: int = 0
    """Number of measured iterations that were interleaved."""


class TurnOrder:
    """The order of turns of two processes.

    The start and the end of a process use the processor too. Therefore neither process begins its
    first turn before the other is ready, and neither ends before the other has run all its
    iterations. If one process ends early, the other continues alone.

    Parameters
    ----------
    course : Course
        Iterations of each process.
    """

    def __init__(self, course: Course) -> None:
        self._course = course
        self._sides = (_Side(), _Side())

    def state(self, side: int) -> State:
        """Return the state of a process."""
        return self._sides[side].state

    def place(self, side: int) -> int:
        """Return the 0-based iteration that a process runs or waits for; -1 before the first."""
        return self._sides[side].place

    def asks(self, side: int) -> None:
        """Record that a process has finished a turn and waits for the next one."""
        own = self._sides[side]
        if own.state is not State.GONE:
            own.state = State.WAITING
            own.place += 1

    def end_warmup_after(self, iterations: int) -> None:
        """Limit the warm-up of each process to this number of iterations."""
        warmup = min(iterations, self._course.warmup)
        self._course = replace(self._course, warmup=warmup)

    def end_after(self, iterations: int) -> None:
        """Limit each process to this number of iterations in total."""
        measured = min(iterations, self._course.end) - self._course.warmup
        self._course = replace(self._course, measured=measured)

    def end_soon(self, side: int) -> None:
        """End the current phase, warm-up or measurement, after the next iteration."""
        place = self._sides[side].place
        end = self.end_warmup_after if place < self._course.warmup else self.end_after
        end(place + 1)

    def is_last(self, side: int) -> bool:
        """Return whether a running process is in the last iteration of a phase."""
        return self._sides[side].place in (self._course.warmup - 1, self._course.end - 1)

    def leaves(self, side: int) -> None:
        """Record that a process has ended."""
        self._sides[side].state = State.GONE

    def grant(self) -> list[int]:
        """Return the sides that may continue."""
        return [side for side in SIDES if self._grants(side)]

    def took_turns(self, side: int) -> bool:
        """Return whether all measured iterations of a process were interleaved."""
        return self._sides[side].in_turn == self._course.measured

    def _grants(self, side: int) -> bool:
        own, other, course = self._sides[side], self._sides[1 - side], self._course
        if own.state is not State.WAITING or not self._may_go(side):
            return False
        if course.warmup <= own.place < course.end and other.state is State.WAITING:
            own.in_turn += 1
        own.state = State.RUNNING if own.place < course.end else State.GONE
        return True

    def _may_go(self, side: int) -> bool:
        own, other, course = self._sides[side], self._sides[1 - side], self._course
        if other.state is State.GONE:
            return True
        if other.state is not State.WAITING:
            return False
        if own.place >= course.end:
            return other.place >= course.end
        return own.place < other.place or (
            own.place == other.place and course.first(own.place) == side
        )


@dataclass(slots=True)
class Stopwatch:
    """A stopwatch for the time in which a process does not wait for its turn.

    Parameters
    ----------
    clock : callable
        Returns the time in seconds.
    """

    clock: Callable[[], float] = time.monotonic
    _counted: float = field(default=0.0, init=False)
    _since: float | None = field(default=None, init=False)

    def run(self) -> None:
        """Start or continue."""
        if self._since is None:
            self._since = self.clock()

    def pause(self) -> None:
        """Stop until the next call of `run`."""
        self._counted = self.seconds
        self._since = None

    @property
    def seconds(self) -> float:
        """The seconds counted so far."""
        return self._counted + (0.0 if self._since is None else self.clock() - self._since)
