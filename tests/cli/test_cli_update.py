from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import steady
from steady.cli import main
from steady.optimize import read_plan
from steady.readers.series_writer import write_series


def results(path: Path, names: str, seed: int) -> str:
    random = np.random.default_rng(seed)
    values = {name: 1 + 0.01 * random.standard_normal((5, 40)) for name in names}
    write_series(steady.Suite.of(values, unit="ns/op", iteration_seconds=1.0), path)
    return str(path)


def test_some_benchmarks_are_optimised_again(tmp_path: Path) -> None:
    out = tmp_path / ".steady"
    assert main(["optimize", results(tmp_path / "full.json", "abc", 1), "--out", str(out)]) == 0
    before = read_plan(out / "plan.json")
    again = results(tmp_path / "again.json", "cd", 2)
    assert main(["optimize", again, "--out", str(out), "--update"]) == 0
    after = read_plan(out / "plan.json")
    assert [identity.name for identity in after] == ["a", "b", "c", "d"]
    assert after["a"] == before["a"]
    assert after.data_digest != before.data_digest


def test_another_budget_leaves_the_plan_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / ".steady"
    full = results(tmp_path / "full.json", "abc", 1)
    assert main(["optimize", full, "--out", str(out)]) == 0
    before = (out / "plan.json").read_bytes()
    assert main(["optimize", full, "--out", str(out), "--update", "--budget", "5%"]) == 2
    assert "made with budget 0.03, not 0.05" in capsys.readouterr().err
    assert (out / "plan.json").read_bytes() == before


def test_there_must_be_a_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    full = results(tmp_path / "full.json", "abc", 1)
    assert main(["optimize", full, "--out", str(tmp_path / "none"), "--update"]) == 2
    assert "none" in capsys.readouterr().err
