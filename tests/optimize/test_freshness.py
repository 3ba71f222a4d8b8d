from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from steady.model import (
    Benchmark,
    ExecutionConfiguration,
    FloatArray,
    Identity,
    Level,
    Suite,
)
from steady.optimize.freshness import OLDEST_DAYS, check_freshness
from steady.optimize.suite_plan import BenchmarkPlan, Plan, Status

FORKS, ITERATIONS, ERROR = 5, 10, 0.02


def plan_of(count: int, status: Status = "reduced", error: float | None = ERROR) -> Plan:
    configuration = ExecutionConfiguration(FORKS, 5, ITERATIONS, 1, 1)
    return Plan(
        tuple(
            BenchmarkPlan(Identity(f"b{n}"), configuration, configuration, 1, 1, status, "", error)
            for n in range(count)
        ),
        "error-budget",
    )


def suite_of(tables: FloatArray, unit: str = "ns/op", warmup: int = 0) -> Suite:
    levels = (Level("fork"), Level("iteration"))
    return Suite(
        tuple(
            Benchmark(Identity(f"b{n}"), unit, table, levels, warmup)
            for n, table in enumerate(tables)
        )
    )


def settled(
    random: np.random.Generator, count: int, fork_spread: float = ERROR * np.sqrt(FORKS)
) -> FloatArray:
    """Forks as the plan expects them, shape (benchmarks, forks, iterations)."""
    forks = fork_spread * random.standard_normal((count, FORKS, 1))
    return np.exp(forks + 0.02 * random.standard_normal((count, FORKS, ITERATIONS)))


def test_a_suite_as_planned_is_called_unsettled_in_one_comparison_of_a_hundred() -> None:
    random = np.random.default_rng(1)
    plan = plan_of(50)
    runs = [
        check_freshness(plan, [suite_of(settled(random, 50)), suite_of(settled(random, 50))])
        for _ in range(100)
    ]
    assert all(run.checked == 50 for run in runs)
    assert sum(run.again != "nothing" for run in runs) <= 4


def test_a_benchmark_that_still_warms_up_drifts() -> None:
    tables = settled(np.random.default_rng(2), 20)
    tables[7] *= np.linspace(1.3, 1, ITERATIONS)
    found = check_freshness(plan_of(20), [suite_of(tables)])
    assert (found.drifting, found.unstable) == ((Identity("b7"),), ())
    assert found.again == "some"


def test_warmup_iterations_may_fall() -> None:
    tables = settled(np.random.default_rng(3), 20)
    tables[:, :, :3] *= 5
    assert check_freshness(plan_of(20), [suite_of(tables, warmup=3)]).again == "nothing"


def test_a_benchmark_whose_forks_part_is_unstable() -> None:
    random = np.random.default_rng(4)
    tables = settled(random, 20)
    tables[3] = settled(random, 1, fork_spread=1.0)[0]
    found = check_freshness(plan_of(20), [suite_of(tables)])
    assert (found.drifting, found.unstable) == ((), (Identity("b3"),))


def test_throughput_is_looked_at_as_time() -> None:
    tables = settled(np.random.default_rng(5), 20)
    tables[7] *= np.linspace(1, 1.3, ITERATIONS)
    assert check_freshness(plan_of(20), [suite_of(tables, "ops/s")]).drifting == (Identity("b7"),)


def test_many_unsettled_benchmarks_are_the_whole_suite() -> None:
    tables = settled(np.random.default_rng(6), 20) * np.linspace(1.3, 1, ITERATIONS)
    assert check_freshness(plan_of(20), [suite_of(tables)]).again == "all"


def test_new_benchmarks_are_optimised_alone() -> None:
    found = check_freshness(plan_of(19), [suite_of(settled(np.random.default_rng(7), 20))])
    assert (found.unplanned, found.again) == ((Identity("b19"),), "some")


@pytest.mark.parametrize(("days", "again"), [(OLDEST_DAYS - 1, "nothing"), (OLDEST_DAYS, "all")])
def test_an_old_plan_is_made_anew(days: int, again: str) -> None:
    today = date.fromordinal(date(2026, 1, 1).toordinal() + days)
    found = check_freshness(
        plan_of(3),
        [suite_of(settled(np.random.default_rng(8), 3))],
        planned_on=date(2026, 1, 1),
        today=today,
    )
    assert (found.age_days, found.again) == (days, again)


@pytest.mark.parametrize(
    ("plan", "tables"),
    [
        (plan_of(3, "full"), np.ones((3, FORKS, ITERATIONS)) * np.linspace(2, 1, ITERATIONS)),
        (plan_of(3), np.ones((3, 2, ITERATIONS)) * np.linspace(2, 1, ITERATIONS)),
        (plan_of(3), np.full((3, FORKS, ITERATIONS), np.nan)),
        (plan_of(3), np.zeros((3, FORKS, ITERATIONS))),
        (plan_of(3), np.ones((3, FORKS, 3)) * np.array([2, 1, 1])),
    ],
    ids=["not reduced", "two forks", "no values", "zeros", "three iterations"],
)
def test_what_cannot_be_told_is_not_told(plan: Plan, tables: FloatArray) -> None:
    found = check_freshness(plan, [suite_of(tables)])
    assert (found.checked, found.again) == (0, "nothing")


def test_without_an_expected_error_only_drift_is_told() -> None:
    tables = settled(np.random.default_rng(9), 5, fork_spread=2.0)
    assert check_freshness(plan_of(5, error=None), [suite_of(tables)]).unstable == ()


def test_without_runs_nothing_is_told() -> None:
    assert check_freshness(plan_of(5), []).again == "nothing"


def test_the_advice_names_what_and_says_what_to_do() -> None:
    tables = settled(np.random.default_rng(10), 20)
    tables[2:6] *= np.linspace(1.3, 1, ITERATIONS)
    plan = plan_of(19)
    assert check_freshness(plan, [suite_of(tables)]).advice == (
        "4 benchmarks are no longer steady when the plan measures them (b2, b3, b4 and 1 more).",
        "1 benchmark is not in the plan (b19).",
        "Optimise these again: `steady run --full 5x15 --jar benchmarks.jar "
        "--only 'b2|b3|b4|b5|b19' --iteration-seconds 1 --out full && "
        "steady optimize full --jar benchmarks.jar --update`.",
    )
    assert check_freshness(plan, [suite_of(tables[:2])]).advice == ()


def test_the_advice_tells_an_old_plan() -> None:
    fine = suite_of(settled(np.random.default_rng(11), 3))
    old = check_freshness(plan_of(3), [fine], planned_on=date(2026, 1, 1), today=date(2026, 11, 21))
    assert old.advice == (
        "The plan is 324 days old.",
        "Optimise the whole suite again: `steady run --full 5x15 --jar benchmarks.jar "
        "--iteration-seconds 1 --out full && steady optimize full --jar benchmarks.jar`.",
    )
