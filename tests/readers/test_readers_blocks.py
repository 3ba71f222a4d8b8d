"""The rounds of an interleaved run, as `steady run` notes them in JMH's JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import steady
from tests.jmh_records import jmh_record


def record(values: list[list[float]], blocks: object = None) -> dict[str, Any]:
    told: dict[str, Any] = {} if blocks is None else {"steadyBlocks": blocks}
    return jmh_record("org.Bench.get", values, warmup=1, seconds="1 s", **told)


def write(path: Path, content: dict[str, Any]) -> Path:
    path.write_text(json.dumps([content]), encoding="utf-8")
    return path


def test_each_fork_knows_its_round(tmp_path: Path) -> None:
    path = write(tmp_path / "base.json", record([[1.0, 2.0], [3.0, 4.0]], ["a:0", "a:1"]))
    [benchmark] = steady.load(path).benchmarks
    assert benchmark.blocks == ("a:0", "a:1")


def test_files_of_several_runs_keep_their_rounds_apart(tmp_path: Path) -> None:
    first = write(tmp_path / "1.json", record([[1.0, 2.0]], ["a:0"]))
    second = write(tmp_path / "2.json", record([[5.0, 6.0]], ["b:0"]))
    plain = write(tmp_path / "3.json", record([[8.0, 9.0]]))
    [benchmark] = steady.load([first, second, plain]).benchmarks
    assert benchmark.blocks == ("a:0", "b:0", "")
    [without] = steady.load(plain).benchmarks
    assert without.blocks == ()


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        (["a:0"], "has 1 steadyBlocks for 2 forks"),
        ([1, 2], "Expected `str`, got `int`"),
        ("a", "Expected `array`, got `str`"),
    ],
)
def test_blocks_that_fit_no_forks_are_named(tmp_path: Path, blocks: object, message: str) -> None:
    path = write(tmp_path / "base.json", record([[1.0, 2.0], [3.0, 4.0]], blocks))
    with pytest.raises(steady.InputError, match=message):
        steady.load(path)


def test_rounds_pair_the_forks_whatever_their_order(tmp_path: Path) -> None:
    """Head is 10 % slower in every round, while the machine slows down by half."""
    machine = [100.0, 110.0, 120.0, 130.0, 150.0]
    rounds = [f"a:{number}" for number in range(5)]
    base = write(tmp_path / "base.json", record([[m, m + 1] for m in machine], rounds))
    values = [[1.1 * m, 1.1 * m + 1] for m in machine]
    head = write(tmp_path / "head.json", record(values[::-1], rounds[::-1]))
    told = steady.compare(steady.load(base), steady.load(head))
    assert [change.outcome for change in told.changes] == ["regression"]
    untold = steady.compare(steady.load(base), steady.load(head), rule="moderated-t")
    assert [change.outcome for change in untold.changes] == ["unclear"]
