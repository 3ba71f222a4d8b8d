"""asv: its files, and the command lines of a plan with the real tool."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steady
from steady.cli.main import main
from steady.errors import InputError
from steady.harness.asv.files import OPTIONS
from steady.model import ExecutionConfiguration, Identity
from steady.readers import load
from tests.harness.program_trials import plan_of

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "asv"
RECORDED = ROOT / "tests" / "readers" / "recorded" / "programs" / "asv.json"
BASE, HEAD = (f"{commit}-existing-py_usr_bin_python3.json" for commit in ("127bc50c", "1e239ac5"))
HOW = ExecutionConfiguration(3, 4, 5, 0.05, 0.05)


def results(folder: Path, declared: dict[str, Any], columns: dict[str, Any]) -> Path:
    """Write the results of one benchmark, in format 2, and what it declares."""
    path = folder / "results" / "machine" / "c0ffee-env.json"
    path.parent.mkdir(parents=True)
    (folder / "results" / "benchmarks.json").write_text(json.dumps({"b.time_x": declared}))
    whole = {"commit_hash": "c0ffee", "params": {"cpu": "A cpu"}, "version": 2}
    whole |= {"result_columns": list(columns), "results": {"b.time_x": list(columns.values())}}
    path.write_text(json.dumps(whole))
    return path


def test_the_example_has_a_row_for_each_process() -> None:
    base, head = (load(EXAMPLE / "results" / "machine" / name) for name in (BASE, HEAD))
    assert [one.name for one in base] == [
        f"prices.Prices.{name}" for name in ("time_price", "time_total(10)", "time_total(10000)")
    ]
    for benchmark in (*base.values(), *head.values()):
        assert benchmark.measured.shape == (5, 20)
        assert benchmark.unit == "s/op"
        assert benchmark.configuration == ExecutionConfiguration(5, 10, 20, 0.01, 0.01)
    found = {
        change.identity.parts.member: change.outcome
        for change in steady.compare(base, head).changes
    }
    assert found["time_total(10)"] == "improvement"


def test_rounds_are_rows_if_their_length_is_known(tmp_path: Path) -> None:
    cases: list[tuple[dict[str, Any], int, tuple[int, int]]] = [
        ({"rounds": 2, "repeat": 3}, 6, (2, 3)),
        ({"rounds": 2, "repeat": [1, 3, 9.0]}, 6, (2, 3)),
        ({"rounds": 2, "repeat": 0}, 10, (2, 5)),
        ({"rounds": 1, "repeat": 0}, 10, (1, 10)),
        ({"rounds": 2, "repeat": 3}, 5, (1, 5)),
        ({}, 6, (1, 6)),
    ]
    for number, (declared, samples, shape) in enumerate(cases):
        taken = np.arange(1.0, samples + 1)
        columns = {"result": [2.0], "params": [], "samples": [taken.tolist()]}
        one = load(results(tmp_path / str(number), declared, columns))["b.time_x"]
        np.testing.assert_array_equal(one.measured, taken.reshape(shape))
        assert one.environment.cpu == "A cpu"


def test_unusable_files_are_an_error_with_advice(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="asv run --record-samples"):
        load(results(tmp_path / "a", {}, {"result": [2.0], "params": []}))
    for name, found in (("few", [2.0]), ("many", [2.0, 3.0, 4.0])):
        with pytest.raises(InputError, match="expected 2 results, one for each combination"):
            load(results(tmp_path / name, {}, {"result": found, "params": [["1", "2"]]}))
    with pytest.raises(InputError, match="--show-stderr"):
        load(results(tmp_path / "c", {}, {"result": None, "params": [["1", "2"]]}))


def test_format_1(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    own = {"result": [2.0, None], "params": [["1", "2"]], "samples": [[2.0, 3.0], None]}
    found = {"b.time_x": own, "b.track_y": 7.0, "b.time_z": None}
    path.write_text(json.dumps({"commit_hash": "x", "results": found, "version": 1}))
    suite = load(path)
    assert {one.name: b.measured.tolist() for one, b in suite.items()} == {
        "b.time_x(1)": [[2.0, 3.0]],
        "b.track_y": [[7.0]],
    }
    assert [one.identity.name for one in suite.failures] == ["b.time_x(2)", "b.time_z"]


def test_unsupported_benchmarks_have_no_command_line() -> None:
    with pytest.raises(InputError, match="leave it out"):
        OPTIONS(plan_of("asv", HOW, "b.time_x"), b"")
    with pytest.raises(InputError, match="asv cannot run this"):
        OPTIONS(plan_of("asv", HOW, Identity("x", "thrpt")), None)


def test_no_command_is_proposed_that_cannot_run_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["optimize", str(RECORDED), "--out", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "had too few forks or iterations to plan with. Measure again, for" in printed
    assert "rounds=1 -a repeat=10 -a warmup_time=0.1" in (tmp_path / "asv.txt").read_text()
    assert "steady run" not in printed


@pytest.mark.needs("asv", "git")
def test_asv_takes_the_command_line_and_steady_its_results(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("results"))
    (tmp_path / ".asv-machine.json").write_text('{"m": {"machine": "m"}, "version": 1}')
    git = ("git", "-c", "user.name=x", "-c", "user.email=x@example.org")
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], cwd=folder, check=True)
    text = (
        OPTIONS(plan_of("asv", HOW, "prices.Prices.time_total(10)"), None).files["asv.txt"].decode()
    )
    line = [*shlex.split(text.splitlines()[-1]), "--machine=m", "--set-commit-hash=main"]
    ran = subprocess.run(
        [*([sys.executable, "-m", "asv"] if find_spec("asv") else ["asv"]), *line[1:]],
        cwd=folder,
        env={**os.environ, "ASV_PYTHONPATH": str(folder), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (path,) = (folder / "results" / "m").glob("*-existing*.json")
    assert load(path)["prices.Prices.time_total(10)"].measured.size == HOW.forks * HOW.iterations
