"""What a file holds beside its main results is counted and named."""

from pathlib import Path

import numpy as np
import pytest

import steady
from steady.cli import main
from steady.model import Benchmark, Identity, Level
from steady.report.provenance import left_out_sentence

RECORDED = Path(__file__).resolve().parent.parent / "readers" / "recorded"


@pytest.mark.parametrize("version", ["1.21", "1.37"])
def test_what_jmh_profilers_measured_is_read_from_the_json_and_named_of_the_log(
    version: str,
) -> None:
    suite = steady.load(RECORDED / version / "profiler.json")
    assert suite.left_out == {}
    suite = steady.load(RECORDED / version / "profiler.log")
    assert suite.left_out == {"gc.alloc.rate": 1, "gc.alloc.rate.norm": 1, "gc.count": 1}


@pytest.mark.parametrize("version", ["1.21", "1.37"])
def test_the_parts_of_a_group_are_named_of_the_log(version: str) -> None:
    suite = steady.load(RECORDED / version / "group.log")
    assert suite.left_out == {"reader": 1, "writer": 1}


@pytest.mark.parametrize("version", ["1.21", "1.37"])
def test_percentiles_count_as_one_result(version: str) -> None:
    assert steady.load(RECORDED / version / "modes.json").left_out == {"percentiles": 1}


def test_go_s_metrics_that_cannot_be_judged_are_named(tmp_path: Path) -> None:
    path = tmp_path / "go.txt"
    path.write_text(
        "Unit score better=higher\n"
        "BenchmarkA 100 5 ns/op 3 MB/s -1 drift\nBenchmarkB 100 5 ns/op 2 score\n",
        encoding="utf-8",
    )
    suite = steady.load(path)
    assert suite.left_out == {"drift": 1, "score": 1}


def test_results_without_others_say_nothing() -> None:
    assert left_out_sentence(steady.load(RECORDED / "1.37" / "params.json")) == ""


def test_many_and_long_names_are_cut_short() -> None:
    names = tuple(f"{number}" + "x" * 500 for number in range(9))
    measured = Benchmark(Identity("a"), "ns/op", np.ones(3), (Level("iteration"),), left_out=names)
    said = left_out_sentence(steady.Suite((measured,)))
    assert said.endswith("and 3 other results; no verdict counts them")
    assert len(said) < 600


def test_the_command_says_it(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(RECORDED / "1.37" / "profiler.log")
    main(["analyze", path])
    assert f"{path}: not read: gc.alloc.rate (1 benchmark)" in capsys.readouterr().err
