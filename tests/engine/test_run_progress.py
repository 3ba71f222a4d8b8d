from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console
from scripted_harness import NAMES, ScriptedHarness, run, workloads

from steady.cli.run import LiveView
from steady.engine import PlainLines, Watcher, schedule
from steady.engine.journal import JournalEntry
from steady.engine.progress import PRIOR_SECONDS

TRIALS = schedule(workloads(), seed=1)


def _record(number: int, seconds: float, reason: str = "") -> JournalEntry:
    return JournalEntry.of(TRIALS[number], "id:0", 0.0, seconds, reason=reason)


class TestProgress:
    def test_before_anything_is_known_the_plan_is_believed(self) -> None:
        progress = Watcher(print)
        progress.planned(TRIALS, [])
        assert (progress.done, progress.total, progress.fraction) == (0, 22, 0.0)
        assert progress.seconds_left == pytest.approx(22 * 5.5)

    def test_what_was_spent_scales_what_is_left(self) -> None:
        progress = Watcher(print)
        progress.planned(TRIALS, [_record(number, 11.0) for number in range(11)])
        pace = (11 * 11.0 + PRIOR_SECONDS) / (11 * 5.5 + PRIOR_SECONDS)
        assert progress.fraction == pytest.approx(0.5)
        assert progress.seconds_left == pytest.approx(11 * 5.5 * pace)

    def test_no_more_is_left_than_the_time_budget(self) -> None:
        progress = Watcher(print)
        progress.planned(TRIALS, [_record(number, 5.5) for number in range(2)])
        progress.limit = 44.0
        assert progress.seconds_left == 44.0
        assert progress.fraction == pytest.approx(11.0 / 55.0)
        progress.limit = 500.0
        assert progress.seconds_left == pytest.approx(20 * 5.5)
        assert progress.fraction == pytest.approx(2 / 22)

    def test_nothing_is_left_in_the_end(self) -> None:
        progress = Watcher(print)
        progress.planned(TRIALS, [])
        for trial in TRIALS:
            progress.finished([trial], [_record(trial.number, 1.0)])
        assert progress.seconds_left == 0.0
        progress.planned((), [])
        assert progress.fraction == 1.0


class TestPlainLines:
    def test_a_line_for_each_twentieth(self, tmp_path: Path) -> None:
        log: list[str] = []
        run(tmp_path, ScriptedHarness(), log=log)
        assert len(log) == 20
        assert log[0].startswith("2 of 22 forks done, about ")
        assert log[-1] == "22 of 22 forks done"

    def test_a_failed_fork_is_named_at_once(self, tmp_path: Path) -> None:
        log: list[str] = []
        run(tmp_path, ScriptedHarness({0: "crash"}), log=log)
        first = TRIALS[0]
        assert log[0] == (
            f"{first.identity.label}, {first.version}, round 1: its JVM ended with code 134"
        )

    def test_a_resumed_run_says_where_it_goes_on(self, tmp_path: Path) -> None:
        run(tmp_path, ScriptedHarness({11: "interrupt"}))
        log: list[str] = []
        run(tmp_path, ScriptedHarness(), resume=True, log=log)
        assert log[0].startswith("11 of 22 forks done, about ")
        assert len(log) == 11

    def test_the_end_is_said_once(self, tmp_path: Path) -> None:
        log: list[str] = []
        run(tmp_path, ScriptedHarness(), log=log, follow_up=lambda _: ())
        assert log.count("22 of 22 forks done") == 1

    def test_the_start_of_a_fork_is_silent(self) -> None:
        log: list[str] = []
        PlainLines(log.append).started(TRIALS[:2])
        assert log == []

    def test_a_pair_is_done_at_once(self, tmp_path: Path) -> None:
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
