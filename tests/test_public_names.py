"""Public names have tested examples, and results have a one-line representation."""

import doctest
import inspect
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steady
from steady.demo import recording
from steady.model import Suite
from tests.looped import looped

# Every public name has an example, and all doctests pass.


SOURCE = Path(steady.__path__[0])
MODULES = sorted(
    ".".join(("steady", *path.relative_to(SOURCE).with_suffix("").parts))
    for path in SOURCE.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8") and path.name != "__main__.py"
)
"""Modules with examples."""


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@looped("name", steady.__all__)
def test_every_public_name_has_an_example(name: str) -> None:
    documentation = inspect.getdoc(getattr(steady, name)) or ""
    section = documentation.partition("\nExamples\n--------\n")[2]
    examples = doctest.DocTestParser().get_examples(section)
    assert examples, f"steady.{name} has no section Examples"
    if inspect.isfunction(getattr(steady, name)):
        assert any(f"{name}(" in example.source for example in examples), "use it"
    assert any(example.want for example in examples), "show what comes of it"


@looped("name", [name.removesuffix(".__init__") for name in MODULES])
def test_examples_print_the_documented_output(name: str) -> None:
    results = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert results.attempted > 0
    assert results.failed == 0


# Representations of results, and their conversion for other tools.


def test_results_have_a_one_line_repr_and_a_plain_dict() -> None:
    with recording() as recorded:
        suite = steady.load(recorded.full)
        pull = recorded.pull_request
        plan = steady.read_plan(recorded.plan)
        comparison = steady.compare(steady.load(pull.base), steady.load(pull.head))
    results: tuple[Any, ...] = (suite, next(iter(suite.values())), plan, comparison)
    for result in results:
        assert len(repr(result).splitlines()) == 1
        assert len(repr(result)) <= 160
        table = result.to_dict()
        assert isinstance(table, dict)
        assert json.loads(json.dumps(table)) == table
    table = comparison.to_dict()
    assert table["verdict"] == comparison.verdict
    found = [(row["benchmark"], row["outcome"], row["change"]) for row in table["changes"]]
    own = [(c.identity.label, c.outcome, c.ratio) for c in comparison.changes]
    assert found[: len(own)] == own
    assert sum(entry["seconds"] for entry in plan.to_dict()["benchmarks"]) > 0


def test_names_and_counts_do_not_break_the_repr() -> None:
    suite = Suite.of({f"org.B.m{n}": np.full((2, 3), 1.0) for n in range(1000)}, unit="ns/op")
    assert repr(suite) == "Suite of 1,000 benchmarks (series)"
    hostile = Suite.of({"a\n\x1b[31m\u202e": [[1.0]]}, unit="ns/op")
    assert len(repr(hostile.benchmarks[0]).splitlines()) == 1
    assert "\x1b" not in repr(hostile.benchmarks[0])
