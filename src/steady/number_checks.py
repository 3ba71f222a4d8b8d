"""Checks that all methods share: real numbers, scaled to one magnitude, and options in range."""

import math

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model import FloatArray

_LARGEST_EXPONENT = 1000  # powers of two up to this one, and their inverses, are normal numbers


def real_numbers(values: npt.ArrayLike, failure: str) -> FloatArray:
    """Return `values` as float64; it may share memory with them.

    Parameters
    ----------
    values : array-like
        Any shape; None becomes NaN.
    failure : str
        Begins the error message if the values cannot be read.

    Raises
    ------
    InputError
        If they are not real numbers, or rows differ in length.
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind in "biufO":
            return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{failure}: {error}") from None
    raise InputError(f"the values must be real numbers, but their type is {array.dtype}")


def to_unit_scale(values: FloatArray) -> FloatArray:
    """Scale by the power of two that brings the greatest magnitude into [0.5, 1).

    A power of two changes no rounding, so a scale-free method gives the same result to the last
    bit, while squares of values near 1e-200 or 1e200 neither vanish nor overflow.
    """
    exponent = math.frexp(float(np.max(np.abs(values))))[1]
    if abs(exponent) > _LARGEST_EXPONENT:
        return np.asarray(np.ldexp(values, -exponent), dtype=np.float64)
    return np.asarray(values * math.ldexp(1.0, -exponent))


def check_whole(least: int, **options: int) -> None:
    """Raise InputError for an option that is not a whole number of at least `least`."""
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
