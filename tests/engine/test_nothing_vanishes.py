"""Every benchmark is counted once, and alike by all; what has no result is named, and why."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from whole_suite import Machine, ScriptedBuilds, WholeSuite, run_whole, suite

import steady
from steady.cli import main
from steady.compare import Comparison, compare
from steady.compare.alpha_spending import FIRST_LOOK
from steady.engine.run_outcome import RunOutcome
from steady.model import ExecutionConfiguration
from steady.optimize import BenchmarkPlan, Plan, write_plan
from tests.report.from_comparison import comment

DEADLOCK = "fatal error: all goroutines are asleep - deadlock!"


def compared(outcome: RunOutcome) -> Comparison:
    return compare(outcome.suites["base"], outcome.suites["head"])


def counted(lines: list[str]) -> str:
    """Return the sum that a run says at its end."""
    [line] = [line for line in lines if line.startswith("benchmarks: ")]
    return line.removeprefix("benchmarks: ")


def terms(text: str) -> dict[str, int]:
    """Return the terms of a sum, once it is known that it adds up."""
    total, _, rest = text.partition(" = ")
    found = {what: int(many) for many, what in re.findall(r"(\d+) ([a-z ]+?)(?: \+ |$)", rest)}
    assert sum(found.values()) == int(total)
    return found


@pytest.mark.parametrize("versions", [("base", "head"), ("base",), ("head",)])
def test_what_fails_makes_the_verdict_incomplete_and_is_named(
    versions: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = suite(4)
    harness = WholeSuite(Machine(), names)
    harness.fails = {(names[1], version): DEADLOCK for version in versions}
    outcome, lines = run_whole(monkeypatch, tmp_path, harness, time_budget="10m")
    assert outcome.exit_code == 1
    comparison = compared(outcome)
    assert comparison.verdict == "incomplete"
    [missing] = comparison.ledger.failed
    assert (missing.identity, missing.reason) == (names[1], DEADLOCK)
    assert missing.side == ("both" if len(versions) == 2 else versions[0])
    assert terms(counted(lines)) == {"compared": 3, "without a result": 1}
    assert main(["compare", "results"]) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert DEADLOCK in told
    assert "m1 [n=0]" in told


def test_the_sum_is_the_same_in_run_compare_and_comment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = suite(60, 3)
    machine = Machine(pair=7.0)
    harness = WholeSuite(machine, names)
    harness.fails = {(names[100], version): DEADLOCK for version in ("base", "head")}
    builds = ScriptedBuilds(machine, names[:90], {names[100]: 1})
    outcome, lines = run_whole(monkeypatch, tmp_path, harness, builds, time_budget="5m")
    said = counted(lines)
    found = terms(said)
    assert found["same code"] == 90, "also controls that there was no time for"
    assert found["without a result"] == 1
    assert found["compared"] >= 6
    assert sum(found.values()) == 180
    comparison = compared(outcome)
    assert comparison.ledger.as_sum == said
    assert f"Benchmarks: {said}." in comment(comparison)
    main(["compare", "results"])
    assert f"Benchmarks: {said}." in " ".join(capsys.readouterr().out.split())
    main(["report", "results"])
    assert f"Benchmarks: {said}." in Path("steady-report/comment.md").read_text(encoding="utf-8")
    [line] = [line for line in lines if "too short to look at" in line and "give more" in line]
    assert f"look at {found['not looked at']} benchmarks (" in line
    late = outcome.state.not_begun
    assert len(late) == found["not looked at"] + sum(identity in late for identity in names[:90])


def test_what_was_not_looked_at_is_named_in_one_line_by_method(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    harness = WholeSuite(Machine(pair=7.0), suite(60, 10))
    outcome, lines = run_whole(monkeypatch, tmp_path, harness, time_budget="2m")
    late = len(outcome.state.not_begun)
    assert late > 570
    [line] = [line for line in lines if "too short to look at" in line and "give more" in line]
    assert f"look at {late} benchmarks (org.Bench" in line
    assert re.search(r"m\d+ \((9|10)\)", line)
    assert len(line) < 400
    comparison = compared(outcome)
    assert comparison.verdict in ("unchanged", "unclear")
    text = comment(comparison)
    assert text.count("the time budget was too short") <= 2
    main(["compare", "results"])
    assert len(capsys.readouterr().out.splitlines()) < 80


def test_where_nothing_that_may_differ_was_looked_at_there_is_no_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = suite(20)
    harness = WholeSuite(Machine(busy=1100.0), names)
    builds = ScriptedBuilds(harness.machine, names[:10])
    outcome, lines = run_whole(monkeypatch, tmp_path, harness, builds, time_budget="1m")
    comparison = compared(outcome)
    assert len(comparison.changes) == 0
    assert comparison.verdict == "incomplete"
    assert terms(counted(lines)) == {"same code": 10, "not looked at": 10}
    assert "10 benchmarks that may differ were not looked at" in comment(comparison)


def test_what_the_search_did_not_come_to_the_end_of_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = suite(4)
    harness = WholeSuite(Machine(), names)
    harness.lost = {names[2]: "it did not run once in 30 s"}
    outcome, lines = run_whole(monkeypatch, tmp_path, harness, time_budget="10m")
    comparison = compared(outcome)
    assert comparison.verdict == "incomplete"
    assert [(m.identity, m.reason) for m in comparison.ledger.failed] == [
        (names[2], "it did not run once in 30 s")
    ]
    assert terms(counted(lines)) == {"compared": 3, "without a result": 1}


def test_a_run_that_goes_on_forgets_what_was_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = suite(2)
    harness = WholeSuite(Machine(), names)
    measure = WholeSuite.measure_in_turn
    stops = iter([False, True])

    def stopped(self, trials, results):  # type: ignore[no-untyped-def]
        if next(stops, False):
            raise KeyboardInterrupt
        return measure(self, trials, results)

    monkeypatch.setattr(WholeSuite, "measure_in_turn", stopped)
    outcome, _ = run_whole(monkeypatch, tmp_path, harness, time_budget="10m")
    assert outcome.exit_code == 130
    entries = compared(outcome).ledger.failed
    assert entries
    assert all("`steady run --resume` goes on" in entry.reason for entry in entries)
    outcome, lines = run_whole(monkeypatch, tmp_path, harness, time_budget="10m", resume=True)
    assert compared(outcome).ledger.complete
    assert not Path("results/not-run.json").exists()
    assert not any(line.startswith("benchmarks: ") for line in lines), "all were compared"


def test_a_shard_that_is_joined_keeps_what_left_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = suite(4)
    harness = WholeSuite(Machine(), names)
    harness.fails = {(name, side): DEADLOCK for name in names[:1] for side in ("base", "head")}
    for number in (1, 2):
        part, out = f"{number}/2", f"shard-{number}"
        run_whole(monkeypatch, tmp_path, harness, full="2x5", shard=part, out=out)
    assert main(["merge", "shard-1", "shard-2", "--out", "joined"]) == 1
    base, head = (steady.load(f"joined/{side}.json") for side in ("base", "head"))
    comparison = compare(base, head)
    assert [one.identity for one in comparison.ledger.failed] == [names[0]]
    assert comparison.ledger.as_sum == "4 = 3 compared + 1 without a result"


def test_more_shards_than_may_differ_are_joined_to_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, one = suite(8), ExecutionConfiguration(3, 2, 5, 1.0, 1.0)
    entries = (BenchmarkPlan(i, one, one, 21.0, 21.0, "reduced", "") for i in names)
    plan = write_plan(Plan(tuple(entries), "uoptime", harness="jmh"), tmp_path / "plan.json")
    harness = WholeSuite(Machine(), names)
    builds = ScriptedBuilds(harness.machine, names[:7], {names[7]: 1})
    shards = [f"shard-{number}" for number in (1, 2, 3)]
    for number, out in enumerate(shards, start=1):
        part = f"{number}/3"
        outcome, _ = run_whole(
            monkeypatch, tmp_path, harness, builds, plan=plan, shard=part, out=out
        )
        assert outcome.exit_code == 0
    assert main(["merge", *shards, "--out", "joined", "--plan", str(plan)]) == 0
    base, head = (steady.load(f"joined/{side}.json") for side in ("base", "head"))
    assert compare(base, head).ledger.as_sum == "8 = 7 same code + 1 compared"


@pytest.mark.parametrize("looking", [0.0, 60.0])
def test_the_parts_are_of_the_time_that_is_left(
    looking: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = suite(60)
    harness = WholeSuite(Machine(looking=looking), names)
    builds = ScriptedBuilds(harness.machine, ())
    _, lines = run_whole(monkeypatch, tmp_path, harness, builds, time_budget="4m")
    [line] = [line for line in lines if "this run begins with part" in line]
    parts = int(re.search(r"of ([\d,]+), as", line)[1])  # type: ignore[index]
    forks = len(harness.begun) / FIRST_LOOK  # as if each had gone on up to a verdict
    assert 0.7 * 60 / forks <= parts <= 1.6 * 60 / forks
