"""A suite in parts, one for each pull request: every benchmark in its turn, none too late."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from steady.model import Identity
from steady.optimize import Plan
from steady.optimize.suite_parts import deal, fewest_parts, longest_part, part_of_plan
from tests.optimize.small_plans import planned


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
def test_so_many_pull_requests_as_there_are_parts_look_at_everything_within_the_time(
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


def test_what_may_have_changed_is_looked_at_whatever_its_part() -> None:
    plan = plan_of([10.0] * 12, 40.0, 3)
    changed = [Identity("b07"), Identity("b11"), Identity("gone")]
    for number in range(3):
        part = part_of_plan(plan, number, first=changed)
        assert all(identity in part.plan for identity in changed[:2])
        assert part.plan.pair_seconds <= 40.0


def test_what_is_not_there_takes_no_time_and_is_not_named() -> None:
    plan = plan_of([10.0] * 12, 40.0, 3)
    held = [Identity(f"b{i:02}") for i in (0, 3, 6, 7, 11)]
    part = part_of_plan(plan, 0, held, first=[Identity("b07"), Identity("b08")])
    assert [identity.name for identity in part.plan] == ["b00", "b03", "b06", "b07"]
    assert part.others == (Identity("b11"),)


def test_if_the_time_is_short_later_rounds_begin_with_other_benchmarks() -> None:
    plan = plan_of([10.0] * 12, 40.0, 3)
    seen = set()
    for number in range(0, 12, 3):
        part = part_of_plan(plan, number, reserved=30.0)
        assert len(part.plan) == 1
        seen |= set(part.plan)
    assert len(seen) == 4


def test_what_takes_longer_than_the_time_is_looked_at_if_it_may_have_changed() -> None:
    plan = plan_of([50.0, 10.0, 10.0], 40.0, 3)
    part = part_of_plan(plan, 0, first=[Identity("b00")])
    assert list(part.plan) == [Identity("b00")]


def test_no_number_of_parts_helps_where_one_benchmark_is_too_long() -> None:
    own = named([10.0] * 3)
    for important, room in ((2, 19.0), (1, 19.0), (0, 9.0)):
        assert fewest_parts(own, [*own][:important], room) is None


@given(st.lists(st.floats(0.1, 1000.0), min_size=1, max_size=7), st.integers(1, 3))
def test_the_longest_part_is_nearly_as_short_as_can_be(seconds: list[float], parts: int) -> None:
    own = named(seconds)
    every = product(range(parts), repeat=len(seconds))
    best = min(longest(seconds, places, parts) for places in every)
    dealt = deal(own, parts)
    assert dealt.keys() == own.keys()
    found = longest(seconds, tuple(dealt[one] for one in own), parts)
    assert best - 1e-6 <= found <= best * 4 / 3 + 1e-6
    assert abs(longest_part(own, (), parts) - found) < 1e-6


def longest(seconds: list[float], places: tuple[int, ...], parts: int) -> float:
    dealt = list(zip(seconds, places, strict=True))
    return max(sum(s for s, place in dealt if place == part) for part in range(parts))


def test_the_longest_is_dealt_out_first() -> None:
    places = deal(named([1.0, 5.0, 4.0, 3.0, 3.0]), 2)
    assert {one.name for one in places if places[one] == 0} == {"b01", "b04"}
