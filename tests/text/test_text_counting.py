"""Numbers of things, and the first of many names."""

from __future__ import annotations

import doctest

from steady.text import counting


def test_examples_in_the_docstrings() -> None:
    result = doctest.testmod(counting)
    assert result.attempted == 2
    assert result.failed == 0


def test_one_name_more_than_fits_is_counted() -> None:
    assert counting.listed(list("abcdef")) == "a, b, c, d, e and 1 more"
    assert counting.listed(["a"]) == "a"


def test_thousands_are_set_apart() -> None:
    names = [str(number) for number in range(2003)]
    assert counting.listed(names, 3, separator="; ", last="; and ") == "0; 1; 2; and 2,000 more"
