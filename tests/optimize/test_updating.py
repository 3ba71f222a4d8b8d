from __future__ import annotations

from dataclasses import replace

import pytest

from steady.errors import InputError
from steady.model import Environment, ExecutionConfiguration, Identity
from steady.optimize.making_again import update_plan
from steady.optimize.plan_json import plan_from_json, plan_to_json
from steady.optimize.suite_plan import BenchmarkPlan, Plan

FULL = ExecutionConfiguration(5, 0, 60, 1, 1)


def plan_of(names: str, seconds: float, jdk: str = "17") -> Plan:
    return Plan(
        tuple(
            BenchmarkPlan(Identity(name), FULL, FULL, seconds, 100, "reduced", "") for name in names
        ),
        "error-budget",
        {"budget": 0.03},
        environments=(Environment(jdk=jdk),),
        data_digest="0" * 64,
    )


def test_a_part_takes_the_place_of_what_it_holds() -> None:
    updated = update_plan(plan_of("abc", 1), plan_of("db", 2, jdk="21"))
    assert [(entry.identity.name, entry.seconds) for entry in updated.benchmarks] == [
        ("a", 1),
        ("b", 2),
        ("c", 1),
        ("d", 2),
    ]
    assert [environment.jdk for environment in updated.environments] == ["17", "21"]
    assert plan_from_json(plan_to_json(updated)) is not None


def test_the_digest_tells_both_sources() -> None:
    whole, part = plan_of("ab", 1), plan_of("b", 2)
    other = replace(part, data_digest="1" * 64)
    digests = {update_plan(whole, one).data_digest for one in (part, other)}
    assert len(digests) == 2
    assert whole.data_digest not in digests


@pytest.mark.parametrize(
    ("part", "what"),
    [
        (replace(plan_of("b", 2), strategy="uoptime"), "strategy error-budget, not uoptime"),
        (replace(plan_of("b", 2), options={"budget": 0.05}), "budget 0.03, not 0.05"),
        (replace(plan_of("b", 2), options={}), "budget 0.03, not None"),
        (replace(plan_of("b", 2), harness="go"), "harness jmh, not go"),
        (
            replace(plan_of("b", 2), options={"budget": 0.03, "min_forks": 1}),
            "min_forks None, not 1",
        ),
    ],
)
def test_plans_made_otherwise_are_not_mixed(part: Plan, what: str) -> None:
    with pytest.raises(InputError, match=what):
        update_plan(plan_of("ab", 1), part)
