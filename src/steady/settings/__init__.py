"""A repository's settings: per-pattern thresholds, benchmarks to ignore, accepted changes."""

from steady.model.pattern import matches
from steady.settings.acknowledging import apply_settings, utc_today
from steady.settings.settings import Ignore, RepoSettings, Threshold
from steady.settings.settings_file import (
    DEFAULT_SETTINGS,
    SettingsError,
    chosen_settings,
    parse_settings,
    read_settings,
)

__all__ = [
    "DEFAULT_SETTINGS",
    "Ignore",
    "RepoSettings",
    "SettingsError",
    "Threshold",
    "apply_settings",
    "chosen_settings",
    "matches",
    "parse_settings",
    "read_settings",
    "utc_today",
]
