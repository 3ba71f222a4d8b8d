"""Differences between two plans, and updates of a plan."""

from dataclasses import replace
from typing import Any

import pytest

from steady.errors import InputError
from steady.model import Environment, ExecutionConfiguration
from steady.optimize import BenchmarkPlan, Plan, plan_from_json, plan_to_json, updated_plan
from steady.optimize.plan_changes import BenchmarkChange, PlanChanges, plan_changes
from tests.looped import looped
from tests.optimize.small_plans import FULL, plan_of, planned

SHORT = ExecutionConfiguration(5, 12, 5, 0.1, 0.1)


def entry(name: str = "B.a", seconds: float = 6.0, **run: Any) -> BenchmarkPlan:
    """Return a reduced benchmark with `SHORT`, modified by `run`."""
    return replace(planned(name, full=FULL), configuration=replace(SHORT, **run), seconds=seconds)


def changes_of(before: list[BenchmarkPlan], after: list[BenchmarkPlan]) -> PlanChanges:
    return plan_changes(Plan(tuple(before), "error-budget"), Plan(tuple(after), "error-budget"))


def one(before: BenchmarkPlan, after: BenchmarkPlan) -> BenchmarkChange:
    [change] = changes_of([before], [after]).benchmarks
    return change


@looped(
    ("run", "more", "less"),
    [
        ({"warmup_iterations": 13}, ("warm-up",), ()),
        ({"warmup_iterations": 0}, (), ("warm-up",)),
        ({"iterations": 6, "forks": 4}, ("iterations",), ("forks",)),
        ({"forks": 6, "iterations": 1, "warmup_iterations": 11}, ("forks",), ("warm-up", "iter")),
        # Counts of iterations of different lengths are not comparable.
        ({"iteration_seconds": 0.2, "iterations": 9}, (), ()),
        ({"batch_size": 2, "iterations": 9}, (), ()),
        # A harness that calibrates iterations gets different lengths each time.
        ({"iteration_seconds": 0.11, "iterations": 9}, ("iterations",), ()),
    ],
)
def test_increased_and_decreased_amounts(
    run: dict[str, Any], more: tuple[str, ...], less: tuple[str, ...]
) -> None:
    there, back = one(entry(), entry(**run)), one(entry(**run), entry())
    assert there.more == back.less == more
    assert [name[: len(short)] for name, short in zip(there.less, less, strict=True)] == [*less]
    assert there.less == back.more
    assert there.length == back.length == (not more and not less)


def test_a_benchmark_that_keeps_its_full_run_now_does_not_need_less_warm_up() -> None:
    kept = planned("B.a", full=FULL, status="full")
    change = one(entry(), kept)
    assert (change.status, change.more, change.less) == (True, (), ())
    assert one(kept, entry()).status
    # Two reasons for the full run count as one status.
    assert not changes_of([kept], [replace(kept, status="insufficient")]).benchmarks


def test_new_and_gone_benchmarks_and_the_largest_change_first() -> None:
    before = [entry("a"), entry("gone", seconds=3.0), entry("c"), entry("d")]
    after = [entry("a"), entry("c", 7.0, forks=6), entry("d", 2.0, forks=1), entry("new", 9.0)]
    found = changes_of(before, after)
    assert [(c.identity.name, c.seconds, c.is_new, c.is_gone) for c in found.benchmarks] == [
        ("new", 9.0, True, False),
        ("d", -4.0, False, False),
        ("gone", -3.0, False, True),
        ("c", 1.0, False, False),
    ]
    assert plan_changes(found.after, found.after).is_empty


def test_slightly_different_measurements_are_not_a_change() -> None:
    """Cost and error differ slightly between full runs."""
    run = replace(SHORT, iteration_seconds=0.11, warmup_seconds=0.11)
    other = replace(
        entry(),
        configuration=run,
        seconds=6.2,
        expected_error=0.02,
        reason="steady after 11 iterations",
    )
    found = changes_of([replace(entry(), expected_error=0.01)], [other])
    assert found.is_empty
    assert found.errors == (0.01, 0.02)
    assert changes_of([entry()], [entry()]).errors == (None, None)


def test_options_that_differ() -> None:
    plan = plan_of("ab", options={"budget": 0.03, "min_forks": 5})
    other = replace(plan, options={"budget": 0.05, "min_forks": 5, "time_budget": 60.0})
    assert plan_changes(plan, other).options == ("budget", "time_budget")
    assert plan_changes(plan, plan_of("ab", "uoptime")).options == ("strategy",)


def test_new_benchmarks_cause_no_search_for_similar_names() -> None:
    found = plan_changes(plan_of(map(str, range(3000))), plan_of(map(str, range(3000, 6000))))
    assert sum(change.is_new for change in found.benchmarks) == 3000
    assert sum(change.is_gone for change in found.benchmarks) == 3000


def part_of(names: str, seconds: float, jdk: str = "17", **more: Any) -> Plan:
    fields = {"options": {"budget": 0.03}, "data_digest": "0" * 64} | more
    entries = tuple(planned(name, seconds=seconds) for name in names)
    strategy = fields.pop("strategy", "error-budget")
    return Plan(entries, strategy, environments=(Environment(jdk=jdk),), **fields)


def test_the_benchmarks_of_a_part_replace_those_of_the_plan() -> None:
    updated = updated_plan(part_of("abc", 1), part_of("db", 2, jdk="21"))
    found = [(entry.identity.name, entry.seconds) for entry in updated.benchmarks]
    assert found == [("a", 1), ("b", 2), ("c", 1), ("d", 2)]
    assert [environment.jdk for environment in updated.environments] == ["17", "21"]
    assert plan_from_json(plan_to_json(updated)) is not None
    # The digest depends on both sources.
    whole, parts = part_of("ab", 1), [part_of("b", 2, data_digest=n * 64) for n in "01"]
    digests = {updated_plan(whole, part).data_digest for part in parts}
    assert len(digests) == 2
    assert whole.data_digest not in digests


def test_plans_with_different_options_are_not_combined() -> None:
    for changes, what in (
        ({"strategy": "uoptime"}, "strategy error-budget, not uoptime"),
        ({"options": {"budget": 0.05}}, "budget 0.03, not 0.05"),
        ({"options": {}}, "budget 0.03, not None"),
        ({"harness": "go"}, "harness jmh, not go"),
        ({"options": {"budget": 0.03, "min_forks": 1}}, "min_forks None, not 1"),
    ):
        with pytest.raises(InputError, match=what):
            updated_plan(part_of("ab", 1), part_of("b", 2, **changes))
