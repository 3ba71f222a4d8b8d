"""The comparison of two runs: a change for each benchmark, and a ledger of the others."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from steady.compare import multiple_testing
from steady.compare.benchmark_change import CHANGED, Change
from steady.compare.bounds import NOTE, Bounds, noise_floors
from steady.compare.comparison import Comparison
from steady.compare.criteria import CompareOptions, Criteria, taking_fields
from steady.compare.ledger_building import build_ledger
from steady.compare.metric_changes import compare_metrics
from steady.compare.pair import Pair
from steady.compare.paired_t import clear_cache
from steady.compare.result_notes import cold_notes, conformity_notes, score_notes, with_scores
from steady.compare.rule import Judgement, Rule
from steady.compare.rules import DEFAULT_RULE, RULES
from steady.compare.validity import (
    busy_remarks,
    compare_environments,
    layout_remarks,
    repeated_forks_remark,
)
from steady.compare.variance.historical import historical_variance, without_busy_machines
from steady.harness.known_facts import Score
from steady.harnesses import harness_named
from steady.model import Benchmark, Identity, Suite
from steady.model.identity import methods_listed
from steady.text.numbers import count


@taking_fields(CompareOptions)
def compare(asked: CompareOptions) -> Comparison:
    """Compare two runs of a benchmark suite.

    A benchmark has changed if the difference between its results is significant by the rule and
    the relative change is at least `min_change` in either direction. The unit determines which
    direction is a regression. A benchmark is unchanged if the confidence interval excludes a
    change of that size. All others are unclear.

    Parameters
    ----------
    base, head : Suite
        The older and the newer run; warm-up iterations are excluded.
    rule : str
        A name in `RULES`.
    min_change : float or str
        Smallest relative change to report: a fraction below 1 such as 0.03, or ``"3%"``.
    confidence : float or str, optional
        Confidence level of each benchmark's verdict, over all interim analyses of the run. It
        takes precedence over `false_alarms`.
    false_alarms : float or str, optional
        Probability of any false alarm in a pull request that changes nothing (`judge_jointly`).
        If neither this nor `confidence` is given, here or in the settings, it is 2 % for
        interleaved runs with interim analyses or with turns; otherwise `confidence` is 99 %.
    plan : Plan, optional
        The plan of the runs. A benchmark of the plan without results is missing; one that ran
        with another configuration gets a note.
    earlier : sequence of Suite
        Runs of any versions before base, the oldest or the newest first. The default rule and
        ``known-spread`` estimate the variance between forks from them. All rules use them to
        estimate the variance between runs: unless base and head were interleaved, a change must
        be larger than the difference between runs of one version (`steady.compare.bounds`).
    seed : int
        Seed of the rules that resample.
    resamples : int
        Number of bootstrap resamples of the rules that resample.
    strict_environment : bool
        Whether any difference between the environments of base and head prevents a verdict.
    settings : RepoSettings, optional
        Benchmarks to ignore, and thresholds that replace `min_change` for some benchmarks.
        Accepted changes are marked by `steady.judging.apply_settings`, which needs the date.
    metrics : sequence of str
        Names of secondary metrics to show even if they are not compared, or ``all``. Allocation
        and the metrics named in the settings are compared (`steady.compare.metric_changes`).

    Returns
    -------
    Comparison
        Changes in the order of head.

    Raises
    ------
    InputError
        If an option or a measured value is out of range.
    UnknownNameError
        If no rule has that name.

    Notes
    -----
    `Change.smallest` is the largest of three values: `min_change`, the noise floor, and the
    smallest change with the observed sign that is significant by the rule
    (`Judgement.detectable`). A change is reported if and only if it is at least that large. A true
    change of that size is detected in about half of all runs.

    References
    ----------
    Japke et al., µOpTime, ACM TOSEM 2025, section 4.5.

    Examples
    --------
    >>> import numpy as np
    >>> import steady
    >>> random = np.random.default_rng(1)
    >>> base = steady.Suite.of({"parse": 100 + random.standard_normal((10, 20))}, unit="ns/op")
    >>> head = steady.Suite.of({"parse": 110 + random.standard_normal((10, 20))}, unit="ns/op")
    >>> comparison = steady.compare(base, head, min_change="5%")
    >>> comparison.verdict
    'regression'
    >>> [change] = comparison.regressions
    >>> f"{change.ratio:+.1%}"
    '+9.9%'
    """
    return comparison_of(asked)


def comparison_of(asked: CompareOptions) -> Comparison:
    """Compare two runs as `compare` does, with its parameters in one object."""
    asked = asked.of_same_names()
    base, head = asked.base, asked.head
    rule = RULES[asked.rule].value
    criteria = asked.criteria()
    same_code = base.same_code & head.same_code
    ledger = build_ledger(base, head, asked.planned, asked.why_ignored, same_code)
    sides = [(base[i], head[i]) for i in ledger.compared]
    for benchmark in chain.from_iterable(zip(*sides, strict=True)):
        benchmark.check_range()
    criteria = criteria.usual_for(ours for ours, _ in sides)
    cases = _cases(sides, asked, criteria)
    pairs = [case.pair for case in cases]
    far = frozenset(same_code.far)
    judged = _judged(rule, cases, criteria, far)
    controls = frozenset(ledger.controls)
    measured = [(one.base, one.head) for one in cases if one.head.identity not in controls]
    differences = compare_environments((c.base.environment, c.head.environment) for c in cases)
    further, metric_remarks = compare_metrics(measured, asked, criteria.rule_options, head.harness)
    harness = harness_named(head.harness)
    changes = [
        _change(case, judgement, excluded, harness.score)
        for case, judgement, excluded in zip(cases, judged.judgements, judged.excluded, strict=True)
    ]
    clear_cache()
    if any(c.identity in controls and c.outcome in CHANGED for c in changes):
        ledger = ledger.in_doubt()
    return Comparison(
        changes=tuple(change for change in changes if change.identity not in controls),
        ledger=ledger,
        differences=differences,
        rule=asked.rule,
        options={
            "min_change": criteria.min_change,
            **_stated(judged, criteria.false_alarms),
            **({"resamples": asked.resamples, "seed": asked.seed} if rule.resampled else {}),
            "strict_environment": asked.strict_environment,
            **({"earlier_runs": len(asked.earlier)} if asked.earlier else {}),
        },
        comparable=not (asked.strict_environment and differences),
        base_environments=base.environments,
        head_environments=head.environments,
        remarks=(
            *_remarks(base, head),
            *_known_sentences(pairs),
            *busy_remarks(pairs),
            *metric_remarks,
            *_far_sentences([c for c in changes if c.identity in far]),
            *layout_remarks(measured, harness.building.layouts),
        ),
        metrics=further,
        controls=tuple(change for change in changes if change.identity in controls),
        changed_methods=same_code.methods,
    )


@dataclass(frozen=True, eq=False)
class _Case:
    """One benchmark: its two results, their values as a pair, its thresholds, and its notes."""

    base: Benchmark
    head: Benchmark
    pair: Pair
    bounds: Bounds
    notes: tuple[str, ...]


def _cases(
    sides: Sequence[tuple[Benchmark, Benchmark]], asked: CompareOptions, criteria: Criteria
) -> list[_Case]:
    floors = noise_floors(asked.earlier, criteria.rule_options.confidence)
    cases = []
    for base, head in sides:
        i = head.identity
        earlier = [suite[i] for suite in asked.earlier if i in suite]
        pair = Pair.of(base, head, earlier)
        if asked.rule == DEFAULT_RULE and pair.in_turn and not pair.exchangeable:
            # Only one source counts, because the plan may be based on the same earlier runs.
            known = historical_variance(earlier, base, head), asked.planned_forks(base, head)
            pair = replace(pair, known=max(known, key=lambda one: one.freedom))
        floor = 0.0 if len(pair.rounds) else floors.get(i, 0.0)
        own = None if asked.settings is None else asked.settings.min_change(i)
        bounds = Bounds(head.direction, criteria.min_change, own, floor)
        notes = conformity_notes(base, head, asked.configuration(i))
        if not pair.cold_seconds:
            notes += cold_notes(base, head)
        cases.append(_Case(base, head, pair, bounds, notes))
    calm = without_busy_machines([case.pair.known for case in cases])
    return [
        case if one is case.pair.known else replace(case, pair=replace(case.pair, known=one))
        for case, one in zip(cases, calm, strict=True)
    ]


def _judged(
    rule: Rule, cases: Sequence[_Case], criteria: Criteria, far: Collection[Identity]
) -> multiple_testing.SuiteJudgement:
    pairs = [case.pair for case in cases]
    if criteria.false_alarms is None:
        return multiple_testing.judge_separately(rule, pairs, criteria.rule_options)
    return multiple_testing.judge_jointly(
        rule,
        pairs,
        criteria.rule_options,
        criteria.false_alarms,
        lambda n, found: cases[n].bounds.reports(found),
        [case.head.identity in far for case in cases],
    )


def _remarks(base: Suite, head: Suite) -> Iterator[str]:
    for name, suite in (("base", base), ("head", head)):
        if not suite and not suite.same_code.not_measured:
            yield f"{name} contains no benchmarks"
    if shared := repeated_forks_remark(base, head):
        yield shared


def _far_sentences(changes: Sequence[Change]) -> list[str]:
    """Return a remark on changes without a known cause."""
    found = [c.identity for c in changes if c.outcome in CHANGED]
    if not found:
        return []
    return [
        f"no known path to changed code in {methods_listed(found)}: the cause may be a different "
        "memory layout alone"
    ]


def _known_sentences(pairs: Sequence[Pair]) -> list[str]:
    """Return a remark on the number of benchmarks with historical data."""
    known = sum(bool(pair.known) for pair in pairs)
    if not known:
        return []
    return [
        f"historical data were used for {count(known, 'benchmark')}, weighted by their agreement "
        "with this run"
    ]


def _stated(
    judged: multiple_testing.SuiteJudgement, false_alarms: float | None
) -> Mapping[str, str | float | int | bool | None]:
    """Return the error rates as numbers, and as a sentence if they apply to the whole suite."""
    rates: dict[str, str | float | int | bool | None] = {"confidence": judged.confidence}
    if false_alarms is not None:
        rates["false_alarms"] = false_alarms
        rates["exclusion"] = multiple_testing.EXCLUSION
        rates["error_rates"] = multiple_testing.error_rates(false_alarms, judged.confidence)
    return rates


def _change(case: _Case, judgement: Judgement, excluded: float, score: Score | None) -> Change:
    bounds = case.bounds
    notes = (*case.notes, NOTE) if bounds.floor > bounds.min_change else case.notes
    outcome = bounds.outcome(judgement, excluded)
    judgement = with_scores(judgement, (case.base, case.head), score)
    if outcome in CHANGED:
        notes += score_notes(judgement, (case.base, case.head), score, bounds.min_change)
    change = bounds.change(case.head, judgement, outcome, excluded, notes)
    cold = case.pair.cold_seconds
    return replace(change, cold_seconds=cold) if cold else change
