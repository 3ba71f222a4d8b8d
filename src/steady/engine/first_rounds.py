"""The benchmarks that are measured where the time does not last for all of them.

A benchmark with fewer rounds than the first decision needs has no verdict, so its rounds are of no
use. Where not all benchmarks can have as many, some get all of theirs, and the others none.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from steady.engine.journal import JournalEntry
from steady.harness.trial import Trial
from steady.model import Identity


def begins_with(identities: Collection[Identity], number: int, parts: int) -> tuple[Identity, ...]:
    """Return in which order benchmarks come, so that others come first with each number.

    Parameters
    ----------
    identities : collection of Identity
        All of them.
    number : int
        Any number, such as that of a pull request.
    parts : int
        Into how many parts, of which each fits into the time, they are dealt out: as many
        successive numbers begin with each part once.
    """
    ordered = sorted(identities, key=lambda identity: identity.label)
    begin = number % parts * len(ordered) // parts
    return tuple(ordered[begin:] + ordered[:begin])


@dataclass
class FirstRounds:
    """Chooses what is measured next, so that as many as possible get all of their first rounds.

    Parameters
    ----------
    order : sequence of Identity
        Who comes first. Benchmarks that are not named come last.
    """

    order: Sequence[Identity] = ()
    _places: Mapping[Identity, int] = field(init=False)

    def __post_init__(self) -> None:
        self._places = {identity: place for place, identity in enumerate(self.order)}

    def chosen(
        self,
        schedule: Sequence[Trial],
        left: Sequence[Trial],
        records: Mapping[int, JournalEntry],
        seconds: float,
    ) -> frozenset[Identity]:
        """Return the benchmarks whose trials all fit into the time.

        What has begun comes first, since less of it is left. If nothing fits, the first one is
        chosen all the same: it may take less than it should.

        Parameters
        ----------
        schedule : sequence of Trial
            The whole schedule so far.
        left : sequence of Trial
            The trials that have to be run before the first decision.
        records : mapping of int to JournalEntry
            How trials ended.
        seconds : float
            How much time is left.
        """
        needed = _seconds_needed(schedule, left, records)
        if sum(needed.values()) <= seconds:
            return frozenset(needed)
        begun = Counter(trial.identity for trial in schedule if trial.number in records)

        def place(identity: Identity) -> tuple[int, float, str]:
            named = self._places.get(identity, math.inf)
            return -begun[identity], named, identity.label

        chosen = set()
        ordered = sorted(needed, key=place)
        for identity in ordered:
            if needed[identity] <= seconds:
                chosen.add(identity)
                seconds -= needed[identity]
        return frozenset(chosen or ordered[:1])


def _seconds_needed(
    schedule: Sequence[Trial], left: Sequence[Trial], records: Mapping[int, JournalEntry]
) -> dict[Identity, float]:
    """Return how long the trials of each benchmark that are left will take.

    Each takes as long as those of its benchmark did so far; before the first one, as long as was
    promised, times the ratio of real to promised seconds of all that ran.
    """
    spent: dict[Identity, list[float]] = {}
    for trial in schedule:
        if trial.number in records:
            spent.setdefault(trial.identity, []).append(records[trial.number].seconds)
    promised = sum(record.promised for record in records.values())
    pace = sum(map(sum, spent.values())) / promised if promised > 0 else 1.0
    needed: dict[Identity, float] = {}
    for trial in left:
        own = spent.get(trial.identity)
        seconds = trial.seconds * pace if own is None else sum(own) / len(own)
        needed[trial.identity] = needed.get(trial.identity, 0.0) + seconds
    return needed
