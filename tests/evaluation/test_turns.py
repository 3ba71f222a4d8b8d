"""The tables about turns, from forks that share what the machine does."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from evaluation.turns import factor_needed, main, read
from steady.compare import Estimate
from steady.compare.rule import Judgement, Reach
from tests.jmh_records import jmh_record
from tests.looped import looped

ROUNDS, ITERATIONS = 6, 12


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    generator = np.random.default_rng(1)
    machine = np.cumsum(generator.normal(0, 0.1, (3, ROUNDS, ITERATIONS)), axis=-1)
    for side in ("base", "head"):
        values = np.exp(machine + generator.normal(0, 0.005, machine.shape))
        records = [
            jmh_record(
                f"org.example.B.b{place}",
                forks.tolist(),
                steadyBlocks=[f"aa:{block}" for block in range(ROUNDS)],
                steadyTurns=[place < 2] * ROUNDS,
            )
            for place, forks in enumerate(values)
        ]
        (tmp_path / f"{side}.json").write_text(json.dumps(records), encoding="utf-8")
    return tmp_path


def test_turns_gain_and_shuffling_takes_the_gain_away(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(folder), "--rounds", "3", "7", "--deals", "3"])
    spreads, verdicts = capsys.readouterr().out.split("\n\n", 1)[1].split("\n\n")
    median = [float(cell) for cell in cells(spreads)[-1][2:]]
    assert 1.5 * median[0] < min(median[1:])
    rows = cells(verdicts)[2:]
    assert [row[:3] for row in rows[:3]] == [
        ["3", "turns", "12"], ["3", "shuffled", "12"], ["3", "fork medians", "12"],
    ]  # fmt: skip
    assert float(rows[0][-1].split()[0]) < min(float(row[-1].split()[0]) for row in rows[1:3])
    assert [row[2] for row in rows[3:]] == ["0"] * 3


def cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]


def test_benchmarks_without_turns_are_left_out(folder: Path) -> None:
    assert list(read(folder)) == ["org.example.B.b0", "org.example.B.b1"]


@looped(("reach", "expected"), [(0.1, 1.1 / 1.02), (0.001, 1.03 / 1.02)])
def test_the_factor_needed_moves_the_change_to_where_it_is_reported(
    reach: float, expected: float
) -> None:
    base, head = (Estimate(value, value, value, 3, 30) for value in (1.0, 1.02))
    judgement = Judgement(base, head, False, None, Reach(reach, reach))
    assert factor_needed(judgement) == pytest.approx(expected)
