"""JMH's durations: a whole number and a unit, such as ``100 ms``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite

from steady.errors import InputError
from steady.model.units import exact_seconds

_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
"""Those of each unit, by JMH's sign."""

_LARGEST = 2**31 - 1
"""JMH parses the number with ``Integer.parseInt``."""

_TIME_VALUE = re.compile(r"([0-9]{1,18}) ?(ns|us|ms|s|sec|min|hr|day)")
"""``sec`` is what kotlinx-benchmark writes."""


def parse_time_value(text: str) -> float:
    """Turn JMH's text of a duration into seconds.

    Parameters
    ----------
    text : str
        A whole number and a unit as JMH prints them (``TimeValue.toString``), or
        ``single-shot``, which JMH prints for zero.

    Returns
    -------
    float
        Seconds.

    Raises
    ------
    ValueError
        If `text` is not such a duration.
    """
    if text == "single-shot":
        return 0.0
    match = _TIME_VALUE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a duration such as '100 ms'")
    return float(int(match[1]) * exact_seconds(match[2]))


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
        nanoseconds = int((Decimal(repr(float(seconds))) * 10**9).to_integral_value())
        if nanoseconds == 0 and seconds > 0:
            raise InputError(f"an iteration of {seconds} seconds is shorter than a nanosecond")
        amounts = {u: (nanoseconds + scale // 2) // scale for u, scale in _NANOSECONDS.items()}
        fitting = [unit for unit, amount in amounts.items() if amount <= _LARGEST]
        if not fitting:
            raise InputError(f"an iteration of {seconds} seconds is longer than JMH accepts")
        whole = (unit for unit in fitting if nanoseconds % _NANOSECONDS[unit] == 0)
        unit = next(whole, fitting[-1])
        return cls(amounts[unit], unit)

    @property
    def argument(self) -> str:
        """The value on JMH's command line: ``100ms``."""
        return f"{self.amount}{self.unit}"

    def __str__(self) -> str:
        """Return the value as JMH prints and stores it: ``100 ms``."""
        return f"{self.amount} {self.unit}"
