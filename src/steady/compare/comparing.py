"""Base against head: one judgement a benchmark, and a ledger of those without one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from steady.compare.bounds import Bounds
from steady.compare.change import Change
from steady.compare.comparison import Comparison
from steady.compare.conformity import conformity_notes
from steady.compare.judgement import Judgement
from steady.compare.metrics import MetricOptions, compare_metrics
from steady.compare.noise_floor import NOTE, noise_floors
from steady.compare.pair import Pair
from steady.compare.rule import RuleOptions
from steady.compare.rules import DEFAULT_RULE, RULES
from steady.compare.same_run import shared_forks
from steady.compare.score import with_scores
from steady.compare.settling import settle
from steady.compare.suite_wide import (
    CONFIDENCE,
    EXCLUSION,
    FALSE_ALARMS,
    SuiteJudgement,
    error_rates,
    judge_alone,
    judge_suite,
)
from steady.compare.surroundings import find_differences
from steady.errors import InputError
from steady.model import Benchmark, Suite
from steady.percent import LEVEL, POSITIVE, SHARE

if TYPE_CHECKING:  # plan and settings stand above this package; only their types are needed
    from steady.optimize.plan import Plan
    from steady.settings.repo_settings import RepoSettings

_FEWEST_RESAMPLES = 100


def compare(
    base: Suite,
    head: Suite,
    *,
    rule: str = DEFAULT_RULE,
    plan: Plan | None = None,
    earlier: Sequence[Suite] = (),
    min_change: float | str = 0.03,
    confidence: float | str | None = None,
    false_alarms: float | str | None = None,
    seed: int = 0,
    resamples: int = 10_000,
    strict_environment: bool = False,
    settings: RepoSettings | None = None,
    metrics: Sequence[str] = (),
) -> Comparison:
    """Compare two runs of a benchmark suite.

    A benchmark changed if the rule tells its two results apart and the relative change is at
    least `min_change`, in either direction. The unit says which direction is a regression. The
    benchmark is unchanged if the interval of the change excludes a change of that size. All
    others are unclear.

    Parameters
    ----------
    base, head : Suite
        The run before and the run after; warm-up iterations are left out.
    rule : str
        A name in `RULES`.
    plan : Plan, optional
        What was meant to run: a benchmark of the plan without results is missing, and one that
        was run otherwise gets a note.
    earlier : sequence of Suite
        Runs of any versions before base, the oldest or the newest first. Some rules learn from
        them how much forks differ. All rules learn how much runs differ: unless base and head
        ran in turn, a change must be larger than the difference between runs of one version
        (`steady.compare.noise_floor`).
    min_change : float or str
        Smallest relative change that counts: a fraction below 1 such as 0.03, or ``"3%"``.
    confidence : float or str, optional
        Confidence level of each benchmark's verdict, over all looks of the run. If it is given,
        it decides alone.
    false_alarms : float or str, optional
        The chance that a pull request which changes nothing gets any alarm (`judge_suite`). It
        decides if no confidence is given. If neither is given, here or in the settings, it is 2 %
        where base and head took turns in a run that decides round by round, or iteration by
        iteration. Otherwise the confidence is 99 %.
    seed, resamples : int
        Of the random numbers of rules that resample.
    strict_environment : bool
        Whether any difference between the surroundings of base and head rules out a verdict.
    settings : RepoSettings, optional
        Benchmarks to ignore, and benchmarks with a smallest change of their own that takes the
        place of `min_change`. Acknowledged changes are left to `steady.settings.apply_settings`,
        which needs the date.
    metrics : sequence of str
        Names of further results to show where they are not compared, or ``all``. Allocation is
        compared, and what the settings name (`steady.compare.metrics`).

    Returns
    -------
    Comparison
        Changes in the order of head.

    Raises
    ------
    InputError
        If an option or a measured value is out of its range.
    UnknownNameError
        If no rule has that name.

    Notes
    -----
    `Change.smallest` is the largest of `min_change`, the noise floor, and the relative change, of
    the sign observed, at which the rule would just tell the two results apart (`Judgement.reach`).
    So a change is reported exactly where it is at least that large. A true change of that size is
    found in about half of all runs.

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
    chosen = RULES[rule].value
    if confidence is None and false_alarms is None and settings is not None:
        false_alarms = settings.false_alarms
    min_change = SHARE.of("min_change", min_change)
    confidence = None if confidence is None else LEVEL.of("confidence", confidence)
    false_alarms = None if false_alarms is None else POSITIVE.of("false_alarms", false_alarms)
    options = _checked_options(confidence, seed, resamples)
    ledger = settle(
        base,
        head,
        None if plan is None else tuple(plan),
        lambda identity: None if settings is None else settings.why_ignored(identity),
        base.same_code & head.same_code,
    )
    controls = frozenset(ledger.controls)
    for benchmark in (suite[i] for suite in (base, head) for i in ledger.compared):
        benchmark.check_range()
    pairs = [
        Pair.of(base[i], head[i], [suite[i] for suite in earlier if i in suite])
        for i in ledger.compared
    ]
    if confidence is None and false_alarms is None:
        false_alarms = _usual_false_alarms(base[i] for i in ledger.compared)
    floors = noise_floors(earlier, options.confidence)
    bounds = [
        Bounds.of(
            head[i],
            pair,
            min_change,
            None if settings is None else settings.min_change(i),
            floors.get(i),
        )
        for i, pair in zip(ledger.compared, pairs, strict=True)
    ]
    judged = (
        judge_alone(chosen, pairs, options)
        if false_alarms is None or confidence is not None
        else judge_suite(
            chosen, pairs, options, false_alarms, lambda n, found: bounds[n].reports(found)
        )
    )
    differences = find_differences(
        (base[i].environment, head[i].environment) for i in ledger.compared
    )
    further, metric_remarks = compare_metrics(
        ((base[i], head[i]) for i in ledger.compared if i not in controls),
        MetricOptions(chosen, options, settings, metrics),
    )
    planned = {} if plan is None else {i: entry.configuration for i, entry in plan.items()}
    changes = [
        with_scores(
            _change(
                head[i],
                judgement,
                excluded,
                bound,
                conformity_notes(base[i], head[i], planned.get(i)),
            ),
            base[i],
            head[i],
            head.harness,
            min_change,
        )
        for i, bound, judgement, excluded in zip(
            ledger.compared, bounds, judged.judgements, judged.excluded, strict=True
        )
    ]
    return Comparison(
        changes=tuple(change for change in changes if change.identity not in controls),
        ledger=ledger,
        differences=differences,
        rule=rule,
        options={
            "min_change": min_change,
            **_stated(judged, None if confidence is not None else false_alarms),
            **({"resamples": resamples, "seed": seed} if chosen.resampled else {}),
            "strict_environment": strict_environment,
            **({"earlier_runs": len(earlier)} if earlier else {}),
        },
        comparable=not (strict_environment and differences),
        base_environments=base.environments,
        head_environments=head.environments,
        remarks=(*_remarks(base, head), *metric_remarks),
        metrics=further,
        controls=tuple(change for change in changes if change.identity in controls),
    )


