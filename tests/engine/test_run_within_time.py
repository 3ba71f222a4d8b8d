"""The time budget of the whole run is kept, with and without a plan, for any prediction.

`run_within` asserts that each run is complete, and in its time.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from simulated_suite import BEGAN, SimulatedHarness, recorded_series, run_within

from steady.compare.alpha_spending import looks_of
from steady.engine import Trial, Workload, priority
from steady.engine.priority import FIRST_SHARE, order_by_number
from steady.engine.unplanned import ROUNDS
from steady.execution.warm_up import SPARE_SECONDS
from steady.model import ExecutionConfiguration, Identity
from steady.readers import load

FIRST_LOOK = looks_of(ROUNDS)[0]


def test_ten_minutes_suffice_for_all_benchmarks(tmp_path: Path) -> None:
    series = recorded_series(20)
    changed = list(series)[::17]
    ran = run_within(tmp_path, SimulatedHarness(series, dict.fromkeys(changed, 1.12)), 600.0)
    assert ran.looked_at == set(series)
    assert min(ran.rounds.values()) >= FIRST_LOOK
    assert ran.slower == set(changed)


@pytest.mark.thorough
def test_a_larger_suite_is_measured_as_far_as_forks_become_warm(tmp_path: Path) -> None:
    series = recorded_series(80)
    changed = list(series)[::17]
    harness = SimulatedHarness(series, dict.fromkeys(changed, 1.12))
    ran = run_within(tmp_path, harness, 600.0)
    assert harness.now - BEGAN >= 0.9 * 600.0
    begun = set(series) - set(ran.state.not_begun)
    assert len(begun) >= 45, "those who differ at first sight go on, the others make room"
    assert set(changed) & begun <= ran.slower <= set(changed)


@pytest.mark.thorough
def test_screening_finds_more_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/running.md quotes these numbers: of thirty, 23 with screening rounds and 16 without."""
    series = recorded_series(40)
    names = list(series)
    found = {FIRST_SHARE: 0, -1.0: 0}
    for share in found:
        monkeypatch.setattr(priority, "FIRST_SHARE", share)
        for seed in range(6):
            draw = np.random.default_rng(1000 + seed)
            order = [names[index] for index in draw.permutation(40)]
            changed = [names[index] for index in draw.choice(40, 5, replace=False)]
            harness = SimulatedHarness(series, dict.fromkeys(changed, 1.2))
            harness.generator = np.random.default_rng(seed)
            ran = run_within(tmp_path / f"{share}-{seed}", harness, 300.0, precedence=order)
            assert ran.slower <= set(changed)
            found[share] += len(ran.slower)
    assert found[FIRST_SHARE] >= 1.25 * found[-1.0]


def test_if_not_all_fit_some_are_measured(tmp_path: Path) -> None:
    harness = SimulatedHarness(recorded_series(80))
    ran = run_within(tmp_path, harness, 120.0)
    assert harness.now - BEGAN >= 0.9 * 120.0
    assert len(ran.looked_at) >= 2
    records = ran.state.records.values()
    pair = sum(record.seconds for record in records) / len(records) * 2
    begun = set(harness.series) - set(ran.state.not_begun)
    assert len(begun) >= 0.6 * 120.0 / pair, "most of the time is for first rounds"
    named = load(ran.state.merged["base"]).not_run
    assert {entry.identity for entry in named} == set(ran.state.not_begun)
    assert {entry.reason for entry in named} == {"the time budget was too short"}


def test_each_number_starts_with_different_benchmarks(tmp_path: Path) -> None:
    series = recorded_series(20)
    seen: set[Identity] = set()
    parts = 10  # two benchmarks or more in a minute: fewer, not colder ones
    for number in range(parts):
        order = order_by_number(series, number, parts)
        folder = tmp_path / str(number)
        seen |= run_within(folder, SimulatedHarness(series), 60.0, precedence=order).looked_at
    assert seen == set(series)


@pytest.mark.parametrize("wrong", [0.3, 1.0, 3.0])
def test_a_wrong_estimate_does_not_exceed_the_budget(wrong: float, tmp_path: Path) -> None:
    series = recorded_series(40)
    configuration = ExecutionConfiguration(5, 5, 10, 0.1, 0.1)
    real = 0.8 + 2 * 15 * 0.102
    plan = [
        Workload(identity, configuration, real / 2 / wrong, 90.0, ("base", "head"))
        for identity in series
    ]
    harness = SimulatedHarness(series, live=False)
    run_within(tmp_path, harness, 300.0, plan)
    assert harness.now - BEGAN >= 0.95 * 300.0


