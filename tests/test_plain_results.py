"""What a prompt shows of results, and how they get into other tools."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import steady
from steady.demo import recording
from steady.model import Suite


def test_results_are_one_line_at_a_prompt_and_a_plain_dict() -> None:
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


def test_names_and_counts_stay_one_line() -> None:
    suite = Suite.of({f"org.B.m{n}": np.full((2, 3), 1.0) for n in range(1000)}, unit="ns/op")
    assert repr(suite) == "Suite of 1,000 benchmarks (series)"
    hostile = Suite.of({"a\n\x1b[31m\u202e": [[1.0]]}, unit="ns/op")
    assert len(repr(hostile.benchmarks[0]).splitlines()) == 1
    assert "\x1b" not in repr(hostile.benchmarks[0])
