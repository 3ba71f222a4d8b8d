"""JMH's durations: an integer and a unit, such as ``100 ms``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite

from steady.errors import InputError
from steady.model.units import exact_seconds

_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
"""Nanoseconds of each unit, by JMH's abbreviation."""

_LARGEST = 2**31 - 1
"""Maximum number: JMH parses it with ``Integer.parseInt``."""

_TIME_VALUE = re.compile(r"([0-9]{1,18}) ?(ns|us|ms|s|sec|min|hr|day)")
"""``sec`` is written by kotlinx-benchmark."""


def parse_time_value(text: str) -> float:
    """Convert a duration as printed by JMH to seconds.

    Parameters
    ----------
    text : str
        An integer and a unit (``TimeValue.toString``), or ``single-shot``, which JMH prints for
        zero.

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
    """A duration as in JMH (``org.openjdk.jmh.runner.options.TimeValue``).

    Parameters
    ----------
    amount : int
        Number of units.
    unit : str
        ``s``, ``ms``, ``us`` or ``ns``.
    """

    amount: int
    unit: str

    @classmethod
    def of(cls, seconds: float) -> TimeValue:
        """Return a duration in the largest unit in which it is an integer.

        If that integer exceeds JMH's limit of 2**31 - 1, the duration is rounded to the finest
        unit that does not exceed the limit. Fractions of a nanosecond are rounded.

        Raises
        ------
        InputError
            If `seconds` is negative, not finite, between zero and a nanosecond, or longer than
            JMH accepts.
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
        """The duration on JMH's command line: ``100ms``."""
        return f"{self.amount}{self.unit}"

    def __str__(self) -> str:
        """Return the duration as JMH prints and stores it: ``100 ms``."""
        return f"{self.amount} {self.unit}"
