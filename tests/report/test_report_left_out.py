"""Secondary metrics that are not read are counted and named."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import steady
from steady.cli import main
from steady.model import Benchmark, Identity
from steady.report.provenance import left_out_sentence
from tests.looped import looped
from tests.report.made import LEVELS

RECORDED = Path(__file__).resolve().parent.parent / "readers" / "recorded"


@looped("version", ["1.21", "1.37"])
@looped(
    ("file", "left_out"),
    [
        # Results of profilers are read from JSON; those in a log are only named.
        ("profiler.json", {}),
        ("profiler.log", {"gc.alloc.rate": 1, "gc.alloc.rate.norm": 1, "gc.count": 1}),
        ("group.log", {"reader": 1, "writer": 1}),
        # All percentiles count as one result.
        ("modes.json", {"percentiles": 1}),
    ],
)
def test_results_of_jmh_that_are_not_read_are_named(
    version: str, file: str, left_out: Mapping[str, int]
) -> None:
    assert steady.load(RECORDED / version / file).left_out == left_out


def test_metrics_of_go_without_a_verdict_are_named(tmp_path: Path) -> None:
    path = tmp_path / "go.txt"
    path.write_text(
        "Unit score better=higher\n"
        "BenchmarkA 100 5 ns/op 3 MB/s -1 drift\nBenchmarkB 100 5 ns/op 2 score\n",
        encoding="utf-8",
    )
    assert steady.load(path).left_out == {"drift": 1, "score": 1}


def test_many_and_long_names_are_shortened() -> None:
    assert left_out_sentence(steady.load(RECORDED / "1.37" / "params.json")) == ""
    names = tuple(f"{number}" + "x" * 500 for number in range(9))
    measured = Benchmark(Identity("a"), "ns/op", np.ones((1, 3)), LEVELS, left_out=names)
    said = left_out_sentence(steady.Suite((measured,)))
    assert said.endswith("and 3 other metrics; not part of any verdict")
    assert len(said) < 600


def test_the_command_prints_them(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(RECORDED / "1.37" / "profiler.log")
    main(["analyze", path])
    assert f"{path}: not read: gc.alloc.rate (1 benchmark)" in capsys.readouterr().err
