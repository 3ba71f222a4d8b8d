"""The contract of a rule, which judges the pairs of a comparison, and the rule `overlap`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from steady.compare.benchmark_change import Estimate, relative_change
from steady.compare.pair import Pair
from steady.compare.power import NOT_DETECTABLE, DetectableEffect
from steady.model import FloatArray
from steady.options.strictness import USUAL_CONFIDENCE
from steady.stats import median_interval


@dataclass(frozen=True, slots=True)
class Judgement:
    """The result of a rule for one pair.

    Parameters
    ----------
    base, head : Estimate
        The two sides with their confidence intervals.
    apart : bool
        Whether the difference is significant by the rule, regardless of its size.
    interval : tuple of (float, float), optional
        Confidence interval of the relative change, as signed fractions; None unless the base is
        positive.
    detectable : DetectableEffect
        Smallest significant relative change in each direction. The sides are apart if and only if
        the observed change is at least that of its direction.
    notes : tuple of str
        Remarks on the decision, for the reader.
    lacking : str
        Reason why the rule is undecided; empty if it has decided. If undecided, the sides are not
        apart, and the change is unknown.
    """

    base: Estimate
    head: Estimate
    apart: bool
    interval: tuple[float, float] | None
    detectable: DetectableEffect
    notes: tuple[str, ...] = ()
    lacking: str = ""

    @property
    def ratio(self) -> float:
        """Relative change of the value from base to head, as a signed fraction."""
        return relative_change(self.base.center, self.head.center)

    @property
    def excluded(self) -> float:
        """Upper bound on the size of the change; infinite if there is none."""
        if self.lacking:
            return math.inf
        if self.interval is not None:
            return max(map(abs, self.interval))
        exact = self.base.low == self.base.high == self.head.low == self.head.high
        return 0.0 if exact else math.inf

    def with_change(self, change: float, half: float) -> Judgement:
        """Return a judgement of the same results by the interval of the change.

        The sides are apart if the interval excludes 0.

        Parameters
        ----------
        change, half : float
            Change from base to head, and half-width of its interval, in logarithms.
        """
        interval = float(np.expm1(change - half)), float(np.expm1(change + half))
        apart, effect = abs(change) > half, DetectableEffect.of_half_width(half)
        return Judgement(self.base, self.head, apart, interval, effect, self.notes, self.lacking)

    def widened(self, times: float, why: str) -> Judgement:
        """Return a judgement with both endpoints of the interval moved outwards by a factor.

        If the wider interval includes zero, the judgement is undecided.

        Parameters
        ----------
        times : float
            Factor of at least 1; may be infinite.
        why : str
            Short reason for the reader.
        """
        if self.lacking or self.interval is None:
            return self.undecided(why)
        low, high = (1 + self.interval[0]) / times - 1, (1 + self.interval[1]) * times - 1
        if low <= 0 <= high:
            return self.undecided(why)
        note = f"{why}: its confidence interval is widened by a factor of {times:g}"
        effect = self.detectable.widened(times)
        return replace(self, interval=(low, high), detectable=effect, notes=(*self.notes, note))

    def undecided(self, lacking: str) -> Judgement:
        """Return a judgement of the same results without a decision."""
        base, head = (
            replace(side, low=side.center, high=side.center) for side in (self.base, self.head)
        )
        return Judgement(base, head, False, None, NOT_DETECTABLE, lacking=lacking)


def estimate(table: FloatArray, center: float, low: float, high: float) -> Estimate:
    """Return an estimate with its numbers of forks and iterations."""
    results = int(np.count_nonzero(np.isfinite(table)))  # faster than a sum
    return Estimate(float(center), float(low), float(high), len(table), results)


def judge_intervals(base: Estimate, head: Estimate) -> Judgement:
    """Judge two sides, which are apart if their intervals have at most one common point.

    The interval of the change contains all ratios of a value in head's interval to one in base's,
    so it excludes zero if and only if the sides are apart. Equal values are never apart.
    """
    apart = head.center != base.center and (head.low >= base.high or head.high <= base.low)
    interval = None
    if base.low > 0:
        interval = (head.low / base.high - 1, head.high / base.low - 1)
    return Judgement(base, head, apart, interval, _effect_of_intervals(base, head, apart))


def _effect_of_intervals(base: Estimate, head: Estimate, apart: bool) -> DetectableEffect:
    """Return the changes at which head's scaled interval touches that of base."""
    exact = base.low == base.high and head.low == head.high
    if min(base.center, head.center) <= 0:  # no scale leads from or to such a value
        return DetectableEffect(0.0, 0.0) if apart or exact else NOT_DETECTABLE
    ratio = head.center / base.center
    fall = 1 - base.low / head.high * ratio if base.low > 0 else math.inf
    rise = base.high / head.low * ratio - 1 if head.low > 0 else math.inf
    return DetectableEffect(max(fall, 0.0), max(rise, 0.0))


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """The options of all rules.

    Parameters
    ----------
    confidence : float
        Confidence level: for `Rule.judge`, over all interim analyses of a run; for `Rule.decide`,
        of each interval.
    resamples, seed : int
        Number of bootstrap resamples, and their seed.
    most_shared : float
        Upper bound on the degrees of freedom of the suite's shared variance.
    """

    confidence: float = USUAL_CONFIDENCE
    resamples: int = 10_000
    seed: int = 0
    most_shared: float = math.inf


