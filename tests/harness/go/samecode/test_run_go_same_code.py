"""Go benchmarks with identical code paths are skipped, with real binaries."""

import json
from pathlib import Path

import pytest

from steady.cli import main
from steady.optimize import read_plan
from steady.readers import load
from tests.harness.go.building import SHOP, build_shop


def steady(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


@pytest.mark.needs("go")
def test_from_two_builds_to_a_comparison(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    five = {"text/text.go": (SHOP / "text" / "text.go").read_text().replace("3", "5")}
    base, head = (
        build_shop(tmp_path / name, files, packages="./text ./alone")
        for name, files in (("one", {}), ("two", five))
    )
    sides = ["--base", base, "--head", head]
    assert steady("changed", *sides) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("may differ  example.com/shop/text.BenchmarkWords")
    assert printed[0].endswith(": text.BenchmarkWords changed")
    assert printed[1].startswith("same        example.com/shop/alone.BenchmarkAlone")
    assert "BenchmarkAlone/" not in printed[1]  # its sub-benchmarks need not run for that
    assert printed[2] == "1 of 2 benchmarks runs the same code"

    full = ["--full", "2x4", "--iteration-seconds", "0.001", "--jar", base]
    assert steady("run", *full, "--only", "Words|Alone", "--out", tmp_path / "full") == 0
    assert {len(b.measurements) for b in load(tmp_path / "full").values()} == {2}
    plan = tmp_path / ".steady"
    assert steady("optimize", tmp_path / "full", "--out", plan, "--min-forks", "2") == 0
    assert (plan / "go-test.txt").is_file()
    assert read_plan(plan / "plan.json").only == "Words|Alone"
    out = tmp_path / "pair"
    assert steady("run", "--plan", plan, *sides, "--out", out) == 0
    listed = json.loads((out / "same-code.json").read_text())
    assert [len(listed[name]) for name in ("same", "controls", "others")] == [2, 1, 1]
    both = [load(out / f"{side}.txt") for side in ("base", "head")]
    assert [len(side) for side in both] == [2, 2]
    assert all(one.blocks == both[1][identity].blocks != () for identity, one in both[0].items())
    capsys.readouterr()
    compared = ["compare", "--base", out / "base.txt", "--head", out / "head.txt"]
    assert steady(*compared, "--fail-on", "never") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "3 of 4 benchmarks run the same code" in shown
