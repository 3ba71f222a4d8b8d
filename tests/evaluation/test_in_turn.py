"""Two versions of a command by each way to run them, and what is found of a planted change."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from evaluation import clock_turns, planted
from evaluation.beside_others import RULES, values_of
from evaluation.clock_turns import PairError, row

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="keeps both on one processor")


def program(path: Path, script: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def cells(printed: str) -> list[list[str]]:
    """Return the rows of the printed table."""
    rows = printed.splitlines()[2:]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in rows]


def test_a_row_has_the_figures_of_its_errors() -> None:
    errors = [PairError(0.03, 1.0), PairError(-0.04, 2.0), PairError(0.0, 3.0)]
    assert row("way", errors) == ["way", "3", "0.0289", "0.0300", "0.0400", "2.0"]


def test_all_ways_run_a_command_and_a_pair_that_fails_is_not_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program(tmp_path / "tool", "sleep 0.02\necho x >> log\n[ $(wc -l < log) != 2 ]")
    words = ["command", str(tmp_path), "--pairs", "2", "--seconds", "0.1", "--busy", "1"]
    clock_turns.main([*words, "--", "./tool"])
    said = capsys.readouterr()
    assert said.err.count("./tool: not counted: ") == 1
    found = {name: [float(one) for one in numbers] for name, *numbers in cells(said.out)}
    counts = {"sequence": 1, "at once": 2, "shuffled": 2, "in turn": 2}
    assert {name: numbers[0] for name, numbers in found.items()} == counts
    assert all(largest < 3 for _, _, _, largest, _ in found.values())
    assert found["sequence"][4] > 0.1


def test_each_rule_finds_a_clear_change_and_nothing_where_there_is_none() -> None:
    base, again = np.random.default_rng(1).normal(100, 2, (2, 60))
    assert [name for name, slower in RULES.items() if not slower(base, again + 8)] == []
    assert [name for name, slower in RULES.items() if slower(base, base[::-1])] == []
    assert [name for name, slower in RULES.items() if slower(base, again - 8)] == []
    assert [name for name, slower in RULES.items() if not slower(base, again[:50] + 8)] == []


def test_the_values_of_each_harness_are_read_as_they_are(tmp_path: Path) -> None:
    repetition = {"run_name": "a", "run_type": "iteration", "real_time": 3.0}
    sample = {"benchmark": {"full_id": "a"}, "sample": {"iters": [2, 4], "times": [2, 12]}}
    documents = [
        {"benchmarks": [{"fullname": "a", "stats": {"data": [1.0, 3.0]}}]},
        {"benchmarks": [repetition | {"real_time": 1.0}, repetition, {"run_type": "aggregate"}]},
        {"criterion": [sample]},
        {"results": [{"command": "a", "times": [1.0]}, {"command": "a", "times": [3.0]}]},
    ]
    path = tmp_path / "base.json"
    for document in documents:
        path.write_text(json.dumps(document), encoding="utf-8")
        assert {name: own.tolist() for name, own in values_of(path).items()} == {"a": [1.0, 3.0]}


def test_runs_of_a_command_become_rows(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for side, seconds in (("base", 0.02), ("head", 0.08)):
        program(tmp_path / side / "tool", f"[ $1 = same ] && exec sleep 0.02\nexec sleep {seconds}")
    sides = [str(tmp_path / side) for side in ("base", "head")]
    words = [*sides, "--planted", "slow", "--out", str(tmp_path / "out"), "--runs", "1"]
    words += ["--time-budget", "40s", "--each", "slow", "same", "--", "./tool"]
    planted.main(words)
    printed = capfd.readouterr().out
    planted.main(words)  # only reads
    assert capfd.readouterr().out == printed
    rows = {(name, change): counts for name, change, *counts in cells(printed)}
    assert rows["./tool slow", "yes"][:2] == ["1", "1"] == rows["all", "yes"][:2]
    assert rows["all", "no"][:2] == ["1", "0"]
