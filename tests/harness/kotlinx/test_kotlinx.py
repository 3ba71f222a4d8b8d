"""kotlinx-benchmark: results on the JVM, and plans that Gradle cannot express."""

from pathlib import Path
from typing import Any

import pytest

from steady.errors import InputError
from steady.harness.kotlinx.files import CONFIGURATIONS
from steady.model import ExecutionConfiguration, Identity
from steady.readers import load
from tests.harness.program_trials import plan_of

JVM = Path(__file__).parents[2] / "readers" / "recorded" / "1.37" / "plain.json"


def test_jmh_results_need_the_harness_to_be_named() -> None:
    usual, named = load(JVM), load(JVM, format="kotlinx-benchmark")
    assert (usual.harness, named.harness) == ("jmh", "kotlinx-benchmark")
    assert list(named) == list(usual)
    assert next(iter(named.values())).configuration == next(iter(usual.values())).configuration


def test_unsupported_plans_are_refused() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"mode": "ss"}, "kotlinx-benchmark cannot run this"),
        ({"threads": 2}, "kotlinx-benchmark cannot run this"),
        ({"params": (("a", "b\n}"),)}, "control characters"),
    ]
    how = ExecutionConfiguration(3, 2, 5, 0.25, 0.25)
    for more, why in cases:
        plan = plan_of("kotlinx-benchmark", how, Identity("a.B.c", **more))
        with pytest.raises(InputError, match=why):
            CONFIGURATIONS(plan, None)
