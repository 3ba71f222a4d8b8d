"""No module outside `steady.harness` depends on the name of a harness."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache

from tests.looped import looped
from tests.source_trees import by_module

CODE = re.compile(
    r"(?i:jmh|pytest|pyperf|google|hyperfine|kotlinx|benchmarkdotnet)|\basv\b"
    r"|(?<![A-Za-z])(?:go|GO)(?![A-Za-z])|Go(?![a-z])"
)
"""Names of harnesses in code, in upper or lower case; Go only as a word."""

VERBS = {"go_on", "_may_go"}

SENTENCE = re.compile(
    r"JMH|pytest|pyperf|Google|hyperfine|Criterion|kotlinx|BenchmarkDotNet|\basv\b"
    r"|(?<!-)\bGo\b(?!:? on\b)"
)
"""Names of harnesses in sentences."""

IDENTITY = "the harness is inferred from the benchmark's name if it is unknown"

LANGUAGE = "the language of a library, independent of the harness"

NAMED = {
    "demo.library": "the recorded library's harness",
    "harnesses": "the table of harnesses",
    "model.identity": IDENTITY,
    "plan.suite_plan": "the default harness of a plan",
    "programs.file_watch": LANGUAGE,
    "report.names": IDENTITY,
    "suggestions.rerun": IDENTITY,
}
"""Modules whose code names a harness, with the reason."""

OPTION = "the help of an option for this harness"
MEASURED = "numbers measured on suites of this harness"
MISTAKE = "the message of an error that occurs with this harness only"

TOLD = {
    "action.runner": OPTION,
    "harnesses": "the table of harnesses",
    "options.plan_options": OPTION,
    "options.run_options": OPTION,
    "cli.main": "the introduction for new users",
    "suggestions.missing": MISTAKE,
    "compare.rules": MEASURED,
    "engine.run_plan": MISTAKE,
    "programs.program_runs": OPTION,
    "papers": MEASURED,
    "readers.sources": MISTAKE,
    "suggestions.rerun": IDENTITY,
}
"""Modules whose sentences name a harness, with the reason."""


def _listed(module: str, keys: Iterable[str]) -> bool:
    """Return whether a module or its room is among `keys`."""
    return any(f"{module}.".startswith(f"{key}.") for key in keys)


def _words(tree: ast.Module) -> Iterator[str]:
    """Yield the identifiers and strings of a module, without docstrings."""
    docstrings = set()
    for node in ast.walk(tree):  # statements precede their parts
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            docstrings.add(node.value)
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str) and node not in docstrings:
                yield node.value
        else:
            values = [getattr(node, field, None) for field in FIELDS]
            yield from (value for value in values if isinstance(value, str))


FIELDS = ("id", "attr", "arg", "name", "asname", "module")


def _named(words: Iterable[str]) -> list[str]:
    """Return the identifiers, imports and one-word strings that name a harness."""
    single = {word for word in words if not re.search(r"\s", word.strip())}
    return sorted(word for word in single - VERBS if CODE.search(word))


@cache
def _found() -> dict[str, tuple[list[str], list[str]]]:
    """Return the code and the sentences of each other module that name a harness."""
    words = {
        module: set(_words(tree))
        for module, tree in by_module().items()
        if not f"{module}.".startswith("harness.")
    }
    return {name: (_named(own), list(filter(SENTENCE.search, own))) for name, own in words.items()}


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
def test_names_of_harnesses_are_recognized(code: str, named: list[str]) -> None:
    assert _named(_words(ast.parse(code))) == sorted(named)


def test_other_modules_do_not_name_harnesses() -> None:
    named = {module: own for module, (own, _) in _found().items() if own}
    told = {module: own for module, (_, own) in _found().items() if own}
    assert {module: own for module, own in named.items() if not _listed(module, NAMED)} == {}
    assert {module: own for module, own in told.items() if not _listed(module, TOLD)} == {}
    # Every exception is needed.
    assert [key for key in NAMED if not any(_listed(module, [key]) for module in named)] == []
    assert [key for key in TOLD if not any(_listed(module, [key]) for module in told)] == []
