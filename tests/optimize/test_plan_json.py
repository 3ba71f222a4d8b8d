from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.errors import InputError
from steady.model import ExecutionConfiguration
from steady.optimize import BenchmarkPlan, Plan, plan_from_json, plan_to_json, read_plan, write_plan
from tests.compare.any_values import CONFIGURATIONS, ENVIRONMENTS, IDENTITIES, SECONDS, TEXTS
from tests.optimize.small_plans import planned

errors = st.none() | st.integers(0, 10**6).map(lambda parts: parts / 10**6)
entries = st.builds(
    BenchmarkPlan,
    identity=IDENTITIES,
    configuration=CONFIGURATIONS,
    full=CONFIGURATIONS,
    seconds=SECONDS,
    full_seconds=SECONDS,
    status=st.sampled_from(["reduced", "insufficient", "full"]),
    reason=TEXTS,
    expected_error=errors,
    stability=errors,
    starts=st.lists(st.none() | st.integers(0, 100), max_size=5).map(tuple),
    odd_forks=st.lists(st.integers(0, 9), max_size=2).map(tuple),
    similar=st.none() | st.booleans(),
)
declared = st.fixed_dictionaries({"today": CONFIGURATIONS, "today_seconds": SECONDS})
timed = st.builds(lambda entry, declared: replace(entry, **declared), entries, declared)
plans = st.builds(
    Plan,
    benchmarks=st.lists(entries | timed, max_size=3, unique_by=lambda e: e.identity).map(tuple),
    strategy=st.just("uoptime"),
    options=st.dictionaries(TEXTS, TEXTS | st.booleans() | st.integers(0, 9), max_size=3),
    environments=st.lists(ENVIRONMENTS, max_size=1).map(tuple),
    data_digest=TEXTS,
)


@settings(max_examples=50, deadline=None)
@given(plans)
def test_a_plan_survives_the_file(plan: Plan) -> None:
    written = plan_to_json(plan)
    read = plan_from_json(written)
    assert read.benchmarks == plan.benchmarks
    assert read.environments == plan.environments
    assert read.options == plan.options
    assert plan_to_json(read) == written


def test_files_are_read_as_they_were_written(tmp_path: Path) -> None:
    plan = Plan((), "uoptime")
    path = write_plan(plan, tmp_path / ".steady" / "plan.json")
    assert read_plan(path).strategy == "uoptime"


def test_another_version_and_double_entries_are_refused() -> None:
    data = json.loads(plan_to_json(Plan((), "uoptime")))
    with pytest.raises(InputError, match=r"steady_plan.*make a new one"):
        plan_from_json(json.dumps(data | {"steady_plan": 2}))
    twice = plan_to_json(Plan((planned("B.a"), planned("B.a")), "uoptime"))
    with pytest.raises(InputError, match=r"p\.json, \$\.benchmarks\[1\]: B\.a stands twice"):
        plan_from_json(twice, source="p.json")


def one_entry() -> dict[str, Any]:
    run = ExecutionConfiguration(5, 2, 10, 1.0, 1.0)
    entry = planned("B.a", run, 60.0, expected_error=0.5, starts=(3, None))
    data: dict[str, Any] = json.loads(plan_to_json(Plan((entry,), "uoptime")))
    return data


def test_a_whole_number_may_be_written_with_a_point() -> None:
    data = one_entry()
    plan = plan_from_json(json.dumps(data))
    [entry] = data["benchmarks"]
    entry["threads"] = 1.0
    entry["starts"] = [3.0, None]
    entry["configuration"]["forks"] = entry["configuration"]["batch_size"] = 5.0
    pointed = plan_from_json(json.dumps(data))
    assert list(range(pointed["B.a"].forks)) == [0, 1, 2, 3, 4]
    assert plan_to_json(pointed).count("5.0") == 0
    entry["configuration"]["batch_size"] = 1.0
    assert plan_to_json(plan_from_json(json.dumps(data))) == plan_to_json(plan)


def test_numbers_beyond_all_use_are_refused() -> None:
    entry = json.dumps(one_entry())
    fields = ("seconds", "forks", "iteration_seconds", "expected_error")
    for field, number in product(fields, ("1e999", "1" + "0" * 400, "-1")):
        text = re.sub(rf'"{field}": [\d.]+', f'"{field}": {number}', entry)
        assert text != entry
        with pytest.raises(InputError, match=r"expected a steady plan, version 1: make a new one"):
            plan_from_json(text)
