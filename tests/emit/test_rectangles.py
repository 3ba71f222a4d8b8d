from __future__ import annotations

from collections import Counter
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from steady.emit.rectangles import rectangles

values = st.sampled_from(["", "1", "2", "3"])
sets = st.integers(0, 3).flatmap(
    lambda places: st.sets(st.tuples(*[values] * places), min_size=1, max_size=30)
)


@given(sets)
def test_every_combination_is_run_once_and_no_other(combinations: set[tuple[str, ...]]) -> None:
    pieces = rectangles(sorted(combinations))
    run = Counter(combination for piece in pieces for combination in product(*piece))
    assert run == Counter(combinations)


def test_a_full_product_is_one_piece() -> None:
    assert rectangles(list(product("ab", "12", "xyz"))) == [
        (("a", "b"), ("1", "2"), ("x", "y", "z"))
    ]


def test_a_product_with_a_hole_is_not_filled() -> None:
    assert rectangles([("a", "1"), ("a", "2"), ("b", "1")]) == [
        (("a",), ("1", "2")),
        (("b",), ("1",)),
    ]


def test_an_empty_value_stands_first() -> None:
    # JMH splits "k=1," to one value and "k=,1" to two: String.split drops empty ends.
    assert rectangles([("1",), ("",)]) == [(("", "1"),)]
