"""`action.yml`, the declared inputs and outputs, and the README say the same."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from docs.generate import FILES
from docs.project import REPOSITORY
from steady.action.inputs import INPUTS, ActionInputs
from steady.action.runner import OUTPUTS
from steady.compare import RULES
from steady.optimize import STRATEGIES
from steady.options.option import MODES
from steady.stats import METRICS
from tests.looped import looped

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def action() -> dict[str, Any]:
    """Return what GitHub reads."""
    content: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return content


def test_inputs(action: dict[str, Any]) -> None:
    assert action["inputs"] == {
        declared.name: {
            "description": declared.said.description,
            "required": declared.said.required and declared.said.modes == MODES,
            **({"default": declared.said.default} if declared.said.default else {}),
        }
        for declared in INPUTS
    }
    assert list(action["inputs"]) == [declared.name for declared in INPUTS]


def test_outputs(action: dict[str, Any]) -> None:
    assert action["outputs"] == {o.name: {"description": o.description} for o in OUTPUTS}


def test_it_is_built_from_the_dockerfile_beside_it(action: dict[str, Any]) -> None:
    assert action["runs"] == {"using": "docker", "image": "Dockerfile"}
    assert (ROOT / "Dockerfile").is_file()
    assert len(action["description"]) <= 125, "GitHub's marketplace takes no more"


@looped(("name", "registry"), [("strategy", STRATEGIES), ("metric", METRICS), ("rule", RULES)])
def test_a_description_names_every_choice(name: str, registry: Any) -> None:
    declared = next(i for i in INPUTS if i.name == name)
    assert [choice for choice in registry if f"`{choice}`" not in declared.said.description] == []


TO_CALL = [ROOT / f".github/workflows/{name}.yml" for name in ("compare", "on-demand", "plan")]
COMPOSITE = [ROOT / f"{name}/action.yml" for name in ("setup", "measure", "compare")]
TO_COPY = sorted((ROOT / "examples/workflows").glob("*.yml"))


@looped("path", [*TO_COPY, *TO_CALL])
def test_workflows_to_copy_and_to_call(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {}
    jobs = workflow["jobs"].values()
    steps = [step for job in jobs for step in job.get("steps", [])]
    assert any(REPOSITORY in each.get("uses", "") for each in [*jobs, *steps])
    for step in steps:
        if step.get("uses", "").startswith(f"{REPOSITORY}@") and path in TO_COPY:
            given = {f"INPUT_{name.upper()}": text for name, text in step["with"].items()}
            ActionInputs.from_environ(given)
        if step.get("uses", "").startswith(REPOSITORY):
            folder = step["uses"].removeprefix(REPOSITORY).partition("@")[0]
            assert set(step.get("with", {})) <= set(_inputs_of(ROOT / folder.strip("/")))
    assert_nothing_untrusted_is_run(steps)


@looped("path", COMPOSITE)
def test_actions_of_several_steps(path: Path) -> None:
    steps = yaml.safe_load(path.read_text(encoding="utf-8"))["runs"]["steps"]
    assert_nothing_untrusted_is_run(steps)
    assert [step for step in steps if "TOKEN" in str(step.get("env"))] == [
        step for step in steps if step.get("name") == "Compare"
    ]


def test_what_measures_is_part_of_what_compares() -> None:
    measure, compare = (_inputs_of(ROOT / name) for name in ("measure", "compare"))
    only_without_comparison = {"full", "iteration-seconds", "shard"}
    shared = {n: d for n, d in measure.items() if n not in only_without_comparison}
    assert shared.items() <= compare.items()


def _inputs_of(folder: Path) -> dict[str, Any]:
    action = yaml.safe_load((folder / "action.yml").read_text(encoding="utf-8"))
    inputs: dict[str, Any] = action["inputs"]
    return inputs


def assert_nothing_untrusted_is_run(steps: list[dict[str, Any]]) -> None:
    for step in steps:
        assert "${{" not in step.get("run", ""), "a shell would run what a stranger wrote"
        if "uses" in step and not step["uses"].startswith(REPOSITORY):
            assert re.search(r"@[0-9a-f]{40}$", step["uses"]), "actions are pinned by commit"


@looped("name", FILES)
def test_no_generated_file_is_stale(name: str) -> None:
    present = (ROOT / name).read_text(encoding="utf-8")
    assert FILES[name](present) == present, f"{name} is stale: type `make docs`"
