"""The measurements of one benchmark in base and in head, and what a rule says about them."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from steady.compare.alpha_spending import nominal_confidence
from steady.compare.change import Estimate, relative_change
from steady.compare.earlier import earlier_spread
from steady.compare.fork_rows import (
    NO_ROUNDS,
    NO_TURNS,
    BoolArray,
    IntArray,
    by_fork,
    in_step,
    rounds_in_common,
)
from steady.compare.spread import Spread
from steady.model import Benchmark, FloatArray

Key = TypeVar("Key")
Item = TypeVar("Item")

FORK = "fork"
"""Name of the level whose repetitions are JVMs."""


@dataclass(frozen=True, eq=False)
class Pair:
    """One benchmark's measurements side by side, warm-up left out.

    Parameters
    ----------
    unit : str
        Of both; benchmarks of one unit may learn from each other.
    base, head : ndarray of float64, shape (forks, iterations)
        NaN where a fork has fewer iterations; every fork has at least one value.
    rounds : ndarray of int, shape (rounds, 2)
        Rows of base and of head that ran close in time: one pair for each round of an interleaved
        run. Empty if the run was not interleaved, or does not say so.
    earlier : Spread
        Between forks within earlier runs; without degrees of freedom if there are none.
    alike : bool
        Whether one process is like another, so that the results of a single process can decide.
        This holds for Go. It does not hold for JMH, since a JVM compiles anew in each fork.
    turns : ndarray of bool, shape (rounds,)
        Whether the two forks of the round took turns, so that the k-th value of one ran right
        beside the k-th of the other. Empty if none did.
    looks : tuple of int
        Numbers of rounds at which the run decided whether more were needed; empty if it did not.
    """

    unit: str
    base: FloatArray
    head: FloatArray
    rounds: IntArray = field(default_factory=lambda: NO_ROUNDS)
    earlier: Spread = field(default_factory=Spread)
    alike: bool = False
    turns: BoolArray = field(default_factory=lambda: NO_TURNS)
    looks: tuple[int, ...] = ()

    @classmethod
    def of(cls, base: Benchmark, head: Benchmark, earlier: Iterable[Benchmark] = ()) -> Pair:
        """Set two results of one benchmark side by side, and learn from earlier ones of it.

        Nothing is learnt from earlier results in another unit or with values out of range.
        """
        rounds, turns = rounds_in_common(base, head)
        sides = in_step(base, head) if turns.any() else (fork_values(base), fork_values(head))
        known = earlier_spread(
            (fork_values(b) for b in earlier if b.unit == head.unit and b.in_range),
            head.unit,
            max(side.shape[1] for side in sides),
        )
        forked = any(level.name == FORK for side in (base, head) for level in side.levels)
        looks = base.looks or head.looks
        return cls(head.unit, *sides, rounds, known, alike=not forked, turns=turns, looks=looks)

    @property
    def results(self) -> tuple[int, int]:
        """How many values stand behind base, and behind head."""
        return int(np.isfinite(self.base).sum()), int(np.isfinite(self.head).sum())

    def nominal_confidence(self, confidence: float) -> float:
        """Return the level of the last look's own interval, given that of all looks together."""
        rounds = len(self.rounds) or min(len(self.base), len(self.head))
        return nominal_confidence(self.looks, rounds, confidence)

    @property
    def sides_of_rounds(self) -> tuple[FloatArray, FloatArray]:
        """The rows of base and of head that ran close in time, one a round."""
        return self.base[self.rounds[:, 0]], self.head[self.rounds[:, 1]]

    @property
    def in_turn(self) -> bool:
        """Whether the two forks of every round took turns."""
        return bool(len(self.turns) and self.turns.all())


@dataclass(frozen=True, slots=True)
class Reach:
    """How large a relative change must be for a rule to report it, given how results scatter.

    Parameters
    ----------
    fall, rise : float
        Sizes of a decrease and of an increase, as positive fractions; infinite if no change is
        large enough.
    """

    fall: float
    rise: float

    @classmethod
    def of_logs(cls, half: float) -> Reach:
        """Return the reach of an interval of the logarithms' difference, given half its width."""
        return cls(-math.expm1(-half), math.expm1(half))

    def of(self, ratio: float) -> float:
        """Return the size that counts for a change of this sign; of no change, the larger one."""
        if ratio == 0:
            return max(self.fall, self.rise)
        return self.rise if ratio > 0 else self.fall


