"""A change and its two sides, in figures as people read them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from steady.compare import Change, Estimate
from steady.report import figures

MakeChange = Callable[..., Change]


def test_words_for_what_is_time_or_speed_and_for_what_is_not(make_change: MakeChange) -> None:
    assert figures.meaning(make_change("a", 0.1, "regression")) == "slower"
    assert figures.meaning(make_change("a", -0.1, "regression", unit="ops/s")) == "slower"
    assert figures.meaning(make_change("a", -0.1, "improvement")) == "faster"
    assert figures.meaning(make_change("a", 0.1, "regression", unit="B/op")) == "worse"
    assert figures.meaning(make_change("a", 0.0, "unchanged")) == ""


def test_a_change_from_zero(make_change: MakeChange) -> None:
    change = replace(
        make_change("a", 0.1, "regression", unit="B/op"),
        base=Estimate(0, 0, 0, 1, 1),
        smallest=math.inf,
        interval=None,
    )
    assert figures.change_in_words(change) == "from zero\u00a0(worse)"
    assert figures.change_interval(change) == ""
    assert figures.detectable(change) == "none"


def test_runs_of_both_sides(make_change: MakeChange) -> None:
    change = make_change("a", 0.1, "regression")
    assert figures.runs_of(change) == "3 × 10"
    assert figures.runs_of(replace(change, head=Estimate(1, 1, 1, 1, 7))) == "3 × 10 / 1 × 7"
