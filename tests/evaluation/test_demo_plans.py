"""The table of plans of the demo's library: regenerated, and its means by hand."""

import statistics
from pathlib import Path

import pytest

import steady
from evaluation import demo_plans
from evaluation.demo_plans import FULL, HEADER, PLANS
from steady.demo import recording
from steady.demo.library import HeldOut, Library
from steady.text.numbers import percent
from tests.looped import looped

PAGE = Path(__file__).resolve().parents[2] / "docs" / "savings.md"

SLOW = "`uoptime`, rciw2"
"""The bootstrap within a bootstrap of one metric takes as long as all other rows together."""


@pytest.fixture(scope="module")
def library() -> Library:
    with recording() as recorded:
        assert recorded.library.halves
        return recorded.library


def published() -> dict[str, list[str]]:
    """Return the rows of the page by their first cell."""
    block = PAGE.read_text("utf-8").partition("<!-- plans -->\n")[2].partition("<!-- /plans -->")[0]
    rows = [line.strip("| ").split(" | ") for line in block.splitlines()]
    assert tuple(rows[0]) == HEADER
    return {row[0]: row for row in rows[2:]}


def test_the_page_has_every_plan() -> None:
    assert list(published()) == ["as annotated today", FULL, *PLANS]


def test_the_full_runs_own_error_is_the_distance_of_both_halves(library: Library) -> None:
    levels = [
        [
            statistics.median(statistics.median(fork[len(fork) // 2 :]) for fork in forks)
            for forks in (benchmark.fork_times.tolist() for benchmark in half.benchmarks)
        ]
        for half in library.halves
    ]
    one, other = levels
    ways = [
        [abs(b / a - 1) for a, b in zip(*pair, strict=True)]
        for pair in ((one, other), (other, one))
    ]
    medians, largest = ([of(way) for way in ways] for of in (statistics.median, max))
    assert published()[FULL][5:7] == [percent(sum(medians) / 2), percent(sum(largest) / 2)]


@looped("name", [name for name in PLANS if name != SLOW])
def test_a_row_is_what_the_recording_gives(name: str, library: Library) -> None:
    assert demo_plans.row(name, HeldOut.of(library.halves, **PLANS[name])) == published()[name]


@pytest.mark.thorough
def test_the_slow_row_and_the_whole_table_are_what_the_recording_gives(library: Library) -> None:
    block = PAGE.read_text("utf-8").partition("<!-- plans -->\n")[2].partition("<!-- /plans -->")[0]
    assert f"{demo_plans.table(library.halves)}\n" == block


def test_a_row_has_the_means_of_both_ways(library: Library) -> None:
    held_out = HeldOut.of(library.halves)
    name, seconds, saved, *errors = demo_plans.row("x", held_out)
    one, other = held_out.plans
    assert name == "x"
    assert seconds == f"{(one.seconds + other.seconds) / 2:,.0f}"
    today = one.former_seconds + other.former_seconds
    assert saved == percent(1 - (one.seconds + other.seconds) / today)
    both = [
        [e.expected_error for e in p.benchmarks if e.expected_error is not None]
        for p in (one, other)
    ]
    true = [[judged.error for judged in way] for way in held_out.judged]
    same = [[judged.same_forks for judged in way] for way in held_out.judged]
    means = [
        sum(of(errors) for errors in found) / 2
        for found, of in (
            (both, statistics.median), (both, max), (true, statistics.median), (true, max),
            (same, statistics.median),
        )
    ]  # fmt: skip
    assert errors == [percent(mean) for mean in means]


def test_today_is_what_the_annotations_ask_for(library: Library) -> None:
    """0.5 s or so for the start of a fork is all that is added to the annotated iterations."""
    today = published()["as annotated today"]
    assert today[2:] == ["–"] * 6
    plan = steady.optimize(library.halves[0])
    annotated = sum(
        one.declared.forks
        * (
            one.declared.warmup_iterations * one.declared.warmup_seconds
            + one.declared.iterations * one.declared.iteration_seconds
        )
        for one in library.halves[0].benchmarks
        if one.declared is not None
    )
    assert annotated == 5 * 7.5 * 5 + 2 * 75 + 4.5
    assert today[1] == f"{plan.former_seconds:,.0f}"
    assert annotated < plan.former_seconds < 1.15 * annotated
