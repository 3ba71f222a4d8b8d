import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.compare.variance import VarianceEstimate
from steady.model import ExecutionConfiguration, FloatArray, Identity, Suite
from steady.optimize import optimize, plan_from_json, plan_to_json
from steady.optimize.variance_components import (
    MEDIAN_INFLATION,
    VarianceComponents,
    from_recorded_rounds,
    from_rounds,
    from_run,
    pooled,
)
from tests.optimize.small_plans import benchmark

BETWEEN, NOISE = 0.03, 0.02


def rounds_of(
    rng: np.random.Generator, rounds: int, iterations: int, change: float = 0.0
) -> FloatArray:
    """Return simulated differences: change, pair of forks, pair of iterations."""
    pairs = rng.normal(change, BETWEEN, (rounds, 1))
    return np.asarray(pairs + rng.normal(0, NOISE, (rounds, iterations)))


def known(found: VarianceComponents | None) -> VarianceComponents:
    assert found is not None
    return found


def test_components_of_a_small_table_equal_those_computed_by_hand() -> None:
    table = np.array([[0.0, 0.1, -0.1], [0.3, 0.4, 0.2]])
    found = known(from_rounds(table))
    assert found.levels.variance == pytest.approx(0.045)  # of 0 and 0.3
    assert found.levels.freedom == 1
    # Absolute differences from the medians: 0, 0, and four of 0.1.
    assert found.iterations == pytest.approx(0.01 * 3 / 2)
    assert (found.averaged, found.rounds) == (3, 2)
    steady = np.exp([[0.0, 0.1, 0.0, 0.1], [0.5, 0.6, 0.5, 0.6]])
    run = known(from_run(steady))
    assert run.levels.variance == pytest.approx(2 * 0.125)  # a pair has two forks
    assert run.iterations == pytest.approx(0.01)
    assert run.explained == pytest.approx(MEDIAN_INFLATION * 0.01 / 4)
    assert run.rounds == 0


def test_both_estimators_recover_simulated_components() -> None:
    """The means of 400 estimates are within three standard errors of the true values."""
    rng = np.random.default_rng(1)
    truth = BETWEEN**2 + MEDIAN_INFLATION * NOISE**2 / 40
    turned, alone = [], []
    for _ in range(400):
        found = known(from_rounds(rounds_of(rng, 5, 40, rng.normal())))
        forks = rng.normal(0, BETWEEN / math.sqrt(2), (5, 1))
        run = known(from_run(np.exp(forks + rng.normal(0, NOISE / math.sqrt(2), (5, 40)))))
        turned.append((found.levels.variance, found.iterations))
        alone.append((run.levels.variance, run.iterations))
    for estimates, tolerance in ((turned, 0.05), (alone, 0.03)):
        levels, iterations = np.mean(estimates, axis=0)
        # A variance with four degrees of freedom has a standard deviation of its size / sqrt(2).
        assert abs(levels / truth - 1) <= 3 * math.sqrt(0.5 / 400)
        # the quantile is slightly biased
        assert iterations == pytest.approx(NOISE**2, rel=tolerance)


def test_a_drift_of_the_machine_does_not_add_to_the_noise_of_iterations() -> None:
    rng = np.random.default_rng(2)
    quiet = rng.normal(0, NOISE, (5, 60))
    drift = 0.3 * np.sin(np.arange(60) / 20)
    with_drift, without = (known(from_run(np.exp(logs))) for logs in (quiet + drift, quiet))
    assert with_drift.iterations == pytest.approx(without.iterations, rel=0.5)
    assert 2 * (quiet + drift).var() > 15 * without.iterations


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 39), st.floats(0.1, 50.0))
def test_one_disturbed_iteration_has_little_influence(seed: int, place: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    table = rounds_of(rng, 5, 40)
    disturbed = table.copy()
    disturbed[:, place] += size
    before, after = (known(from_rounds(rows)) for rows in (table, disturbed))
    assert after.iterations <= 1.5 * before.iterations
    assert after.levels.variance <= 1.5 * before.levels.variance + NOISE**2 / 4


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.floats(1e-6, 1e6))
def test_the_unit_does_not_matter(seed: int, factor: float) -> None:
    steady = np.exp(rounds_of(np.random.default_rng(seed), 4, 20))
    one, other = (known(from_run(times)) for times in (steady, steady * factor))
    assert other.levels.variance == pytest.approx(one.levels.variance, rel=1e-6, abs=1e-12)
    assert other.iterations == pytest.approx(one.iterations, rel=1e-6, abs=1e-12)


def test_too_few_data_return_none_and_shorter_forks_are_used() -> None:
    wrong = (np.array([[1.0, 2.0], [bad, 1.0]]) for bad in (0.0, np.inf, np.nan))
    for steady in (np.ones((1, 10)), np.ones((3, 1)), *wrong):
        assert from_run(steady) is None
    table = rounds_of(np.random.default_rng(3), 4, 30)
    table[0, 10:] = np.nan
    found = known(from_rounds(table))
    assert found.averaged == 20  # the harmonic mean of 10, 30, 30, 30


