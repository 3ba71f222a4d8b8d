"""The time limit of a run: no round begins that cannot end within it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from steady.engine.journal import JournalEntry
from steady.engine.run_file import Stretch
from steady.execution.warm_up import SPARE_SECONDS
from steady.harness.trial import Trial

LISTING_SHARE = 0.3
"""Share of the time for the discovery of benchmarks: the rest is for measurements."""


OUT_OF_TIME = "the time budget was spent"
"""The reason for forks that did not fit into the time."""

TOO_SHORT = "the time budget was too short"
"""The reason for benchmarks that were not run, or not discovered."""

_SPARE_SHARE = 0.02
"""Share of the time budget by which the last fork may exceed it, but at least `SPARE_SECONDS`, so
that it can use all the remaining time. The rest of 5 % is for the end of the run."""

_ENDING_SECONDS = 1.0
"""Assumed seconds of the end of a run, until they are measured: merging, ends of JVMs."""


_AT_START = time.time() - time.monotonic()


def unix_time() -> float:
    """Return the unix time in seconds, which never goes back: a machine may set its clock."""
    return _AT_START + time.monotonic()


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock; tests have one of their own.

    Parameters
    ----------
    now : callable
        Returns the unix time in seconds.
    sleep : callable
        Waits some seconds.
    """

    now: Callable[[], float] = unix_time
    sleep: Callable[[float], None] = time.sleep


CLOCK = Clock()


@dataclass(frozen=True, slots=True)
class Budget:
    """The time budget of a run.

    Parameters
    ----------
    seconds : float
        From its beginning to its end; infinite without a limit.
    began : float
        Unix time of its beginning.
    clock : Clock
        The clock.
    """

    seconds: float = math.inf
    began: float = 0.0
    clock: Clock = CLOCK

    @classmethod
    def begin(cls, seconds: float | None, clock: Clock = CLOCK) -> Budget:
        """Begin a run now."""
        return cls(math.inf if seconds is None else seconds, clock.now(), clock)

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return self.clock.now() - self.began

    def left(self, share: float = 1.0) -> float:
        """Return the seconds that are left of the budget, or of a share of it."""
        return share * self.seconds - self.spent


UNLIMITED = Budget()
"""A budget without a limit."""


@dataclass
class TimeLimit:
    """The time limit of a run, from its beginning to its end.

    Parameters
    ----------
    seconds : float
        Its length, all sessions of the run together.
    began : float
        Unix time at which this session began.
    ending : float
        Seconds that are kept for the end of the run.
    """

    seconds: float
    began: float
    ending: float = field(default=_ENDING_SECONDS)

    def left(self, now: float) -> float:
        """Return the seconds that are left for forks."""
        return self.seconds - (now - self.began) - self.ending

    def ended_with(self, step: Sequence[Trial], now: float) -> tuple[Trial, ...]:
        """Return trials whose timeouts do not exceed the time of the run.

        Two that take turns have half of it each: the time of one stands still in the other's turn.
        A little more than is left is theirs, so that none is ended just before it would have.
        """
        left = self.left(now) + max(SPARE_SECONDS, _SPARE_SHARE * self.seconds)
        return tuple(
            replace(trial, timeout=min(trial.timeout, max(left, 0.0) / len(step))) for trial in step
        )


def seconds_of_round(
    step: Sequence[Trial], schedule: Sequence[Trial], records: Mapping[int, JournalEntry]
) -> float:
    """Return the expected seconds of the round that a step belongs to.

    Parameters
    ----------
    step : sequence of Trial
        The trials of the step.
    schedule : sequence of Trial
        The whole schedule.
    records : mapping of int to JournalEntry
        The outcomes of trials.

    Returns
    -------
    float
        The longest time of the benchmark's earlier forks for each fork. If it has none, what was
        promised, times the ratio of real to promised seconds of all others. The second of two
        forks takes nothing: the first one alone would be of no use.
    """
    place = step[0].round, step[0].identity
    whole = [trial for trial in schedule if (trial.round, trial.identity) == place]
    if len(step) < len(whole) and any(trial.number in records for trial in whole):
        return 0.0
    own = (t.number for t in schedule if t.identity == step[0].identity and t.number in records)
    longest = max((records[number].seconds for number in own), default=None)
    if longest is not None:
        return longest * len(whole)
    return sum(trial.seconds for trial in whole) * pace(records)


def pace(records: Mapping[int, JournalEntry]) -> float:
    """Return the ratio of real to expected seconds of forks.

    Those that stay cold, and those that hang, took longer than others will.
    """
    warm = [record for record in records.values() if record.status == "ok" and not record.cold]
    promised = sum(record.promised for record in warm)
    return sum(record.seconds for record in warm) / promised if promised > 0 else 1.0


def seconds_before(
    sessions: Sequence[Stretch], now: float, records: Iterable[JournalEntry]
) -> float:
    """Return the seconds of earlier sessions of a run; of a killed one, up to its last fork.

    Parameters
    ----------
    sessions : sequence of Stretch
        The earlier sessions.
    now : float
        When this session began; unix time in seconds.
    records : iterable of JournalEntry
        How the trials of all sessions ended.
    """
    ends = [record.end for record in records]
    following = [*(session.start for session in sessions), now][1:]
    seconds = 0.0
    for session, after in zip(sessions, following, strict=True):
        own = [end for end in ends if session.start <= end <= after]
        last = max(own, default=session.start)
        seconds += (last if session.end is None else session.end) - session.start
    return seconds
