"""The contract of a rule: it takes the pairs of a comparison, and judges each of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from steady.compare.benchmark_change import Estimate, relative_change
from steady.compare.pair import Pair
from steady.model import FloatArray
from steady.options.strictness import USUAL_CONFIDENCE


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
        reach = Reach(-math.expm1(-half), math.expm1(half))
        apart = abs(change) > half
        return Judgement(self.base, self.head, apart, interval, reach, self.notes, self.lacking)

    def allowing(self, times: float, why: str) -> Judgement:
        """Return the same change with both ends of its interval moved outwards by a factor.

        Where zero is inside then, nothing is decided.

        Parameters
        ----------
        times : float
            The factor, at least 1; infinite if nothing is known.
        why : str
            For the reader, in a few words.
        """
        if self.lacking or self.interval is None:
            return self.undecided(why)
        low, high = (1 + self.interval[0]) / times - 1, (1 + self.interval[1]) * times - 1
        if low <= 0 <= high:
            return self.undecided(why)
        reach = Reach(1 - (1 - self.reach.fall) / times, (1 + self.reach.rise) * times - 1)
        note = f"{why}, so its interval is wider by a factor of {times:g}"
        return replace(self, interval=(low, high), reach=reach, notes=(*self.notes, note))

    def undecided(self, lacking: str) -> Judgement:
        """Return the same two results, without an answer to how they differ."""
        base, head = (
            replace(side, low=side.center, high=side.center) for side in (self.base, self.head)
        )
        return Judgement(base, head, False, None, NO_REACH, lacking=lacking)


def estimate(table: FloatArray, center: float, low: float, high: float) -> Estimate:
    """Return an estimate, with the numbers of forks and iterations that it rests on."""
    results = int(np.count_nonzero(np.isfinite(table)))  # faster than a sum
    return Estimate(float(center), float(low), float(high), len(table), results)


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

    confidence: float = USUAL_CONFIDENCE
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
        cold = [pair for pair in pairs if pair.cold_seconds]
        if not cold:
            return self._judged(pairs, options)
        # Nobody learns from what is cold. It excludes nothing, and shows only what is far apart.
        warm = iter(self._judged([pair for pair in pairs if not pair.cold_seconds], options))
        shown = iter(self._judged(cold, options))
        return [
            next(shown).allowing(pair.cold_times, not_warm(pair.cold_seconds))
            if pair.cold_seconds
            else next(warm)
            for pair in pairs
        ]

    def _judged(self, pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
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


def not_warm(seconds: float) -> str:
    """Say that forks were not warm when their time was over.

    >>> not_warm(3.04)
    'not warm after 3 s'
    """
    return f"not warm after {round(seconds, 1):g} s"


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