def test_one_slow_benchmark_does_not_take_time_from_others(tmp_path: Path) -> None:
    series = recorded_series(20)
    slow = next(iter(series))
    harness = SimulatedHarness(series, slowness={slow: 60.0})
    assert run_within(tmp_path, harness, 600.0).looked_at >= set(series) - {slow}


def test_cold_benchmarks_continue_only_if_their_difference_exceeds_warm_up(
    tmp_path: Path,
) -> None:
    """Otherwise its time is used for others."""
    series = recorded_series(20)
    cold = sorted(series)[:2]
    order = [*cold, *(identity for identity in series if identity not in cold)]
    for number, changes in enumerate([{}, {cold[0]: 4.0, cold[1]: 1.5}]):
        harness = SimulatedHarness(series, changes, cold=cold)
        ran = run_within(tmp_path / str(number), harness, 150.0, precedence=order)
        if changes:
            assert ran.rounds[cold[0]] >= FIRST_LOOK
            assert ran.rounds[cold[1]] == 1
        else:
            assert [ran.rounds[identity] for identity in cold] == [1, 1], "a glance"
            assert not ran.looked_at & set(cold)
            assert len(ran.looked_at) >= 2, "others had all of their first rounds"
            assert {record.cold for record in ran.state.records.values()} == {True, False}


class WarmsUp(SimulatedHarness):
    """A machine on which each benchmark has its own warm-up time.

    Pairs that get less are cold; as on real machines, they get what is left of the run's time.
    """

    needs: tuple[float, ...] = (1.0, 1.1, 1.3, 1.6, 1.9)
    cold_pairs = 0

    def taken(self, trials: Sequence[Trial], results: Sequence[Path]) -> tuple[float, bool]:
        super().taken(trials, results)
        promised = sum(trial.seconds for trial in trials)
        limit = sum(trial.timeout for trial in trials) - SPARE_SECONDS
        number = [*self.series].index(trials[0].identity)
        needed = self.needs[number % len(self.needs)] * promised
        given = max(min(trials[0].patience * promised, limit), promised)
        self.cold_pairs += needed > given
        return min(needed, given), needed > given


@pytest.mark.parametrize("seconds", [60.0, 90.0, 120.0])
def test_no_pair_starts_that_cannot_become_warm_in_the_remaining_time(
    seconds: float, tmp_path: Path
) -> None:
    for seed in range(2):
        harness = WarmsUp(recorded_series(20))
        order = order_by_number(harness.series, seed, 2)
        assert run_within(tmp_path / str(seed), harness, seconds, precedence=order).looked_at
        assert harness.cold_pairs == 0


def test_on_a_busy_machine_forks_get_longer_after_the_first_cold_one(
    tmp_path: Path,
) -> None:
    harness = WarmsUp(recorded_series(20))
    harness.needs = (2.1, 2.5, 3.0, 3.5)
    ran = run_within(tmp_path, harness, 150.0)
    assert len(ran.looked_at) >= 2
    assert harness.cold_pairs <= 2, "the last one may end with the run"


def test_a_resumed_run_has_the_remaining_time(tmp_path: Path) -> None:
    harness = SimulatedHarness(recorded_series(10), stops_at=5)
    assert run_within(tmp_path, harness, 120.0).state.interrupted
    first = harness.now - BEGAN
    harness.now += 5000.0
    resumed = harness.now
    assert run_within(tmp_path, harness, 120.0, resume=True).state.complete
    assert first > 10.0
    assert 0.8 * 120.0 <= first + harness.now - resumed <= 1.05 * 120.0


SET_BACK = """\
import time
hours = iter(range(100, 0, -1))
time.time = lambda: 3600.0 * next(hours)
from steady.engine.time_limit import Budget
budget = Budget.begin(60.0)
assert 0.0 <= budget.spent < 60.0, budget.spent
assert 0.0 < budget.left() <= 60.0, budget.left()
"""


def test_a_clock_set_back_adds_no_time() -> None:
    subprocess.run([sys.executable, "-c", SET_BACK], check=True)
