"""Checks of detectors' options."""

from __future__ import annotations

import numpy as np

from steady.errors import InputError


def check_whole(least: int, **options: int) -> None:
    """Raise InputError for an option that is no whole number, or one below `least`."""
    for name, value in options.items():
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
            raise InputError(f"{name} must be a whole number from {least} up, but is {value!r}")


def check_positive(**options: float) -> None:
    """Raise InputError for an option that is not above 0."""
    for name, value in options.items():
        if not value > 0:
            raise InputError(f"{name} must be above 0, but is {value!r}")


def check_between(low: float, high: float, **options: float) -> None:
    """Raise InputError for an option that does not lie between `low` and `high`."""
    for name, value in options.items():
        if not low < value < high:
            raise InputError(f"{name} must lie between {low} and {high}, but is {value!r}")
