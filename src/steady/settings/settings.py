"""A repository's settings: thresholds, benchmarks to ignore, and accepted changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from steady.compare.acknowledgement import Acknowledgement
from steady.model import Identity
from steady.settings.pattern import matching


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
    """

    pattern: str
    min_change: float
    source: str = ""


@dataclass(frozen=True, slots=True)
class Ignore:
    """Benchmarks that never count in a verdict.

    Parameters
    ----------
    pattern : str
        Which benchmarks; see `matches`.
    reason : str
        Why.
    source : str
        Where it is written.
    """

    pattern: str
    reason: str
    source: str = ""


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
    """

    thresholds: tuple[Threshold, ...] = ()
    ignore: tuple[Ignore, ...] = ()
    acknowledged: tuple[Acknowledgement, ...] = ()
    source: str = ""
    false_alarms: float | None = None

    @property
    def entries(self) -> tuple[SettingsEntry, ...]:
        """All entries."""
        return (*self.thresholds, *self.ignore, *self.acknowledged)

    def min_change(self, identity: Identity) -> float | None:
        """Return the smallest change that counts; None if the settings do not say."""
        is_meant_by = matching(identity)
        values = (t.min_change for t in reversed(self.thresholds) if is_meant_by(t.pattern))
        return next(values, None)

    def why_ignored(self, identity: Identity) -> str | None:
        """Return why a benchmark is ignored; None if it is not."""
        is_meant_by = matching(identity)
        reasons = (i.reason for i in reversed(self.ignore) if is_meant_by(i.pattern))
        return next(reasons, None)
