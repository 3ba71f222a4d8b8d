"""Formatting of numbers for people."""

import math
from collections.abc import Sequence


def count(number: int, noun: str, plural: str = "") -> str:
    """Format a number with a noun in the singular or plural.

    >>> count(1, "benchmark"), count(1200, "benchmark"), count(2, "has", "have")
    ('1 benchmark', '1,200 benchmarks', '2 have')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(
    names: Sequence[str], most: int = 5, *, separator: str = ", ", last: str = " and "
) -> str:
    """List the first `most` names, and the number of the others.

    Parameters
    ----------
    names : sequence of str
        All names.
    most : int
        Maximum number of names to list.
    separator, last : str
        Separator of the names, and separator before the number of the others.

    >>> listed("abc", 3), listed("abcde", 3)
    ('a, b, c', 'a, b, c and 2 more')
    """
    left = len(names) - most
    more = f"{last}{left:,} more" if left > 0 else ""
    return separator.join(names[:most]) + more


NO_BREAK = "\u00a0"
"""No-break space."""

_DIGITS = 4


def value(number: float, like: float | None = None) -> str:
    """Format a value with four significant digits, or more if it has more integer digits.

    Parameters
    ----------
    number : float
        The value.
    like : float, optional
        Value that determines the number of decimals instead.

    >>> value(12345.678), value(12.345678), value(2.5e-7)
    ('12,346', '12.35', '2.500e-07')
    >>> value(12.3, like=12345.678)
    '12'
    """
    return _fixed(number, _decimals(number if like is None else like))


TENFOLD = 10.0
"""Largest fraction that is written as a percentage; beyond it, the text is "more than tenfold"."""


def percent(fraction: float, *, signed: bool = False) -> str:
    r"""Format a fraction as a percentage, with one decimal below 100 %.

    >>> percent(0.1234, signed=True), percent(-2.5), percent(0.00001, signed=True), percent(12)
    ('+12.3\xa0%', '−250\xa0%', '0.0\xa0%', 'more than tenfold')
    """
    if not math.isfinite(fraction):
        return "unbounded"
    if abs(fraction) > TENFOLD:
        return "more than tenfold"
    number = round(abs(fraction) * 100, 0 if abs(fraction) >= 0.9995 else 1)
    sign = "" if number == 0 else "−" if fraction < 0 else "+" if signed else ""
    return f"{sign}{number:,.{0 if number >= 100 else 1}f}{NO_BREAK}%"


def share(fraction: float) -> str:
    r"""Format a fraction from the settings as a percentage, without trailing zeros.

    >>> share(0.99), share(0.03), share(0.0005)
    ('99\xa0%', '3\xa0%', '0.05\xa0%')
    """
    return f"{100 * fraction:.6g}{NO_BREAK}%"


def duration(seconds: float) -> str:
    r"""Format a duration with its two largest units.

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


def _decimals(number: float) -> int | None:
    """Return the number of decimals for four significant digits; None for scientific notation."""
    if number == 0 or not math.isfinite(number):
        return 0
    magnitude = math.floor(math.log10(abs(number)))
    return max(_DIGITS - 1 - magnitude, 0) if -4 <= magnitude < 12 else None


def _fixed(number: float, decimals: int | None) -> str:
    text = f"{number:.{_DIGITS - 1}e}" if decimals is None else f"{number:,.{decimals}f}"
    return text.replace("-", "−", 1) if text.startswith("-") else text
