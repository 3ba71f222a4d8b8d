"""Accepted changes: which of them a comparison contains, and why an entry does not accept one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

from steady.compare import Acknowledgement, Change, Comparison
from steady.model.pattern import matches_metric, matching
from steady.settings.repo_settings import RepoSettings, SettingsEntry
from steady.text.counting import listed


def utc_today() -> date:
    """Return the day in UTC, by which acknowledgements expire."""
    return datetime.now(UTC).date()


def apply_settings(
    comparison: Comparison, settings: RepoSettings | None, today: date
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

    Returns
    -------
    Comparison
        The same findings; only `Change.acknowledged`, `Change.refused` and the remarks differ.
    """
    if settings is None:
        return comparison
    entries = settings.acknowledged
    return replace(
        comparison,
        changes=tuple(_marked(change, entries, today) for change in comparison.changes),
        metrics=replace(
            comparison.metrics,
            changes=tuple(_marked(c, entries, today) for c in comparison.metrics.changes),
        ),
        remarks=(*comparison.remarks, *_unused(comparison, settings.entries)),
    )


def _marked(change: Change, entries: Sequence[Acknowledgement], today: date) -> Change:
    if change.outcome in ("unchanged", "unclear") or change.acknowledged is not None:
        return change
    is_meant_by = matching(change.identity)
    about = [
        e
        for e in entries
        if e.direction == change.outcome
        and matches_metric(e.metric, change.metric)
        and is_meant_by(e.pattern)
    ]
    refusals = [_refusal(entry, change, today) for entry in about]
    for entry, refusal in zip(about, refusals, strict=True):
        if not refusal:
            return replace(change, acknowledged=entry)
    return replace(change, refused=tuple(dict.fromkeys((*change.refused, *refusals))))


def _refusal(entry: Acknowledgement, change: Change, today: date) -> str:
    """Return why an entry does not accept a change; empty where it does."""
    if entry.expires is not None and today > entry.expires:
        return f"the acknowledgement expired on {entry.expires} ({entry.reason})"
    measurable = not change.metric or math.isfinite(change.ratio)  # from 0 B/op to 32 B/op
    if entry.bound is not None and measurable and abs(change.ratio) > entry.bound:
        bound = f"{100 * entry.bound:.6g} %"
        return f"the change is larger than the {bound} that was acknowledged ({entry.reason})"
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
