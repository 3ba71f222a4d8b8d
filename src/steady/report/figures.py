"""Formatting of a change and its two sides, in readable units."""

import math
import re
from dataclasses import replace

from steady.compare import Change, Estimate
from steady.compare.benchmark_change import meaning
from steady.text.numbers import NO_BREAK, TENFOLD, count, percent, value

_STEPS = ("ns", "us", "ms", "s")
"""Time units in which results are shown, each 1,000 times the previous one."""

_TIME_PER_OPERATION = re.compile(r"(ns|us|µs|μs|ms|s)/(\w{1,40})")
_OPERATIONS_PER_TIME = re.compile(r"ops/(ns|us|µs|μs|ms|s)")


def readable(change: Change) -> Change:
    """Return the same change in the unit in which its base lies between 1 and 1,000.

    Both sides have the same unit, for an easy comparison.
    """
    factor, unit = readable_unit(change.unit, change.base.center)
    if factor == 1.0:
        return change
    return replace(
        change, unit=unit, base=_scaled(change.base, factor), head=_scaled(change.head, factor)
    )


def readable_unit(unit: str, number: float) -> tuple[float, str]:
    """Return the most readable unit of a result.

    Parameters
    ----------
    unit : str
        The harness's unit: ``ns/op``, ``ops/s``. Units other than time are not converted.
    number : float
        The result in that unit.

    Returns
    -------
    factor : float
        Factor of the conversion.
    unit : str
        The readable unit.

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
    """Return the power of 1,000 to divide by, so that the result lies between 1 and 999."""
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


def interval(estimate: Estimate) -> str:
    r"""Format both ends of an interval, with as many decimals as its center.

    >>> interval(Estimate(12.345, 12.3, 12.4, 3, 30))
    '12.30\xa0to\xa012.40'
    """
    low, high = (value(end, like=estimate.center) for end in (estimate.low, estimate.high))
    return _to(low, high)


def change_in_words(change: Change) -> str:
    r"""Format a change with its sign and meaning: ``+12.3 % (slower)``."""
    word = meaning(change)
    return change_percent(change) + (f"{NO_BREAK}({word})" if word else "")


def change_percent(change: Change) -> str:
    """Format a change with its sign."""
    return signed(change.ratio)


def signed(ratio: float) -> str:
    """Format a relative change with its sign."""
    return percent(ratio, signed=True) if math.isfinite(ratio) else "from zero"


def change_interval(change: Change) -> str:
    """Format the confidence interval of a change; empty if it has none."""
    if change.interval is None:
        return ""
    low, high = change.interval
    ends = [percent(end, signed=True) for end in (low, high)]
    return ends[0] if low > TENFOLD else _to(*ends)


def with_interval(text: str, change: Change) -> str:
    """Append the confidence interval of a change to a text, if it has one."""
    between = change_interval(change)
    return f"{text}, confidence interval {between}" if between else text


def detectable(change: Change) -> str:
    """Format the detectable effect of the two results."""
    return percent(change.smallest) if math.isfinite(change.smallest) else "none"


def excluded(change: Change) -> str:
    """Format the upper bound of a change, or the reason why it has none."""
    if change.lacking:
        return "not warm" if change.cold_seconds else "too few runs"
    return percent(change.excluded) if math.isfinite(change.excluded) else "none"


def runs(estimate: Estimate) -> str:
    """Format the repetitions of an estimate: forks × iterations.

    >>> runs(Estimate(1, 1, 1, 3, 30)), runs(Estimate(1, 1, 1, 3, 29))
    ('3 × 10', '3 forks, 29 iterations')
    """
    if estimate.iterations % estimate.forks == 0:
        return f"{estimate.forks} × {estimate.iterations // estimate.forks}"
    forks = count(estimate.forks, "fork")
    return f"{forks}, {count(estimate.iterations, 'iteration')}"


def runs_of(change: Change) -> str:
    """Format the repetitions of base and head, once if they are equal."""
    base, head = runs(change.base), runs(change.head)
    return base if base == head else f"{base} / {head}"


def _to(low: str, high: str) -> str:
    return f"{low}{NO_BREAK}to{NO_BREAK}{high}"
