"""The settings of a repository, and what they say of a comparison.

They are thresholds, benchmarks to ignore, and accepted changes.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial
from typing import Literal, TypeAlias, TypeVar

from steady.compare.benchmark_change import Acceptance, Change
from steady.compare.comparison import Comparison
from steady.model import Identity
from steady.model.by_name import matches_metric, matching
from steady.text.numbers import listed


@dataclass(frozen=True, slots=True)
class Threshold:
    """The smallest change that counts, for some benchmarks.

    Parameters
    ----------
    pattern : str
        Which benchmarks; see `matches`.
    min_change : float
        Smallest relative change that counts, as a fraction.
    source : str
        Where it is written.
    metric : str
        Of which further results, where ``*`` stands for any text; empty for the main result.
    """

    pattern: str
    min_change: float
    source: str = ""
    metric: str = ""


@dataclass(frozen=True, slots=True)
class Ignore:
    """Benchmarks, or further results of benchmarks, that never count in a verdict.

    Parameters
    ----------
    pattern : str
        Which benchmarks; see `matches`.
    reason : str
        Why.
    source : str
        Where it is written.
    metric : str
        Which further results, where ``*`` stands for any text; empty for whole benchmarks.
    """

    pattern: str
    reason: str
    source: str = ""
    metric: str = ""


SameCodeOption = Literal["skip", "run"]
"""What a run does with benchmarks that run the same code in base and in head."""

SettingsEntry: TypeAlias = Threshold | Ignore | Acceptance
"""An entry of a settings file."""

_Entry = TypeVar("_Entry", bound=SettingsEntry)


@dataclass(frozen=True, slots=True)
class RepoSettings:
    """A settings file.

    Parameters
    ----------
    thresholds : tuple of Threshold
        If several match a benchmark, the last one counts.
    ignore : tuple of Ignore
        If several match a benchmark, the reason of the last one is shown.
    accepted : tuple of Acceptance
        If several match a benchmark, one that accepts the change is enough.
    source : str
        The file.
    false_alarms : float, optional
        The chance that a pull request which changes nothing gets any alarm.
    important : tuple of str
        Patterns of the benchmarks that every pull request looks at, where a suite is looked at in
        rotation.
    same_code : {"skip", "run"}
        Whether benchmarks are measured that run the same code in base and in head.
    """

    thresholds: tuple[Threshold, ...] = ()
    ignore: tuple[Ignore, ...] = ()
    accepted: tuple[Acceptance, ...] = ()
    source: str = ""
    false_alarms: float | None = None
    important: tuple[str, ...] = ()
    same_code: SameCodeOption = "skip"

    @property
    def entries(self) -> tuple[SettingsEntry, ...]:
        """All entries."""
        return (*self.thresholds, *self.ignore, *self.accepted)

    def min_change(self, identity: Identity, metric: str = "") -> float | None:
        """Return the smallest change that counts, also of a further result; None: none is set."""
        return next(
            (one.min_change for one in _about(self.thresholds[::-1], identity, metric)), None
        )

    def is_important(self, identity: Identity) -> bool:
        """Tell whether every pull request looks at a benchmark."""
        return any(map(matching(identity), self.important))

    def why_ignored(self, identity: Identity, metric: str = "") -> str | None:
        """Return why a benchmark, or a further result of it, is ignored; None if it is not."""
        return next((one.reason for one in _about(self.ignore[::-1], identity, metric)), None)


def _about(entries: Sequence[_Entry], identity: Identity, metric: str) -> Iterator[_Entry]:
    """Return the entries about a benchmark, or a further result of it."""
    is_meant_by = matching(identity)
    of_metric = (one for one in entries if matches_metric(one.metric, metric))
    return (one for one in of_metric if is_meant_by(one.pattern))


def utc_today() -> date:
    """Return the day in UTC, by which accepted changes expire."""
    return datetime.now(UTC).date()


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
    about = list(_about(alike, change.identity, change.metric))
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
