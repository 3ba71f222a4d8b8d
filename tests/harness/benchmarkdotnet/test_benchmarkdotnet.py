"""BenchmarkDotNet: a file in the form of its exporter's source, and the options of a plan."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from steady.emit import emit
from steady.errors import InputError
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.suite_plan import BenchmarkPlan, Plan
from steady.readers import load

RECORDED = Path(__file__).parents[2] / "readers" / "recorded" / "programs" / "benchmarkdotnet.json"


def changed(folder: Path, change: Any) -> Path:
    """Write the file with a change to its first benchmark, and into a folder of its kind."""
    document = json.loads(RECORDED.read_text())
    change(document["Benchmarks"])
    path = folder / "results" / "Shop.Prices-report-full-compressed.json"
    path.parent.mkdir()
    path.write_text(json.dumps(document))
    return folder


def test_a_launch_is_a_row_of_warm_up_and_iterations() -> None:
    suite = load(RECORDED)
    price, total = suite.values()
    assert price.unit == "ns/op"
    assert price.warmup == 2
    assert [[round(v, 1) for v in row if v == v] for row in price.measurements.tolist()] == [
        [200.0, 150.0, 100.0, 101.0, 99.0],
        [200.2, 148.9, 102.0, 100.3],
    ]
    assert price.configuration is not None
    assert (price.configuration.forks, price.configuration.iterations) == (2, 3)
    assert price.metrics["BytesAllocatedPerOperation"].values[0].tolist() == [56.0] * 3
    assert total.identity == Identity("Shop.Prices.Total(Lines: 10)")
    assert total.identity.parts.member == "Total(Lines: 10)"
    assert not total.metrics
    assert total.environment.cpu == "AMD EPYC"


def test_results_alone_are_read_from_its_folder(tmp_path: Path) -> None:
    def only_results(benchmarks: list[dict[str, Any]]) -> None:
        for one in benchmarks:
            stage = "IterationStage"
            one["Measurements"] = [m for m in one["Measurements"] if m[stage] == "Result"]
        benchmarks[1]["Measurements"] = []

    suite = load(changed(tmp_path, only_results))
    assert suite["Shop.Prices.Price"].measured.shape == (1, 1)
    assert "log says why" in suite.failures[0].reason


def test_what_cannot_be_used_says_what_to_do(tmp_path: Path) -> None:
    for name, change, problem in (
        ("brief", lambda found: found[0].pop("Measurements"), "again with `--exporters fulljson`"),
        ("jobs", lambda found: found.append(found[0]), "of another job; run one job in each"),
    ):
        (tmp_path / name).mkdir()
        with pytest.raises(InputError, match=problem):
            load(changed(tmp_path / name, change))


def test_a_plan_is_options(tmp_path: Path) -> None:
    how = ExecutionConfiguration(3, 0, 5, 0.25, 0.25)
    name = 'Shop.Prices.Total(Text: "a b")'
    entry = BenchmarkPlan(Identity(name), how, how, 1.0, 2.0, "reduced", "")
    (path,) = emit(Plan((entry,), "uoptime", harness="benchmarkdotnet"), tmp_path).files
    assert shlex.split(path.read_text().splitlines()[-1]) == [
        *("--filter", name, "--launchCount", "3", "--warmupCount", "0", "--iterationCount", "5"),
        *("--iterationTime", "250", "--exporters", "fulljson"),
    ]
