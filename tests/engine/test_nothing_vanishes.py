"""Every benchmark is counted once, equally everywhere; missing results have a reason."""

import math
import re
from pathlib import Path

import pytest
from whole_suite import Machine, ScriptedBuilds, Whole, WholeSuite, suite, whole_runs

import steady
from steady.cli import main
from steady.compare import compare
from steady.compare.alpha_spending import FIRST_LOOK
from steady.model import ExecutionConfiguration
from steady.optimize import BenchmarkPlan, Plan, write_plan
from tests.report.from_comparison import comment

DEADLOCK = "fatal error: all goroutines are asleep - deadlock!"
BOTH = ("base", "head")


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Whole:
    return whole_runs(monkeypatch, tmp_path)


def terms(text: str) -> dict[str, int]:
    """Return the parts of a count of benchmarks, which add up to the total."""
    total, _, rest = text.partition(" (")
    found = {what: int(many) for many, what in re.findall(r"(\d+) ([a-z ]+?)(?:, |\)$)", rest)}
    assert sum(found.values()) == int(total)
    return found


@pytest.mark.parametrize("versions", [BOTH, ("base",), ("head",)])
def test_failures_make_the_verdict_incomplete_and_are_listed(
    versions: tuple[str, ...], whole: Whole, capsys: pytest.CaptureFixture[str]
) -> None:
    names = suite(4)
    lost = {names[2]: "it did not run once in 30 s"} if versions == BOTH else {}
    fails = {(names[1], version): DEADLOCK for version in versions}
    ran = whole(WholeSuite(names, fails=fails, lost=lost), time_budget="10m")
    assert ran.outcome.exit_code == 1
    assert ran.comparison.verdict == "incomplete"
    failed = {missing.identity: missing for missing in ran.comparison.ledger.failed}
    assert {identity: one.reason for identity, one in failed.items()} == {names[1]: DEADLOCK} | lost
    assert failed[names[1]].side == ("both" if versions == BOTH else versions[0])
    assert terms(ran.counted) == {"compared": 4 - len(failed), "without a result": len(failed)}
    assert main(["compare", "results"]) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert DEADLOCK in told
    assert "m1 [n=0]" in told


def test_the_sum_is_the_same_in_run_compare_and_comment(
    whole: Whole, capsys: pytest.CaptureFixture[str]
) -> None:
    names = suite(60, 3)
    harness = WholeSuite(names, fails={(names[100], version): DEADLOCK for version in BOTH})
    builds = ScriptedBuilds(harness.machine, names[:90], {names[100]: 1})
    ran = whole(harness, builds, time_budget="5m")
    found = terms(ran.counted)
    assert found["same code"] == 90, "also controls that there was no time for"
    assert found["without a result"] == 1
    assert found["compared"] >= 5
    assert found["screened"] >= 60, "each that may have changed, apart from the measured ones"
    assert sum(found.values()) == 180
    assert ran.comparison.ledger.as_sum == ran.counted
    said = f"Benchmarks: {ran.counted}."
    assert said in comment(ran.comparison)
    main(["compare", "results"])
    assert said in " ".join(capsys.readouterr().out.split())
    main(["report", "results"])
    assert said in Path("steady-report/comment.md").read_text(encoding="utf-8")
    assert ran.line(f"{found['screened']} benchmarks not measured: screening shows no sign of")
    late, few = ran.outcome.state.not_begun, found.get("not measured", 0)
    same = sum(identity in late for identity in names[:90])
    assert len(late) == found["screened"] + few + same


