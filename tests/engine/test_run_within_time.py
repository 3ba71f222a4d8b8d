"""The time budget is the whole job: kept, with a plan and without, whatever was promised."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from simulated_suite import DECLARED, SimulatedHarness, recorded_series, run_within

from steady.compare.alpha_spending import looks_of
from steady.engine import RunState, Trial, TrialError, Turn, Workload, first_rounds
from steady.engine.first_rounds import GLANCES_SHARE, order_by_number
from steady.engine.follow_up import Looks
from steady.engine.time_limit import SPARE_SECONDS
from steady.engine.unplanned import ROUNDS, unplanned
from steady.harness.jmh.run.joint_stop import PATIENCE
from steady.model import ExecutionConfiguration, Identity
from steady.readers import load
from tests.looped import looped

TEN_MINUTES = 600.0
FIRST_LOOK = looks_of(ROUNDS)[0]


def suite_of(benchmarks: int, seconds: float) -> list[Workload]:
    names = recorded_series(benchmarks)
    held = {"base": names, "head": names}
    declared = dict.fromkeys(names, DECLARED)
    return unplanned(list(names), held, declared, harness="jmh", seconds=seconds)


def rounds(state: RunState) -> Counter[Identity]:
    measured = (t.identity for t in state.trials if t.number in state.records)
    return Counter({identity: number // 2 for identity, number in Counter(measured).items()})


def test_ten_minutes_are_kept_and_everything_is_looked_at(tmp_path: Path) -> None:
    series = recorded_series(20)
    changed = list(series)[::17]
    harness = SimulatedHarness(series, dict.fromkeys(changed, 1.12))
    state, decider, _ = run_within(tmp_path, harness, suite_of(20, TEN_MINUTES), TEN_MINUTES)
    assert harness.now - 1000.0 <= 1.05 * TEN_MINUTES
    assert state.complete
    assert state.too_few_rounds(decider.looks) == ()
    assert min(rounds(state).values()) >= FIRST_LOOK
    comparison = decider.compared(*(load(state.merged[name]) for name in ("base", "head")))
    found = {c.identity for c in comparison.changes if c.outcome == "regression"}
    assert found == set(changed)


@pytest.mark.thorough
def test_of_a_larger_suite_as_many_are_looked_at_as_become_warm(tmp_path: Path) -> None:
    series = recorded_series(80)
    changed = list(series)[::17]
    harness = SimulatedHarness(series, dict.fromkeys(changed, 1.12))
    state, decider, _ = run_within(tmp_path, harness, suite_of(80, TEN_MINUTES), TEN_MINUTES)
    assert 0.9 * TEN_MINUTES <= harness.now - 1000.0 <= 1.05 * TEN_MINUTES
    assert state.complete
    begun = set(series) - set(state.not_begun)
    assert len(begun) >= 45, "those who differ at first sight go on, the others make room"
    comparison = decider.compared(*(load(state.merged[name]) for name in ("base", "head")))
    found = {c.identity for c in comparison.changes if c.outcome == "regression"}
    assert found <= set(changed)
    assert found >= set(changed) & begun


@pytest.mark.thorough
def test_glances_find_more_of_what_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/running.md quotes what this counts: of thirty, 23 with glances and 16 without."""
    series = recorded_series(40)
    names = list(series)
    found = {GLANCES_SHARE: 0, -1.0: 0}
    for share in found:
        monkeypatch.setattr(first_rounds, "GLANCES_SHARE", share)
        for seed in range(6):
            draw = np.random.default_rng(1000 + seed)
            order = [names[index] for index in draw.permutation(40)]
            changed = [names[index] for index in draw.choice(40, 5, replace=False)]
            harness = SimulatedHarness(series, dict.fromkeys(changed, 1.2))
            harness.generator = np.random.default_rng(seed)
            folder = tmp_path / f"{share}-{seed}"
            state, decider, _ = run_within(
                folder, harness, suite_of(40, 300.0), 300.0, precedence=order
            )
            comparison = decider.compared(*(load(state.merged[n]) for n in ("base", "head")))
            slower = {c.identity for c in comparison.changes if c.outcome == "regression"}
            assert slower <= set(changed)
            found[share] += len(slower)
    assert found[GLANCES_SHARE] >= 1.25 * found[-1.0]


