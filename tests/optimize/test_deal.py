"""Benchmarks are dealt out to parts: each to one, and the parts are nearly equal."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from steady.model import Identity
from steady.optimize.suite_parts import deal

SECONDS = st.lists(st.floats(0.1, 1000.0), min_size=1, max_size=7)


def longest(seconds: list[float], places: tuple[int, ...], count: int) -> float:
    own = list(zip(seconds, places, strict=True))
    return max(sum(s for s, place in own if place == part) for part in range(count))


@settings(deadline=None)
@given(SECONDS, st.integers(1, 3))
def test_no_part_is_much_longer_than_it_has_to_be(seconds: list[float], count: int) -> None:
    places = deal({Identity(f"b{i}"): s for i, s in enumerate(seconds)}, count)
    assert len(places) == len(seconds)
    dealt = tuple(places[Identity(f"b{i}")] for i in range(len(seconds)))
    every = product(range(count), repeat=len(seconds))
    best = min(longest(seconds, one, count) for one in every)
    assert longest(seconds, dealt, count) <= best * 4 / 3 + 1e-6


def test_the_longest_is_dealt_out_first() -> None:
    seconds = dict(zip(map(Identity, "abcde"), (1.0, 5.0, 4.0, 3.0, 3.0), strict=True))
    places = deal(seconds, 2)
    assert {i.name for i in places if places[i] == 0} == {"b", "e"}
