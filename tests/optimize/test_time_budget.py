"""The time budget of a plan: the whole pull request, or as few parts of the suite as possible."""

from __future__ import annotations

import numpy as np
import pytest

from steady.errors import InputError
from steady.model import Identity, Suite
from steady.optimize import OverTimeError, Plan, optimize, plan_from_json, plan_to_json, update_plan
from steady.optimize.suite_parts import part_of_plan
from tests.optimize.small_plans import benchmark


def suite(count: int, *, unsteady: int = 0) -> Suite:
    """Return benchmarks of growing noise; the last ones never settle."""
    benchmarks = []
    for number in range(count):
        rng = np.random.default_rng(number)
        values = rng.normal(100, 0.5 + 0.2 * number, (5, 40)) * rng.normal(1, 0.01, (5, 1))
        values[:, :8] *= 1.4
        if number >= count - unsteady:
            values *= np.linspace(1, 2, 40)
        benchmarks.append(benchmark(values, name=f"org.B.b{number:02}"))
    return Suite(tuple(benchmarks), harness="jmh")


def parts(plan: Plan) -> list[Plan]:
    return [part_of_plan(plan, number).plan for number in range(plan.rotation)]


@pytest.mark.parametrize(("strategy", "time"), [("error-budget", 110.0), ("detect", 200.0)])
def test_the_time_is_that_of_base_and_head_and_every_start(strategy: str, time: float) -> None:
    plan = optimize(suite(6), strategy, time_budget=time)
    assert plan.rotation == 1
    assert 0.9 * time < plan.start_seconds + plan.pair_seconds <= time
    for entry in plan.benchmarks:
        run = entry.configuration
        pair = 2 * (0.5 + 0.1 * run.warmup_iterations + 1.03 * 0.1 * run.iterations)
        assert entry.pair_seconds == pytest.approx(run.forks * pair, rel=1e-3)


THOROUGH = (
    pytest.param("error-budget", 2, marks=pytest.mark.thorough),
    pytest.param("detect", 0, marks=pytest.mark.thorough),
)


@pytest.mark.parametrize(("strategy", "unsteady"), [("error-budget", 0), ("detect", 2), *THOROUGH])
def test_a_suite_that_takes_longer_is_looked_at_in_rotation(strategy: str, unsteady: int) -> None:
    plan = optimize(suite(20, unsteady=unsteady), strategy, time_budget=60.0)
    assert plan.rotation > 1
    seconds = [plan.start_seconds + part.pair_seconds for part in parts(plan)]
    assert max(seconds) <= 60.0 + 1e-6
    assert max(seconds) > 0.9 * 60  # what is left of the time makes the errors smaller
    assert sorted(i for part in parts(plan) for i in part) == sorted(plan)
    text = plan_to_json(plan)
    again = plan_from_json(text)
    assert again == plan
    assert plan_to_json(again) == text
    with pytest.raises(InputError, match="rotation"):
        plan_from_json(text.replace('"rotation": ', '"rotation": -'))


def test_important_benchmarks_are_in_every_part() -> None:
    plan = optimize(suite(20), time_budget=60.0, important=lambda i: i.name.endswith("b03"))
    assert [entry.important for entry in plan.benchmarks].count(True) == 1
    assert all(Identity("org.B.b03") in part for part in parts(plan))
    assert max(p.pair_seconds for p in parts(plan)) + plan.start_seconds <= 60.0 + 1e-6
    again = plan_from_json(plan_to_json(plan))
    assert again["org.B.b03"].important
    assert not again["org.B.b04"].important


def test_what_is_important_and_takes_too_long_is_refused_with_what_works() -> None:
    with pytest.raises(OverTimeError, match="one benchmark at a time, and the important") as caught:
        optimize(suite(20), time_budget=120.0, important=lambda _: True)
    enough = float(caught.value.enough)
    plan = optimize(suite(20), time_budget=enough, important=lambda _: True)
    assert plan.start_seconds + plan.pair_seconds <= enough


def test_the_shortest_time_that_is_named_looks_at_one_benchmark_at_a_time() -> None:
    with pytest.raises(OverTimeError, match="one benchmark at a time, base and head") as caught:
        optimize(suite(4, unsteady=1), time_budget=9.0)
    plan = optimize(suite(4, unsteady=1), time_budget=float(caught.value.enough))
    assert 1 < plan.rotation <= 4


def test_an_updated_plan_keeps_its_time() -> None:
    whole = suite(12)
    first = Suite(whole.benchmarks[:4], harness="jmh")
    plan = optimize(first, time_budget=80.0)
    assert plan.rotation == 1
    rest = optimize(Suite(whole.benchmarks[4:], harness="jmh"), time_budget=80.0)
    updated = update_plan(plan, rest)
    assert updated.rotation > 1
    assert max(p.pair_seconds for p in parts(updated)) + plan.start_seconds <= 80.0 + 1e-6


def test_a_plan_of_an_earlier_release_has_no_time_to_keep() -> None:
    plan = optimize(suite(3), time_budget=60.0)
    text = plan_to_json(plan)
    lines = [line for line in text.splitlines() if '"pair_seconds"' not in line]
    earlier = plan_from_json("\n".join(lines).replace(",\n    }", "\n    }"))
    assert plan.time_budget == 60.0
    assert earlier.time_budget is None
