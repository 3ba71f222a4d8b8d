"""Planted changes: what steady and other tools' rules find of them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from evaluation.beside_others import RULES, values_of
from evaluation.planted import main

pytestmark = pytest.mark.skipif(not hasattr(os, "wait4"), reason="measures a command")


def test_each_rule_finds_a_clear_change_and_nothing_where_there_is_none() -> None:
    base, again = np.random.default_rng(1).normal(100, 2, (2, 60))
    assert [name for name, slower in RULES.items() if not slower(base, again + 8)] == []
    assert [name for name, slower in RULES.items() if slower(base, base[::-1])] == []
    assert [name for name, slower in RULES.items() if slower(base, again - 8)] == []
    assert [name for name, slower in RULES.items() if not slower(base, again[:50] + 8)] == []


def test_the_values_of_each_harness_are_read_as_they_are(tmp_path: Path) -> None:
    repetition = {"run_name": "a", "run_type": "iteration", "real_time": 3.0}
    documents = [
        {"benchmarks": [{"fullname": "a", "stats": {"data": [1.0, 3.0]}}]},
        {"benchmarks": [repetition | {"real_time": 1.0}, repetition, {"run_type": "aggregate"}]},
        {
            "criterion": [
                {"benchmark": {"full_id": "a"}, "sample": {"iters": [2, 4], "times": [2, 12]}}
            ]
        },
        {"results": [{"command": "a", "times": [1.0]}, {"command": "a", "times": [3.0]}]},
    ]
    path = tmp_path / "base.json"
    for document in documents:
        path.write_text(json.dumps(document), encoding="utf-8")
        assert {name: own.tolist() for name, own in values_of(path).items()} == {"a": [1.0, 3.0]}


def test_runs_of_a_command_become_rows(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for side, seconds in (("base", 0.02), ("head", 0.08)):
        (tmp_path / side).mkdir()
        tool = tmp_path / side / "tool"
        tool.write_text(f"#!/bin/sh\n[ $1 = same ] && exec sleep 0.02\nexec sleep {seconds}\n")
        tool.chmod(0o755)
    sides = [str(tmp_path / side) for side in ("base", "head")]
    words = [*sides, "--planted", "slow", "--out", str(tmp_path / "out"), "--runs", "1"]
    words += ["--time-budget", "40s", "--each", "slow", "same", "--", "./tool"]
    main(words)
    lines = capfd.readouterr().out.splitlines()
    main(words)  # only reads
    assert capfd.readouterr().out.splitlines() == lines
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:]]
    rows = {(row[0], row[1]): row[2:4] for row in cells}
    assert rows["./tool slow", "yes"] == ["1", "1"] == rows["all", "yes"]
    assert rows["all", "no"] == ["1", "0"]
