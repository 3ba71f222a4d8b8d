"""The judgement of two results, and the conditions under which the verdict fails a job."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial

from steady.compare import Comparison
from steady.compare.accepting import apply_settings
from steady.compare.comparing import comparison_of
from steady.compare.comparison import Narrowing
from steady.compare.criteria import CompareOptions
from steady.compare.summary import Summary
from steady.compare.validity import refuse_same_measurements
from steady.errors import InputError
from steady.settings import RepoSettings
from steady.settings.repo_settings import Acceptance

Accepted = tuple[Sequence[Acceptance], Sequence[str]]
"""Acceptances by maintainers apart from the settings, and errors in their commands."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence(CompareOptions):
    """The inputs of a verdict: the parameters of `steady.compare`, and the conditions of today.

    Parameters
    ----------
    today : date
        Current date in UTC, for the expiry of acceptances and the age of the plan.
    planned_on : date, optional
        Commit date of the plan; None if unknown.
    all_suites : bool
        Whether the runs contain all of the repository's suites; see
        `steady.compare.accepting.apply_settings`.
    narrowed : Narrowing, optional
        Subset of benchmarks that the runs and the plan are restricted to.
    """

    today: date
    planned_on: date | None = None
    all_suites: bool = True
    narrowed: Narrowing | None = None


def judge(evidence: Evidence, accepted: Callable[[], Accepted] = lambda: ((), ())) -> Comparison:
    """Compare two runs, mark accepted changes, and check whether the plan is up to date.

    Parameters
    ----------
    evidence : Evidence
        The runs and options.
    accepted : callable
        Function that returns acceptances apart from the settings. It is called only if a regression
        remains after applying the settings.

    Raises
    ------
    InputError
        If a value or an option is out of range, or both sides are the same run.
    """
    base, head, today = evidence.base, evidence.head, evidence.today
    comparison = comparison_of(evidence)
    refuse_same_measurements(base, head)
    settle = partial(apply_settings, today=today, all_suites=evidence.all_suites)
    comparison = settle(comparison, evidence.settings)
    remarks: list[str] = []
    if comparison.regressions or comparison.metrics.regressions:
        entries, problems = accepted()
        comparison = settle(comparison, RepoSettings(accepted=tuple(entries)))
        remarks += problems
    if evidence.plan is not None:
        from steady.optimize import check_freshness  # slow import
        from steady.suggestions.remake_plan import suggest_for_stale_plan

        freshness = check_freshness(
            evidence.plan, (base, head), planned_on=evidence.planned_on, today=today
        )
        remarks += suggest_for_stale_plan(freshness)
    remarks = [*comparison.remarks, *remarks]
    return replace(comparison, remarks=tuple(remarks), narrowed=evidence.narrowed)


CONDITIONS = ("regression", "incomplete", "not-comparable", "unclear", "metric-regression")
DEFAULT = "regression,incomplete,not-comparable"
"""Regressions of secondary metrics are excluded: reports show that code allocates more, but this is
the authors' decision if it is not slower."""


def parse_fail_on(text: str) -> frozenset[str]:
    """Parse a list of conditions.

    Parameters
    ----------
    text : str
        Comma-separated conditions, or ``never``.

    Raises
    ------
    InputError
        If a condition is unknown, or ``never`` is combined with others.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    if names == ["never"]:
        return frozenset()
    unknown = [name for name in names if name not in CONDITIONS]
    if unknown or not names:
        raise InputError(
            f"fail-on is {text!r}; give one or more of {', '.join(CONDITIONS)}, separated by "
            "commas, or never"
        )
    return frozenset(names)


def reasons_to_fail(summary: Summary, fail_on: frozenset[str]) -> tuple[str, ...]:
    """Return which of the conditions in `fail_on` hold; the job passes if none does.

    A comparison without a verdict has no regressions or unclear benchmarks.
    """
    holds = {
        "regression": summary.comparable and bool(summary.regressions),
        "incomplete": bool(summary.lost) or not summary.checked,
        "not-comparable": not summary.comparable,
        "unclear": summary.comparable and bool(summary.unclear),
        "metric-regression": summary.comparable and bool(summary.metrics.regressions),
    }
    return tuple(name for name in CONDITIONS if name in fail_on and holds[name])
