"""The settings of a repository: thresholds, benchmarks to ignore, and accepted changes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Literal, TypeAlias, TypeVar

from steady.model import Identity
from steady.model.by_name import matches_metric, matching


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


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A change that is accepted: it is shown, but no verdict counts it.

    Parameters
    ----------
    pattern : str
        Which benchmarks; see `steady.settings.matches`.
    reason : str
        Why the change is accepted.
    direction : {"regression", "improvement"}
        Which changes are accepted.
    bound : float, optional
        Largest relative change that is accepted, as a fraction; None: any.
    expires : date, optional
        The last day on which it applies, in UTC; None: it applies to one comparison only.
    author : str
        Who accepts the change; empty if nobody is named.
    source : str
        Where it is written: a file with its line, or a comment.
    metric : str
        Of which further results, where ``*`` stands for any text; empty for the main result.
    """

    pattern: str
    reason: str
    direction: Literal["regression", "improvement"] = "regression"
    bound: float | None = None
    expires: date | None = None
    author: str = ""
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
            (one.min_change for one in entries_about(self.thresholds[::-1], identity, metric)), None
        )

    def is_important(self, identity: Identity) -> bool:
        """Tell whether every pull request looks at a benchmark."""
        return any(map(matching(identity), self.important))

    def why_ignored(self, identity: Identity, metric: str = "") -> str | None:
        """Return why a benchmark, or a further result of it, is ignored; None if it is not."""
        return next(
            (one.reason for one in entries_about(self.ignore[::-1], identity, metric)), None
        )


def entries_about(entries: Sequence[_Entry], identity: Identity, metric: str) -> Iterator[_Entry]:
    """Return the entries about a benchmark, or a further result of it."""
    is_meant_by = matching(identity)
    of_metric = (one for one in entries if matches_metric(one.metric, metric))
    return (one for one in of_metric if is_meant_by(one.pattern))


def utc_today() -> date:
    """Return the day in UTC, by which accepted changes expire."""
    return datetime.now(UTC).date()
