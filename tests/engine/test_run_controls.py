"""Controls among skipped benchmarks, and the measurement of the others if one differs."""

from pathlib import Path

import pytest
from whole_suite import ScriptedBuilds, Whole, WholeSuite, suite, whole_runs

from steady.compare.ledger import IN_DOUBT
from steady.compare.summary import Summary
from steady.report.sentences import control_warning


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Whole:
    monkeypatch.chdir(tmp_path)
    return whole_runs(monkeypatch, tmp_path)


def test_one_control_is_measured_if_everything_is_skipped(whole: Whole) -> None:
    names = suite(40)
    harness = WholeSuite(names)
    ran = whole(harness, ScriptedBuilds(harness.machine, names), time_budget="5m")
    assert len(set(harness.begun)) == 1
    assert ran.comparison.verdict == "same code"
    assert harness.machine.taken < 60


def test_nothing_is_measured_if_nothing_differs(whole: Whole) -> None:
    names = suite(40)
    harness = WholeSuite(names)
    builds = ScriptedBuilds(harness.machine, names, nothing_differs=True)
    assert whole(harness, builds, time_budget="5m").comparison.verdict == "same code"
    assert harness.begun == []
    assert harness.machine.taken < 1


def test_a_differing_control_casts_doubt_on_the_skipped(whole: Whole) -> None:
    names = suite(40)
    harness = WholeSuite(names, slower=dict.fromkeys(names, 1.2))
    ran = whole(harness, ScriptedBuilds(harness.machine, names), time_budget="5m")
    comparison = ran.comparison
    assert len(comparison.controls) == 1
    assert 3 <= len(comparison.changes) < 39, "as many as the time allows"
    assert {change.outcome for change in comparison.changes} == {"regression"}
    assert comparison.ledger.same_code == ()
    doubted = [one for one in comparison.ledger.not_run if one.reason == IN_DOUBT]
    assert len(doubted) + len(comparison.changes) == 39
    assert 200 < harness.machine.taken <= 310
    counted = f"{len(doubted)} skipped benchmarks count as not measured"
    assert counted in control_warning(Summary.of(comparison))


def test_without_time_for_the_skipped_the_verdict_is_incomplete(whole: Whole) -> None:
    names = suite(40)
    harness = WholeSuite(names, slower=dict.fromkeys(names, 1.2))
    ran = whole(harness, ScriptedBuilds(harness.machine, names), time_budget="35s")
    assert ran.comparison.changes == ()
    assert ran.comparison.verdict == "incomplete"
    assert len(ran.comparison.ledger.not_run) == 39


def test_a_run_stopped_in_doubt_can_be_resumed(
    whole: Whole, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = suite(12)
    harness = WholeSuite(names, slower=dict.fromkeys(names, 1.2))
    builds = ScriptedBuilds(harness.machine, names)
    measure = harness.measure_in_turn

    def stopped(*arguments: object) -> object:
        if len(harness.begun) == 6:
            monkeypatch.setattr(harness, "measure_in_turn", measure)
            raise KeyboardInterrupt
        return measure(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(harness, "measure_in_turn", stopped)
    assert whole(harness, builds, time_budget="10m").outcome.state.interrupted
    ran = whole(harness, builds, time_budget="10m", resume=True)
    assert len(ran.comparison.changes) == 11
    assert ran.comparison.ledger.same_code == ()
