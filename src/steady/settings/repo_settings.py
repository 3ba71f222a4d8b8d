"""Settings of a repository: thresholds, ignored benchmarks, and accepted changes.

Changes are accepted in the settings file, or by ``/steady accept`` in a comment.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Literal, TypeAlias, TypeVar

from steady.model import Identity
from steady.model.by_name import matches_metric, matching
from steady.percent import BOUND


@dataclass(frozen=True, slots=True)
class Threshold:
    """The smallest change that counts, for benchmarks that match a pattern.

    Parameters
    ----------
    pattern : str
        Pattern of the benchmarks; see `matches`.
    min_change : float
        Smallest relative change that counts, as a fraction.
    source : str
        Source of the entry: file and line.
    metric : str
        Secondary metrics, with ``*`` as a wildcard; empty for the main result.
    """

    pattern: str
    min_change: float
    source: str = ""
    metric: str = ""


@dataclass(frozen=True, slots=True)
class Ignore:
    """Benchmarks or secondary metrics to exclude from verdicts.

    Parameters
    ----------
    pattern : str
        Pattern of the benchmarks; see `matches`.
    reason : str
        Reason, shown in reports.
    source : str
        Source of the entry: file and line.
    metric : str
        Secondary metrics, with ``*`` as a wildcard; empty for whole benchmarks.
    """

    pattern: str
    reason: str
    source: str = ""
    metric: str = ""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """An accepted change, which is shown but excluded from verdicts.

    Parameters
    ----------
    pattern : str
        Pattern of the benchmarks; see `steady.settings.matches`.
    reason : str
        Reason for the acceptance.
    direction : {"regression", "improvement"}
        Direction of the accepted changes.
    bound : float, optional
        Largest accepted relative change, as a fraction; None for any.
    expires : date, optional
        Last day on which it is valid, in UTC; None if it is valid for one comparison only.
    author : str
        Person who accepts the change; empty if not given.
    source : str
        Source of the entry: a file and line, or a comment.
    metric : str
        Secondary metrics, with ``*`` as a wildcard; empty for the main result.
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
"""Treatment of benchmarks with an identical code path in base and head by a run."""

SettingsEntry: TypeAlias = Threshold | Ignore | Acceptance
"""An entry of a settings file."""

_Entry = TypeVar("_Entry", bound=SettingsEntry)


@dataclass(frozen=True, slots=True)
class RepoSettings:
    """The contents of a settings file.

    Parameters
    ----------
    thresholds : tuple of Threshold
        Thresholds; if several match a benchmark, the last one is used.
    ignore : tuple of Ignore
        Ignored benchmarks; if several match a benchmark, the reason of the last one is shown.
    accepted : tuple of Acceptance
        Accepted changes; one matching entry is sufficient.
    source : str
        The file.
    false_alarms : float, optional
        Probability of any false alarm for a pull request without a change.
    important : tuple of str
        Patterns of benchmarks that every pull request measures, even if the suite is measured in
        rotation.
    alone : tuple of str
        Patterns of benchmarks that need their own process.
    same_code : {"skip", "run"}
        Whether to skip or run benchmarks with an identical code path in base and head.
    """

    thresholds: tuple[Threshold, ...] = ()
    ignore: tuple[Ignore, ...] = ()
    accepted: tuple[Acceptance, ...] = ()
    source: str = ""
    false_alarms: float | None = None
    important: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    same_code: SameCodeOption = "skip"

    @property
    def entries(self) -> tuple[SettingsEntry, ...]:
        """All entries."""
        return (*self.thresholds, *self.ignore, *self.accepted)

    def min_change(self, identity: Identity, metric: str = "") -> float | None:
        """Return the threshold of a benchmark or a secondary metric, or None."""
        return next(
            (one.min_change for one in entries_for(self.thresholds[::-1], identity, metric)), None
        )

    def is_important(self, identity: Identity) -> bool:
        """Return whether every pull request measures a benchmark."""
        return any(map(matching(identity), self.important))

    def is_alone(self, identity: Identity) -> bool:
        """Return whether a benchmark needs its own process."""
        return any(map(matching(identity), self.alone))

    def why_ignored(self, identity: Identity, metric: str = "") -> str | None:
        """Return the reason why a benchmark or a metric is ignored, or None."""
        return next((one.reason for one in entries_for(self.ignore[::-1], identity, metric)), None)


def entries_for(entries: Sequence[_Entry], identity: Identity, metric: str) -> Iterator[_Entry]:
    """Return the entries that apply to a benchmark or its secondary metric."""
    is_meant_by = matching(identity)
    of_metric = (one for one in entries if matches_metric(one.metric, metric))
    return (one for one in of_metric if is_meant_by(one.pattern))


def utc_today() -> date:
    """Return the current date in UTC, which determines whether acceptances have expired."""
    return datetime.now(UTC).date()


SOURCE = "a comment on this pull request"

DEFAULT_BOUND = 0.2
"""Bound of a command without ``--bound``. It prevents the unnoticed acceptance of larger changes by
later commits."""

_LONGEST = 500  # maximum length of a pattern or a reason, as in the settings file
_OPTION = re.compile(r"--bound(?:[ \t]+|=)(\S*(?:[ \t]%(?!\S))?)(.*)")
_METRIC = re.compile(r"--metric(?:[ \t]+|=)(\S{1,100})(?!\S)(.*)")
_TOKEN = re.compile(r"\"([^\"]*)\"(?!\S)|'([^']*)'(?!\S)|`([^`]*)`(?!\S)|(\S+)")
_USAGE = 'write `/steady accept "PATTERN" --bound 20% REASON`; the default bound is 20%'


def parse_accept(arguments: str, author: str) -> Acceptance:
    """Parse a maintainer's command to accept a change; the bound defaults to `DEFAULT_BOUND`.

    Parameters
    ----------
    arguments : str
        Text after ``/steady accept`` in its line.
    author : str
        Author of the command.

    Raises
    ------
    ValueError
        If a part is missing or invalid; the message describes it.
    """
    bound, rest = _take_bound(None, arguments.strip())
    token = _TOKEN.match(rest)
    pattern = next((g for g in token.groups() if g is not None), "") if token else ""
    metric, rest = _take_metric(rest[token.end() :].strip() if token else "")
    bound, reason = _take_bound(bound, rest)
    if not pattern:
        raise ValueError(f"it does not name a benchmark; {_USAGE}")
    if not reason:
        raise ValueError(f"it does not give a reason; {_USAGE}")
    if max(len(pattern), len(reason)) > _LONGEST:
        raise ValueError(f"pattern and reason may have {_LONGEST} characters each")
    bound = DEFAULT_BOUND if bound is None else bound
    return Acceptance(pattern, reason, bound=bound, author=author, source=SOURCE, metric=metric)


def _take_metric(text: str) -> tuple[str, str]:
    """Parse ``--metric B/op`` at the beginning of `text`, if present."""
    option = _METRIC.match(text)
    return ("", text) if option is None else (option[1], option[2].strip())


def _take_bound(bound: float | None, text: str) -> tuple[float | None, str]:
    """Parse ``--bound 20%`` at the beginning of `text`, if present."""
    option = _OPTION.match(text)
    if option is None:
        return bound, text
    try:
        return BOUND.parse(option[1]), option[2].strip()
    except ValueError as error:
        raise ValueError(f"its bound cannot be read: {error}; {_USAGE}") from None