def looked_at(state: RunState, harness: SimulatedHarness, looks: Looks) -> set[Identity]:
    return set(harness.series) - set(state.too_few_rounds(looks))


def test_where_not_all_fit_some_are_looked_at(tmp_path: Path) -> None:
    harness = SimulatedHarness(recorded_series(80))
    state, decider, _ = run_within(tmp_path, harness, suite_of(80, 120.0), 120.0)
    assert 0.9 * 120.0 <= harness.now - 1000.0 <= 1.05 * 120.0
    assert state.complete, "what had no time is no failure"
    found = looked_at(state, harness, decider.looks)
    pair = sum(r.seconds for r in state.records.values()) / len(state.records) * 2
    assert len(found) >= 2
    begun = set(harness.series) - set(state.not_begun)
    assert len(begun) >= 0.6 * 120.0 / pair, "most of the time is for first rounds"
    named = load(state.merged["base"]).not_run
    assert {entry.identity for entry in named} == set(state.not_begun)
    assert {entry.reason for entry in named} == {"the time budget was too short"}


def test_each_number_begins_with_other_benchmarks(tmp_path: Path) -> None:
    series = recorded_series(20)
    seen: set[Identity] = set()
    parts = 10  # two benchmarks or more in a minute: fewer, not colder ones
    for number in range(parts):
        harness = SimulatedHarness(series)
        order = order_by_number(series, number, parts)
        folder = tmp_path / str(number)
        plan = suite_of(20, 60.0)
        state, decider, _ = run_within(folder, harness, plan, 60.0, precedence=order)
        seen |= looked_at(state, harness, decider.looks)
    assert seen == set(series)


@pytest.mark.parametrize("wrong", [0.3, 1.0, 3.0])
def test_a_plan_whose_estimate_is_wrong_does_not_break_it(wrong: float, tmp_path: Path) -> None:
    series = recorded_series(40)
    configuration = ExecutionConfiguration(5, 5, 10, 0.1, 0.1)
    real = 0.8 + 2 * 15 * 0.102
    plan = [
        Workload(identity, configuration, real / 2 / wrong, 90.0, ("base", "head"))
        for identity in series
    ]
    harness = SimulatedHarness(series, live=False)
    state, _, _ = run_within(tmp_path, harness, plan, 300.0)
    assert 0.95 * 300.0 <= harness.now - 1000.0 <= 1.05 * 300.0
    assert state.complete


def test_one_slow_benchmark_runs_over_and_all_others_have_their_time(tmp_path: Path) -> None:
    series = recorded_series(20)
    slow = next(iter(series))
    harness = SimulatedHarness(series, slowness={slow: 60.0})
    state, decider, _ = run_within(tmp_path, harness, suite_of(20, TEN_MINUTES), TEN_MINUTES)
    assert harness.now - 1000.0 <= 1.05 * TEN_MINUTES
    assert set(state.too_few_rounds(decider.looks)) <= {slow}


class StaysCold(SimulatedHarness):
    """A machine on which some benchmarks never become warm, which takes twice their time."""

    cold: frozenset[Identity] = frozenset()

    def measure_in_turn(
        self, trials: Sequence[Trial], results: Sequence[Path]
    ) -> Sequence[Turn | TrialError]:
        turns = super().measure_in_turn(trials, results)
        if trials[0].identity not in self.cold:
            return turns
        self.now += sum(trial.seconds for trial in trials)
        return [replace(turn, cold=True) for turn in turns if isinstance(turn, Turn)]


