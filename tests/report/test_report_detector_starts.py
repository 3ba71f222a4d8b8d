"""Which detectors a report asks about which benchmarks, and what it says of the others."""

from __future__ import annotations

import numpy as np

from steady.model import Benchmark, Suite
from steady.papers.stopping import WindowStop
from steady.report.detector_starts import (
    MOST_ITERATIONS,
    MOST_WINDOWS,
    Asked,
    DetectorStarts,
    asked,
    every_detector,
)
from steady.steadystate import METHODS, ONLINE
from tests.looped import looped

LEARNED = ("rocket", "fcn", "oscnn")


def benchmarks(number: int, forks: int, iterations: int) -> tuple[Benchmark, ...]:
    values = np.ones((forks, iterations))
    return Suite.of({f"b{i}": values for i in range(number)}, unit="ns/op").benchmarks


def ask(number: int, forks: int, iterations: int, used: str = "kb-kssd") -> Asked:
    return asked(benchmarks(number, forks, iterations), used, MOST_ITERATIONS)


def learned(choice: Asked) -> list[list[str]]:
    return [[name for name in names if name in LEARNED] for names in choice.names.values()]


def test_every_detector_is_asked_where_that_is_quick() -> None:
    choice = ask(2, 10, 100)
    expected = tuple(name for name in METHODS if name != "recommended")  # onset by another name
    assert list(choice.names.values()) == [expected, expected]
    assert choice.summary == "All detectors are shown for 2 of 2 benchmarks."
    assert choice.left_out == ""


def test_learned_detectors_are_not_asked_about_many_windows() -> None:
    choice = ask(2, 3, 400)
    assert learned(choice) == [["rocket"], ["rocket"]]
    assert choice.summary == "All detectors but fcn and oscnn are shown for 2 of 2 benchmarks."
    assert choice.left_out == (
        "fcn and oscnn were not asked. fcn and oscnn can take seconds for a fork of more than 100 "
        "iterations; steady analyze FULL --detector fcn asks fcn about all of them."
    )


def test_the_first_benchmarks_use_up_the_windows() -> None:
    choice = ask(4, 2, 120)
    assert learned(choice) == [list(LEARNED), list(LEARNED), ["rocket"], ["rocket"]]
    assert choice.left_out.startswith("fcn and oscnn were only asked about 2 benchmarks.")


def test_learned_detectors_are_not_asked_about_forks_that_are_too_short() -> None:
    """Each of these forks was shown as one that is never steady."""
    choice = ask(2, 3, 99)
    assert learned(choice) == [[], []]
    assert choice.left_out == (
        "rocket, fcn and oscnn were not asked. A fork of fewer than 100 iterations is too short "
        "for them."
    )


def test_the_detector_of_the_plan_costs_nothing_and_is_shown() -> None:
    choice = ask(1, 4, 900, used="oscnn")
    assert learned(choice) == [["rocket", "oscnn"]]
    assert choice.summary == "All detectors but fcn are shown for 1 of 1 benchmark."
    [benchmark] = benchmarks(1, 4, 100)
    used = DetectorStarts("oscnn", (7, 7, 7, 7), True)
    assert every_detector(used, benchmark, ["sdm", "oscnn"])[1] is used
    assert every_detector(used, benchmark, ["sdm"])[0] is used


def test_what_all_detectors_together_look_at_is_limited() -> None:
    choice = ask(40, 10, 150)
    assert len(choice.names) == 2
    assert "are shown for 2 of 40 benchmarks." in choice.summary
    assert choice.left_out.startswith(
        "They look at 4,000 iterations in all, those of the most important benchmarks."
    )
    too_long = ask(3, 10, 3000)
    assert (too_long.names, too_long.summary) == ({}, "")
    assert too_long.left_out == (
        "Only the plan's own detector is shown. The others look at 4,000 iterations in all, and "
        "one benchmark has more."
    )


@looped("name", METHODS)
def test_every_detector_that_scores_windows_has_a_limit(name: str) -> None:
    stop = ONLINE[name].value()
    assert isinstance(stop, WindowStop) == (name in MOST_WINDOWS)
