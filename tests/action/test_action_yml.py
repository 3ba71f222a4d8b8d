"""`action.yml`, its types, and the declared inputs and outputs say the same."""

import re
from pathlib import Path
from typing import Any

import yaml

from docs.generate import FILES
from steady.action.input_fields import Input
from steady.action.inputs import INPUTS, ActionInputs
from steady.action.runner import OUTPUTS
from steady.compare import RULES
from steady.errors import InputError
from steady.optimize import STRATEGIES
from steady.options.option import MODES
from steady.stats import METRICS
from tests.looped import looped

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
TYPES = yaml.safe_load((ROOT / "action-types.yml").read_text(encoding="utf-8"))
NONSENSE = "\u2028no such thing"
TWO = {
    "results": "x.json\ny.json",
    "base": "x.json\ny.json",
    "head": "x.json\ny.json",
    "fail-on": "regression,incomplete",
    "metrics": "gc.alloc.rate.norm\ngc.count",
}
"""Two items of each list."""


def test_inputs() -> None:
    assert ACTION["inputs"] == {
        declared.name: {
            "description": declared.said.description,
            "required": declared.said.required and declared.said.modes == MODES,
            **({"default": declared.said.default} if declared.said.default else {}),
        }
        for declared in INPUTS
    }
    assert list(ACTION["inputs"]) == [declared.name for declared in INPUTS]


def test_outputs() -> None:
    assert ACTION["outputs"] == {o.name: {"description": o.description} for o in OUTPUTS}


def test_it_is_built_from_the_dockerfile_beside_it() -> None:
    assert ACTION["runs"] == {"using": "docker", "image": "Dockerfile"}
    assert (ROOT / "Dockerfile").is_file()
    assert len(ACTION["description"]) <= 125, "GitHub's marketplace takes no more"


@looped(("name", "registry"), [("strategy", STRATEGIES), ("metric", METRICS), ("rule", RULES)])
def test_a_description_names_every_choice(name: str, registry: Any) -> None:
    declared = next(i for i in INPUTS if i.name == name)
    assert [choice for choice in registry if f"`{choice}`" not in declared.said.description] == []


@looped("name", FILES)
def test_no_generated_file_is_stale(name: str) -> None:
    present = (ROOT / name).read_text(encoding="utf-8")
    assert FILES[name](present) == present, f"{name} is stale: type `make docs`"


def parsed(declared: Input, text: str) -> Any:
    """Return what the settings make of one input."""
    mode = text if declared.name == "mode" else declared.said.modes[0]
    needed = ("results", "base", "head")
    files = [i.name for i in INPUTS if i.name in needed and mode in i.said.modes]
    given = {"mode": mode, **{name: TWO[name] for name in files}, declared.name: text}
    variables = {f"INPUT_{name.upper()}": value for name, value in given.items()}
    return getattr(ActionInputs.from_environ(variables), declared.field)


def choices(declared: Input) -> list[str]:
    """Return the values that the settings name as the only ones; empty: there are others."""
    try:
        parsed(declared, NONSENSE)
    except InputError as error:
        expected = re.search(r"expected (`[^`]+`(?: or `[^`]+`)*), got", str(error))
        return re.findall("`([^`]+)`", expected[1]) if expected else []
    return []


def test_every_input_and_output_has_a_type() -> None:
    assert list(TYPES["inputs"]) == [declared.name for declared in INPUTS]
    assert list(TYPES["outputs"]) == [declared.name for declared in OUTPUTS]


@looped("declared", INPUTS)
def test_the_type_is_what_the_settings_take(declared: Input) -> None:
    kind = TYPES["inputs"][declared.name]
    taken = choices(declared)
    if taken:
        assert kind == {"type": "enum", "allowed-values": taken}
    elif kind["type"] == "list":
        text = TWO[declared.name]
        assert len(text.split(kind["separator"])) == len(parsed(declared, text)) == 2
        assert set(kind["list-item"]) >= {"type"}
    else:
        assert kind == {"type": "string"}
        assert not isinstance(_tried(declared), (tuple, frozenset))


def _tried(declared: Input) -> Any:
    try:
        return parsed(declared, "x")
    except InputError:
        return None


@looped("declared", OUTPUTS)
def test_the_types_of_outputs(declared: Any) -> None:
    kind = TYPES["outputs"][declared.name]["type"]
    if declared.name == "verdict":
        values = re.findall("`([a-z-]+)`", declared.description.split(": ")[1])
        assert TYPES["outputs"]["verdict"] == {"type": "enum", "allowed-values": values}
    assert (kind == "integer") == declared.description.split(": ")[-1].startswith("how many")
