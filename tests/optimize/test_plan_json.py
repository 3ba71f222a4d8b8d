import json
import re
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from steady.errors import InputError
from steady.model import Environment, ExecutionConfiguration, Identity
from steady.optimize import Plan, plan_from_json, plan_to_json, read_plan, write_plan
from tests.optimize.small_plans import planned

ODD = 'a "word" \\ \n\t\x00\x7f \u2028 <b> é 😀'
RUN = ExecutionConfiguration(5, 2, 10, 1.0, 0.001, 3, 4)


def test_a_plan_is_unchanged_by_writing_and_reading() -> None:
    full = planned(
        ODD,
        RUN,
        60.001,
        full_seconds=300.5,
        status="insufficient",
        reason=ODD,
        expected_error=0.000001,
        stability=0.5,
        starts=(3, None),
        odd_forks=(0, 9),
        similar=False,
        today=replace(RUN, forks=0),
        today_seconds=0.25,
    )
    named = replace(full, identity=Identity("b", "thrpt", (("n", ODD), ("", "")), 4))
    machine = Environment(ODD, "os", "jdk", "vm", ("-X", ODD))
    options: dict[str, Any] = {"a": ODD, "b": True, "c": 3}
    entries = (full, named, planned("plain"))
    whole = Plan(entries, "uoptime", options, environments=(machine,), data_digest=ODD)
    for plan in (whole, Plan((), "uoptime")):
        written = plan_to_json(plan)
        read = plan_from_json(written)
        assert read.benchmarks == plan.benchmarks
        assert (read.environments, read.options) == (plan.environments, plan.options)
        assert plan_to_json(read) == written


def test_stored_files_are_unchanged_by_reading_and_writing(tmp_path: Path) -> None:
    plan = Plan((), "uoptime")
    path = write_plan(plan, tmp_path / ".steady" / "plan.json")
    assert read_plan(path).strategy == "uoptime"


def test_other_versions_and_duplicate_entries_are_rejected() -> None:
    data = json.loads(plan_to_json(Plan((), "uoptime")))
    with pytest.raises(InputError, match=r"steady_plan.*make a new one"):
        plan_from_json(json.dumps(data | {"steady_plan": 2}))
    twice = plan_to_json(Plan((planned("B.a"), planned("B.a")), "uoptime"))
    with pytest.raises(InputError, match=r"p\.json, \$\.benchmarks\[1\]: B\.a appears twice"):
        plan_from_json(twice, source="p.json")


def one_entry() -> dict[str, Any]:
    run = ExecutionConfiguration(5, 2, 10, 1.0, 1.0)
    entry = planned("B.a", run, 60.0, expected_error=0.5, starts=(3, None))
    data: dict[str, Any] = json.loads(plan_to_json(Plan((entry,), "uoptime")))
    return data


def test_an_integer_may_have_a_decimal_point() -> None:
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


def test_numbers_out_of_range_are_rejected() -> None:
    entry = json.dumps(one_entry())
    fields = ("seconds", "forks", "iteration_seconds", "expected_error")
    for field, number in product(fields, ("1e999", "1" + "0" * 400, "-1")):
        text = re.sub(rf'"{field}": [\d.]+', f'"{field}": {number}', entry)
        assert text != entry
        with pytest.raises(InputError, match=r"expected a steady plan, version 1: make a new one"):
            plan_from_json(text)
