"""The rule `overlap` of the µOpTime paper: confidence intervals of medians that do not overlap."""

from collections.abc import Sequence

import numpy as np

from steady.compare.benchmark_change import Estimate
from steady.compare.pair import Pair
from steady.compare.rule import Judgement, RuleOptions, estimate, judge_intervals
from steady.model import FloatArray
from steady.stats import median_interval


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
