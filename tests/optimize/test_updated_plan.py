"""A plan of a suite is updated with that of some of its benchmarks."""

from typing import Any

import pytest

from steady.errors import InputError
from steady.model import Environment
from steady.optimize import Plan, plan_from_json, plan_to_json, updated_plan
from tests.optimize.small_plans import planned


def part_of(names: str, seconds: float, jdk: str = "17", **more: Any) -> Plan:
    told = {"options": {"budget": 0.03}, "data_digest": "0" * 64} | more
    entries = tuple(planned(name, seconds=seconds) for name in names)
    strategy = told.pop("strategy", "error-budget")
    return Plan(entries, strategy, environments=(Environment(jdk=jdk),), **told)


def test_a_part_takes_the_place_of_what_it_holds() -> None:
    updated = updated_plan(part_of("abc", 1), part_of("db", 2, jdk="21"))
    told = [(entry.identity.name, entry.seconds) for entry in updated.benchmarks]
    assert told == [("a", 1), ("b", 2), ("c", 1), ("d", 2)]
    assert [environment.jdk for environment in updated.environments] == ["17", "21"]
    assert plan_from_json(plan_to_json(updated)) is not None
    # The digest tells both sources.
    whole, parts = part_of("ab", 1), [part_of("b", 2, data_digest=n * 64) for n in "01"]
    digests = {updated_plan(whole, part).data_digest for part in parts}
    assert len(digests) == 2
    assert whole.data_digest not in digests


def test_plans_made_otherwise_are_not_mixed() -> None:
    for changes, what in (
        ({"strategy": "uoptime"}, "strategy error-budget, not uoptime"),
        ({"options": {"budget": 0.05}}, "budget 0.03, not 0.05"),
        ({"options": {}}, "budget 0.03, not None"),
        ({"harness": "go"}, "harness jmh, not go"),
        ({"options": {"budget": 0.03, "min_forks": 1}}, "min_forks None, not 1"),
    ):
        with pytest.raises(InputError, match=what):
            updated_plan(part_of("ab", 1), part_of("b", 2, **changes))
