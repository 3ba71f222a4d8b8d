"""kotlinx-benchmark: a file in the form of its formatter's source, and a plan in Gradle."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import steady
from steady.emit import emit
from steady.errors import InputError
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.suite_plan import BenchmarkPlan, Plan
from steady.readers import load

RECORDED = Path(__file__).parents[2] / "readers" / "recorded"
HOW = ExecutionConfiguration(3, 2, 5, 0.25, 0.25)
TOTAL = Identity("shop.Prices.total", "thrpt", (("text", 'a"$b'),))


def planned(*identities: Identity) -> Plan:
    entries = (BenchmarkPlan(one, HOW, HOW, 1.0, 2.0, "reduced", "") for one in identities)
    return Plan(tuple(entries), "uoptime", harness="kotlinx-benchmark")


def test_a_native_target_is_read() -> None:
    suite = load(RECORDED / "programs" / "kotlinx-benchmark.json")
    price, total = suite.values()
    assert suite.harness == "kotlinx-benchmark"
    assert (price.unit, price.identity.mode) == ("ops/ms", "thrpt")
    assert price.configuration == ExecutionConfiguration(1, 3, 4, 1.0, 1.0)
    assert total.identity.params == (("lines", "10/a"),)
    np.testing.assert_array_equal(total.measured, [[0.4, 0.6]])


def test_jmh_results_are_of_this_harness_only_if_the_user_says_so() -> None:
    jvm = RECORDED / "1.37" / "plain.json"
    assert load(jvm).harness == "jmh"
    named = load(jvm, format="kotlinx-benchmark")
    assert named.harness == "kotlinx-benchmark"
    assert list(named) == list(load(jvm))
    assert next(iter(named.values())).configuration == next(iter(load(jvm).values())).configuration


def test_a_plan_is_configurations_of_gradle(tmp_path: Path) -> None:
    plan = planned(Identity("shop.Prices.get"), Identity("shop.Prices.put"), TOTAL)
    (path,) = emit(plan, tmp_path).files
    text = path.read_text()
    assert text.count("register(") == 2
    assert text.count("{") == text.count("}") == 4
    first = text.partition('register("steady2")')[0]
    for line in (
        r'include("(^|\\.)shop\\.Prices\\.get\$")',
        r'include("(^|\\.)shop\\.Prices\\.put\$")',
        *("warmups = 2", "iterations = 5", "iterationTime = 250", 'iterationTimeUnit = "ms"'),
        *('mode = "avgt"', 'advanced("jvmForks", 3)'),
    ):
        assert f"            {line}\n" in first
    assert r'param("text", "a\"\$b")' in text


@pytest.mark.parametrize("identity", [Identity("a.B.c", "ss"), Identity("a.B.c", threads=2)])
def test_what_it_cannot_do_is_refused(identity: Identity, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="kotlinx-benchmark cannot run this"):
        emit(planned(identity), tmp_path)
    hidden = replace(TOTAL, params=(("a", "b\n}"),))
    with pytest.raises(InputError, match="control characters"):
        steady.emit(planned(hidden), tmp_path)