def side(
    logs: FloatArray,
    run: str = "r",
    order: Sequence[int] = (0, 1, 2, 3),
    turned: tuple[bool, ...] = (True,) * 4,
    unit: str = "ns/op",
    warmup: int = 5,
) -> Suite:
    """Return four forks of a run, in the given order of rounds."""
    blocks = tuple(f"{run}:{number}" for number in order)
    configuration = ExecutionConfiguration(len(logs), warmup, logs.shape[1], 0.1, 0.1)
    values = np.exp(logs)[[*order]]
    fields: dict[str, Any] = {"configuration": configuration, "blocks": blocks, "in_turn": turned}
    return Suite((benchmark(values, unit, **fields),))


class TestRecordedRounds:
    rng = np.random.default_rng(4)
    machine = rng.normal(0, 0.5, (4, 12))
    differences = rounds_of(rng, 4, 12, 0.2)
    base, head = side(machine), side(machine + differences)

    def components(self, *suites: Suite) -> VarianceComponents:
        [(identity, found)] = from_recorded_rounds(suites).items()
        assert identity == Identity("B.a")
        return found

    def test_common_disturbances_cancel(self) -> None:
        found = self.components(self.base, self.head)
        alone = known(from_rounds(self.differences))
        assert found.levels.variance == pytest.approx(alone.levels.variance)
        assert found.iterations < 0.1 * self.machine.var()
        # Rounds are matched by name, whatever their order.
        shuffled = side(self.machine + self.differences, order=(2, 0, 3, 1))
        other = self.components(shuffled, self.base)
        assert other.levels.variance == pytest.approx(found.levels.variance)
        assert other.iterations == pytest.approx(found.iterations)

    def test_only_interleaved_rounds_of_one_run_are_used(self) -> None:
        logs = self.machine + self.differences
        no_turns, other_unit = side(logs, turned=()), side(logs, unit="B/op")
        for other in (side(self.machine, "s"), no_turns, other_unit):
            assert from_recorded_rounds([self.base, other]) == {}
        assert from_recorded_rounds([self.base]) == {}
        some = side(logs, turned=(True, False, True, False))
        assert self.components(self.base, some).rounds == 2

    def test_the_second_half_of_forks_without_warmup_is_used(self) -> None:
        cold = np.concatenate([self.machine + 3 * self.rng.normal(size=(4, 12)), self.machine], 1)
        later = np.concatenate([self.machine, self.machine + self.differences], 1)
        found = self.components(side(cold, warmup=0), side(later, warmup=0))
        warm = self.components(self.base, self.head)
        assert found.iterations == pytest.approx(warm.iterations)
        assert found.averaged == 12

    def test_runs_with_different_changes_are_pooled(self) -> None:
        before, later = side(self.machine, "t"), side(self.machine + self.differences + 1.0, "t")
        found = self.components(self.base, self.head, before, later)
        once = self.components(self.base, self.head)
        assert (found.rounds, found.levels.freedom) == (8, 6)
        assert found.levels.variance == pytest.approx(once.levels.variance)


def test_pooling_weights_by_degrees_of_freedom() -> None:
    few = VarianceComponents(VarianceEstimate(1.0, 1), 4.0, 10, 2)
    many = VarianceComponents(VarianceEstimate(4.0, 3), 8.0, 20, 4)
    found = pooled([few, many])
    assert found.levels == VarianceEstimate(3.25, 4)
    assert (found.iterations, found.rounds) == (7.0, 6)


def test_components_are_converted_to_the_iterations_of_the_plan() -> None:
    turns = VarianceComponents(VarianceEstimate(1.0, 4), 0.2, 140, 5, seconds=0.007)
    whole = turns.with_iterations_of(0.1)
    assert whole.averaged == 10
    assert whole.iterations == pytest.approx(0.2 * 0.07)
    assert whole.explained == pytest.approx(turns.explained, rel=0.03)
    assert whole.levels == turns.levels
    assert turns.with_iterations_of(0.0) is turns
    of_full_run = replace(turns, seconds=0.0)
    assert of_full_run.with_iterations_of(0.1) is of_full_run


def test_a_plan_contains_the_variance_between_forks_and_its_runs() -> None:
    generator = np.random.default_rng(1)
    forks = np.exp(0.02 * generator.normal(size=(5, 1)) + 0.01 * generator.normal(size=(5, 60)))
    turns: dict[str, Any] = {"blocks": ("run:0", "run:1", "run:2"), "in_turn": (True,) * 3}
    in_turn, beside = (benchmark(side, **turns) for side in (forks[:3], 1.01 * forks[2::-1]))
    earlier = [Suite((one,)) for one in (in_turn, beside)]
    suite = Suite((benchmark(forks),))
    for plan, steps in (
        (optimize(suite, "detect"), 0.01),
        (optimize(suite, "detect", earlier=earlier), 0.0),
    ):
        forks_known = plan["B.a"].known_forks
        assert forks_known
        assert forks_known.steps == pytest.approx(steps, rel=0.2)
        assert plan.learnt_from == (() if steps else ("run",))
        assert plan_from_json(plan_to_json(plan)) == plan
