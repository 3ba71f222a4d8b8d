"""Results in the unit in which people would say them: 1.64 ms/op, not 1,640,000 ns/op."""

from __future__ import annotations

import re
from dataclasses import replace

from steady.compare import Change, Estimate

_STEPS = ("ns", "us", "ms", "s")
"""Time units in which results are shown, each a thousand of the one before."""

_TIME_PER_OPERATION = re.compile(r"(ns|us|µs|μs|ms|s)/(\w{1,40})")
_OPERATIONS_PER_TIME = re.compile(r"ops/(ns|us|µs|μs|ms|s)")


def readable(change: Change) -> Change:
    """Return the same change in the unit in which its base lies between 1 and 1,000.

    Both sides are in one unit, so that they can be compared at a glance.
    """
    factor, unit = readable_unit(change.unit, change.base.center)
    if factor == 1.0:
        return change
    return replace(
        change, unit=unit, base=_scaled(change.base, factor), head=_scaled(change.head, factor)
    )


def readable_unit(unit: str, number: float) -> tuple[float, str]:
    """Find the unit in which a result reads best.

    Parameters
    ----------
    unit : str
        As the harness writes it: ``ns/op``, ``ops/s``. Others than of time stay as they are.
    number : float
        The result in that unit.

    Returns
    -------
    factor : float
        By which results are multiplied.
    unit : str
        What they are then in.

    Examples
    --------
    >>> readable_unit("ns/op", 1_640_000.0), readable_unit("ops/s", 25_000_000.0)
    ((1e-06, 'ms/op'), (1e-06, 'ops/us'))
    >>> readable_unit("B/op", 1_640_000.0)
    (1.0, 'B/op')
    """
    if not 0 < abs(number) < float("inf"):
        return 1.0, unit
    if match := _TIME_PER_OPERATION.fullmatch(unit):
        place = _place(match[1])
        steps = _steps(abs(number), -place, len(_STEPS) - 1 - place)
        return 1000.0**-steps, f"{_STEPS[place + steps]}/{match[2]}" if steps else unit
    if match := _OPERATIONS_PER_TIME.fullmatch(unit):
        place = _place(match[1])
        steps = _steps(abs(number), place - len(_STEPS) + 1, place)
        return 1000.0**-steps, f"ops/{_STEPS[place - steps]}" if steps else unit
    return 1.0, unit


def _place(time: str) -> int:
    return _STEPS.index("us" if time in ("µs", "μs") else time)


def _steps(number: float, fewest: int, most: int) -> int:
    """Return by how many thousands to divide, so that 1 to 999 are left."""
    steps = 0
    while number >= 1000 and steps < most:
        number, steps = number / 1000, steps + 1
    while number < 1 and steps > fewest:
        number, steps = number * 1000, steps - 1
    return steps


def _scaled(side: Estimate, factor: float) -> Estimate:
    return replace(
        side,
        center=side.center * factor,
        low=side.low * factor,
        high=side.high * factor,
        score=None if side.score is None else side.score * factor,
    )