@dataclass(frozen=True, slots=True)
class Rule:
    """A statistical rule that separates changes from noise.

    Parameters
    ----------
    decide : callable
        Function of all pairs of a comparison that returns a judgement of each, since a rule may
        use the whole suite. It is called by `judge`.
    resampled : bool
        Whether the rule uses `resamples` and `seed`.
    statement : str
        Description of the method for reports, in one or two sentences.
    false_alarms : str
        Measured rates of false alarms, and the data used, for reports.
    """

    decide: Callable[[Sequence[Pair], RuleOptions], list[Judgement]]
    resampled: bool
    statement: str
    false_alarms: str

    def judge(self, pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
        """Judge all pairs of a comparison; pairs with a single result on a side are undecided.

        The level of each interval depends on its number of rounds, so that the confidence level
        holds over all interim analyses.

        Returns
        -------
        list of Judgement
            In the order of the pairs.
        """
        cold = [pair for pair in pairs if pair.cold_seconds]
        if not cold:
            return self._judged(pairs, options)
        # The estimates for other benchmarks do not use cold forks, which can only confirm large
        # changes.
        warm = iter(self._judged([pair for pair in pairs if not pair.cold_seconds], options))
        shown = iter(self._judged(cold, options))
        return [
            next(shown).widened(pair.cold_factor, not_warm(pair.cold_seconds))
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
    """Return the reason why cold forks have no verdict.

    >>> not_warm(3.04)
    'not warm after 3 s'
    """
    return f"not warm after {round(seconds, 1):g} s"


def too_few(noun: str, counts: tuple[int, int], fewest: int) -> str:
    """Return a sentence if a side has too few forks, rounds or results; otherwise empty.

    Parameters
    ----------
    noun : str
        Plural noun of the counted units.
    counts : tuple of (int, int)
        Numbers in base and in head.
    fewest : int
        Smallest sufficient number.
    """
    base, head = counts
    if min(counts) >= fewest:
        return ""
    have = f"{base} on each side" if base == head else f"{base} in base and {head} in head"
    return f"too few {noun}: {have}; at least {fewest} are needed"


def judge_overlap(pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
    """Compare base and head by the overlap of the intervals of their medians.

    The iterations of all forks are treated as independent draws from one population. This is
    wrong if forks differ from each other: the rule then reports such differences as changes. Two
    intervals with a single common point do not overlap, as in the paper's prototype. An interval
    of zero width strictly inside another overlaps it, unlike in the prototype.

    Parameters
    ----------
    pairs : sequence of Pair
        The benchmarks, which are judged independently.
    options : RuleOptions
        Options; `confidence` is that of the percentile bootstrap, computed without resampling.

    Returns
    -------
    list of Judgement
        In the order of the pairs.

    References
    ----------
    Japke, Grambow, Laaber, Bermbach: "µOpTime: Statically Reducing the Execution Time of
    Microbenchmark Suites Using Stability Metrics", ACM TOSEM 2025, section 4.5.
    """
    level = options.confidence
    return [judge_intervals(_side(pair.base, level), _side(pair.head, level)) for pair in pairs]


def _side(table: FloatArray, confidence: float) -> Estimate:
    values = table[np.isfinite(table)]
    low, high = median_interval(values, confidence=confidence)
    return estimate(table, float(np.median(values)), low, high)
