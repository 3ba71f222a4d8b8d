"""BenchmarkDotNet: files in the form of its exporter's source."""

import json
from pathlib import Path
from typing import Any

import pytest

from steady.errors import InputError
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


def test_results_alone_are_read_from_its_folder(tmp_path: Path) -> None:
    def only_results(benchmarks: list[dict[str, Any]]) -> None:
        for one in benchmarks:
            stage = "IterationStage"
            one["Measurements"] = [m for m in one["Measurements"] if m[stage] == "Result"]
        benchmarks[1]["Measurements"] = []

    suite = load(changed(tmp_path, only_results))
    assert suite["Shop.Prices.Price"].measured.shape == (1, 1)
    assert "see BenchmarkDotNet's log" in suite.failures[0].reason


def test_unusable_files_are_an_error_with_advice(tmp_path: Path) -> None:
    def brief(found: list[dict[str, Any]]) -> None:
        for one in found:
            del one["Measurements"]

    with pytest.raises(InputError, match="again with `--exporters fulljson`"):
        load(changed(tmp_path, brief))
    (tmp_path / "twice").mkdir()
    suite = load(changed(tmp_path / "twice", lambda found: found.append(found[0])))
    assert "occurs twice under one name" in suite.failures[0].reason
