"""The one way from two results to a verdict, wherever the results come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from steady.compare import DEFAULT_RULE, Acknowledgement, Comparison, compare
from steady.compare.same_run import refuse_same_run
from steady.model import Suite
from steady.optimize import Plan, check_freshness
from steady.settings import RepoSettings, apply_settings

Accepted = tuple[Sequence[Acknowledgement], Sequence[str]]
"""What maintainers accept beside the settings, and what is wrong with how they wrote it."""


def nothing_accepted() -> Accepted:
    """Return that nobody accepted anything beside the settings."""
    return (), ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """All that a verdict rests on.

    Parameters
    ----------
    base, head : Suite
        The two runs.
    today : date
        In UTC: acknowledgements expire, and plans grow old.
    plan : Plan, optional
        What both runs were to follow.
    planned_on : date, optional
        When the plan was committed; None where nobody knows.
    settings : RepoSettings, optional
        Thresholds, benchmarks to ignore, and acknowledged changes.
    earlier : sequence of Suite
        Runs that tell how much runs differ.
    rule, min_change, confidence, false_alarms, strict_environment, metrics
        As in `steady.compare`.
    """

    base: Suite
    head: Suite
    today: date
    plan: Plan | None = None
    planned_on: date | None = None
    settings: RepoSettings | None = None
    earlier: Sequence[Suite] = ()
    rule: str = DEFAULT_RULE
    min_change: float = 0.03
    confidence: float | None = None
    false_alarms: float | None = None
    strict_environment: bool = False
    metrics: Sequence[str] = ()


def judge(evidence: Evidence, accepted: Callable[[], Accepted] = nothing_accepted) -> Comparison:
    """Compare two runs, mark what is accepted, and say whether the plan still fits.

    Parameters
    ----------
    evidence : Evidence
        What is judged.
    accepted : callable
        Tells what maintainers accept beside the settings. It is asked only where the settings
        leave a regression.

    Raises
    ------
    InputError
        If a value or an option is out of its range, or both sides are the same run.
    """
    base, head, today = evidence.base, evidence.head, evidence.today
    comparison = compare(
        base,
        head,
        rule=evidence.rule,
        plan=evidence.plan,
        earlier=evidence.earlier,
        min_change=evidence.min_change,
        confidence=evidence.confidence,
        false_alarms=evidence.false_alarms,
        strict_environment=evidence.strict_environment,
        settings=evidence.settings,
        metrics=evidence.metrics,
    )
    refuse_same_run(base, head)
    comparison = apply_settings(comparison, evidence.settings, today)
    remarks: list[str] = []
    if comparison.regressions or comparison.metrics.regressions:
        entries, problems = accepted()
        commented = RepoSettings(acknowledged=tuple(entries))
        comparison = apply_settings(comparison, commented, today)
        remarks += problems
    if evidence.plan is not None:
        freshness = check_freshness(
            evidence.plan, (base, head), planned_on=evidence.planned_on, today=today
        )
        remarks += freshness.advice
    return replace(comparison, remarks=(*comparison.remarks, *remarks))
