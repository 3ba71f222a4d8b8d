"""The rule for counts such as allocated bytes: nearly free of noise, but not normally distributed.

The machine does not affect how much a fork allocates. But the compiler may remove an allocation in
some forks and not in others, in both versions. The forks then have two or three values far apart,
which a mean or a normal distribution does not describe. This rule therefore uses only the order of
the forks' values.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from steady.compare.benchmark_change import Estimate
from steady.compare.pair import Pair
from steady.compare.power import NOT_DETECTABLE, DetectableEffect
from steady.compare.rule import Judgement, too_few
from steady.model import FloatArray
from steady.scipy_special import ndtri
from steady.stats.samples import row_medians

_FEWEST = 2  # smallest number of forks per side
_EXACT = 40  # largest number of forks of both sides with an exact null distribution


@dataclass(frozen=True, slots=True)
class CountJudgement:
    """The result of the rule for one count.

    Parameters
    ----------
    judgement : Judgement
        Its estimates are the median, minimum and maximum of the forks' medians.
    unchanged : bool
        Whether a change of the smallest size to report is excluded.
    """

    judgement: Judgement
    unchanged: bool = False


@dataclass(frozen=True, slots=True)
class CountThreshold:
    """The smallest change of a count to report.

    Parameters
    ----------
    fraction : float
        Smallest change relative to base.
    floor : float
        Smallest absolute change, in the unit of the values; positive. The larger of the two
        applies.
    uncertainty : float
        Bias that may hide or imitate a difference, in the unit of the values.
    tolerance : float
        Overhead of the harness in a value. If the confidence interval contains zero, it may extend
        beyond the smallest change by this amount, and the count is still unchanged.
    """

    fraction: float
    floor: float
    uncertainty: float = 0.0
    tolerance: float = 0.0


def judge_counts(pair: Pair, confidence: float, least: CountThreshold) -> CountJudgement:
    """Judge the difference of a count between base and head.

    Each fork is represented by the median of its iterations; with too few processes of Go, each
    result counts on its own. The confidence interval of the change is the distribution-free one of
    Hodges and Lehmann, based on the Mann-Whitney test. With few forks, its endpoints are the
    smallest and the largest difference between a fork of head and one of base. The two sides are
    apart if the whole interval lies beyond the threshold, and unchanged if all of it lies within.

    With too few forks for an interval of this confidence, the two sides are never apart; they are
    unchanged if no two forks differ by the threshold.

    Parameters
    ----------
    pair : Pair
        The counts of both sides.
    confidence : float
        Confidence level of the interval; 99 % requires five forks per side.
    least : CountThreshold
        The smallest change to report.

    References
    ----------
    Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3rd ed., 2014, sections 4.1
    to 4.3; Hodges and Lehmann, Ann. Math. Stat. 34, 1963.
    """
    noun, base, head = _units(pair, confidence)
    numbers = len(base), len(head)
    sides = _estimate(pair.base, base), _estimate(pair.head, head)
    undecided = Judgement(*sides, False, None, NOT_DETECTABLE)
    if few := too_few(noun, numbers, _FEWEST):
        return CountJudgement(undecided.undecided(few))
    counts = max(least.fraction * sides[0].center, least.floor)
    beyond = max(counts, least.floor + least.uncertainty)
    rank = lowest_rank(*numbers, confidence)
    if noun == "results":  # results of one process are dependent, so all must agree on a change
        rank = min(rank, 1)
    ends = max(rank, 1) - 1, len(base) * len(head) - max(rank, 1)
    differences = np.partition(np.subtract.outer(head, base), ends, axis=None)
    low, high = (float(differences[end]) for end in ends)
    within = counts + (least.tolerance if low <= 0 <= high else 0.0)
    unchanged = max(abs(low), abs(high)) + least.uncertainty < within
    if rank == 0 and not unchanged:
        return CountJudgement(
            undecided.undecided(too_few(noun, numbers, fewest_values(confidence)))
        )
    apart = rank > 0 and (low >= beyond or high <= -beyond)
    scale, center = sides[0].center, sides[1].center - sides[0].center
    interval, effect = None, NOT_DETECTABLE
    if scale > 0:
        smallest = (beyond + abs(center - (low if center > 0 else high))) / scale
        interval, effect = (low / scale, high / scale), DetectableEffect(smallest, smallest)
    return CountJudgement(Judgement(*sides, apart, interval, effect), unchanged)


def _units(pair: Pair, confidence: float) -> tuple[str, FloatArray, FloatArray]:
    """Return the noun of the independent units (forks or results), and the values of each side."""
    sides = pair.base, pair.head
    if pair.exchangeable and min(map(len, sides)) < fewest_values(confidence):
        base, head = (side[np.isfinite(side)] for side in sides)
        return "results", base, head
    return "forks", row_medians(pair.base), row_medians(pair.head)


@lru_cache(maxsize=256)
def lowest_rank(base: int, head: int, confidence: float) -> int:
    """Return the rank, from 1, of the ordered difference that is the interval's lower endpoint.

    Parameters
    ----------
    base, head : int
        Numbers of values.
    confidence : float
        Confidence level of the interval.

    Returns
    -------
    int
        0 if there are too few values for an interval of this confidence.
    """
    alpha = (1 - confidence) / 2
    if base + head > _EXACT:
        spread = math.sqrt(base * head * (base + head + 1) / 12)
        return max(math.floor(base * head / 2 + float(ndtri(alpha)) * spread - 0.5), 0)
    below = np.cumsum(_null_distribution(base, head))
    return int(np.searchsorted(below, alpha * (1 + 1e-9), side="right"))


def fewest_values(confidence: float) -> int:
    """Return the smallest number of values per side with an interval of this confidence."""
    number = _FEWEST
    while lowest_rank(number, number, confidence) == 0:
        number += 1
    return number


def _null_distribution(base: int, head: int) -> FloatArray:
    """Return the null distribution of the number of pairs in which head is lower.

    Its probabilities are proportional to the coefficients of the Gaussian binomial, which counts
    the orders of all values by that number.
    """
    orders = [0.0] * (base * head + 1)
    orders[0] = 1.0
    for step in range(1, base + 1):
        for place in range(len(orders) - 1, head + step - 1, -1):
            orders[place] -= orders[place - head - step]
        for place in range(step, len(orders)):
            orders[place] += orders[place - step]
    return np.array(orders) / sum(orders)


def _estimate(table: FloatArray, values: FloatArray) -> Estimate:
    numbers = len(table), int(np.isfinite(table).sum())
    return Estimate(float(np.median(values)), float(values.min()), float(values.max()), *numbers)
