"""Figures of a change and its two sides, as people read them."""

from __future__ import annotations

import math

from steady.compare import Change, Estimate
from steady.model import seconds_factor
from steady.text.counting import count
from steady.text.numbers import NO_BREAK, percent, value


def interval(estimate: Estimate) -> str:
    r"""Write both ends of an interval as exactly as its center.

    >>> interval(Estimate(12.345, 12.3, 12.4, 3, 30))
    '12.30\xa0to\xa012.40'
    """
    low, high = (value(end, like=estimate.center) for end in (estimate.low, estimate.high))
    return _to(low, high)


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


def with_interval(text: str, change: Change) -> str:
    """Add the interval of a change to what says how large it is, where there is one."""
    between = change_interval(change)
    return f"{text}, interval {between}" if between else text


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
