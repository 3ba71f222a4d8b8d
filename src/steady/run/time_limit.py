"""The time that a whole run may take: nothing begins that cannot end within it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from steady.model import Identity
from steady.run.journal import JournalEntry
from steady.run.trial import Trial

OUT_OF_TIME = "the time budget was spent"
"""Why forks were not run that did not fit into the time."""

_ENDING_SECONDS = 1.0
"""What it takes to end a run, before that was measured: results are merged, JVMs end."""


@dataclass
class TimeLimit:
    """How much time a run has, from its very beginning to its end.

    Parameters
    ----------
    seconds : float
        How long it may take, all its sessions together.
    began : float
        When this session began, by the clock of the run.
    ending : float
        Seconds that are kept for the end.
    """

    seconds: float
    began: float
    ending: float = field(default=_ENDING_SECONDS)

    def left(self, now: float) -> float:
        """Return the seconds that are left for forks."""
        return self.seconds - (now - self.began) - self.ending


def expected_seconds(
    trials: Sequence[Trial],
    schedule: Iterable[Trial],
    records: dict[int, JournalEntry],
) -> float:
    """Return how long forks of one benchmark will take, by all that is known of it.

    Parameters
    ----------
    trials : sequence of Trial
        The forks.
    schedule : iterable of Trial
        The whole schedule, those that have ended among them.
    records : dict of int to JournalEntry
        How trials ended.

    Returns
    -------
    float
        The longest time of its earlier forks for each of them. If it has none, what was promised,
        times the ratio of real to promised seconds of all others.
    """
    longest = _longest(schedule, records).get(trials[0].identity)
    if longest is not None:
        return longest * len(trials)
    spent = sum(record.seconds for record in records.values())
    promised = sum(record.promised for record in records.values())
    pace = spent / promised if promised > 0 else 1.0
    return sum(trial.seconds for trial in trials) * pace


def _longest(schedule: Iterable[Trial], records: dict[int, JournalEntry]) -> dict[Identity, float]:
    longest: dict[Identity, float] = {}
    for trial in schedule:
        if trial.number in records:
            seconds = records[trial.number].seconds
            longest[trial.identity] = max(seconds, longest.get(trial.identity, 0.0))
    return longest