def test_unmeasured_benchmarks_are_listed_in_one_line_by_method(
    whole: Whole, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = whole(WholeSuite(suite(60, 10)), time_budget="2m")
    found = terms(ran.counted)
    assert found["screened"] > 20
    assert found["not measured"] > 540
    line = ran.line("too short for", "increase --time-budget")
    assert f"{found['not measured']} benchmarks (org.Bench" in line
    assert re.search(r"m\d+ \((9|10)\)", line)
    assert len(line) < 400
    assert ran.comparison.verdict in ("unchanged", "unclear")
    assert comment(ran.comparison).count("the time budget was too short") <= 2
    main(["compare", "results"])
    assert len(capsys.readouterr().out.splitlines()) < 80


def test_without_any_measured_benchmark_the_verdict_is_no_pass(whole: Whole) -> None:
    names = suite(20)
    harness = WholeSuite(names, Machine(busy=1100.0))
    ran = whole(harness, ScriptedBuilds(harness.machine, names[:10]), time_budget="1m")
    assert len(ran.comparison.changes) == 0
    assert ran.comparison.verdict == "incomplete"
    assert terms(ran.counted) == {"same code": 10, "not measured": 10}
    assert "10 benchmarks that may have changed were not measured" in comment(ran.comparison)


def test_a_resumed_run_drops_earlier_gaps(whole: Whole, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = WholeSuite(suite(2))
    measure = WholeSuite.measure_in_turn
    stops = iter([False, True])

    def stopped(self, trials, results):  # type: ignore[no-untyped-def]
        if next(stops, False):
            raise KeyboardInterrupt
        return measure(self, trials, results)

    monkeypatch.setattr(WholeSuite, "measure_in_turn", stopped)
    ran = whole(harness, time_budget="10m")
    assert ran.outcome.exit_code == 130
    entries = ran.comparison.ledger.failed
    assert entries
    assert all("`steady run --resume` goes on" in entry.reason for entry in entries)
    ran = whole(harness, time_budget="10m", resume=True)
    assert ran.comparison.ledger.complete
    assert not Path("results/not-run.json").exists()
    assert not any(line.startswith("benchmarks: ") for line in ran.lines), "all were compared"


def joined_sum() -> str:
    base, head = (steady.load(f"joined/{side}.json") for side in BOTH)
    return compare(base, head).ledger.as_sum


def test_a_joined_shard_keeps_missing_results(whole: Whole) -> None:
    names = suite(4)
    harness = WholeSuite(names, fails={(names[0], side): DEADLOCK for side in BOTH})
    for number in (1, 2):
        whole(harness, full="2x5", shard=f"{number}/2", out=f"shard-{number}")
    assert main(["merge", "shard-1", "shard-2", "--out", "joined"]) == 1
    assert joined_sum() == "4 (3 compared, 1 without a result)"


def test_more_shards_than_benchmarks_are_joined_completely(whole: Whole) -> None:
    names, one = suite(8), ExecutionConfiguration(3, 2, 5, 1.0, 1.0)
    entries = (BenchmarkPlan(i, one, one, 21.0, 21.0, "reduced", "") for i in names)
    plan = write_plan(Plan(tuple(entries), "uoptime", harness="jmh"), Path("plan.json"))
    harness = WholeSuite(names)
    builds = ScriptedBuilds(harness.machine, names[:7], {names[7]: 1})
    shards = [f"shard-{number}" for number in (1, 2, 3)]
    for number, out in enumerate(shards, start=1):
        ran = whole(harness, builds, plan=plan, shard=f"{number}/3", out=out)
        assert ran.outcome.exit_code == 0
    assert main(["merge", *shards, "--out", "joined", "--plan", str(plan)]) == 0
    assert joined_sum() == "8 (1 compared, 7 same code)"


@pytest.mark.parametrize("looking", [0.0, 60.0])
def test_the_shares_refer_to_the_remaining_time(
    looking: float, whole: Whole, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steady.engine.run_plan.SCREENED_FROM", math.inf)
    harness = WholeSuite(suite(60), Machine(looking=looking))
    ran = whole(harness, ScriptedBuilds(harness.machine, ()), time_budget="4m")
    line = ran.line("this run starts with part")
    parts = int(re.search(r"of ([\d,]+), chosen", line)[1])  # type: ignore[index]
    forks = len(harness.begun) / FIRST_LOOK  # as if each had gone on up to a verdict
    assert 0.7 * 60 / forks <= parts <= 1.6 * 60 / forks
