"""What a prompt shows of results, and how they get into other tools."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import steady
from steady.demo import recording
from steady.model import Suite

HOSTILE = "</td><script>alert(1)</script>\n\x1b[31m\u202e\"'&"


@pytest.fixture(scope="module")
def demo() -> Iterator[dict[str, Any]]:
    with recording() as recorded:
        suite = steady.load(recorded.full)
        pull = recorded.pull_request
        yield {
            "suite": suite,
            "benchmark": next(iter(suite.values())),
            "plan": steady.read_plan(recorded.plan),
            "comparison": steady.compare(steady.load(pull.base), steady.load(pull.head)),
        }


KINDS = ("suite", "benchmark", "plan", "comparison")


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_one_line_at_a_prompt(kind: str, demo: dict[str, Any]) -> None:
    text = repr(demo[kind])
    assert len(text.splitlines()) == 1
    assert len(text) <= 160


@pytest.mark.parametrize("kind", KINDS)
def test_a_dict_is_plain(kind: str, demo: dict[str, Any]) -> None:
    table = demo[kind].to_dict()
    assert isinstance(table, dict)
    assert json.loads(json.dumps(table)) == table


def test_a_dict_names_the_verdict_and_every_change(demo: dict[str, Any]) -> None:
    comparison = demo["comparison"]
    table = comparison.to_dict()
    assert table["verdict"] == comparison.verdict
    found = [(row["benchmark"], row["outcome"], row["change"]) for row in table["changes"]]
    own = [(c.identity.label, c.outcome, c.ratio) for c in comparison.changes]
    assert found[: len(own)] == own
    entries = demo["plan"].to_dict()["benchmarks"]
    assert sum(entry["seconds"] for entry in entries) > 0


def test_names_and_counts_stay_one_line() -> None:
    suite = Suite.of({f"org.B.m{n}": np.full((2, 3), 1.0) for n in range(1000)}, unit="ns/op")
    assert repr(suite) == "Suite of 1,000 benchmarks (series)"
    hostile = Suite.of({"a\n\x1b[31m\u202e": [[1.0]]}, unit="ns/op")
    assert len(repr(hostile.benchmarks[0]).splitlines()) == 1
    assert "\x1b" not in repr(hostile.benchmarks[0])
