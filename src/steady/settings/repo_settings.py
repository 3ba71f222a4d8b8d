"""The settings of a repository: thresholds, benchmarks to ignore, and accepted changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from steady.compare.acknowledgement import Acknowledgement
from steady.model import Identity
from steady.model.pattern import matches_metric, matching


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

SettingsEntry: TypeAlias = Threshold | Ignore | Acknowledgement
"""An entry of a settings file."""


@dataclass(frozen=True, slots=True)
class RepoSettings:
    """A settings file.

    Parameters
    ----------
    thresholds : tuple of Threshold
        If several match a benchmark, the last one counts.
    ignore : tuple of Ignore
        If several match a benchmark, the reason of the last one is shown.
    acknowledged : tuple of Acknowledgement
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
    acknowledged: tuple[Acknowledgement, ...] = ()
    source: str = ""
    false_alarms: float | None = None
    important: tuple[str, ...] = ()
    same_code: SameCodeOption = "skip"

    @property
    def entries(self) -> tuple[SettingsEntry, ...]:
        """All entries."""
        return (*self.thresholds, *self.ignore, *self.acknowledged)

    def min_change(self, identity: Identity, metric: str = "") -> float | None:
        """Return the smallest change that counts, also of a further result; None: none is set."""
        about = [t for t in reversed(self.thresholds) if matches_metric(t.metric, metric)]
        is_meant_by = matching(identity)
        return next((t.min_change for t in about if is_meant_by(t.pattern)), None)

    def is_important(self, identity: Identity) -> bool:
        """Tell whether every pull request looks at a benchmark."""
        return any(map(matching(identity), self.important))

    def why_ignored(self, identity: Identity, metric: str = "") -> str | None:
        """Return why a benchmark, or a further result of it, is ignored; None if it is not."""
        about = [i for i in reversed(self.ignore) if matches_metric(i.metric, metric)]
        is_meant_by = matching(identity)
        return next((i.reason for i in about if is_meant_by(i.pattern)), None)
