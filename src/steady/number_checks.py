"""Validation shared by all methods: real numbers, scaling, and ranges of options."""

import math

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model import FloatArray

_LARGEST_EXPONENT = 1000  # 2**1000 and its inverse are normal numbers


def real_numbers(values: npt.ArrayLike, failure: str) -> FloatArray:
    """Return `values` as float64; it may share memory with them.

    Parameters
    ----------
    values : array-like
        Values of any shape; None becomes NaN.
    failure : str
        Beginning of the error message.

    Raises
    ------
    InputError
        If the values are not real numbers, or rows differ in length.
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind in "biufO":
            return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{failure}: {error}") from None
    raise InputError(f"the values must be real numbers, but their type is {array.dtype}")


def to_unit_scale(values: FloatArray) -> FloatArray:
    """Scale by a power of two so that the largest magnitude is in [0.5, 1).

    Scaling by a power of two is exact, so the result of a scale-invariant method is unchanged to
    the last bit, while squares of values near 1e-200 or 1e200 neither underflow nor overflow.
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
