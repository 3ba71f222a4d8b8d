from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from steady.compare import compare
from steady.compare.bounds import LEAST_RUNS, NOTE, noise_floors
from steady.model import FloatArray, Identity, Suite
from tests.compare.small_suites import make_benchmark


def suite_of(values: dict[str, npt.ArrayLike], unit: str = "ns/op") -> Suite:
    """A suite whose benchmarks have these measurements, shape (forks, iterations)."""
    return Suite(tuple(make_benchmark(name, table, unit) for name, table in values.items()))


def runs_at(levels: FloatArray) -> list[Suite]:
    """One run a row, one benchmark a column; the levels are logarithms."""
    return [
        suite_of({f"b{number}": [[value]] for number, value in enumerate(np.exp(row))})
        for row in levels
    ]


def test_two_runs_of_one_version_stay_within_the_floor_as_often_as_asked() -> None:
    random = np.random.default_rng(1)
    outside = total = 0
    for _ in range(15):
        sizes = 0.02 * np.exp(0.5 * random.standard_normal(60))
        levels = sizes * random.standard_normal((10, 60))
        floors = noise_floors(runs_at(levels[:8]))
        change = np.abs(np.expm1(levels[8] - levels[9]))
        floor = np.array([floors[Identity(f"b{number}")] for number in range(60)])
        outside += int(np.sum(change > floor))
        total += 60
    assert outside / total <= 0.01
    # The floor is of use all the same: not everything lies far below it.
    assert outside > 0


def test_one_lasting_change_does_not_make_a_benchmark_noisy() -> None:
    noise = 0.01 * np.random.default_rng(2).standard_normal((12, 2))
    noise[6:, 1] += 0.5
    forth, back = noise_floors(runs_at(noise)), noise_floors(runs_at(noise[::-1]))
    assert forth[Identity("b1")] < 0.1
    assert back == pytest.approx(forth)
    same = [suite_of({"bytes": [[64.0]]}, "B/op")] * LEAST_RUNS
    assert noise_floors(same)[Identity("bytes")] == 0


def test_without_enough_to_learn_from_there_is_no_floor() -> None:
    for runs in (
        runs_at(0.02 * np.random.default_rng(5).standard_normal((LEAST_RUNS - 1, 3))),
        [suite_of({"b": [[0.0], [1.0]]})] * LEAST_RUNS,
        [suite_of({"b": [[1.0]]})] * 9 + [suite_of({"b": [[1.0]]}, "ms/op")],
        [suite_of({"b": np.empty((0, 0))})] * LEAST_RUNS,
    ):
        assert noise_floors(runs) == {}
    # Units do not mix.
    random = np.random.default_rng(6)
    times, sizes = np.exp(0.02 * random.standard_normal((2, 8)))
    alone = [suite_of({"t": [[v]]}) for v in times]
    both = [
        Suite((*own, *suite_of({"m": [[w]]}, "B/op").benchmarks))
        for own, w in zip((one.benchmarks for one in alone), sizes, strict=True)
    ]
    assert noise_floors(both)[Identity("t")] == noise_floors(alone)[Identity("t")]


def restless(random: np.random.Generator, shift: float = 0.0) -> Suite:
    """Forks that agree, in runs that do not."""
    level = 0.05 * random.standard_normal((20, 1, 1)) + shift
    tables = np.exp(level + 0.002 * random.standard_normal((20, 5, 10)))
    return suite_of({f"b{number}": table for number, table in enumerate(tables)})


def test_between_runs_a_change_must_rise_above_the_floor() -> None:
    random = np.random.default_rng(7)
    earlier = [restless(random) for _ in range(10)]
    base, head = restless(random), restless(random)
    without = compare(base, head)
    with_floor = compare(base, head, earlier=earlier)
    assert len(without.regressions) + len(without.improvements) > 5
    assert not with_floor.regressions + with_floor.improvements
    assert all(NOTE in change.notes for change in with_floor.changes)
    slower = compare(base, restless(random, shift=0.5), earlier=earlier)
    assert len(slower.regressions) == 20
    # What could have been seen is told: the floor, no less.
    floors = noise_floors(earlier)
    assert all(change.smallest >= floors[change.identity] for change in slower.changes)


def test_within_rounds_runs_are_no_matter() -> None:
    random = np.random.default_rng(8)
    earlier = [restless(random) for _ in range(10)]
    blocks = tuple(f"run:{number}" for number in range(5))
    base = restless(random).benchmarks
    sides = (
        Suite(tuple(replace(b, measurements=x * b.measurements, blocks=blocks) for b in base))
        for x in (1.0, 1.1)
    )
    assert len(compare(*sides, earlier=earlier).regressions) == 20


def test_what_is_as_noisy_from_run_to_run_as_a_change_that_counts_is_not_unchanged() -> None:
    random = np.random.default_rng(7)
    table, head = (x + 0.01 * random.standard_normal((5, 20)) for x in (100, 100.1))
    quiet, other = suite_of({"t": table}), suite_of({"t": head})
    levels = (1.0, 1.2, 0.9, 1.15, 1.0, 1.2, 0.95, 1.1)
    earlier = [suite_of({"t": level * table}) for level in levels]
    assert compare(quiet, other).changes[0].outcome == "unchanged"
    [change] = compare(quiet, other, earlier=earlier).changes
    assert change.outcome == "unclear"
    assert change.excluded > 0.1
