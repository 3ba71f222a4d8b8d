import io
from pathlib import Path

import pytest
from rich.console import Console
from scripted_harness import CRASHED, NAMES, TRIALS, ScriptedHarness, run

from steady.cli.run import LiveView
from steady.engine import Watcher
from steady.engine.journal import JournalEntry
from steady.engine.progress import PRIOR_SECONDS


def _record(number: int, seconds: float, reason: str = "") -> JournalEntry:
    return JournalEntry.of(TRIALS[number], "id:0", 0.0, seconds, reason=reason)


def _watched(*records: JournalEntry) -> Watcher:
    progress = Watcher(print)
    progress.planned(TRIALS, records)
    return progress


def test_the_time_spent_scales_the_estimate() -> None:
    progress = _watched()  # before anything is known the plan is believed
    assert (progress.done, progress.total, progress.fraction) == (0, 22, 0.0)
    assert progress.seconds_left == pytest.approx(22 * 5.5)
    progress = _watched(*(_record(number, 11.0) for number in range(11)))
    pace = (11 * 11.0 + PRIOR_SECONDS) / (11 * 5.5 + PRIOR_SECONDS)
    assert progress.fraction == pytest.approx(0.5)
    assert progress.seconds_left == pytest.approx(11 * 5.5 * pace)


def test_the_estimate_is_limited_by_the_budget_and_ends_at_zero() -> None:
    progress = _watched(_record(0, 5.5), _record(1, 5.5))
    progress.limit = 44.0
    assert progress.seconds_left == 44.0
    assert progress.fraction == pytest.approx(11.0 / 55.0)
    progress.limit = 500.0
    assert progress.seconds_left == pytest.approx(20 * 5.5)
    assert progress.fraction == pytest.approx(2 / 22)
    for trial in TRIALS[2:]:
        progress.finished([trial], [_record(trial.number, 1.0)])
    assert progress.seconds_left == 0.0
    progress.planned((), [])
    assert progress.fraction == 1.0


class TestPlainLines:
    def test_a_line_for_each_twentieth_and_for_each_failed_fork(self, tmp_path: Path) -> None:
        log: list[str] = []
        run(tmp_path, ScriptedHarness({0: "crash"}), log=log, follow_up=lambda _: ())
        assert len(log) == 21
        assert log[0] == f"{TRIALS[0].identity.label}, {TRIALS[0].version}, round 1: {CRASHED}"
        assert log[1].startswith("2 of 22 forks done, about ")
        assert log[-1] == "22 of 22 forks done"
        assert log.count(log[-1]) == 1

    def test_a_resumed_run_prints_its_progress(self, tmp_path: Path) -> None:
        run(tmp_path, ScriptedHarness({11: "interrupt"}))
        log: list[str] = []
        run(tmp_path, ScriptedHarness(), resume=True, log=log)
        assert log[0].startswith("11 of 22 forks done, about ")
        assert len(log) == 11

    def test_a_pair_finishes_in_one_step_and_starts_silently(self, tmp_path: Path) -> None:
        log: list[str] = []
        run(tmp_path, ScriptedHarness(), turns="iterations", log=log)
        assert [line.split()[0] for line in log] == [str(2 * done) for done in range(1, 12)]


def test_the_live_view_shows_what_runs_and_what_failed() -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=140, color_system=None)
    first, second = TRIALS[:2]
    with LiveView(console) as view:
        view.planned(TRIALS, [])
        view.started([first])
        view.finished([first], [_record(first.number, 5.5, "it \x1b[31m threw [bold]")])
        view.started([second])
        view.started(TRIALS[2:4])
    shown = stream.getvalue()
    assert f"{first.version} {first.identity.label}" in shown
    assert f"{second.version} {second.identity.label}" in shown
    assert f"base and head {TRIALS[2].identity.label}" in shown
    assert "0/22" in shown
    assert "1/22" in shown
    assert "2\xa0min\xa001\xa0s left" in shown
    assert "it \\x1b[31m threw [bold]" in shown
    assert any(name in shown for name in NAMES)
