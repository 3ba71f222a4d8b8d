"""The lists of fields of all JSON that is written or printed, and of the settings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import reduce
from operator import getitem
from typing import Any

import msgspec
import numpy as np

from steady.cli.settings import KINDS, schema
from steady.compare import compare
from steady.engine import run_file
from steady.engine.journal import Decision, GivenUp, JournalEntry
from steady.engine.machine import sidecar
from steady.engine.run_file import RunFile
from steady.harness.fork_facts import KEY, ForkFacts
from steady.model import ExecutionConfiguration, Identity, NotRun, Suite
from steady.optimize import BenchmarkPlan, Plan
from steady.readers.sidecars import ENVIRONMENT, NOT_RUN, NoResult, not_run_json
from steady.samecode.choice import FILE_NAME, SameCodeFile

_DECLARED: Mapping[str, tuple[type, ...]] = {
    "run.json": (RunFile,),
    "journal.jsonl": (JournalEntry, Decision, GivenUp),
    "note in results of programs": (ForkFacts,),
    "facts about forks": (ForkFacts,),
    FILE_NAME: (SameCodeFile,),
}
"""By file: the classes of its JSON, for files without a published schema."""


def settings_keys() -> Iterator[str]:
    """Yield the keys of the settings file, and their named values."""
    yield from paths(schema("settings"))


def json_fields() -> Iterator[str]:
    """Yield the fields of all schemas, of files without one, and of `to_dict`'s results."""
    for name in KINDS:
        if name != "settings":
            yield from _under(name, paths(schema(name)))
    for file, kinds in _DECLARED.items():
        for kind in kinds:
            yield from _under(file, paths(msgspec.json.schema(kind)))
    for name, value in _written().items():
        yield from _under(name, _keys(value))
    yield f"results of jmh: [].{KEY}[]"
    for key in (
        run_file.TURNS,
        run_file.SHARD,
        run_file.FULL_RUN,
        run_file.COMMAND,
        run_file.ROTATION,
    ):
        yield f"run.json: header.described.{key}"


def _under(name: str, lines: Iterator[str]) -> Iterator[str]:
    yield from (f"{name}: {line}" for line in lines)


def _written() -> Mapping[str, Any]:
    """Return the smallest example of JSON that no class declares."""
    suite = Suite.of({"a": np.full((2, 3), 1.0)}, unit="ns/op")
    identity = Identity("a")
    length = ExecutionConfiguration(1, 0, 1, 1.0, 1.0)
    entry = BenchmarkPlan(identity, length, length, 1.0, 1.0, "reduced", "")
    nothing = not_run_json([NotRun(identity, "")], [NoResult("base", identity, "")])
    return {
        ENVIRONMENT: json.loads(sidecar([])),
        NOT_RUN: json.loads(nothing),
        "Suite.to_dict()": suite.to_dict(),
        "Plan.to_dict()": Plan((entry,), "error-budget").to_dict(),
        "Comparison.to_dict()": compare(suite, suite, rule="overlap").to_dict(),
    }


def _keys(value: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of all fields in some data."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from (place := f"{path}.{name}".removeprefix("."), *_keys(inner, place))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _keys(inner, f"{path}[]")


def paths(whole: Mapping[str, Any]) -> Iterator[str]:
    """Yield the path of each field that a schema declares, and each named value.

    ``changes[].base.center`` is a field of a field of each item, and ``{}`` stands for any name.
    """
    yield from _paths(whole, "", whole, ())


def _paths(
    part: Mapping[str, Any], path: str, whole: Mapping[str, Any], within: tuple[str, ...]
) -> Iterator[str]:
    if "$ref" in part:
        target = part["$ref"]
        if target not in within:  # a schema that contains itself has no end
            led = reduce(getitem, target.split("/")[1:], whole)
            yield from _paths(led, path, whole, (*within, target))
        return
    names = [*part.get("enum", ()), *([part["const"]] if "const" in part else [])]
    yield from (f"{path} = {json.dumps(name)}" for name in names if path)
    for name, inner in part.get("properties", {}).items():
        place = f"{path}.{name}".removeprefix(".")
        yield place
        yield from _paths(inner, place, whole, within)
    for inner, place in _inside(part, path):
        yield from _paths(inner, place, whole, within)


def _inside(part: Mapping[str, Any], path: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yield the schemas of items, of values under any name, and of alternatives."""
    items = [part.get("items"), *part.get("prefixItems", ())]
    yield from ((one, f"{path}[]") for one in items if isinstance(one, dict))
    if isinstance(other := part.get("additionalProperties"), dict):
        yield other, f"{path}{{}}"
    yield from ((one, path) for key in ("anyOf", "oneOf") for one in part.get(key, ()))
