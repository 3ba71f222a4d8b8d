"""Accepted changes: marks the changes of a comparison that the settings accept."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import partial

from steady.compare.benchmark_change import Change
from steady.compare.comparison import Comparison
from steady.model.by_name import matching
from steady.settings.repo_settings import Acceptance, RepoSettings, SettingsEntry, entries_for
from steady.text.numbers import listed


def apply_settings(
    comparison: Comparison, settings: RepoSettings | None, today: date, *, all_suites: bool = True
) -> Comparison:
    """Mark the changes that are accepted, and add a remark on entries that match no benchmark.

    An entry accepts a regression (or improvement, as it says) of the benchmarks that it matches,
    up to its bound and until the end of its last day. If several entries accept a change, the
    first one is shown. If an entry matches a change but does not accept it, because the change is
    larger or the entry has expired, the change counts, and `Change.refused` says why.

    An entry that matches no benchmark of base, head or plan has a typing error, or its benchmark
    is gone.

    Parameters
    ----------
    comparison : Comparison
        What was found; changes that are already marked stay marked.
    settings : RepoSettings, optional
        From the settings file, with which the comparison was made (see `steady.compare`), or from
        comments. Without them nothing changes.
    today : date
        In UTC.
    all_suites : bool
        Whether the comparison has all benchmarks of the repository; if it has not, an entry that
        matches none may be about another suite, and there is no remark.

    Returns
    -------
    Comparison
        The same findings; only `Change.accepted`, `Change.refused` and the remarks differ.
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
    """Return why an entry does not accept a change; empty where it does."""
    if entry.expires is not None and today > entry.expires:
        return f"the acceptance expired on {entry.expires} ({entry.reason})"
    measurable = not change.metric or math.isfinite(change.ratio)  # from 0 B/op to 32 B/op
    if entry.bound is not None and measurable and abs(change.ratio) > entry.bound:
        bound = f"{100 * entry.bound:.6g} %"
        return f"the change is larger than the {bound} that was accepted ({entry.reason})"
    return ""


def _unused(comparison: Comparison, entries: Iterable[SettingsEntry]) -> Iterator[str]:
    """Name the entries that match no benchmark of base, head or plan; nothing if all do."""
    present = [matching(identity) for identity in comparison.ledger.identities]
    unused = [
        f"{entry.pattern} ({entry.source})" if entry.source else entry.pattern
        for entry in entries
        if not any(is_meant_by(entry.pattern) for is_meant_by in present)
    ]
    if unused:
        yield f"no benchmark matches {listed(unused)}"
