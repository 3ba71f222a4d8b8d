"""The time limit of a run: a round begins only if it can end within it."""

from __future__ import annotations

import math
import time
from collections import Counter
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
    """Return the unix time in seconds, monotonic even if the machine sets its clock."""
    return _AT_START + time.monotonic()


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock, which tests replace.

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
        Duration from start to end; infinite without a limit.
    began : float
        Unix time of the start.
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
        """Return the remaining seconds of the budget, or of a share of it."""
        return share * self.seconds - self.spent


UNLIMITED = Budget()
"""A budget without a limit."""


@dataclass
class TimeLimit:
    """The time limit of a run, from its beginning to its end.

    Parameters
    ----------
    seconds : float
        Total duration of all sessions of the run.
    began : float
        Unix time of the start of this session.
    ending : float
        Seconds that are kept for the end of the run.
    """

    seconds: float
    began: float
    ending: float = field(default=_ENDING_SECONDS)

    def left(self, now: float) -> float:
        """Return the remaining seconds for forks."""
        return self.seconds - (now - self.began) - self.ending

    def most(self, now: float) -> float:
        """Return the seconds after which any step is stopped."""
        return max(self.left(now) + max(SPARE_SECONDS, _SPARE_SHARE * self.seconds), 0.0)

    def ended_with(self, step: Sequence[Trial], now: float) -> tuple[Trial, ...]:
        """Return trials whose timeouts do not exceed the time of the run.

        Two interleaved trials get half of the time each, since a timeout does not count the turns
        of the other. They get slightly more than the remaining time, so that none is stopped just
        before its end.
        """
        left = self.most(now)
        forks = Counter(trial.identity for trial in step)
        return tuple(
            replace(trial, timeout=min(trial.timeout, left / forks[trial.identity]))
            for trial in step
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
        For each fork the longest time of the benchmark's earlier forks, or without any the planned
        seconds times the ratio of actual to planned seconds of all others. Zero for the second of
        two forks, since the first one alone would be of no use.
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
    """Return the ratio of actual to expected seconds of forks.

    Forks that stayed cold or hung are excluded, because they take longer than others.
    """
    warm = [record for record in records.values() if record.status == "ok" and not record.cold]
    promised = sum(record.promised for record in warm)
    return sum(record.seconds for record in warm) / promised if promised > 0 else 1.0


def seconds_before(
    sessions: Sequence[Stretch], now: float, records: Iterable[JournalEntry]
) -> float:
    """Return the seconds of earlier sessions of a run; a killed session ends with its last fork.

    Parameters
    ----------
    sessions : sequence of Stretch
        The earlier sessions.
    now : float
        Unix time of the start of this session, in seconds.
    records : iterable of JournalEntry
        The outcomes of the trials of all sessions.
    """
    ends = [record.end for record in records]
    following = [*(session.start for session in sessions), now][1:]
    seconds = 0.0
    for session, after in zip(sessions, following, strict=True):
        own = [end for end in ends if session.start <= end <= after]
        last = max(own, default=session.start)
        seconds += (last if session.end is None else session.end) - session.start
    return seconds
