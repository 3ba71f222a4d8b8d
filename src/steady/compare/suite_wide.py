"""The rate of errors of a suite: a pull request that changes nothing raises no alarm."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from steady.compare.pair import Pair
from steady.compare.rule import Judgement, Rule, RuleOptions

FALSE_ALARMS = 0.02
"""Of 50 pull requests that change nothing, one may get a false alarm."""

CONFIDENCE = 0.99
"""Of a single benchmark's verdict, where nothing else is said. A suite never asks for less."""

EXCLUSION = 0.95
"""How surely a change is excluded where `false_alarms` decides, whatever its direction."""


MOST_SHARED = 4.0
"""Where an error must be rare, the suite's knowledge of a benchmark's spread counts for no more
degrees of freedom than this. Twenty benchmarks hardly tell how much their spreads differ: without
the limit, errors that should be 1 in 1,000 were two to three times as frequent."""


@dataclass(frozen=True, slots=True)
class SuiteJudgement:
    """What a rule says about all pairs.

    Parameters
    ----------
    judgements : sequence of Judgement
        In the order of the pairs, all at one confidence.
    excluded : sequence of float
        For each pair, the size beyond which a change is excluded.
    confidence : float
        Of the judgements.
    """

    judgements: Sequence[Judgement]
    excluded: Sequence[float]
    confidence: float


def judge_alone(rule: Rule, pairs: Sequence[Pair], options: RuleOptions) -> SuiteJudgement:
    """Judge each benchmark at the same confidence, however many there are."""
    judgements = rule.judge(pairs, options)
    return SuiteJudgement(judgements, [j.excluded for j in judgements], options.confidence)


def judge_suite(
    rule: Rule,
    pairs: Sequence[Pair],
    options: RuleOptions,
    false_alarms: float,
    is_reported: Callable[[int, Judgement], bool],
) -> SuiteJudgement:
    """Judge all benchmarks so that the suite as a whole rarely raises a false alarm.

    Parameters
    ----------
    rule : Rule
        By which they are judged.
    pairs : sequence of Pair
        All benchmarks that are compared.
    options : RuleOptions
        The largest error of a single verdict is 1 - `confidence`.
    false_alarms : float
        Chance of any report where nothing changed. Where something did, it is the expected share
        of false reports among all.
    is_reported : callable
        Whether a pair, given its index and a judgement of it, would be reported as changed.

    Returns
    -------
    SuiteJudgement
        If R of m benchmarks are reported, each is apart at an error of `false_alarms` R / m. R is
        the largest number for which that holds.

    Notes
    -----
    A smaller error never reports more benchmarks. So, from R = m downwards, each judgement shows
    the next R that is possible, and few are needed.

    To exclude a change takes another confidence: a benchmark that changed cannot have become both
    slower and faster, so that an interval of 1 - 2 (1 - `EXCLUSION`) excludes each direction with
    `EXCLUSION`. An error here hides a change that the rule would hardly find. It is not an alarm.

    References
    ----------
    Benjamini, Hochberg: "Controlling the false discovery rate", Journal of the Royal Statistical
    Society B 57 (1995). Their step-up procedure, with repeated confidence intervals instead of
    p-values.
    Benjamini, Yekutieli: "False discovery rate-adjusted multiple confidence intervals for selected
    parameters", Journal of the American Statistical Association 100 (2005), for the intervals of
    what is reported.
    Schuirmann: "A comparison of the two one-sided tests procedure and the power approach", Journal
    of Pharmacokinetics and Biopharmaceutics 15 (1987), for what is excluded.
    """
    reported = max(len(pairs), 1)
    while True:
        error = min(false_alarms * reported / max(len(pairs), 1), 1 - options.confidence)
        strict = replace(options, confidence=1 - error, most_shared=MOST_SHARED)
        judgements = rule.judge(pairs, strict)
        fewer = max(sum(is_reported(i, j) for i, j in enumerate(judgements)), 1)
        if fewer >= reported:
            break
        reported = fewer
    sides = rule.judge(pairs, replace(options, confidence=2 * EXCLUSION - 1))
    return SuiteJudgement(judgements, [side.excluded for side in sides], 1 - error)


def error_rates(false_alarms: float, confidence: float) -> str:
    """Say how often a pull request, and how often a benchmark, is called changed though it is not.

    >>> error_rates(0.02, 0.999)
    'Of 50 pull requests that change nothing, at most one gets a false alarm; of 1,000 benchmarks \
that did not change, at most one is called changed.'
    """
    return (
        f"Of {_one_in(false_alarms)} pull requests that change nothing, at most one gets a false "
        f"alarm; of {_one_in(1 - confidence)} benchmarks that did not change, at most one is "
        "called changed."
    )


def _one_in(error: float) -> str:
    return f"{int(1 / error + 1e-6):,}"
