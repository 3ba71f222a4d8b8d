"""Whether results were made as planned, and alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steady.compare.result_notes import conformity_notes, unlike
from steady.model import Benchmark, ExecutionConfiguration, Identity, Level
from tests.looped import looped

PLANNED = ExecutionConfiguration(3, 2, 10, 1.0, 1.0)


def run(configuration: ExecutionConfiguration | None, *, forks: int = 3) -> Benchmark:
    levels = (Level("fork"), Level("iteration"))
    values = np.ones((forks, 10))
    return Benchmark(Identity("b"), "ns/op", values, levels, configuration=configuration)


def test_as_planned_there_is_nothing_to_say() -> None:
    assert conformity_notes(run(PLANNED), run(PLANNED), PLANNED) == ()
    assert conformity_notes(run(None), run(None), PLANNED) == ()
    assert conformity_notes(run(PLANNED), run(PLANNED), None) == ()


@looped(
    ("actual", "said"),
    [
        (replace(PLANNED, forks=1), "1 fork (planned: 3 forks)"),
        (
            replace(PLANNED, warmup_iterations=0),
            "no iterations of warm-up (planned: 2 iterations of 1 s)",
        ),
        (replace(PLANNED, iterations=5), "5 iterations of 1 s (planned: 10 iterations of 1 s)"),
        (
            replace(PLANNED, iteration_seconds=0.1),
            "10 iterations of 0.1 s (planned: 10 iterations of 1 s)",
        ),
        (replace(PLANNED, batch_size=8), "batches of 1 and 8 (planned: batches of 1 and 1)"),
    ],
)
def test_a_stale_plan_is_said(actual: ExecutionConfiguration, said: str) -> None:
    head = run(actual, forks=actual.forks)
    notes = conformity_notes(run(PLANNED), head, PLANNED)
    assert f"head was not run as planned: {said}" in notes
    assert any(note.startswith("base and head were not run alike") for note in notes)


def test_both_sides_with_the_same_deviation_get_one_note() -> None:
    both = run(replace(PLANNED, forks=2), forks=2)
    assert conformity_notes(both, both, PLANNED) == (
        "base and head were not run as planned: 2 forks (planned: 3 forks)",
    )


def test_seconds_of_a_warmup_that_there_is_none_of_do_not_matter() -> None:
    none = replace(PLANNED, warmup_iterations=0)
    assert conformity_notes(run(none), run(replace(none, warmup_seconds=5.0)), none) == ()


def test_lost_forks_are_counted() -> None:
    values = np.ones((3, 10))
    values[2] = np.nan
    head = run(PLANNED).with_measurements(values)
    assert conformity_notes(run(PLANNED), head, None) == (
        "only 2 of 3 forks of head left a result",
    )


def test_a_second_look_is_said_and_is_no_deviation() -> None:
    more = run(replace(PLANNED, forks=7), forks=7)
    again = replace(more, blocks=tuple(f"a:{number}" for number in range(7)))
    assert conformity_notes(again, again, PLANNED) == (
        "measured again, with more forks of either side",
    )
    one_more = replace(
        run(replace(PLANNED, forks=4), forks=4), blocks=tuple(f"a:{number}" for number in range(4))
    )
    assert conformity_notes(one_more, one_more, PLANNED) == (
        "measured again, with more forks of either side",
    )
    assert conformity_notes(more, more, PLANNED) == (
        "base and head were not run as planned: 7 forks (planned: 3 forks)",
    )


@looped("forks", [2, 3, 7])
def test_a_run_that_decides_may_give_fewer_or_more_forks(forks: int) -> None:
    side = replace(run(replace(PLANNED, forks=forks), forks=forks), looks=(2, 3, 7))
    assert conformity_notes(side, side, PLANNED) == ()
    shorter = replace(PLANNED, iterations=20)
    assert conformity_notes(side, side, shorter) == (
        "base and head were not run as planned: 10 iterations of 1 s (planned: 20 iterations of "
        "1 s)",
    )
    other = replace(run(replace(PLANNED, forks=4), forks=4), looks=(2, 3, 7))
    assert "head had 4 forks (base: " in conformity_notes(side, other, PLANNED)[-1]


SHORT = replace(PLANNED, warmup_iterations=0, iterations=20, iteration_seconds=0.1)


@looped(
    ("actual", "said"),
    [
        (SHORT, "iterations of 0.1 s without warm-up"),
        (replace(PLANNED, iteration_seconds=0.5), "iterations of 0.5 s after 2 of 1 s as warm-up"),
        (replace(PLANNED, warmup_iterations=3), "iterations of 1 s after 3 of 1 s as warm-up"),
        (replace(PLANNED, warmup_seconds=2.0), "iterations of 1 s after 2 of 2 s as warm-up"),
        (
            replace(PLANNED, batch_size=8),
            "iterations of 1 s in batches of 8 after 2 of 1 s as warm-up",
        ),
        (replace(PLANNED, forks=9), ""),
        (replace(PLANNED, iterations=30), ""),
        (replace(PLANNED, warmup_iterations=4, warmup_seconds=0.5), ""),
        (None, ""),
    ],
)
def test_what_was_run_otherwise_measures_something_else(
    actual: ExecutionConfiguration | None, said: str
) -> None:
    plain = "iterations of 1 s after 2 of 1 s as warm-up"
    assert unlike(run(PLANNED), run(actual)) == (f"base ran {plain}, head {said}" if said else "")
    assert unlike(run(actual), run(PLANNED)) == (f"base ran {said}, head {plain}" if said else "")


def test_single_shots_count_their_warmup_by_number() -> None:
    shots = replace(PLANNED, warmup_seconds=0.0, iteration_seconds=0.0)
    assert unlike(run(shots), run(replace(shots, warmup_iterations=9))) == (
        "base ran single shots after 2 as warm-up, head single shots after 9 as warm-up"
    )


def test_one_interleaved_run_is_alike_even_where_its_forks_were_stopped_live() -> None:
    told = [replace(PLANNED, warmup_iterations=count) for count in (2, 7)]
    base, head = (replace(run(each), blocks=("a:0", "a:1", "a:2")) for each in told)
    assert unlike(base, head) == ""


def test_what_go_ran_is_a_guess_that_may_be_off() -> None:
    levels = (Level("suite run"), Level("iteration"))
    base, slower, other = (
        replace(run(replace(PLANNED, warmup_iterations=0, iteration_seconds=s)), levels=levels)
        for s in (1.0, 1.5, 0.1)
    )
    assert unlike(base, slower) == ""
    assert unlike(base, other).endswith("head iterations of 0.1 s without warm-up")
