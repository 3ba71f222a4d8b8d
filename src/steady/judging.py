"""The judgement of two results: comparison, accepted changes, and reasons to fail a job."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial

from steady.compare.benchmark_change import Change
from steady.compare.comparing import comparison_of
from steady.compare.comparison import Comparison, Narrowing
from steady.compare.criteria import CompareOptions
from steady.compare.summary import Summary
from steady.compare.validity import refuse_same_measurements
from steady.errors import InputError
from steady.model.by_name import matching
from steady.options.compare_options import FAIL_ON
from steady.settings.repo_settings import Acceptance, RepoSettings, SettingsEntry, entries_for
from steady.text.numbers import listed

Accepted = tuple[Sequence[Acceptance], Sequence[str]]
"""Acceptances by maintainers apart from the settings, and errors in their commands."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence(CompareOptions):
    """The inputs of a verdict: the parameters of `steady.compare`, and the current date.

    Parameters
    ----------
    today : date
        Current date in UTC, for the expiry of acceptances and the age of the plan.
    planned_on : date, optional
        Commit date of the plan; None if unknown.
    all_suites : bool
        Whether the runs contain all of the repository's suites; see `apply_settings`.
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
DEFAULT: str = FAIL_ON.default
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
    """Return the conditions in `fail_on` that hold; the job passes if there are none.

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


def apply_settings(
    comparison: Comparison, settings: RepoSettings | None, today: date, *, all_suites: bool = True
) -> Comparison:
    """Mark the changes that are accepted, and add a remark on entries that match no benchmark.

    An entry accepts regressions or improvements, depending on its direction, of the benchmarks
    that it matches, up to its bound and until the end of its last day. If several entries accept a
    change, the first one is shown. If a matching entry does not accept a change, because the change
    is larger or the entry has expired, `Change.refused` contains the reason.

    An entry that matches no benchmark of base, head or plan is misspelt, or its benchmark was
    removed.

    Parameters
    ----------
    comparison : Comparison
        The comparison; changes that are already accepted remain accepted.
    settings : RepoSettings, optional
        Settings with which the comparison was made (see `steady.compare`), or acceptances from
        comments. If None, the comparison is returned unchanged.
    today : date
        Current date in UTC.
    all_suites : bool
        Whether the comparison contains all benchmarks of the repository. If not, an entry without
        a match may belong to another suite, and there is no remark.

    Returns
    -------
    Comparison
        A comparison that differs only in `Change.accepted`, `Change.refused` and the remarks.
    """
    if settings is None:
        return comparison
    mark = partial(_marked, entries=settings.accepted, today=today)
    metrics, unused = comparison.metrics, _unused(comparison, settings.entries)
    return replace(
        comparison,
        changes=tuple(map(mark, comparison.changes)),
        metrics=replace(metrics, changes=tuple(map(mark, metrics.changes))),
        remarks=(*comparison.remarks, *(unused if all_suites else ())),
    )


def _marked(change: Change, entries: Sequence[Acceptance], today: date) -> Change:
    if change.outcome in ("unchanged", "unclear") or change.accepted is not None:
        return change
    alike = [one for one in entries if one.direction == change.outcome]
    about = list(entries_for(alike, change.identity, change.metric))
    refusals = [_refusal(entry, change, today) for entry in about]
    for entry, refusal in zip(about, refusals, strict=True):
        if not refusal:
            return replace(change, accepted=entry)
    return replace(change, refused=tuple(dict.fromkeys((*change.refused, *refusals))))


def _refusal(entry: Acceptance, change: Change, today: date) -> str:
    """Return the reason why an entry does not accept a change; empty if it does."""
    if entry.expires is not None and today > entry.expires:
        return f"the acceptance expired on {entry.expires} ({entry.reason})"
    measurable = not change.metric or math.isfinite(change.ratio)  # from 0 B/op to 32 B/op
    if entry.bound is not None and measurable and abs(change.ratio) > entry.bound:
        bound = f"{100 * entry.bound:.6g} %"
        return f"the change is larger than the {bound} that was accepted ({entry.reason})"
    return ""


def _unused(comparison: Comparison, entries: Iterable[SettingsEntry]) -> Iterator[str]:
    """Yield a remark on entries that match no benchmark of base, head or plan, if there are any."""
    present = [matching(identity) for identity in comparison.ledger.identities]
    unused = [
        f"{entry.pattern} ({entry.source})" if entry.source else entry.pattern
        for entry in entries
        if not any(is_meant_by(entry.pattern) for is_meant_by in present)
    ]
    if unused:
        yield f"no benchmark matches {listed(unused)}"
