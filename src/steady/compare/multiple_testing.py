"""Multiple testing: control of the false alarms of a whole suite by the false discovery rate."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from steady.compare.pair import Pair
from steady.compare.rule import Judgement, Rule, RuleOptions
from steady.model import FloatArray

EXCLUSION = 0.95
"""Confidence level of upper bounds in either direction if `false_alarms` is given."""

MOST_SHARED = 4.0
"""Upper bound on the degrees of freedom of the shared variance at low error rates. Twenty
benchmarks do not suffice to estimate how much their variances differ: without the bound, errors
with a nominal rate of 1 in 1,000 were two to three times as frequent."""


@dataclass(frozen=True, slots=True)
class SuiteJudgement:
    """The judgements of all pairs.

    Parameters
    ----------
    judgements : sequence of Judgement
        Judgements in the order of the pairs.
    excluded : sequence of float
        Upper bound on the size of each change.
    confidence : float
        Lowest level of a judgement.
    """

    judgements: Sequence[Judgement]
    excluded: Sequence[float]
    confidence: float


def judge_separately(rule: Rule, pairs: Sequence[Pair], options: RuleOptions) -> SuiteJudgement:
    """Judge each benchmark at the same confidence level, without correction for their number."""
    judgements = rule.judge(pairs, options)
    return SuiteJudgement(judgements, [j.excluded for j in judgements], options.confidence)


def judge_jointly(
    rule: Rule,
    pairs: Sequence[Pair],
    options: RuleOptions,
    false_alarms: float,
    is_reported: Callable[[int, Judgement], bool],
    is_far: Sequence[bool] = (),
) -> SuiteJudgement:
    """Judge all benchmarks with a bound on the rate of false alarms of the suite.

    Parameters
    ----------
    rule : Rule
        The rule.
    pairs : sequence of Pair
        All benchmarks of the comparison.
    options : RuleOptions
        Options; the error of a single verdict is at most 1 - `confidence`.
    false_alarms : float
        Bound on the false discovery rate, the expected share of false reports among all; if
        nothing changed, this is the probability of any report.
    is_reported : callable
        Function of a pair's index and judgement; returns whether the pair is reported as changed.
    is_far : sequence of bool
        Whether a pair has no known path to changed code; empty if all have one. Such pairs get at
        most half of the error in total.

    Returns
    -------
    SuiteJudgement
        If R of m benchmarks are reported, each is tested at a level of `false_alarms` R / m, times
        its weight. R is the largest number for which that holds.

    Notes
    -----
    A smaller level never reports more benchmarks. Starting from R = m, each iteration therefore
    gives the next possible R, and few iterations are needed.

    Upper bounds have their own level. A benchmark cannot have become both slower and faster, so an
    interval of level 1 - 2 (1 - `EXCLUSION`) excludes each direction at level `EXCLUSION` (two
    one-sided tests). An error here is a missed change, not a false alarm.

    References
    ----------
    Benjamini, Hochberg: "Controlling the false discovery rate", Journal of the Royal Statistical
    Society B 57 (1995). Their step-up procedure, with repeated confidence intervals instead of
    p-values.
    Genovese, Roeder, Wasserman: "False discovery control with p-value weighting", Biometrika 93
    (2006), for weights that are fixed before the measurement.
    Benjamini, Yekutieli: "False discovery rate-adjusted multiple confidence intervals for selected
    parameters", Journal of the American Statistical Association 100 (2005), for the intervals of
    reported changes.
    Schuirmann: "A comparison of the two one-sided tests procedure and the power approach", Journal
    of Pharmacokinetics and Biopharmaceutics 15 (1987), for upper bounds.
    """
    reported = max(len(pairs), 1)
    weights = _weights(np.array(is_far or [False] * len(pairs), dtype=bool))
    average = false_alarms / max(len(pairs), 1)
    while True:
        each = np.minimum(average * reported * weights, 1 - options.confidence)
        judgements = _judged_each(rule, pairs, replace(options, most_shared=MOST_SHARED), each)
        fewer = max(sum(is_reported(i, j) for i, j in enumerate(judgements)), 1)
        if fewer >= reported:
            break
        reported = fewer
    sides = rule.judge(pairs, replace(options, confidence=2 * EXCLUSION - 1))
    most = float(each.max()) if len(each) else min(false_alarms, 1 - options.confidence)
    return SuiteJudgement(judgements, [side.excluded for side in sides], 1 - most)


def _weights(is_far: npt.NDArray[np.bool_]) -> FloatArray:
    """Return the weight of each pair's error, whose mean is 1."""
    far = int(is_far.sum())
    if far in (0, len(is_far)):
        return np.ones(len(is_far))
    share = min(0.5, far / len(is_far))
    return len(is_far) * np.where(is_far, share / far, (1 - share) / (len(is_far) - far))


def _judged_each(
    rule: Rule, pairs: Sequence[Pair], options: RuleOptions, errors: FloatArray
) -> list[Judgement]:
    """Judge each pair at its own level; the shared variance is always estimated from all pairs."""
    found = {
        error: rule.judge(pairs, replace(options, confidence=1 - error))
        for error in dict.fromkeys(errors.tolist())
    }
    return [found[error][place] for place, error in enumerate(errors.tolist())]


def error_rates(false_alarms: float, confidence: float) -> str:
    """Return a sentence with the error rates of a pull request and of a benchmark.

    >>> error_rates(0.02, 0.999)
    'False alarms: in at most 1 of 50 pull requests without a change, and at most 1 of 1,000 \
unchanged benchmarks.'
    """
    return (
        f"False alarms: in at most 1 of {_one_in(false_alarms)} pull requests without a change, "
        f"and at most 1 of {_one_in(1 - confidence)} unchanged benchmarks."
    )


def _one_in(error: float) -> str:
    return f"{int(1 / error + 1e-6):,}"
