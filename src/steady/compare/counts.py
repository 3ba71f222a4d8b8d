"""The rule for what is counted, such as bytes allocated: nearly without noise, but not normal.

Nothing that a machine does changes how much a fork allocates. But the compiler may remove an
allocation in one fork and leave it in another, in both versions alike: forks then have two values,
or three, far from each other, and a mean or a normal distribution says nothing. So this rule asks
only which fork allocates more than which other one.
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

_FEWEST = 2  # forks of either side, without which nothing is said
_EXACT = 40  # forks of both sides together, up to which the distribution is exact


@dataclass(frozen=True, slots=True)
class CountJudgement:
    """What the rule says of one count.

    Parameters
    ----------
    judgement : Judgement
        Its estimates are the medians of the forks, with the smallest and the largest of them.
    unchanged : bool
        Whether a change that counts is excluded.
    """

    judgement: Judgement
    unchanged: bool = False


@dataclass(frozen=True, slots=True)
class CountThreshold:
    """How large a change of a count must be to count.

    Parameters
    ----------
    fraction : float
        Of base.
    floor : float
        In the unit of the values; more than zero. The larger of the two decides.
    uncertainty : float
        By how much the two sides may seem to differ, or to be alike, for another reason, in the
        unit of the values.
    tolerance : float
        What the harness itself adds to a value. Forks that differ by no more than this and the
        change that counts are unchanged, as long as neither side is above the other.
    """

    fraction: float
    floor: float
    uncertainty: float = 0.0
    tolerance: float = 0.0


def judge_counts(pair: Pair, confidence: float, least: CountThreshold) -> CountJudgement:
    """Judge how a count differs between base and head.

    Each fork stands by the median of its iterations. Where there are too few processes of Go,
    each of their results stands by itself. The interval of the change is that of Mann, Whitney,
    Hodges and Lehmann: it holds for values of any distribution, and with few forks its ends are
    the smallest and the largest difference between a fork of head and one of base. The two are
    apart if the whole interval lies beyond what counts, and unchanged if all of it lies within.

    With too few forks for an interval of this confidence, the two are never apart; they are
    unchanged if no two forks differ by what counts.

    Parameters
    ----------
    pair : Pair
        The counts of both sides.
    confidence : float
        Of the interval; 99 % needs five forks of either side.
    least : CountThreshold
        Which changes count.

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
    if noun == "results":  # those of one process resemble each other: none may contradict a change
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
    """Return what repeats independently, in the plural, and its values of either side."""
    sides = pair.base, pair.head
    if pair.exchangeable and min(map(len, sides)) < fewest_values(confidence):
        base, head = (side[np.isfinite(side)] for side in sides)
        return "results", base, head
    return "forks", row_medians(pair.base), row_medians(pair.head)


@lru_cache(maxsize=256)
def lowest_rank(base: int, head: int, confidence: float) -> int:
    """Return which of the ordered differences is the lower end of the interval, from 1 on.

    Parameters
    ----------
    base, head : int
        How many values either side has.
    confidence : float
        Of the interval.

    Returns
    -------
    int
        0 if so few values give no interval of this confidence.
    """
    alpha = (1 - confidence) / 2
    if base + head > _EXACT:
        spread = math.sqrt(base * head * (base + head + 1) / 12)
        return max(math.floor(base * head / 2 + float(ndtri(alpha)) * spread - 0.5), 0)
    below = np.cumsum(_null_distribution(base, head))
    return int(np.searchsorted(below, alpha * (1 + 1e-9), side="right"))


def fewest_values(confidence: float) -> int:
    """Return how many values of either side give an interval of this confidence."""
    number = _FEWEST
    while lowest_rank(number, number, confidence) == 0:
        number += 1
    return number


def _null_distribution(base: int, head: int) -> FloatArray:
    """Return the probability of each number of pairs in which head is lower, if nothing differs.

    The coefficients of Gauss's binomial, which counts the orders of both sides by that number.
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
