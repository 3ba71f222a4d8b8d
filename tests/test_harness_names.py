"""No module outside of `steady.harness` decides by the name of a harness."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.looped import looped

SOURCE = Path(__file__).resolve().parent.parent / "src" / "steady"

CODE = re.compile(
    r"(?i:jmh|pytest|pyperf|google|hyperfine)|(?<![A-Za-z])(?:go|GO)(?![A-Za-z])|Go(?![a-z])"
)
"""A harness in code: in any case, and Go as a word."""

VERBS = {"go_on", "_may_go"}

SENTENCE = re.compile(r"JMH|pytest|pyperf|Google|hyperfine|Criterion|(?<!-)\bGo\b(?!:? on\b)")
"""A harness in a sentence for people."""

IDENTITY = "a name is all that a benchmark is known by where no harness is at hand"

NAMED = {
    "model.identity": IDENTITY,
    "report.names": IDENTITY,
    "report.wording": IDENTITY,
}
"""Modules whose code names a harness, and why."""

OPTION = "the help of an option that only this harness has"
MEASURED = "figures that were measured on suites of this harness"
MISTAKE = "the sentence on a mistake that is made with this harness alone"

TOLD = {
    "action.runner": OPTION,
    "options.plan_options": OPTION,
    "options.run_options": OPTION,
    "cli.main": "the first words to somebody who does not know what steady is for",
    "cli.sides": MISTAKE,
    "compare.rules": MEASURED,
    "engine.prepared": MISTAKE,
    "programs.program_runs": OPTION,
    "papers": MEASURED,
    "readers.sources": MISTAKE,
    "report.wording": IDENTITY,
}
"""Modules whose sentences for people name a harness, and why."""


@cache
def _modules() -> Sequence[tuple[str, ast.Module]]:
    return [
        (".".join(parts).removesuffix(".__init__"), ast.parse(path.read_bytes()))
        for path in sorted(SOURCE.rglob("*.py"))
        for parts in [path.relative_to(SOURCE).with_suffix("").parts]
        if parts[0] != "harness"
    ]


def _listed(module: str, keys: Iterable[str]) -> bool:
    """Tell whether a module or its room is among those that are listed."""
    return any(f"{module}.".startswith(f"{key}.") for key in keys)


def _docstrings(tree: ast.Module) -> set[ast.AST]:
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def _identifiers(node: ast.AST) -> Iterator[str]:
    for field in ("id", "attr", "arg", "name", "asname", "module"):
        value = getattr(node, field, None)
        if isinstance(value, str):
            yield value


def _texts(tree: ast.Module) -> Iterator[str]:
    docstrings = _docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node not in docstrings:
            yield from (node.value,) if isinstance(node.value, str) else ()


def _named(tree: ast.Module) -> Iterator[str]:
    """Yield what names a harness in code: identifiers, imports, and texts of a single word."""
    words = (text for text in _texts(tree) if not re.search(r"\s", text.strip()))
    for word in (*(name for node in ast.walk(tree) for name in _identifiers(node)), *words):
        if CODE.search(word) and word not in VERBS:
            yield word


def _told(tree: ast.Module) -> Iterator[str]:
    yield from (text for text in _texts(tree) if SENTENCE.search(text))


@looped(
    ("code", "named"),
    [
        ('if harness == "jmh": ...', ["jmh"]),
        ("from steady.harness.go import GO", ["steady.harness.go", "GO"]),
        ("class JmhRuns: ...", ["JmhRuns"]),
        ("is_go = _GO_NAME", ["is_go", "_GO_NAME"]),
        ('def f():\n    "JMH and go."', []),
        ("goal = category = going_on = GOVERNOR = ergo.logo", []),
        ('say("let go of it")', []),
    ],
)
def test_what_is_a_name(code: str, named: list[str]) -> None:
    assert sorted(_named(ast.parse(code))) == sorted(named)


def test_no_code_outside_names_a_harness() -> None:
    found = {module: sorted(set(_named(tree))) for module, tree in _modules()}
    assert {
        module: names for module, names in found.items() if names and not _listed(module, NAMED)
    } == {}


def test_no_sentence_outside_names_a_harness() -> None:
    found = {module: list(_told(tree)) for module, tree in _modules()}
    assert {
        module: texts for module, texts in found.items() if texts and not _listed(module, TOLD)
    } == {}


@pytest.mark.thorough
def test_every_exception_is_needed() -> None:
    named = [module for module, tree in _modules() if any(_named(tree))]
    told = [module for module, tree in _modules() if any(_told(tree))]
    assert [key for key in NAMED if not any(_listed(module, [key]) for module in named)] == []
    assert [key for key in TOLD if not any(_listed(module, [key]) for module in told)] == []
