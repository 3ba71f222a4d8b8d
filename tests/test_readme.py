"""The README says what is so: its comment is the demo's, its methods are the registries'."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from steady.action.accepting import accept_lines
from steady.cli.methods import REGISTRIES
from steady.demo import Facts, recording
from steady.report.markdown import comment
from steady.report.receipt import receipt

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(name: str) -> str:
    """Return what stands between a pair of markers."""
    found = re.search(rf"<!-- {name} -->\n(.*?)\n<!-- /{name} -->", README, re.DOTALL)
    assert found is not None, f"the README has lost its markers of {name}"
    return found[1]


def quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())


@pytest.fixture(scope="module")
def demo() -> Facts:
    with recording() as recorded:
        return Facts.of(recorded)


def test_the_comment_is_that_of_the_demo(demo: Facts) -> None:
    lines = accept_lines(demo.comparison)
    _, _, text = comment(demo.comparison, accept=lines).partition("\n")
    assert block("comment") == quoted(text)


def test_the_receipt_is_that_of_the_demo(demo: Facts) -> None:
    assert block("receipt") == quoted(receipt(demo.full))


@pytest.mark.parametrize("title", REGISTRIES)
def test_every_method_stands_in_the_table(title: str) -> None:
    registry: Mapping[str, object] = REGISTRIES[title]
    table = README.partition("## Methods")[2].partition("\n## ")[0]
    shown = {"jmh": "JMH", "jmh-log": "text log", "series": "series JSON"}
    for name in registry:
        assert f"`{name}`" in table or shown.get(name, "\0") in table
