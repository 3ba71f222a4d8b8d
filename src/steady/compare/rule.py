"""The contract of a rule, which judges the pairs of a comparison."""

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
        Either side with its own interval.
    apart : bool
        Whether the two sides differ by the rule, however small the change.
    interval : tuple of (float, float), optional
        Confidence interval of the relative change, as signed fractions; None unless the base is
        positive.
    detectable : DetectableEffect
        Relative changes at which the two sides would just be apart. They are apart exactly if the
        change from base to head is at least that of its direction.
    notes : tuple of str
        Remarks on the decision, for the reader.
    lacking : str
        The reason why the rule is undecided; empty if it decided. If undecided, the two are not
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
        """Relative change of the value, head against base, as a signed fraction."""
        return relative_change(self.base.center, self.head.center)

    @property
    def excluded(self) -> float:
        """Upper bound on the size of the change; infinite without one."""
        if self.lacking:
            return math.inf
        if self.interval is not None:
            return max(map(abs, self.interval))
        exact = self.base.low == self.base.high == self.head.low == self.head.high
        return 0.0 if exact else math.inf

    def with_change(self, change: float, half: float) -> Judgement:
        """Return the same two results, apart if the interval of their change excludes zero.

        Parameters
        ----------
        change, half : float
            Of head against base, and the half-width of its interval; as logarithms.
        """
        interval = float(np.expm1(change - half)), float(np.expm1(change + half))
        apart, effect = abs(change) > half, DetectableEffect.of_half_width(half)
        return Judgement(self.base, self.head, apart, interval, effect, self.notes, self.lacking)

    def widened(self, times: float, why: str) -> Judgement:
        """Return the same change with both ends of its interval moved outwards by a factor.

        If the wider interval includes zero, the judgement is undecided.

        Parameters
        ----------
        times : float
            The factor, at least 1; it may be infinite.
        why : str
            The reason in a few words, for the reader.
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
        """Return the same two results without a decision."""
        base, head = (
            replace(side, low=side.center, high=side.center) for side in (self.base, self.head)
        )
        return Judgement(base, head, False, None, NOT_DETECTABLE, lacking=lacking)


def estimate(table: FloatArray, center: float, low: float, high: float) -> Estimate:
    """Return an estimate with its numbers of forks and iterations."""
    results = int(np.count_nonzero(np.isfinite(table)))  # faster than a sum
    return Estimate(float(center), float(low), float(high), len(table), results)


def judge_intervals(base: Estimate, head: Estimate) -> Judgement:
    """Judge two sides by their intervals: apart if these have at most one point in common.

    The interval of the change contains every quotient of a value in head's interval and one in
    base's, so it excludes zero exactly if the two are apart. Equal values never are.
    """
    apart = head.center != base.center and (head.low >= base.high or head.high <= base.low)
    interval = None
    if base.low > 0:
        interval = (head.low / base.high - 1, head.high / base.low - 1)
    return Judgement(base, head, apart, interval, _effect_of_intervals(base, head, apart))


def _effect_of_intervals(base: Estimate, head: Estimate, apart: bool) -> DetectableEffect:
    """Scale head until its interval just touches that of base, from above and from below."""
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
        Confidence level of the intervals. For `Rule.judge`, over all interim analyses of a run;
        for `Rule.decide`, of each interval.
    resamples, seed : int
        Number of bootstrap resamples, and the seed of their random numbers.
    most_shared : float
        Upper bound on the degrees of freedom of the variance that a suite shares.
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
        Takes all pairs of a comparison, since a rule may use the whole suite, and returns a
        judgement of each. Call `judge` instead, which calls this.
    resampled : bool
        Whether the rule uses `resamples` and `seed`.
    statement : str
        The method in a sentence or two, for the reader of a report.
    false_alarms : str
        Its measured rates of false alarms and the data behind them, for the same reader.
    """

    decide: Callable[[Sequence[Pair], RuleOptions], list[Judgement]]
    resampled: bool
    statement: str
    false_alarms: str

    def judge(self, pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
        """Judge all pairs of a comparison; those with a single result on a side are undecided.

        The level of each interval follows from its number of rounds, so that all interim analyses
        together keep the confidence.

        Returns
        -------
        list of Judgement
            In the order of the pairs.
        """
        cold = [pair for pair in pairs if pair.cold_seconds]
        if not cold:
            return self._judged(pairs, options)
        # Cold forks do not inform others. They show large changes only, and exclude none.
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
    """Return a sentence if a side has too few of something; empty if both have enough.

    Parameters
    ----------
    noun : str
        Name of the things counted, in the plural.
    counts : tuple of (int, int)
        Of base and of head.
    fewest : int
        The smallest number that is enough.
    """
    base, head = counts
    if min(counts) >= fewest:
        return ""
    have = f"{base} on each side" if base == head else f"{base} in base and {head} in head"
    return f"too few {noun}: {have}; at least {fewest} are needed"


def judge_overlap(pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
    """Compare base and head by the overlap of the intervals of their medians.

    All iterations of all forks count as independent draws of one population. They are not:
    forks differ from each other, and this rule takes that difference for a change. Two
    intervals that touch in one point do not overlap, as in the paper's prototype. An interval of
    zero width strictly inside another overlaps it, unlike in the prototype.

    Parameters
    ----------
    pairs : sequence of Pair
        One a benchmark; judged one by one.
    options : RuleOptions
        `confidence` of the percentile-bootstrap intervals, which are exact, not resampled.

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
