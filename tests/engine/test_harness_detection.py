"""Detection of the harness of a command, with a plan of the same or of another harness."""

from pathlib import Path

import pytest

import steady
from steady.engine.harness_detection import harness_of_command
from steady.errors import InputError
from steady.model import ExecutionConfiguration
from steady.optimize import write_plan
from tests.cli.shell import plan_of

RUN = ExecutionConfiguration(1, 0, 5, 0.01, 0.01)
PYTEST = ("pytest", "benchmarks")


def test_a_command_belongs_to_the_plans_harness_if_that_accepts_it(tmp_path: Path) -> None:
    meant = {
        name: harness_of_command(PYTEST, tmp_path, name)
        for name in ("pyperf", "command", "jmh", "own")
    }
    expected = {"command": "command"}
    assert meant == {name: expected.get(name, "pytest-benchmark") for name in meant}
    # Any words may be a command, and a script of any name one of another harness.
    assert harness_of_command(("./tool",), tmp_path, "pyperf") is None


def test_a_plan_for_another_harness_than_the_command_is_rejected(tmp_path: Path) -> None:
    plan = write_plan(plan_of(("b",), RUN, harness="criterion"), tmp_path / "plan.json")
    with pytest.raises(InputError) as error:
        steady.run(tmp_path, tmp_path, plan=plan, command=PYTEST, out=tmp_path / "out")
    assert "of criterion, but 'pytest benchmarks' belongs to pytest-benchmark" in str(error.value)
