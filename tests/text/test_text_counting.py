"""Numbers of things, and the first of many names."""

from __future__ import annotations

from steady.text import numbers


def test_one_name_more_than_fits_is_counted() -> None:
    assert numbers.listed(list("abcdef")) == "a, b, c, d, e and 1 more"
    assert numbers.listed(["a"]) == "a"


def test_thousands_are_set_apart() -> None:
    names = [str(number) for number in range(2003)]
    assert numbers.listed(names, 3, separator="; ", last="; and ") == "0; 1; 2; and 2,000 more"
