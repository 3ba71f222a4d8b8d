"""The lists of names that users write: commands, the action, workflows, registries."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import yaml

from steady.action.inputs import INPUTS
from steady.action.runner import OUTPUTS
from steady.cli.methods import REGISTRIES
from steady.cli.settings import KINDS
from steady.compare import RULES
from steady.emit import EMITTERS
from steady.harnesses import GROUP, HARNESSES, RUNNABLE
from steady.judging import CONDITIONS
from steady.optimize import STRATEGIES
from steady.options.command import Command
from steady.options.option import MODES, Use, uses
from steady.options.parser import COMMANDS, build_parser, subcommands
from steady.readers import FORMATS
from steady.similarity import METHODS as SIMILARITY
from steady.stats import METRICS
from steady.steadystate import METHODS as DETECTORS
from steady.steadystate import ONLINE

ROOT = Path(__file__).resolve().parent.parent

_REGISTRIES: Mapping[str, Iterable[str]] = {
    "detector": DETECTORS,
    "stop": ONLINE,
    "metric": METRICS,
    "similarity": SIMILARITY,
    "rule": RULES,
    "strategy": STRATEGIES,
    "format": FORMATS,
    "harness": HARNESSES,
    "harness that is run": RUNNABLE,
    "harness that takes a plan": EMITTERS,
    "mode": MODES,
    "fail-on": CONDITIONS,
    "schema": KINDS,
}


def commands() -> Iterator[str]:
    """Yield a line for each command, option, operand, and named value."""
    for action in build_parser([]).actions:
        yield from (f"steady {option}" for option in action.option_strings)
    for name in COMMANDS:
        for kind in subcommands(name).values():
            yield f"steady {kind.called}"
            yield from _options(kind)


def _options(kind: type[Command]) -> Iterator[str]:
    for used in uses(kind).values():
        start = f"steady {kind.called} {_written(used, kind)}"
        needed = " (required)" if used.required else ""
        shown = "" if used.is_switch or used.metavar is None else f" {used.metavar}"
        yield f"{start}{shown}{needed}"
        yield from (f"{start} {name}" for name in used.option.kind.names)
        yield from (f"steady {kind.called} --{name}" for name in used.option.short)


def _written(used: Use, kind: type[Command]) -> str:
    if not used.operand:
        return used.flag
    return f"-- {used.field}" if used.field == kind.words_behind else f"[{used.field}]"


def action_inputs() -> Iterator[str]:
    """Yield a line for each input of the action, its modes, and its values."""
    for declared in INPUTS:
        yield f"{declared.name}{' (required)' if declared.in_action.required else ''}"
        yield from (f"{declared.name} in mode {mode}" for mode in declared.in_action.modes)
        yield from _values(declared.name, declared.kind.type)


def action_outputs() -> Iterator[str]:
    """Yield a line for each output of the action, and each of its values."""
    for output in OUTPUTS:
        yield output.name
        yield from _values(output.name, output.type)


def _values(name: str, kind: Mapping[str, Any]) -> Iterator[str]:
    kind = kind.get("list-item", kind)
    yield from (f"{name}: {value}" for value in kind.get("allowed-values", ()))


def workflows(root: Path = ROOT) -> Iterator[str]:
    """Yield the inputs and outputs of the reusable workflows and the actions."""
    for path in sorted(root.glob(".github/workflows/*.yml")):
        # YAML 1.1, which PyYAML reads, takes the key `on` for true.
        called = (_yaml(path).get(True) or {}).get("workflow_call")
        yield from _interface(path.name, called or {})
    for path in sorted([root / "action.yml", *root.glob("*/action.yml")]):
        yield from _interface(path.relative_to(root).as_posix(), _yaml(path))


def _yaml(path: Path) -> dict[Any, Any]:
    return cast("dict[Any, Any]", yaml.safe_load(path.read_text(encoding="utf-8")))


def _interface(file: str, declared: Mapping[str, Any]) -> Iterator[str]:
    for part, word in (("inputs", "input"), ("secrets", "secret"), ("outputs", "output")):
        for name, said in (declared.get(part) or {}).items():
            facts = said or {}
            kind = f" {facts['type']}" if "type" in facts else ""
            yield f"{file} {word} {name}{kind}{' (required)' if facts.get('required') else ''}"


def names(root: Path = ROOT) -> Iterator[str]:
    """Yield the names in all registries, the options of strategies, and the package's extras."""
    for kind, table in _REGISTRIES.items():
        yield from (f"{kind} {name}" for name in table)
    yield from (f"steady methods: {title} {option}".strip() for title, option in REGISTRIES)
    for name, strategy in STRATEGIES.items():
        fields = dataclasses.fields(cast("Any", strategy.value))
        yield from (f"strategy {name} takes {field.name}" for field in fields)
    for name, entry in RUNNABLE.items():
        yield from (f"count {count} of {name}" for count in entry.value.counts)
    for name, harness in HARNESSES.items():
        yield from (f"count {one.name} in results of {name}" for one in harness.value.counts)
    yield f"entry point {GROUP}"
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    yield from (f"extra {name}" for name in project["optional-dependencies"])
    yield from (f"program {name}" for name in project["scripts"])
