from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import steady
from steady.cli import main
from steady.optimize import read_plan
from steady.readers.series_format import write_series


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


def test_a_plan_for_a_verdict_says_what_it_will_find(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / ".steady"
    full = results(tmp_path / "full.json", "abc", 1)
    assert main(["optimize", full, "--detect", "5%", "--out", str(out)]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "3 of 3 benchmarks find a change of 5 % with a probability of 80 %." in text
    assert read_plan(out / "plan.json").options["detect"] == 0.05
    assert main(["plan", str(out)]) == 0
    assert "find a change of 5 %" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--detect", "2%"], "give a larger detect or a smaller min_change"),
        (["--detect", "5"], "expected a percentage above 0"),
        (["--detect", "5%", "--strategy", "uoptime"], "'uoptime' has no option 'detect'"),
        (["--power", "80%"], "'error-budget' has no option 'power'"),
    ],
)
def test_what_cannot_be_planned_is_said_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    full = results(tmp_path / "full.json", "a", 1)
    try:
        code = main(["optimize", full, *options, "--out", str(tmp_path / "out")])
    except SystemExit as stop:
        code = int(stop.code or 0)
    assert code == 2
    assert message in capsys.readouterr().err


def test_there_must_be_a_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    full = results(tmp_path / "full.json", "abc", 1)
    assert main(["optimize", full, "--out", str(tmp_path / "none"), "--update"]) == 2
    assert "none" in capsys.readouterr().err
