"""Checks whether a plan still fits its suite."""

from datetime import date, timedelta
from typing import Any

import numpy as np

from steady.model import ExecutionConfiguration, FloatArray, Identity, Suite
from steady.optimize import Plan
from steady.optimize.freshness import OLDEST_DAYS, check_freshness
from steady.plan.suite_plan import Status
from tests.optimize.small_plans import benchmark, planned

FORKS, ITERATIONS, ERROR = 5, 10, 0.02


def reduced(count: int, status: Status = "reduced", error: float | None = ERROR) -> Plan:
    run = ExecutionConfiguration(FORKS, 5, ITERATIONS, 1, 1)
    fields: dict[str, Any] = {"status": status, "expected_error": error}
    return Plan(tuple(planned(f"b{n}", run, **fields) for n in range(count)), "error-budget")


def suite_of(tables: FloatArray, unit: str = "ns/op", warmup: int = 0) -> Suite:
    forks = (benchmark(t, unit, f"b{n}", warmup=warmup) for n, t in enumerate(tables))
    return Suite(tuple(forks))


def settled(
    random: np.random.Generator, count: int, fork_spread: float = ERROR * np.sqrt(FORKS)
) -> FloatArray:
    """Forks with the expected error, shape (benchmarks, forks, iterations)."""
    forks = fork_spread * random.standard_normal((count, FORKS, 1))
    return np.exp(forks + 0.02 * random.standard_normal((count, FORKS, ITERATIONS)))


def test_false_warnings_occur_in_one_comparison_of_a_hundred() -> None:
    random = np.random.default_rng(1)
    plan = reduced(50)
    runs = [
        check_freshness(plan, [suite_of(settled(random, 50)), suite_of(settled(random, 50))])
        for _ in range(100)
    ]
    assert all(run.checked == 50 for run in runs)
    assert sum(run.again != "nothing" for run in runs) <= 4


def test_a_benchmark_that_still_warms_up_drifts() -> None:
    rise, fall = np.linspace(1, 1.3, ITERATIONS), np.linspace(1.3, 1, ITERATIONS)
    for unit, trend in (("ns/op", fall), ("ops/s", rise)):
        tables = settled(np.random.default_rng(2), 20)
        tables[7] *= trend
        found = check_freshness(reduced(20), [suite_of(tables, unit)])
        assert (found.drifting, found.unstable) == ((Identity("b7"),), ())
        assert found.again == "some"
    # Warm-up iterations can get faster.
    tables = settled(np.random.default_rng(3), 20)
    tables[:, :, :3] *= 5
    assert check_freshness(reduced(20), [suite_of(tables, warmup=3)]).again == "nothing"


def test_a_benchmark_with_diverging_forks_is_unstable() -> None:
    random = np.random.default_rng(4)
    tables = settled(random, 20)
    tables[3] = settled(random, 1, fork_spread=1.0)[0]
    found = check_freshness(reduced(20), [suite_of(tables)])
    assert (found.drifting, found.unstable) == ((), (Identity("b3"),))
    # Without an expected error, only drift is checked.
    assert check_freshness(reduced(20, error=None), [suite_of(tables)]).unstable == ()


def test_many_unsettled_benchmarks_require_a_new_plan_of_the_suite() -> None:
    tables = settled(np.random.default_rng(6), 20)
    falling = suite_of(tables * np.linspace(1.3, 1, ITERATIONS))
    assert check_freshness(reduced(20), [falling]).again == "all"
    found = check_freshness(reduced(19), [suite_of(tables)])
    assert (found.unplanned, found.again) == ((Identity("b19"),), "some")


def test_an_old_plan_requires_a_new_plan_of_the_suite() -> None:
    fine = suite_of(settled(np.random.default_rng(8), 3))
    made = date(2026, 1, 1)
    for days, again in ((OLDEST_DAYS - 1, "nothing"), (OLDEST_DAYS, "all")):
        today = made + timedelta(days)
        found = check_freshness(reduced(3), [fine], planned_on=made, today=today)
        assert (found.age_days, found.again) == (days, again)


def test_unknown_states_are_not_reported() -> None:
    falling = np.ones((3, FORKS, ITERATIONS)) * np.linspace(2, 1, ITERATIONS)
    for plan, tables in (
        (reduced(3, "full"), falling),
        (reduced(3), falling[:, :2]),  # two forks
        (reduced(3), falling[:, :, :3]),  # three iterations
        (reduced(3), np.full((3, FORKS, ITERATIONS), np.nan)),
        (reduced(3), np.zeros((3, FORKS, ITERATIONS))),
    ):
        found = check_freshness(plan, [suite_of(tables)])
        assert (found.checked, found.again) == (0, "nothing")
    assert check_freshness(reduced(3), []).again == "nothing"
