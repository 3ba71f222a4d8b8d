"""The parts of a suite for pull requests, within a time budget."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.errors import InputError
from steady.model import Identity, Suite
from steady.optimize import (
    OverTimeError,
    Plan,
    optimize,
    plan_from_json,
    plan_to_json,
    updated_plan,
)
from steady.optimize.suite_parts import assign_parts, fewest_parts, longest_part, part_of_plan
from tests.optimize.small_plans import benchmark, planned


def plan_of(seconds: list[float], budget: float, rotation: int, important: int = 0) -> Plan:
    """Return a plan whose first benchmarks are important; a pair takes the given seconds."""
    entries = (
        planned(f"b{i:02}", seconds=s / 2, pair_seconds=s, important=i < important)
        for i, s in enumerate(seconds)
    )
    options = {"time_budget": budget}
    return Plan(tuple(entries), "error-budget", options, harness="go", rotation=rotation)


def named(seconds: list[float]) -> dict[Identity, float]:
    return {Identity(f"b{i:02}"): s for i, s in enumerate(seconds)}


SECONDS = st.lists(st.floats(0.5, 100.0), min_size=2, max_size=12)


@given(SECONDS, st.integers(0, 3), st.integers(0, 1000), st.data())
def test_a_rotation_measures_every_benchmark_within_the_time(
    seconds: list[float], important: int, first: int, data: st.DataObject
) -> None:
    important = min(important, len(seconds) - 1)
    always = sum(seconds[:important])
    least = always + max(seconds[important:], default=0.0)
    room = data.draw(st.floats(least, sum(seconds)))
    names = [Identity(f"b{i:02}") for i in range(important)]
    parts = fewest_parts(named(seconds), names, room)
    assert parts is not None
    plan = plan_of(seconds, room, parts, important)
    looks = [part_of_plan(plan, first + k) for k in range(parts)]
    assert {look.number for look in looks} == set(range(1, parts + 1))
    for look in looks:
        assert look.plan.pair_seconds <= room + 1e-3
        assert all(identity in look.plan for identity in names)
        assert {*look.plan, *look.others} == set(plan)
        assert list(look.plan) == [identity for identity in plan if identity in look.plan]
    often = [sum(identity in look.plan for look in looks) for identity in plan]
    assert often == [parts] * len(names) + [1] * (len(plan) - len(names))
    assert part_of_plan(plan, first + parts).plan.benchmarks == looks[0].plan.benchmarks


def test_possibly_changed_benchmarks_are_measured_in_every_part() -> None:
    plan = plan_of([10.0] * 12, 40.0, 3)
    changed = [Identity("b07"), Identity("b11"), Identity("gone")]
    for number in range(3):
        part = part_of_plan(plan, number, first=changed)
        assert all(identity in part.plan for identity in changed[:2])
        assert part.plan.pair_seconds <= 40.0
    # Missing benchmarks take no time and are not reported.
    held = [Identity(f"b{i:02}") for i in (0, 3, 6, 7, 11)]
    part = part_of_plan(plan, 0, held, first=[Identity("b07"), Identity("b08")])
    assert [identity.name for identity in part.plan] == ["b00", "b03", "b06", "b07"]
    assert part.others == (Identity("b11"),)


def test_if_the_time_is_short_each_rotation_begins_with_other_benchmarks() -> None:
    plan = plan_of([10.0] * 12, 40.0, 3)
    seen = set()
    for number in range(0, 12, 3):
        part = part_of_plan(plan, number, reserved=30.0)
        assert len(part.plan) == 1
        seen |= set(part.plan)
    assert len(seen) == 4
    # A possibly changed benchmark is measured even if it exceeds the time.
    plan = plan_of([50.0, 10.0, 10.0], 40.0, 3)
    assert list(part_of_plan(plan, 0, first=[Identity("b00")]).plan) == [Identity("b00")]


def test_no_number_of_parts_is_sufficient_if_one_benchmark_is_too_long() -> None:
    own = named([10.0] * 3)
    for important, room in ((2, 19.0), (1, 19.0), (0, 9.0)):
        assert fewest_parts(own, [*own][:important], room) is None


@given(st.lists(st.floats(0.1, 1000.0), min_size=1, max_size=7), st.integers(1, 3))
def test_the_longest_part_is_nearly_as_short_as_can_be(seconds: list[float], parts: int) -> None:
    own = named(seconds)
    every = product(range(parts), repeat=len(seconds))
    best = min(longest(seconds, places, parts) for places in every)
    dealt = assign_parts(own, parts)
    assert dealt.keys() == own.keys()
    found = longest(seconds, tuple(dealt[one] for one in own), parts)
    assert best - 1e-6 <= found <= best * 4 / 3 + 1e-6
    assert abs(longest_part(own, (), parts) - found) < 1e-6


def longest(seconds: list[float], places: tuple[int, ...], parts: int) -> float:
    dealt = list(zip(seconds, places, strict=True))
    return max(sum(s for s, place in dealt if place == part) for part in range(parts))


def test_the_longest_benchmark_is_assigned_first() -> None:
    places = assign_parts(named([1.0, 5.0, 4.0, 3.0, 3.0]), 2)
    assert {one.name for one in places if places[one] == 0} == {"b01", "b04"}


def suite(count: int, *, unsteady: int = 0) -> Suite:
    """Return benchmarks with increasing noise, the last of which are never steady."""
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
def test_the_time_includes_base_head_and_all_starts(strategy: str, time: float) -> None:
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
def test_a_suite_that_exceeds_the_time_is_measured_in_rotation(
    strategy: str, unsteady: int
) -> None:
    plan = optimize(suite(20, unsteady=unsteady), strategy, time_budget=60.0)
    assert plan.rotation > 1
    seconds = [plan.start_seconds + part.pair_seconds for part in parts(plan)]
    assert max(seconds) <= 60.0 + 1e-6
    assert max(seconds) > 0.9 * 60  # the remaining time reduces the errors
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


def test_important_benchmarks_over_the_time_are_rejected_with_the_time_required() -> None:
    with pytest.raises(OverTimeError, match="one benchmark at a time, and the important") as caught:
        optimize(suite(20), time_budget=120.0, important=lambda _: True)
    enough = float(caught.value.enough)
    plan = optimize(suite(20), time_budget=enough, important=lambda _: True)
    assert plan.start_seconds + plan.pair_seconds <= enough


def test_the_shortest_time_suggested_measures_one_benchmark_at_a_time() -> None:
    with pytest.raises(OverTimeError, match="one benchmark at a time, base and head") as caught:
        optimize(suite(4, unsteady=1), time_budget=9.0)
    plan = optimize(suite(4, unsteady=1), time_budget=float(caught.value.enough))
    assert 1 < plan.rotation <= 4


def test_an_updated_plan_keeps_its_time_budget() -> None:
    whole = suite(12)
    first = Suite(whole.benchmarks[:4], harness="jmh")
    plan = optimize(first, time_budget=80.0)
    assert plan.rotation == 1
    rest = optimize(Suite(whole.benchmarks[4:], harness="jmh"), time_budget=80.0)
    updated = updated_plan(plan, rest)
    assert updated.rotation > 1
    assert max(p.pair_seconds for p in parts(updated)) + plan.start_seconds <= 80.0 + 1e-6


def test_a_plan_of_an_earlier_release_has_no_time_budget() -> None:
    plan = optimize(suite(3), time_budget=60.0)
    text = plan_to_json(plan)
    lines = [line for line in text.splitlines() if '"pair_seconds"' not in line]
    earlier = plan_from_json("\n".join(lines).replace(",\n    }", "\n    }"))
    assert plan.time_budget == 60.0
    assert earlier.time_budget is None
