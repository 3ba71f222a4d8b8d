"""The real pyperf: the list of a script, the run of a worker, and messages on failures."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from steady.errors import InputError
from steady.harness.pyperf import results
from steady.harness.pyperf.kind import make_runs, takes
from steady.harness.runs import ForkResult, RunFacts
from steady.harness.trial import Trial, TrialError, Version
from steady.model import Identity
from steady.readers import load
from tests.harness.program_trials import (
    SHORT,
    in_turn,
    listed,
    made,
    measured,
    refused,
    took_turns,
    written,
)

NEEDS = pytest.mark.needs("pyperf")

SCRIPT = """\
import sys
import pyperf

runner = pyperf.Runner()
runner.bench_func("sum", sum, range(2_000))
runner.timeit("a/b [ä] $(id)", "sorted(x)", setup="x = [3, 1]", inner_loops=2)
runner.bench_time_func("time", lambda loops: loops * 1e-6)
"""
ALL = ["sum", "a/b [ä] $(id)", "time"]
COMMAND = (sys.executable, "bench.py")


@NEEDS
def test_benchmarks_are_listed_in_their_order(tmp_path: Path) -> None:
    target = written(tmp_path / "p", {"bench.py": SCRIPT})
    assert listed(make_runs, target, *COMMAND) == ALL
    assert listed(make_runs, target, sys.executable, "-m", "pyperf", "timeit", "int()") == [
        "timeit"
    ]
    runs = made(make_runs, *COMMAND)
    runs.benchmarks(Version("results", target))
    assert 0.9e-6 < runs.operation_seconds(Identity("time")) < 1.1e-6


@NEEDS
def test_pyperf_reads_the_merged_file(tmp_path: Path) -> None:
    target = written(tmp_path / "p", {"bench.py": SCRIPT})
    runs, whole, identity = made(make_runs, *COMMAND), tmp_path / "whole.json", Identity("time")
    forks = []
    for number in range(2):
        measured(runs, target, "time", tmp_path)
        result = (tmp_path / "result.json").rename(tmp_path / f"{number}.json")
        trial = Trial(number, number, "results", identity, SHORT, 1.0, 60.0)
        forks.append(ForkResult(trial, f"run:{number}", result))
    whole.write_bytes(runs.merge(forks, RunFacts({identity: 2})))
    assert load(whole)["time"].measured == pytest.approx(np.full((2, 4), 1e-6))
    command = [sys.executable, "-m", "pyperf", "show", str(whole)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Mean +- std dev: 1.00 us +- 0.00 us" in shown.stdout


@NEEDS
def test_a_failed_listing_is_one_sentence(tmp_path: Path) -> None:
    for number, (text, said) in enumerate(
        (
            (
                f"{SCRIPT}\nraise ValueError('no luck')\n",
                "cannot list its benchmarks: ValueError: no",
            ),
            ("def broken(:\n", "cannot list its benchmarks: SyntaxError: "),
            ("import pyperf\n", "it ends without results; is it a pyperf script?"),
        )
    ):
        target = written(tmp_path / str(number), {"bench.py": text})
        assert said in refused(make_runs, target, *COMMAND)


@NEEDS
def test_a_worker_without_a_result_has_a_reason(tmp_path: Path) -> None:
    throws = "import os\nif 'throws' in os.listdir(): raise ValueError('no luck')\n"
    target = written(tmp_path / "p", {"bench.py": throws + SCRIPT})
    runs, version = made(make_runs, *COMMAND), Version("results", target)
    runs.benchmarks(version)
    (target / "throws").touch()
    trial = Trial(0, 0, "results", Identity("sum"), SHORT, 1.0, 60.0)
    with runs.open([version], tmp_path) as session:
        with pytest.raises(TrialError, match="ValueError: no luck"):
            session.measure(trial, tmp_path / "r.json")
        gone = replace(trial, identity=Identity("gone"))
        with pytest.raises(TrialError, match="its script no longer contains it"):
            session.measure(gone, tmp_path / "r.json")


def test_errors_for_options_that_steady_sets(tmp_path: Path) -> None:
    for option in ("--fast", "-o=x.json", "--rigorous", "--append"):
        with pytest.raises(InputError, match="leave out -"):
            made(make_runs, *COMMAND, option)
    with pytest.raises(InputError, match="leave out `pyperf command`"):
        made(make_runs, "pyperf", "command", "ls")
    absent = refused(make_runs, tmp_path / "absent", *COMMAND)
    assert "is not a folder; give the check-out" in absent
    assert "give the command that runs" in refused(make_runs, tmp_path)
    nowhere = refused(make_runs, tmp_path, "nowhere/x", "bench.py")
    assert "holds no nowhere/x that can be executed" in nowhere


def test_commands_that_run_pyperf(tmp_path: Path) -> None:
    written(tmp_path, {"a.py": "import os, pyperf\n", "b.py": "# import pyperf\nimport pyperfx\n"})
    for command in ("python a.py", "uv run python a.py --x", "pyperf timeit 1", "p -m pyperf x"):
        assert takes(command.split(), tmp_path)
    for command in ("python b.py", "python absent.py", "make pyperf.py", "echo a b c pyperf"):
        assert not takes(command.split(), tmp_path)


@NEEDS
def test_two_workers_are_interleaved_by_the_clock(tmp_path: Path) -> None:
    base = written(tmp_path / "base", {"bench.py": SCRIPT})
    head = written(tmp_path / "head", {"bench.py": SCRIPT.replace("2_000", "20_000")})
    runs = made(make_runs, *COMMAND)
    outcomes, obstacle, ratio = in_turn(runs, [base, head], "sum", tmp_path)
    assert obstacle == ""
    assert took_turns(outcomes)
    assert ratio > 2


def test_common_metadata_are_written_once() -> None:
    runs = [
        {"metadata": {"name": "x", "hostname": "a", "loops": n}, "values": [1.0]} for n in (1, 2)
    ]
    content = results.written(runs)
    (benchmark,) = json.loads(content)["benchmarks"]
    assert benchmark["metadata"] == {"name": "x", "hostname": "a"}
    assert [run["metadata"] for run in benchmark["runs"]] == [{"loops": 1}, {"loops": 2}]
    assert results.plain_runs(json.loads(content)) == runs


def test_texts_that_are_no_result(tmp_path: Path) -> None:
    path, named = tmp_path / "r.json", {"metadata": {"name": "x"}}
    changes: list[tuple[Mapping[str, object], str]] = [
        ({"version": 6}, "convert it with `pyperf convert FILE -o NEW`"),
        ({"benchmarks": [{"runs": [{"values": [1]}]}]}, "its metadata lack the benchmark's name"),
        (
            {"benchmarks": [{**named, "runs": [{"warmups": [[1, 1.0]]}]}]},
            "all of its runs are calibration runs",
        ),
        ({"benchmarks": [{**named, "runs": [{"values": ["a"]}]}]}, "a number"),
    ]
    for change, said in changes:
        path.write_text(json.dumps({"version": "1.0", "benchmarks": [], **change}))
        with pytest.raises(InputError, match=said):
            load(path)
