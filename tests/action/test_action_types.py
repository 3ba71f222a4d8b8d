"""`action-types.yml` tells tools of types what the settings really take."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from steady.action.input_fields import Input
from steady.action.inputs import INPUTS, ActionInputs
from steady.action.runner import OUTPUTS
from steady.errors import InputError
from tests.looped import looped

ROOT = Path(__file__).parents[2]
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


@looped(
    ("schema", "files"),
    [
        ("vendor.github-actions", [ROOT / "action.yml", *ROOT.glob("*/action.yml")]),
        (
            "vendor.github-workflows",
            [*ROOT.glob("examples/workflows/*.yml"), *ROOT.glob(".github/workflows/*.yml")],
        ),
        ("custom.github-workflows-require-timeout", [*ROOT.glob(".github/workflows/*.yml")]),
    ],
)
def test_the_published_schemas_hold(schema: str, files: list[Path]) -> None:
    done = _check(schema, *files)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_schema_would_find_something(tmp_path: Path) -> None:
    broken = tmp_path / "action.yml"
    broken.write_text((ROOT / "action.yml").read_text().replace("using: docker", "using: dock"))
    assert _check("vendor.github-actions", broken).returncode == 1


def test_hadolint_finds_nothing() -> None:
    done = _run("hadolint", str(ROOT / "Dockerfile"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_hadolint_would_find_something(tmp_path: Path) -> None:
    broken = tmp_path / "Dockerfile"
    broken.write_text((ROOT / "Dockerfile").read_text() + "RUN cd /tmp && sudo true\n")
    assert _run("hadolint", str(broken)).returncode == 1


def _check(schema: str, *files: Path) -> subprocess.CompletedProcess[str]:
    return _run("check-jsonschema", "--builtin-schema", schema, *map(str, files))


def _run(tool: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name(tool)), *arguments]
    return subprocess.run(command, capture_output=True, text=True)
