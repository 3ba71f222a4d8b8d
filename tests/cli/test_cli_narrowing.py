"""`--only` in commands that compare: what was not asked for is neither missing nor new."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from steady.cli import main
from steady.engine.machine import Machine
from steady.engine.run_file import Header, RunFile
from steady.model import ExecutionConfiguration, Identity
from steady.optimize import BenchmarkPlan, Plan, update_plan, write_plan
from tests.looped import looped

SIDES = ("base", "head")
NAMES = ("org.A.one", "org.A.two", "org.B.three")


def results(path: Path, names: Sequence[str], *, only: str | None = None) -> Path:
    path.parent.mkdir(exist_ok=True)
    shift = 0.01 * (path.name == "head.json")
    forks = [[10.0 + shift, 10.1, 9.9], [10.2, 9.8, 10.0], [10.1, 10.0, 10.05]]
    data = {
        "steady_series": 1,
        "unit": "ns/op",
        "iteration_seconds": 1.0,
        "levels": [{"name": "fork"}, {"name": "iteration"}],
        "benchmarks": [{"name": name, "measurements": forks} for name in names],
    }
    path.write_text(json.dumps(data))
    if only is not None:
        machine = Machine("A processor", "An os", 2, "")
        header = Header("jmh", 0, "", (), "", {"only": only}, machine, 1000.0)
        path.with_name("run.json").write_text(RunFile(1, header.run_id, header, ()).text())
    return path


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    counts = ExecutionConfiguration(3, 0, 3, 1.0, 1.0)
    entries = (BenchmarkPlan(Identity(n), counts, counts, 9.0, 9.0, "full", "") for n in NAMES)
    return write_plan(Plan(tuple(entries), "uoptime"), tmp_path / "plan.json")


def comparison(
    base: Path, head: Path, capsys: pytest.CaptureFixture[str], *more: str
) -> dict[str, list[str]]:
    options = ["--base", str(base), "--head", str(head), "--output", "json", "--fail-on", "never"]
    assert main(["compare", *options, *more]) == 0
    data = json.loads(capsys.readouterr().out)
    return {
        kind: [(entry.get("identity") or entry)["name"] for entry in data["ledger"][kind]]
        for kind in ("compared", "missing", "new", "gone")
    }


def test_all_iterations_of_a_narrowed_run_give_a_narrow_plan(tmp_path: Path) -> None:
    """Else a run by that plan measures the whole suite, as if every other benchmark were new."""
    results(tmp_path / "base.json", NAMES[:2], only="A")
    path = results(tmp_path / "series" / "base.json", NAMES[:2])
    assert main(["optimize", str(path), "--out", str(tmp_path / ".steady")]) == 0
    assert json.loads((tmp_path / ".steady" / "plan.json").read_text())["only"] == "A"


def test_a_narrowed_run_is_not_incomplete(
    tmp_path: Path, plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, head = (
        results(tmp_path / "run" / f"{side}.json", NAMES[:2], only="org.A") for side in SIDES
    )
    found = comparison(base, head, capsys, "--plan", str(plan))
    assert found == {"compared": list(NAMES[:2]), "missing": [], "new": [], "gone": []}


def test_the_command_line_decides(
    tmp_path: Path, plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = results(tmp_path / "b" / "base.json", NAMES[1:], only="org.A")
    head = results(tmp_path / "h" / "head.json", NAMES[:2])
    found = comparison(base, head, capsys, "--plan", str(plan), "--only", "two|three")
    assert found == {"compared": [NAMES[1]], "missing": [NAMES[2]], "new": [], "gone": []}


def test_an_expression_that_finds_nothing_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, head = (results(tmp_path / "run" / f"{side}.json", NAMES[:2]) for side in SIDES)
    assert main(["compare", "--base", str(base), "--head", str(head), "--only", "Typo"]) == 2
    assert "--only 'Typo' matches no benchmark" in capsys.readouterr().err


@looped("text", ["", "[", '{"header": 3}', '{"header": {"described": {"only": "("}}}'])
def test_without_a_word_or_with_a_strange_one_everything_counts(
    text: str, tmp_path: Path, plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, head = (results(tmp_path / "run" / f"{side}.json", NAMES[:2]) for side in SIDES)
    if text:
        base.with_name("run.json").write_text(text)
    assert comparison(base, head, capsys, "--plan", str(plan))["missing"] == [NAMES[2]]


def test_a_plan_knows_the_run_that_it_was_made_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    full = results(tmp_path / "full" / "results.json", NAMES[:2], only="org.A")
    out = tmp_path / ".steady"
    assert main(["optimize", str(full), "--out", str(out), "--jobs", "1"]) == 0
    assert json.loads((out / "plan.json").read_text())["only"] == "org.A"


@looped(
    ("first", "second", "both"), [("a", "b", "a|b"), ("a", "a", "a"), ("", "b", ""), ("a", "", "")]
)
def test_an_updated_plan_asks_for_what_both_runs_did(first: str, second: str, both: str) -> None:
    plan, part = (Plan((), "uoptime", only=only) for only in (first, second))
    assert update_plan(plan, part).only == both