def _remarks(base: Suite, head: Suite) -> Iterator[str]:
    for name, suite in (("base", base), ("head", head)):
        if not suite and not suite.same_code.not_measured:
            yield f"{name} holds no benchmarks"
    if shared := shared_forks(base, head):
        yield shared


def _usual_false_alarms(compared: Iterable[Benchmark]) -> float | None:
    """Return the usual chance of an alarm if any benchmark took turns; otherwise None."""
    return FALSE_ALARMS if any(b.looks or any(b.in_turn) for b in compared) else None


def _checked_options(
    confidence: float | None,
    seed: int,
    resamples: int,
) -> RuleOptions:
    if seed < 0:
        raise InputError(f"seed is {seed}; give a whole number of 0 or more")
    if resamples < _FEWEST_RESAMPLES:
        raise InputError(f"resamples is {resamples}; give {_FEWEST_RESAMPLES} or more")
    return RuleOptions(CONFIDENCE if confidence is None else confidence, resamples, seed)


def _stated(
    judged: SuiteJudgement, false_alarms: float | None
) -> Mapping[str, str | float | int | bool | None]:
    """Return the rates of error, in numbers and, where the suite's decides, in words."""
    rates: dict[str, str | float | int | bool | None] = {"confidence": judged.confidence}
    if false_alarms is not None:
        rates["false_alarms"] = false_alarms
        rates["exclusion"] = EXCLUSION
        rates["error_rates"] = error_rates(false_alarms, judged.confidence)
    return rates


def _change(
    head: Benchmark,
    judgement: Judgement,
    excluded: float,
    bound: Bounds,
    notes: tuple[str, ...],
) -> Change:
    if bound.floor > bound.min_change:
        notes = (*notes, NOTE)
    return Change(
        identity=head.identity,
        unit=head.unit,
        direction=head.direction,
        base=judgement.base,
        head=judgement.head,
        outcome=bound.outcome(judgement, excluded),
        smallest=max(bound.min_change, bound.floor, judgement.reach_of_ratio),
        notes=judgement.notes + notes,
        interval=judgement.interval,
        min_change=bound.own,
        excluded=max(excluded, bound.floor),
        lacking=judgement.lacking,
    )
