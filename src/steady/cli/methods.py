"""``steady methods``: list the registered methods, with descriptions and sources."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

from steady.cli.printing import print_json
from steady.compare import RULES
from steady.emit import EMITTERS
from steady.files import json_text
from steady.optimize import STRATEGIES
from steady.options.other_options import MethodsCommand
from steady.readers import FORMATS
from steady.registry import Registered
from steady.report.terminal import print_table
from steady.similarity import METHODS as SIMILARITY_METHODS
from steady.stats import METRICS
from steady.steadystate import METHODS as STEADY_STATE_METHODS

REGISTRIES: Mapping[tuple[str, str], Mapping[str, Registered[Any]]] = {
    ("Steady state", "--detector"): STEADY_STATE_METHODS,
    ("Fork similarity", "--similarity"): SIMILARITY_METHODS,
    ("Stability metrics", "--metric"): METRICS,
    ("Strategies", "--strategy"): STRATEGIES,
    ("Rules", "--rule"): RULES,
    ("Formats of results", "--format"): FORMATS,
    ("Harnesses that take a plan", ""): EMITTERS,
}
"""Registries by kind of method, with the option that accepts its names."""


class MethodEntry(Struct, frozen=True):
    """A registered method; `option` is empty if no option accepts its name."""

    kind: str
    option: str
    name: str
    summary: str
    source: str


class MethodsListing(Struct, frozen=True):
    """The output of `steady methods --json`."""

    steady_methods: Literal[1]
    methods: tuple[MethodEntry, ...]


def run(arguments: MethodsCommand) -> int:
    """List all registered methods, by registry."""
    if arguments.json:
        print_json(json_text(MethodsListing(1, tuple(_entries()))))
        return 0
    for (kind, option), registry in REGISTRIES.items():
        print(f"{kind} ({option})" if option else kind)
        rows = [(entry.name, entry.summary, entry.source) for entry in registry.values()]
        print_table(("name", "description", "source"), rows)
    return 0


def _entries() -> Iterator[MethodEntry]:
    for (kind, option), registry in REGISTRIES.items():
        for entry in registry.values():
            yield MethodEntry(kind, option, entry.name, entry.summary, entry.source)
