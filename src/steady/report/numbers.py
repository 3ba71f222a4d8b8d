"""Numbers as people read them."""

from __future__ import annotations

import math

from steady.compare import Change, Estimate
from steady.counting import count
from steady.model import seconds_factor

NO_BREAK = "\u00a0"
"""The space at which no line ends."""

_DIGITS = 4


def value(number: float) -> str:
    """Write a measured value with at least four significant digits, no digit before the point lost.

    >>> value(12345.678), value(12.345678), value(2.5e-7)
    ('12,346', '12.35', '2.500e-07')
    """
    return _fixed(number, _decimals(number))


def interval(estimate: Estimate) -> str:
    r"""Write both ends of an interval as exactly as its center.

    >>> interval(Estimate(12.345, 12.3, 12.4, 3, 30))
    '12.30\xa0to\xa012.40'
    """
    decimals = _decimals(estimate.center)
    return _to(_fixed(estimate.low, decimals), _fixed(estimate.high, decimals))


def percent(fraction: float, *, signed: bool = False) -> str:
    r"""Write a fraction as a percentage: one digit after the point, none from 100 % on.

    >>> percent(0.1234, signed=True), percent(-2.5), percent(0.00001, signed=True)
    ('+12.3\xa0%', '−250\xa0%', '0.0\xa0%')
    """
    if not math.isfinite(fraction):
        return "unbounded"
    number = round(abs(fraction) * 100, 0 if abs(fraction) >= 0.9995 else 1)
    sign = "" if number == 0 else "−" if fraction < 0 else "+" if signed else ""
    return f"{sign}{number:,.{0 if number >= 100 else 1}f}{NO_BREAK}%"


def share(fraction: float) -> str:
    r"""Write a setting that is a fraction as a percentage, as short as it is exact.

    >>> share(0.99), share(0.03), share(0.0005)
    ('99\xa0%', '3\xa0%', '0.05\xa0%')
    """
    return f"{100 * fraction:.6g}{NO_BREAK}%"


def duration(seconds: float) -> str:
    r"""Write a duration with its two largest units.

    >>> duration(7500), duration(187), duration(48.2), duration(0.44)
    ('2\xa0h\xa005\xa0min', '3\xa0min\xa007\xa0s', '48\xa0s', '0.4\xa0s')
    """
    if seconds < 10:
        return f"{seconds:.1f}{NO_BREAK}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}{NO_BREAK}s"
    if whole < 3600:
        return f"{whole // 60}{NO_BREAK}min{NO_BREAK}{whole % 60:02}{NO_BREAK}s"
    minutes = round(seconds / 60)
    return f"{minutes // 60:,}{NO_BREAK}h{NO_BREAK}{minutes % 60:02}{NO_BREAK}min"


def change_in_words(change: Change) -> str:
    r"""Write the change of a value with its sign and what it means: ``+12.3 % (slower)``."""
    word = meaning(change)
    return change_percent(change) + (f"{NO_BREAK}({word})" if word else "")


def change_percent(change: Change) -> str:
    """Write the change of a value with its sign."""
    return percent(change.ratio, signed=True) if math.isfinite(change.ratio) else "from zero"


def change_interval(change: Change) -> str:
    """Write the interval of a change; empty where it has none."""
    if change.interval is None:
        return ""
    low, high = change.interval
    return _to(percent(low, signed=True), percent(high, signed=True))


def meaning(change: Change) -> str:
    """Say what the change means: time and speed are slower or faster, others worse or better."""
    words = ("slower", "faster") if _is_speed(change) else ("worse", "better")
    if change.worsening == 0:
        return ""
    return words[0] if change.worsening > 0 else words[1]


def detectable(change: Change) -> str:
    """Write the smallest change that the two results could have shown."""
    return percent(change.smallest) if math.isfinite(change.smallest) else "none"


def excluded(change: Change) -> str:
    """Write beyond which size a change is excluded, or why none is."""
    if change.lacking:
        return "too few runs"
    return percent(change.excluded) if math.isfinite(change.excluded) else "none"


def runs(estimate: Estimate) -> str:
    """Write what stands behind an estimate: forks x iterations of each.

    >>> runs(Estimate(1, 1, 1, 3, 30)), runs(Estimate(1, 1, 1, 3, 29))
    ('3 × 10', '3 forks, 29 iterations')
    """
    if estimate.iterations % estimate.forks == 0:
        return f"{estimate.forks} × {estimate.iterations // estimate.forks}"
    forks = count(estimate.forks, "fork")
    return f"{forks}, {count(estimate.iterations, 'iteration')}"


def runs_of(change: Change) -> str:
    """Write what stands behind both sides, once where it is the same."""
    base, head = runs(change.base), runs(change.head)
    return base if base == head else f"{base} / {head}"


def _to(low: str, high: str) -> str:
    return f"{low}{NO_BREAK}to{NO_BREAK}{high}"


def _is_speed(change: Change) -> bool:
    return change.direction == "higher" or math.isfinite(seconds_factor(change.unit))


def _decimals(number: float) -> int | None:
    """Return how many decimals show four significant digits; None: too small or too large."""
    if number == 0 or not math.isfinite(number):
        return 0
    magnitude = math.floor(math.log10(abs(number)))
    return max(_DIGITS - 1 - magnitude, 0) if -4 <= magnitude < 12 else None


def _fixed(number: float, decimals: int | None) -> str:
    text = f"{number:.{_DIGITS - 1}e}" if decimals is None else f"{number:,.{decimals}f}"
    return text.replace("-", "−", 1) if text.startswith("-") else text
