"""Prices of a small shop."""


def price(cents: int) -> str:
    """Format a price in cents.

    >>> price(1234567)
    '12,345.67'
    """
    return f"{cents // 100:,}.{cents % 100:02}"


def total(lines: list[tuple[int, int]]) -> int:
    """Return the sum of quantities times cents."""
    return sum(quantity * cents for quantity, cents in lines)
