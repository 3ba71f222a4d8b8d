"""The one way from two results to a verdict, and the conditions under which it fails a job."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import partial
from typing import Any, Self

from steady.compare import Comparison, compare
from steady.compare.accepting import apply_settings
from steady.compare.comparison import Narrowing
from steady.compare.criteria import CompareOptions
from steady.compare.same_names import renamed, renames
from steady.compare.surroundings import refuse_same_run
from steady.errors import InputError
from steady.model import Suite
from steady.settings import RepoSettings
from steady.settings.repo_settings import Acceptance

Accepted = tuple[Sequence[Acceptance], Sequence[str]]
"""What maintainers accept beside the settings, and what is wrong with how they wrote it."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence(CompareOptions):
    """All that a verdict rests on: the two runs, and the keywords of `steady.compare`.

    Parameters
    ----------
    base, head : Suite
        The two runs.
    today : date
        In UTC: accepted changes expire, and plans grow old.
    planned_on : date, optional
        When the plan was committed; None where nobody knows.
    all_suites : bool
        Whether the repository has no other suite; see `steady.compare.accepting.apply_settings`.
    narrowed : Narrowing, optional
        What the runs and the plan are narrowed to.
    """

    base: Suite
    head: Suite
    today: date
    planned_on: date | None = None
    all_suites: bool = True
    narrowed: Narrowing | None = None

    def of_same_names(self) -> Self:
        """Return the same with one name for each benchmark in both runs, as reports need it."""
        names = renames(self.base, self.head)
        if not names:
            return self
        base, head = (renamed(suite, names) for suite in (self.base, self.head))
        return replace(self.renamed(names), base=base, head=head)


def judge(evidence: Evidence, accepted: Callable[[], Accepted] = lambda: ((), ())) -> Comparison:
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
    asked: Any = {one.name: getattr(evidence, one.name) for one in fields(CompareOptions)}
    comparison = compare(base, head, **asked)
    refuse_same_run(base, head)
    settle = partial(apply_settings, today=today, all_suites=evidence.all_suites)
    comparison = settle(comparison, evidence.settings)
    remarks: list[str] = []
    if comparison.regressions or comparison.metrics.regressions:
        entries, problems = accepted()
        comparison = settle(comparison, RepoSettings(accepted=tuple(entries)))
        remarks += problems
    if evidence.plan is not None:
        # Both import what makes plans.
        from steady.optimize import check_freshness
        from steady.suggestions.remake_plan import suggest_for_stale_plan

        freshness = check_freshness(
            evidence.plan, (base, head), planned_on=evidence.planned_on, today=today
        )
        remarks += suggest_for_stale_plan(freshness)
    remarks = [*comparison.remarks, *remarks]
    return replace(comparison, remarks=tuple(remarks), narrowed=evidence.narrowed)


CONDITIONS = ("regression", "incomplete", "not-comparable", "unclear", "metric-regression")
DEFAULT = "regression,incomplete,not-comparable"
"""Not a regression of a metric: that code allocates more is a fact that reports show, and whether
it may is for its authors to say as long as it is not slower."""


def parse_fail_on(text: str) -> frozenset[str]:
    """Return the conditions that `text` names.

    Parameters
    ----------
    text : str
        Comma-separated conditions, or ``never``.

    Raises
    ------
    InputError
        If a condition is unknown, or ``never`` does not stand alone.
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


def reasons_to_fail(comparison: Comparison, fail_on: frozenset[str]) -> tuple[str, ...]:
    """Return which of the conditions in `fail_on` hold; the job passes if none does.

    A comparison that allows no verdict has no regressions, and nothing in it is unclear.
    """
    holds = {
        "regression": comparison.comparable and bool(comparison.regressions),
        "incomplete": not comparison.ledger.complete or not comparison.has_checked,
        "not-comparable": not comparison.comparable,
        "unclear": comparison.comparable and bool(comparison.unclear),
        "metric-regression": comparison.comparable and bool(comparison.metrics.regressions),
    }
    return tuple(name for name in CONDITIONS if name in fail_on and holds[name])
