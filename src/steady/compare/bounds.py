"""Bounds that a change of one benchmark must reach to count, and what its judgement means."""

from __future__ import annotations

from dataclasses import dataclass

from steady.compare.benchmark_change import Change, Outcome
from steady.compare.judgement import Judgement
from steady.compare.noise_floor import NoiseFloor
from steady.compare.pair import Pair
from steady.model import Benchmark, Direction


def way_of(judgement: Judgement, direction: Direction) -> Outcome:
    """Say which way a benchmark changed, if it did; ``lower`` or ``higher`` is better."""
    ratio = judgement.ratio
    worse = ratio > 0 if direction == "lower" else ratio < 0
    return "regression" if worse else "improvement"


def outcome_of(
    judgement: Judgement,
    direction: Direction,
    min_change: float,
    floor: float = 0.0,
    excluded: float | None = None,
) -> Outcome:
    """Say what a rule's judgement means for a benchmark.

    Parameters
    ----------
    judgement : Judgement
        What the rule found.
    direction : {"lower", "higher"}
        Which way is better.
    min_change : float
        Smallest relative change that counts, as a fraction.
    floor : float
        Relative change that runs of one version stay within. The interval does not know it.
    excluded : float, optional
        Size beyond which a change is excluded; left out, the judgement's own interval says so.
    """
    ratio = judgement.ratio
    if judgement.apart and abs(ratio) >= max(min_change, floor) and ratio != 0:
        return way_of(judgement, direction)
    beyond = max(judgement.excluded if excluded is None else excluded, floor)
    return "unchanged" if beyond < min_change or beyond == 0 else "unclear"


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a change of one benchmark must reach to count.

    Parameters
    ----------
    direction : {"lower", "higher"}
        Which way is better.
    usual : float
        Smallest relative change that counts in this comparison.
    own : float or None
        The benchmark's own, where the settings have one.
    floor : float
        Relative change that runs of one version stay within.
    """

    direction: Direction
    usual: float
    own: float | None
    floor: float

    @classmethod
    def of(
        cls,
        head: Benchmark,
        pair: Pair,
        usual: float,
        own: float | None,
        floor: NoiseFloor | None,
    ) -> Bounds:
        """Return the bounds of a benchmark: forks that ran in turn need no noise floor."""
        between_runs = 0.0 if floor is None or len(pair.rounds) else floor.change
        return cls(head.direction, usual, own, between_runs)

    @property
    def min_change(self) -> float:
        """The smallest relative change of this benchmark that counts."""
        return self.usual if self.own is None else self.own

    def outcome(self, judgement: Judgement, excluded: float | None = None) -> Outcome:
        """Say what a judgement means; see `outcome_of`."""
        return outcome_of(judgement, self.direction, self.min_change, self.floor, excluded)

    def reports(self, judgement: Judgement) -> bool:
        """Tell whether a judgement is a change that counts."""
        return self.outcome(judgement) in ("regression", "improvement")

    def change(
        self,
        head: Benchmark,
        judgement: Judgement,
        outcome: Outcome,
        excluded: float,
        notes: tuple[str, ...] = (),
        metric: str = "",
    ) -> Change:
        """Return the change of a benchmark, or of one of its metrics.

        Parameters
        ----------
        head : Benchmark
            Its result in head.
        judgement : Judgement
            What was found.
        outcome : {"regression", "improvement", "unchanged", "unclear"}
            What that means.
        excluded : float
            Size beyond which a change is excluded.
        notes : tuple of str
            What else a reader should know.
        metric : str
            Name of the metric; empty for the main result.
        """
        return Change(
            identity=head.identity,
            metric=metric,
            unit=head.unit,
            direction=self.direction,
            base=judgement.base,
            head=judgement.head,
            outcome=outcome,
            smallest=max(self.min_change, self.floor, judgement.reach_of_ratio),
            notes=judgement.notes + notes,
            interval=judgement.interval,
            min_change=self.own,
            excluded=max(excluded, self.floor),
            lacking=judgement.lacking,
        )
