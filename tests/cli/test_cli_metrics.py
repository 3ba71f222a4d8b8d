"""Allocation on the command line: its own rows, exit code and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from steady.cli import main


@pytest.fixture
def results(tmp_path: Path) -> tuple[str, str]:
    """Return Go's results in which one operation allocates once more."""
    paths = []
    for side, size, number in (("base", 64, 1), ("head", 96, 2)):
        lines = [
            f"BenchmarkGet 1000 {1000 + n if side == 'base' else 1001 + n} ns/op "
            f"{50 + n}.00 rows/op {size} B/op {number} allocs/op"
            for n in range(6)
        ]
        path = tmp_path / f"{side}.txt"
        path.write_text("pkg: example.com/p\n" + "\n".join(lines) + "\n", encoding="utf-8")
        paths.append(str(path))
    return paths[0], paths[1]


def run(results: tuple[str, str], *more: str) -> int:
    return main(["compare", "--base", results[0], "--head", results[1], *more])


def test_more_allocation_is_told_and_fails_only_where_that_is_asked(
    results: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(results) == 0
    told, beside = capsys.readouterr()
    assert told.startswith("1 benchmark allocates more. No change of 3\xa0% or more was found in")
    assert "exit code 0, although 1 benchmark allocates more (--fail-on metric-reg" in beside
    assert "rows/op" not in told
    assert run(results, "--fail-on", "metric-regression") == 1
    assert "metric-regression" in capsys.readouterr().err


def test_less_allocation_comes_before_no_change(
    results: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(results[::-1]) == 0
    told = capsys.readouterr().out
    assert told.startswith("1 benchmark allocates less; no other change found")


def test_other_results_are_shown_on_demand(
    results: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    run(results, "--metrics", "rows/op")
    assert "1 further result, as asked" in (told := capsys.readouterr().out)
    assert "52.50 rows/op" in told
    run(results, "--metrics", "all", "--output", "json")
    data = json.loads(capsys.readouterr().out)
    assert data["metric_verdict"] == "regression"
    assert [c["metric"] for c in data["metrics"]["changes"]] == ["B/op", "allocs/op"]
    assert [c["metric"] for c in data["metrics"]["shown"]] == ["rows/op"]
    assert [c["unit"] for c in data["changes"]] == ["ns/op"]


def test_settings_name_what_else_is_compared(
    results: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "steady.yml"
    settings.write_text(
        "version: 1\n"
        "thresholds:\n- {pattern: '*', metric: rows/op, min-change: 2%}\n"
        "ignore:\n- {pattern: '*', metric: B/op, reason: padded}\n"
        "accepted:\n- pattern: BenchmarkGet\n  metric: allocs/op\n  bound: 100%\n"
        "  reason: keeps a copy\n  expires: 2999-12-31\n",
        encoding="utf-8",
    )
    run(results, "--settings", str(settings), "--output", "json")
    data = json.loads(capsys.readouterr().out)
    rows = {c["metric"]: c for c in data["metrics"]["changes"]}
    assert rows.keys() == {"rows/op", "allocs/op"}
    assert rows["allocs/op"]["accepted"]["metric"] == "allocs/op"
    assert data["metric_verdict"] == "accepted"
