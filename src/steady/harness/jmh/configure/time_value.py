"""Durations as JMH writes them: a whole number and a unit."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from math import isfinite

from steady.errors import InputError

_UNITS = (
    ("s", "SECONDS", 10**9),
    ("ms", "MILLISECONDS", 10**6),
    ("us", "MICROSECONDS", 10**3),
    ("ns", "NANOSECONDS", 1),
)
"""JMH's sign, the name in ``java.util.concurrent.TimeUnit``, nanoseconds."""

_LARGEST = 2**31 - 1
"""JMH parses the number with ``Integer.parseInt``."""


@dataclass(frozen=True, slots=True)
class TimeValue:
    """A duration in JMH's own terms (``org.openjdk.jmh.runner.options.TimeValue``).

    Parameters
    ----------
    amount : int
        Whole number of units.
    unit : str
        ``s``, ``ms``, ``us`` or ``ns``.
    """

    amount: int
    unit: str

    @classmethod
    def of(cls, seconds: float) -> TimeValue:
        """Return `seconds` in the largest unit that holds it as a whole number.

        Where no unit does, because the number would pass JMH's limit of 2**31 - 1, the finest
        unit that stays below the limit holds it rounded; nothing is finer than a nanosecond.

        Raises
        ------
        InputError
            If `seconds` is negative, not finite, shorter than a nanosecond but not zero, or
            longer than JMH accepts.
        """
        if not isfinite(seconds) or seconds < 0:
            raise InputError(f"an iteration of {seconds} seconds is not a duration")
        exact = Decimal(repr(float(seconds))) * 10**9
        nanoseconds = int(exact.to_integral_value())
        if nanoseconds == 0 and seconds > 0:
            raise InputError(f"an iteration of {seconds} seconds is shorter than a nanosecond")
        for unit, _, scale in _UNITS:
            if nanoseconds % scale == 0 and nanoseconds // scale <= _LARGEST:
                return cls(nanoseconds // scale, unit)
        for unit, _, scale in reversed(_UNITS):
            amount = (nanoseconds + scale // 2) // scale
            if amount <= _LARGEST:
                return cls(amount, unit)
        raise InputError(f"an iteration of {seconds} seconds is longer than JMH accepts")

    @property
    def argument(self) -> str:
        """The value on JMH's command line: ``100ms``."""
        return f"{self.amount}{self.unit}"

    @property
    def java_unit(self) -> str:
        """The unit's name in ``java.util.concurrent.TimeUnit``."""
        return next(name for unit, name, _ in _UNITS if unit == self.unit)

    def __str__(self) -> str:
        """Return the value as JMH prints and stores it: ``100 ms``."""
        return f"{self.amount} {self.unit}"


def nanoseconds_of(amount: int, java_unit: str) -> int | None:
    """Return `amount` of a ``TimeUnit`` in nanoseconds; None for a unit that is unknown here."""
    scales = {name: scale for _, name, scale in _UNITS}
    scales |= {"MINUTES": 60 * 10**9, "HOURS": 3600 * 10**9, "DAYS": 86400 * 10**9}
    return amount * scales[java_unit] if java_unit in scales else None