NO_REACH = Reach(math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a rule says about one pair.

    Parameters
    ----------
    base, head : Estimate
        Either side with its own interval.
    apart : bool
        Whether the rule tells the two sides apart, however small the change.
    interval : tuple of (float, float), optional
        Of the relative change, as signed fractions; None where the base is not positive.
    reach : Reach
        Relative changes at which the rule would just tell the two sides apart. They are apart
        exactly if the change from base to head is at least that of its direction.
    notes : tuple of str
        What a reader should know about how this was decided.
    lacking : str
        What the rule would need to judge at all; empty if it has that. If something is lacking,
        the two are not apart, and nothing is known of the change.
    """

    base: Estimate
    head: Estimate
    apart: bool
    interval: tuple[float, float] | None
    reach: Reach
    notes: tuple[str, ...] = ()
    lacking: str = ""

    @property
    def ratio(self) -> float:
        """Relative change of the value, head against base, as a signed fraction."""
        return relative_change(self.base.center, self.head.center)

    @property
    def reach_of_ratio(self) -> float:
        """The smallest change of the same sign that the rule would report."""
        return self.reach.of(self.ratio)

    @property
    def excluded(self) -> float:
        """Larger changes than this are excluded; infinite if none is."""
        if self.lacking:
            return math.inf
        if self.interval is not None:
            return max(map(abs, self.interval))
        exact = self.base.low == self.base.high == self.head.low == self.head.high
        return 0.0 if exact else math.inf

    def with_change(self, change: float, half: float) -> Judgement:
        """Return the same two results, apart where an interval of their change leaves out zero.

        Parameters
        ----------
        change, half : float
            Of head against base, and half its interval; as logarithms.
        """
        interval = float(np.expm1(change - half)), float(np.expm1(change + half))
        reach = Reach.of_logs(half)
        return replace(self, apart=abs(change) > half, interval=interval, reach=reach)

    def undecided(self, lacking: str) -> Judgement:
        """Return the same two results, without an answer to how they differ."""
        base, head = (
            replace(side, low=side.center, high=side.center) for side in (self.base, self.head)
        )
        return Judgement(base, head, False, None, NO_REACH, lacking=lacking)


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """The options of all rules; a rule uses those that it needs.

    Parameters
    ----------
    confidence : float
        Confidence level of the intervals. For `Rule.judge`, that of all looks of a run together;
        for `Rule.decide`, that of each interval.
    resamples, seed : int
        Number of bootstrap resamples, and the seed of their random numbers.
    most_shared : float
        What a suite says about the spread of one benchmark counts for no more degrees of freedom.
    """

    confidence: float = 0.99
    resamples: int = 10_000
    seed: int = 0
    most_shared: float = math.inf


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to tell a change from noise.

    Parameters
    ----------
    decide : callable
        Takes all pairs of a comparison and returns one judgement for each, since a rule may look
        at the whole suite. Call `judge` instead, which calls this.
    resampled : bool
        Whether the rule uses `resamples` and `seed`.
    statement : str
        For the reader of a report: how it decides, in a sentence or two.
    false_alarms : str
        For the same reader: how often it was measured to be wrong, and on what.
    """

    decide: Callable[[Sequence[Pair], RuleOptions], list[Judgement]]
    resampled: bool
    statement: str
    false_alarms: str

    def judge(self, pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
        """Judge all pairs of a comparison; with a single result on a side, no rule decides.

        Where a run decided several times, the level of each interval is the one that its number
        of rounds asks for, so that all looks together keep the confidence.

        Returns
        -------
        list of Judgement
            In the order of the pairs.
        """
        levels = [pair.nominal_confidence(options.confidence) for pair in pairs]
        judged = {
            level: self.decide(pairs, replace(options, confidence=level)) for level in set(levels)
        }
        return [
            judged[level][index].undecided(few)
            if (few := too_few("results", pair.results, 2))
            else judged[level][index]
            for index, (pair, level) in enumerate(zip(pairs, levels, strict=True))
        ]


def too_few(noun: str, counts: tuple[int, int], fewest: int) -> str:
    """Say that a side has too few of something; return nothing if both have enough.

    Parameters
    ----------
    noun : str
        What is counted, in the plural.
    counts : tuple of (int, int)
        Of base and of head.
    fewest : int
        How many are enough.
    """
    base, head = counts
    if min(counts) >= fewest:
        return ""
    have = f"{base} on either side" if base == head else f"{base} in base and {head} in head"
    return f"too few {noun}: {have}; give {fewest} or more"


def by_unit(
    items: Mapping[Key, Item], unit_of: Callable[[Key, Item], Hashable]
) -> list[dict[Key, Item]]:
    """Group the items by their unit, or by whatever else learns from each other."""
    by_unit_name: dict[Hashable, dict[Key, Item]] = {}
    for key, item in items.items():
        by_unit_name.setdefault(unit_of(key, item), {})[key] = item
    return list(by_unit_name.values())


def fork_values(benchmark: Benchmark) -> FloatArray:
    """Return what was measured, one row for each repetition of the outermost repeated level.

    Infinite values count as missing; rows and columns without any value are left out.

    Parameters
    ----------
    benchmark : Benchmark
        On any number of levels.

    Returns
    -------
    ndarray of float64, shape (forks, iterations)
        Forks for JMH; for Go the outermost level that was repeated. A single row where only
        the innermost level was. Shape (0, 0) without any value.
    """
    measured = benchmark.measured
    if measured.ndim == 2 and measured.size and np.isfinite(measured).all():
        return measured
    table = by_fork(benchmark)
    seen = np.isfinite(table)
    return np.asarray(table[np.ix_(seen.any(axis=1), seen.any(axis=0))])


def estimate(table: FloatArray, center: float, low: float, high: float) -> Estimate:
    """Return an estimate, with the numbers of forks and iterations that it rests on."""
    return Estimate(
        float(center), float(low), float(high), len(table), int(np.isfinite(table).sum())
    )


def apart_intervals(base: Estimate, head: Estimate) -> Judgement:
    """Judge two sides by their intervals alone: apart where they share no more than one point.

    The interval of the change holds every quotient of a value in head's interval and one in
    base's, so zero is not inside it exactly where the two are apart. Equal values never are.
    """
    apart = head.center != base.center and (head.low >= base.high or head.high <= base.low)
    interval = None
    if base.low > 0:
        interval = (head.low / base.high - 1, head.high / base.low - 1)
    return Judgement(base, head, apart, interval, _reach_of_intervals(base, head, apart))


def _reach_of_intervals(base: Estimate, head: Estimate, apart: bool) -> Reach:
    """Scale head with its interval until it just touches base's, from above and from below."""
    exact = base.low == base.high and head.low == head.high
    if min(base.center, head.center) <= 0:  # no scale leads from or to such a value
        return Reach(0.0, 0.0) if apart or exact else NO_REACH
    ratio = head.center / base.center
    fall = 1 - base.low / head.high * ratio if base.low > 0 else math.inf
    rise = base.high / head.low * ratio - 1 if head.low > 0 else math.inf
    return Reach(max(fall, 0.0), max(rise, 0.0))
