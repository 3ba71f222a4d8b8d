"""`action.yml`, the declared inputs and outputs, and the README say the same."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from docs.generate import FILES
from steady.action.inputs import MODES
from steady.action.outputs import OUTPUTS
from steady.action.settings import INPUTS, ActionInputs
from steady.compare import RULES
from steady.optimize import STRATEGIES
from steady.stats import METRICS

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def action() -> dict[str, Any]:
    """Return what GitHub reads."""
    content: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return content


def test_inputs(action: dict[str, Any]) -> None:
    assert action["inputs"] == {
        declared.name: {
            "description": declared.description,
            "required": declared.required and declared.modes == MODES,
            **({"default": declared.default} if declared.default else {}),
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


@pytest.mark.parametrize(
    ("name", "registry"), [("strategy", STRATEGIES), ("metric", METRICS), ("rule", RULES)]
)
def test_a_description_names_every_choice(name: str, registry: Any) -> None:
    declared = next(i for i in INPUTS if i.name == name)
    assert [choice for choice in registry if f"`{choice}`" not in declared.description] == []


@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples/workflows").glob("*.yml")), ids=lambda path: path.stem
)
def test_example_workflows(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {}
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    ours = [step["with"] for step in steps if "steady-action@" in step.get("uses", "")]
    assert ours or any(step.get("uses", "") == "org/steady-action/setup@v1" for step in steps)
    for given in ours:
        ActionInputs.from_environ({f"INPUT_{name.upper()}": text for name, text in given.items()})
        assert set(given) <= {declared.name for declared in INPUTS}
    for step in steps:
        assert "${{" not in step.get("run", ""), "a shell would run what a stranger wrote"
        if "uses" in step and not step["uses"].startswith("org/steady-action"):
            assert re.search(r"@[0-9a-f]{40}$", step["uses"]), "actions are pinned by commit"


@pytest.mark.parametrize("name", FILES)
def test_no_generated_file_is_stale(name: str) -> None:
    present = (ROOT / name).read_text(encoding="utf-8")
    assert FILES[name](present) == present, f"{name} is stale: type `make docs`"
