"""Whether results were made as planned, and alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from steady.compare.conformity import conformity_notes
from steady.model import Benchmark, ExecutionConfiguration, Identity, Level

PLANNED = ExecutionConfiguration(3, 2, 10, 1.0, 1.0)


def run(configuration: ExecutionConfiguration | None, *, forks: int = 3) -> Benchmark:
    levels = (Level("fork"), Level("iteration"))
    values = np.ones((forks, 10))
    return Benchmark(Identity("b"), "ns/op", values, levels, configuration=configuration)


def test_as_planned_there_is_nothing_to_say() -> None:
    assert conformity_notes(run(PLANNED), run(PLANNED), PLANNED) == ()
    assert conformity_notes(run(None), run(None), PLANNED) == ()
    assert conformity_notes(run(PLANNED), run(PLANNED), None) == ()


@pytest.mark.parametrize(
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
        "looked at again, with more forks of either side",
    )
    one_more = replace(
        run(replace(PLANNED, forks=4), forks=4), blocks=tuple(f"a:{number}" for number in range(4))
    )
    assert conformity_notes(one_more, one_more, PLANNED) == (
        "looked at again, with more forks of either side",
    )
    assert conformity_notes(more, more, PLANNED) == (
        "base and head were not run as planned: 7 forks (planned: 3 forks)",
    )


def test_a_second_look_that_lost_a_fork_on_one_side_says_both() -> None:
    told = replace(PLANNED, forks=7)
    base = replace(run(told, forks=7), blocks=tuple(f"a:{number}" for number in range(7)))
    head = replace(run(told, forks=6), blocks=tuple(f"a:{number}" for number in range(6)))
    assert conformity_notes(base, head, PLANNED) == (
        "only 6 of 7 forks of head left a result",
        "looked at again, with more forks of either side",
    )