def test_what_stays_cold_gives_its_time_to_others(tmp_path: Path) -> None:
    series = recorded_series(20)
    harness = StaysCold(series)
    harness.cold = frozenset(sorted(series)[:2])
    order = [*sorted(harness.cold), *(i for i in series if i not in harness.cold)]
    state, decider, _ = run_within(tmp_path, harness, suite_of(20, 150.0), 150.0, precedence=order)
    assert harness.now - 1000.0 <= 1.05 * 150.0
    assert state.complete
    assert [rounds(state)[identity] for identity in order[:2]] == [1, 1]
    late = set(state.too_few_rounds(decider.looks))
    assert harness.cold <= late
    assert len(set(series) - late) >= 2, "others had all of their first rounds"
    assert {record.cold for record in state.records.values()} == {True, False}


def test_what_stays_cold_goes_on_if_it_differs_further_than_that_explains(tmp_path: Path) -> None:
    series = recorded_series(20)
    harness = StaysCold(series, {sorted(series)[0]: 4.0, sorted(series)[1]: 1.5})
    harness.cold = frozenset(sorted(series)[:2])
    order = [*sorted(harness.cold), *(i for i in series if i not in harness.cold)]
    state, _, _ = run_within(tmp_path, harness, suite_of(20, 150.0), 150.0, precedence=order)
    assert harness.now - 1000.0 <= 1.05 * 150.0
    far, near = (rounds(state)[identity] for identity in order[:2])
    assert far >= FIRST_LOOK
    assert near == 1


class WarmsUp(SimulatedHarness):
    """A machine on which each benchmark needs a time of its own to become warm.

    Pairs that get less are cold; as on real machines, they get what is left of the run's time.
    """

    cold_pairs = 0

    def _run(self, trials: Sequence[Trial], results: Sequence[Path], iterations: int) -> float:
        super()._run(trials, results, iterations)
        promised = sum(trial.seconds for trial in trials)
        limit = sum(trial.timeout for trial in trials) - SPARE_SECONDS
        number = [*self.series].index(trials[0].identity)
        self.needed = (1.0, 1.1, 1.3, 1.6, 1.9)[number % 5] * promised
        self.given = max(min(PATIENCE * promised, limit), promised)
        return min(self.needed, self.given)

    def measure_in_turn(
        self, trials: Sequence[Trial], results: Sequence[Path]
    ) -> Sequence[Turn | TrialError]:
        turns = super().measure_in_turn(trials, results)
        cold = self.needed > self.given
        self.cold_pairs += cold
        return [replace(turn, cold=cold) for turn in turns if isinstance(turn, Turn)]


@looped("seconds", [60.0, 90.0, 120.0])
def test_no_pair_begins_that_cannot_become_warm_in_the_time_that_is_left(
    seconds: float, tmp_path: Path
) -> None:
    for seed in range(2):
        harness = WarmsUp(recorded_series(20))
        plan = suite_of(20, seconds)
        order = order_by_number(harness.series, seed, 2)
        folder = tmp_path / f"{seconds:g}-{seed}"
        state, decider, _ = run_within(folder, harness, plan, seconds, precedence=order)
        assert harness.cold_pairs == 0
        assert harness.now - 1000.0 <= 1.05 * seconds
        assert looked_at(state, harness, decider.looks)


class StopsOnce(SimulatedHarness):
    """A machine on which somebody stops the run after some pairs."""

    pairs = 0

    def measure_in_turn(
        self, trials: Sequence[Trial], results: Sequence[Path]
    ) -> Sequence[Turn | TrialError]:
        self.pairs += 1
        if self.pairs == 5:
            raise KeyboardInterrupt
        return super().measure_in_turn(trials, results)


def test_a_run_that_goes_on_has_what_is_left(tmp_path: Path) -> None:
    harness = StopsOnce(recorded_series(10))
    plan = suite_of(10, 120.0)
    state, _, _ = run_within(tmp_path, harness, plan, 120.0)
    assert state.interrupted
    first = harness.now - 1000.0
    harness.now += 5000.0
    resumed = harness.now
    state, _, _ = run_within(tmp_path, harness, plan, 120.0, resume=True)
    assert first > 10.0
    assert 0.8 * 120.0 <= first + harness.now - resumed <= 1.05 * 120.0
    assert state.complete
