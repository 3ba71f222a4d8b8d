"""The text of the first half of the demo, for a plan of the test."""

from dataclasses import replace

import pytest

import steady
from steady.demo.library import About, HeldOut, Judged
from steady.demo.shorter_suite import ShorterSuite, steady_after

ABOUT = About("org/lib", "1.2", "0" * 40, "MIT", "17", "1.37", "CPU", "tsc", "then", "later")
FULL = steady.ExecutionConfiguration(5, 0, 300, 0.1, 0.1)
SHORT = steady.ExecutionConfiguration(5, 12, 8, 0.1, 0.1)
TODAY = steady.ExecutionConfiguration(5, 5, 10, 0.5, 0.5)


def entry(name: str, **other: object) -> steady.BenchmarkPlan:
    identity = steady.Identity(f"org.lib.{name}")
    made = steady.BenchmarkPlan(
        identity, SHORT, FULL, 12.5, 152.5, "reduced", "steady early", expected_error=0.01,
        starts=(3, 12, None), today=TODAY, today_seconds=40.0, judged_by="kb-kssd",
        judged_iterations=300,
    )  # fmt: skip
    return replace(made, **other)  # type: ignore[arg-type]


def suite(*entries: steady.BenchmarkPlan) -> ShorterSuite:
    """Return a suite whose second plan expects 3 %, with true errors of 2 and 4 %."""
    later = tuple(replace(one, expected_error=0.03) for one in entries)
    plans = tuple(
        steady.Plan(made, "error-budget", {"detector": "kb-kssd"}) for made in (entries, later)
    )
    ways = tuple(
        tuple(Judged(one, error, 0.0, error / 4) for one in made)
        for made, error in ((entries, 0.02), (later, 0.04))
    )
    return ShorterSuite(ABOUT, HeldOut(plans, ways))  # type: ignore[arg-type]


def test_the_text_names_the_suite_and_both_results() -> None:
    shorter = suite(entry("FooBenchmark.parse"), entry("BenchmarkBar.benchmarkGet"))
    assert shorter.origin.replace("\xa0", " ") == (
        "2 benchmarks of org/lib 1.2: two runs of 5 forks with 300 iterations of 0.1 s, recorded "
        "one fork at a time. With its annotations, the suite takes 1 min 20 s today."
    )
    assert shorter.total.replace("\xa0", " ") == (
        "1 min 20 s today, 25 s with the plan: 68.8 % less. Runs: forks × (warm-up + iterations)."
    )
    assert shorter.how_judged.replace("\xa0", " ").startswith(
        "Median error: 2.0 % expected, 3.0 % true, 0.8 % for the full run. "
        "Planned on five forks, tested on the other five"
    )
    assert shorter.how_judged.endswith("vice versa. KB-KSSD judged all 2 benchmarks.")
    assert len(shorter.columns) == len(shorter.rows[0])
    assert [[cell.replace("\xa0", " ") for cell in row] for row in shorter.rows] == [
        ["0.3–1.2 s", "5 × (12 + 8)", "40 → 12", "2.0 %", "3.0 %", "Foo.parse"],
        ["0.3–1.2 s", "5 × (12 + 8)", "40 → 12", "2.0 %", "3.0 %", "Bar.Get"],
    ]


def test_a_plan_that_takes_longer_than_today_is_reported() -> None:
    shorter = suite(entry("A.b", today_seconds=5.0))
    assert shorter.rows[0][2] == "5 → 12"
    assert "7.5\xa0s more" in shorter.total


@pytest.mark.parametrize(
    ("starts", "text"),
    [((None, None), "–"), ((), "–"), ((7,), "0.7\xa0s"), ((0, 31), "0.0–3.1\xa0s")],
)
def test_the_steady_start_is_in_seconds(starts: tuple[int | None], text: str) -> None:
    assert steady_after(entry("A.b", starts=starts)) == text
