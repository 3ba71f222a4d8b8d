"""One budget covers all steps of a run; progress is printed; findings are kept."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from whole_suite import Machine, ScriptedBuilds, Whole, WholeSuite, suite, whole_runs

from steady.cli import main
from steady.engine.priority import nearest_first
from steady.engine.progress import SILENT_SECONDS, Heartbeat, PlainLines
from steady.engine.time_limit import Budget, Clock, TimeLimit
from steady.harness.builds import FAR


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Whole:
    return whole_runs(monkeypatch, tmp_path)


@pytest.mark.parametrize(
    ("benchmarks", "machine"),
    [
        (1, Machine()),
        (12, Machine(start=3.0, looking=9.0)),
        (60, Machine(pair=11.0, listing=4.0)),
        (300, Machine(looking=5.0)),
        (900, Machine(each_listed=1.0, pair=2.0)),
        pytest.param(5000, Machine(looking=15.0), marks=pytest.mark.thorough),
    ],
)
@pytest.mark.parametrize("minutes", [1, 5])
def test_all_steps_count_in_the_budget(
    benchmarks: int, machine: Machine, minutes: int, whole: Whole
) -> None:
    machine.now = 1000.0
    names = suite(benchmarks)
    builds = ScriptedBuilds(machine, names[: benchmarks // 3])
    ran = whole(WholeSuite(names, machine), builds, time_budget=f"{minutes}m")
    assert machine.taken <= 60.0 * minutes + max(5.0, 0.05 * 60.0 * minutes)
    identities = ran.comparison.ledger.identities
    assert len(set(identities)) == len(identities) == benchmarks


def test_builds_do_not_count_in_the_budget(whole: Whole) -> None:
    harness = WholeSuite(suite(4), Machine(building=400.0))
    harness.builder = "cargo"
    assert whole(harness, time_budget="2m").outcome.exit_code == 0
    assert set(harness.begun) == set(harness.identities)
    assert 80.0 <= harness.machine.taken - 2 * 400.0 <= 126.0


def test_waiting_for_another_program_counts_in_the_budget(whole: Whole) -> None:
    harness = WholeSuite(suite(5), Machine(busy=1000.0 + 3600.0))
    ran = whole(harness, time_budget="2m")
    assert harness.machine.taken <= 126.0
    assert set(ran.outcome.state.not_begun) == set(suite(5))
    assert ran.line("waiting at most 1 min 59 s")


def test_a_started_pair_ends_with_the_budget(whole: Whole) -> None:
    names = suite(2)
    harness = WholeSuite(names, Machine(pair=9.0), slow={names[1]: 500.0})
    ran = whole(harness, time_budget="2m")
    assert harness.machine.taken <= 126.0
    assert ran.comparison.verdict == "incomplete", "it hangs, and is no benchmark without time"
    assert [one.identity for one in ran.comparison.ledger.failed] == [names[1]]


def test_a_hanging_fork_costs_a_small_share_of_the_budget_once(whole: Whole) -> None:
    names = suite(6)
    harness = WholeSuite(names, Machine(pair=4.0), slow={names[0]: 9999.0})
    whole(harness, time_budget="5m")
    assert harness.begun.count(names[0]) == 1
    lost = harness.machine.taken - 4.0 * (len(harness.begun) - 1)
    assert lost <= 0.3 * 300.0


def test_a_fork_cut_off_slightly_late_has_not_failed(whole: Whole) -> None:
    names = suite(1)
    state = whole(WholeSuite(names, Machine(start=50.0, pair=14.0)), time_budget="1m").outcome.state
    assert state.lost == ()
    assert state.not_begun == names or len(state.records) == 2


@pytest.mark.parametrize("benchmarks", [3, 600])
def test_a_minute_is_enough_for_two_verdicts(benchmarks: int, whole: Whole) -> None:
    harness = WholeSuite(suite(benchmarks), Machine(start=1.0, pair=7.0))
    whole(harness, time_budget="1m")
    assert harness.machine.taken <= 65.0
    rounds = {one: harness.begun.count(one) for one in harness.begun}
    assert sum(many >= 3 for many in rounds.values()) >= 2
    assert sum(many == 2 for many in rounds.values()) <= 1, "a glance, or all up to a verdict"


def test_the_nearest_come_first_with_one_case_per_method(whole: Whole) -> None:
    names = suite(3, 2)
    order = nearest_first(names, {names[4]: (1, 0.0), names[2]: (2, 0.0)})
    assert order == (names[4], names[2], names[0], names[1], names[3], names[5])
    order = nearest_first(names, {names[4]: (1, 0.0), names[5]: (1, 0.0), names[2]: (2, 0.0)})
    assert order[:3] == (names[4], names[2], names[5]), "what has no way to a change comes last"
    doors = {names[4]: (1, 0.0), names[5]: (1, 0.0), names[0]: (FAR + 2, 0.0)}
    assert nearest_first(names, doors)[:2] == (names[4], names[5]), "anything may run is no way"
    names = suite(40)
    harness = WholeSuite(names)
    builds = ScriptedBuilds(harness.machine, (), {names[31]: 1, names[17]: 2})
    whole(harness, builds, time_budget="1m")
    assert set(harness.begun[:2]) == {names[31], names[17]}


def test_the_nearest_are_decided_before_others_start(whole: Whole) -> None:
    """The variance is so large that three rounds are not enough; the others may run any code."""
    names = suite(200)
    near = {names[150]: 5, names[70]: 6}
    harness = WholeSuite(names, spread=0.05, slower=dict.fromkeys(near, 1.3))
    builds = ScriptedBuilds(harness.machine, (), near | {names[3]: FAR + 2, names[9]: FAR + 3})
    changes = whole(harness, builds, time_budget="3m").comparison.changes
    assert {c.identity for c in changes if c.outcome == "regression"} == set(near)
    first = next(place for place, one in enumerate(harness.begun) if one not in near)
    assert set(harness.begun[:first]) == set(near)
    assert not set(harness.begun[first:]) & set(near)
    assert first < len(harness.begun), "the rest of the time is for the others"
    assert harness.machine.taken <= 189.0


def test_controls_get_the_remaining_time(whole: Whole) -> None:
    names = suite(60)
    own = names[:4]
    shares = []
    for number, same in enumerate([names[4:], ()]):
        harness = WholeSuite(names if same else own, spread=0.05)
        builds = ScriptedBuilds(harness.machine, same)
        ran = whole(harness, builds, time_budget="6m", out=f"results-{number}")
        trials = ran.outcome.state.trials
        shares.append(max(trial.seconds for trial in trials if trial.identity in own))
        if same:
            first = next(place for place, one in enumerate(harness.begun) if one not in own)
            assert min(harness.begun[:first].count(one) for one in own) >= 5
            assert len(set(harness.begun[first:]) - set(own)) >= 2
    assert shares[0] == pytest.approx(shares[1], rel=0.05)


@pytest.mark.parametrize("stopped_at", [3, 8, 13])
def test_a_run_in_stages_can_be_resumed(
    stopped_at: int, whole: Whole, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = suite(100)
    near = {names[50]: 5, names[70]: 6}
    harness = WholeSuite(names, spread=0.05)
    builds = ScriptedBuilds(harness.machine, (), near)
    measure = harness.measure_in_turn

    def stopped(*arguments: Any) -> Any:
        if len(harness.begun) == stopped_at:
            monkeypatch.setattr(harness, "measure_in_turn", measure)
            raise KeyboardInterrupt
        return measure(*arguments)

    monkeypatch.setattr(harness, "measure_in_turn", stopped)
    assert whole(harness, builds, time_budget="3m").outcome.state.interrupted
    state = whole(harness, builds, time_budget="3m", resume=True).outcome.state
    assert not state.interrupted
    assert len(harness.begun) > 12
    assert len(state.records) == 2 * len(harness.begun), "nothing is measured twice"
    first = next(place for place, one in enumerate(harness.begun) if one not in near)
    assert set(harness.begun[:first]) == set(near)
    assert min(harness.begun[:first].count(one) for one in near) >= 3
    assert first < 21, "what is hardly going to have a verdict lets the others begin"
    assert harness.machine.taken <= 189.0


def test_a_cold_benchmark_continues_if_there_is_time_for_all(whole: Whole) -> None:
    names = suite(50)
    harness = WholeSuite(names, cold=names[7:8])
    builds = ScriptedBuilds(harness.machine, (), {names[7]: 1, names[8]: 2})
    whole(harness, builds, time_budget="2m")
    assert harness.begun.count(names[7]) >= 3
    harness = WholeSuite(names, cold=names)
    whole(harness, time_budget="2m", out="others")
    counts = [harness.begun.count(one) for one in dict.fromkeys(harness.begun)]
    assert counts[0] == 2, "once more, with twice the time"
    assert max(counts[1:]) == 1, "the others have it at once; others wait"


def test_the_folder_of_an_empty_run_can_be_reused(
    whole: Whole, capsys: pytest.CaptureFixture[str]
) -> None:
    harness = WholeSuite(suite(5), Machine(busy=9999.0))
    builds = ScriptedBuilds(harness.machine, ())
    whole(harness, builds, time_budget="1m")
    assert main(["compare", "results"]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "no fork was run" in told
    assert "another folder" not in told
    harness.machine.busy = 0.0
    assert whole(harness, builds, time_budget="5m").outcome.exit_code == 0


class Said(list[str]):
    """The printed lines, with plain spaces."""

    def add(self, line: str) -> None:
        self.append(line.replace("\u00a0", " "))


class TestHeartbeat:
    def beating(self, seconds: float) -> tuple[Heartbeat, Said, Callable[[float], float]]:
        """Return a heartbeat, its lines, and a function that lets it beat at a given time."""
        now, lines = [0.0], Said()
        budget = Budget(seconds, 0.0, Clock(lambda: now[0]))
        pulse = Heartbeat(lines.add, budget, lambda: now[0])

        def at(moment: float) -> float:
            now[0] = moment
            return pulse.beat()

        return pulse, lines, at

    def test_it_prints_only_after_a_silence(self) -> None:
        pulse, lines, at = self.beating(300.0)
        pulse.begin("looking for benchmarks")
        assert at(5.0) == pytest.approx(4.0)
        pulse.say("found some")
        assert at(5.0 + SILENT_SECONDS) == SILENT_SECONDS
        assert lines == ["found some", "looking for benchmarks (14 s of 5 min 00 s)"]

    def test_it_prints_the_running_fork_unless_the_watcher_shows_it(self) -> None:
        pulse, lines, at = self.beating(math.inf)
        forks = PlainLines(lines.add)
        pulse.watch(forks)
        forks.running = "measuring base and head of a.B.c"
        at(8.0)
        forks.said("1 of 2 forks done")
        assert at(16.0) < SILENT_SECONDS
        at(17.0)
        assert lines == ["1 of 2 forks done", "measuring base and head of a.B.c (after 17 s)"]
        forks.draws = True
        at(99.0)
        assert len(lines) == 2

    def test_steps_aside_do_not_count_in_the_budget(self) -> None:
        pulse, lines, at = self.beating(300.0)
        pulse.begin("looking for benchmarks")
        at(2.0)
        with pulse.aside("building base with cargo"):
            at(42.0)
        at(52.0)
        assert lines == [
            "building base with cargo (after 40 s)",
            "looking for benchmarks (12 s of 5 min 00 s)",
        ]

    def test_its_thread_ends_with_the_run(self) -> None:
        with Heartbeat(lambda _: None, Budget()) as pulse:
            assert pulse._thread.is_alive()
        assert not pulse._thread.is_alive()


def test_the_suggested_time_is_at_least_twice_the_budget(whole: Whole) -> None:
    asked: list[str] = []

    def ways(obstacle: str, fact: str) -> str:
        asked.append(fact)
        return ""

    whole(WholeSuite(suite(8)), time_budget="2m", ways=ways)
    assert asked
    assert int(asked[-1].removesuffix("m")) >= 4


def test_shares_refer_to_the_whole_budget_minus_the_end() -> None:
    budget = Budget(100.0, 1000.0, Clock(lambda: 1010.0))
    assert (budget.left(), budget.left(0.3)) == (90.0, 20.0)
    assert TimeLimit(60.0, 1000.0, ending=5.0).left(1010.0) == 45.0
