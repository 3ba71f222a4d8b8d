"""Errors of pairs: a command against itself by each way to run the two."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from evaluation.clock_turns import PairError, main, row

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="keeps both on one processor")


def test_a_row_has_the_figures_of_its_errors() -> None:
    errors = [PairError(0.03, 1.0), PairError(-0.04, 2.0), PairError(0.0, 3.0)]
    assert row("way", errors) == ["way", "3", "0.0289", "0.0300", "0.0400", "2.0"]


def test_all_ways_run_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["command", str(tmp_path), "--pairs", "1", "--seconds", "0.1", "--busy", "1"]
    main([*words, "--", "sleep", "0.02"])
    rows = [line.split("|") for line in capsys.readouterr().out.splitlines()[2:]]
    found = {cells[1].strip(): [float(cell) for cell in cells[2:-1]] for cells in rows}
    assert list(found) == ["sequence", "at once", "shuffled", "in turn"]
    assert all(pairs == 1 and largest < 3 for pairs, _, _, largest, _ in found.values())
    assert found["sequence"][4] > 0.1


def test_a_pair_that_fails_is_not_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\nsleep 0.02\necho x >> log\n[ $(wc -l < log) != 2 ]\n")
    tool.chmod(0o755)
    main(["command", str(tmp_path), "--pairs", "2", "--seconds", "0.1", "--", "./tool"])
    said = capsys.readouterr()
    assert said.err.count("./tool: not counted: ") == 1
    counts = [line.split("|")[2].strip() for line in said.out.splitlines()[2:]]
    assert counts == ["1", "2", "2", "2"]
