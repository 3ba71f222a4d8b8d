"""A shop so small that its prices are all that it has."""


def price(cents: int) -> str:
    """Return a price as people write it.

    >>> price(1234567)
    '12,345.67'
    """
    return f"{cents // 100:,}.{cents % 100:02}"


def total(lines: list[tuple[int, int]]) -> int:
    """Return the sum of quantities times cents."""
    return sum(quantity * cents for quantity, cents in lines)
