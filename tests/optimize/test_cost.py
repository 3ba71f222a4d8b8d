"""The cost of a run, from reported times, wall-clock times and declared configurations."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from steady.errors import InputError
from steady.harnesses import harness_named
from steady.model import Benchmark, ExecutionConfiguration, Identity, Spent, Suite
from steady.optimize import optimize
from steady.optimize.cost import cost_model
from steady.optimize.entries import declared_configuration, declared_seconds
from tests.optimize.small_plans import benchmark

CONFIGURATION = ExecutionConfiguration(2, 0, 4, 1.0, 0.1)
SHOTS = ExecutionConfiguration(2, 0, 4, 0.0, 0.0)
JMH, GO = (harness_named(name).cost for name in ("jmh", "go"))


def bench(
    values: npt.ArrayLike,
    configuration: ExecutionConfiguration = CONFIGURATION,
    *spent: Spent | None,
    unit: str = "s/op",
    warmup: int = 0,
) -> Benchmark:
    return benchmark(values, unit, configuration=configuration, spent=spent, warmup=warmup)


def test_an_iteration_ends_with_the_operation_that_exceeds_its_time() -> None:
    operations = np.array([1e-9, 0.01, 0.03, 0.1, 0.11, 5.0, np.nan])
    seconds = [0.1, 0.1, 0.12, 0.1, 0.11, 5.0, 0.1]
    assert JMH.lasting(0.1, operations, 1) == pytest.approx(seconds)
    assert JMH.lasting(0.0, np.array([0.5]), 1).tolist() == [0.5]
    # The score of a single shot is for its whole batch (BenchmarkGenerator.generateSingleShotTime).
    assert JMH.lasting(0.0, np.array([0.5]), 10).tolist() == [0.5]
    assert GO.lasting(0.0, np.array([0.5]), 10).tolist() == [5.0]


def test_every_fork_costs_startup_and_warmup() -> None:
    # Two forks whose first iteration takes 0.5 s, the others nominal 0.1 s.
    model = cost_model(bench([[0.5, 0.01, 0.01, 0.01]] * 2), 0.7)
    assert model.full_fork_seconds == pytest.approx(0.7 + 0.5 + 0.3)
    assert model.fork_seconds(1, 1, 2) == pytest.approx(0.7 + 0.5 + 0.2)
    assert model.fork_seconds(0, 0, 1) == pytest.approx(0.7 + 0.5)
    # Missing iterations cost the mean of the other forks.
    model = cost_model(bench([[0.5, 0.2, 0.01], [0.5, np.nan, np.nan]]), 0.0)
    assert np.diff(model.elapsed) == pytest.approx([0.5, 0.2, 0.1])
    # The start-up of a level overrides the default.
    suite = Suite.of({"a": np.ones((2, 3))}, unit="ns/op", iteration_seconds=1, startup_seconds=9)
    assert cost_model(suite["a"], 0.5).full_fork_seconds == pytest.approx(9 + 3)


def test_the_cost_of_a_fork_depends_on_unit_and_warm_up() -> None:
    unrecorded = replace(CONFIGURATION, warmup_iterations=3)
    recorded = replace(CONFIGURATION, warmup_iterations=1)
    counted = replace(CONFIGURATION, iteration_seconds=0.0, batch_size=50)
    rate, size = (bench([[x] * 4] * 2, unit=u) for x, u in ((2.0, "ops/s"), (3.0, "MB/s")))
    for run, harness, seconds in (
        (bench([[0.01] * 4] * 2, unrecorded), "jmh", 3 * 1.0 + 4 * 0.1),
        (bench([[0.01] * 5] * 2, recorded, warmup=1), "jmh", 1.0 + 4 * 0.1),
        (rate, "jmh", 4 * 0.5),
        (size, "jmh", 4 * 0.1),  # without measured times, an iteration costs its nominal seconds
        (size, "go", 4 * 0.16),
        (bench([[1e-3] * 4] * 2, counted), "go", 4 * 0.05),  # Go does not calibrate
    ):
        model = cost_model(run, 0.0, harness=harness)
        assert model.full_fork_seconds == pytest.approx(seconds)


@pytest.mark.filterwarnings("error")
def test_an_unknown_cost_is_rejected() -> None:
    with pytest.raises(InputError, match="have no length of iterations"):
        cost_model(Suite.of({"a": np.ones((2, 20))}, unit="ns/op")["a"])
    for seconds in (1.1e100, 1e300, 1.7e308):
        endless = bench([[1e-9] * 4] * 2, replace(CONFIGURATION, iteration_seconds=seconds))
        for harness in ("jmh", "go"):
            with pytest.raises(InputError, match=r"B\.a: a fork would take more than 1e\+100 s"):
                cost_model(endless, 0.0, harness=harness)


def calibrated_by_go(benchtime: float, operation: float) -> float:
    """Return the seconds of one result line, as in `B.launch` and `predictN` of Go 1.26."""
    goal, each = round(benchtime * 1e9), round(operation * 1e9)
    count, spent = 1, each
    while count * each < goal and count < 10**9:
        predicted = goal * count // (count * each)
        predicted += predicted // 5
        count = min(max(min(predicted, 100 * count), count + 1), 10**9)
        spent += count * each
    return spent * 1e-9


def test_the_cost_for_go_includes_calibration_runs() -> None:
    below = (1, 2, 7, 30, 499, 500, 501, 1_003, 77_000, 4_000_003, 9_000_001, 20_400_000)
    for operation in (1e-9 * nanoseconds for nanoseconds in (*below, 49_999_999)):
        seconds = GO.lasting(0.05, np.array([operation]), 1)
        assert seconds[0] == pytest.approx(calibrated_by_go(0.05, operation))
        assert 0.05 <= seconds[0] < 3 * 0.05


def test_go_runs_a_long_operation_once_and_at_most_a_billion_operations() -> None:
    assert GO.lasting(0.05, np.array([0.05, 2.0]), 1).tolist() == [0.05, 2.0]
    tiny = GO.lasting(100.0, np.array([1e-9]), 1)
    assert tiny[0] == pytest.approx(1.0 + 0.1 + 0.01 * 0.1, rel=0.01)


def test_the_start_up_is_fitted_to_wall_clock_times() -> None:
    # Measured on a busy machine: starts of 4.8 s (with that of JMH's own JVM), 1.3 s and 1.5 s.
    forks = (Spent(7.932, 3.174), Spent(4.546, 3.254), Spent(4.378, 2.894))
    run = ExecutionConfiguration(3, 0, 20, 0.1, 0.1)
    model = cost_model(bench([[1e-6] * 20] * 3, run, *forks))
    # The first iteration takes 0.1 s longer, independent of the number of iterations.
    assert model.startup == pytest.approx(4.546 - 3.174 + 0.1)
    assert model.full_fork_seconds == pytest.approx(4.546)
    # Five iterations cost a quarter of twenty: the time between them belongs to each.
    assert model.fork_seconds(0, 0, 5) == pytest.approx(4.546 - 3.174 + 0.1 + 3.074 / 4)
    # The start-up follows from the total time alone.
    model = cost_model(bench([[1e-6] * 4] * 2, CONFIGURATION, *[Spent(2.0)] * 2))
    assert model.startup == pytest.approx(2.0 - 4 * 0.1)
    assert model.fork_seconds(1, 1, 2) == pytest.approx(1.6 + 0.3)
    # Unrecorded warm-up iterations are fitted too.
    unrecorded = replace(CONFIGURATION, warmup_iterations=4, warmup_seconds=0.1)
    model = cost_model(bench([[1e-6] * 4] * 2, unrecorded, *[Spent(2.0, 1.6)] * 2))
    assert model.startup == pytest.approx(0.4 + 0.1)
    assert model.unrecorded == pytest.approx(0.75)
    assert model.full_fork_seconds == pytest.approx(2.0)
    # Iterations shorter than reported do not cost more.
    model = cost_model(bench([[0.07] * 4] * 2, CONFIGURATION, *[Spent(1.0, 0.42)] * 2))
    assert model.full_fork_seconds == pytest.approx(1.0)
    assert model.fork_seconds(0, 0, 2) == pytest.approx(0.58 + 0.21)


def test_interleaved_forks_cost_two_starts_and_the_overhead_of_turns() -> None:
    run = bench([[1e-6] * 4] * 2, CONFIGURATION, *[Spent(2.0, 0.6)] * 2)
    model = cost_model(run)
    one = 1.4 + 0.1 + 3 * 0.5 / 4
    assert model.fork_seconds(1, 1, 2) == pytest.approx(one)
    assert model.pair_seconds(1, 1, 2) == pytest.approx(2 * (one + 0.03 * 2 * 0.5 / 4))
    process = cost_model(run, harness="go")
    both = 2 * process.fork_seconds(1, 1, 2)
    assert process.pair_seconds(1, 1, 2) == pytest.approx(both)
    single = cost_model(bench([[0.5] * 4] * 2, SHOTS))
    assert single.pair_seconds(0, 0, 4) == pytest.approx(2 * (0.5 + 4 * 0.5))


def test_single_shots_cost_their_wall_clock_time() -> None:
    for operation, spent, seconds in (
        (0.5, Spent(5.0, 4.0), 5.0),  # each shot has its own setup
        (0.0, Spent(5.0, 4.0), 1.0),
        (0.5, Spent(0.1), 0.1),
    ):
        model = cost_model(bench([[operation] * 4] * 2, SHOTS, spent, spent), 0.05)
        assert model.full_fork_seconds == pytest.approx(seconds)


def test_calibration_of_go_is_fitted_to_wall_clock_times() -> None:
    # A benchmark with b.Loop does not calibrate; 0.04 s is the start of the process.
    values = [[2e-6] * 4] * 2
    untimed = cost_model(bench(values), 0.04, harness="go")
    model = cost_model(bench(values, CONFIGURATION, *[Spent(0.52)] * 2), 0.04, harness="go")
    assert untimed.full_fork_seconds > 0.55
    assert model.full_fork_seconds == pytest.approx(0.52)
    assert model.fork_seconds(0, 0, 1) == pytest.approx(0.04 + 0.48 / 4)


def test_incomplete_forks_are_ignored() -> None:
    values = [[1e-6] * 4, [1e-6, np.nan, np.nan, np.nan]]
    model = cost_model(bench(values, CONFIGURATION, Spent(2.0, 1.0), Spent(0.3, 0.1)), 0.7)
    assert model.full_fork_seconds == pytest.approx(2.0)
    nothing = cost_model(bench(values, CONFIGURATION, None, Spent(0.3, 0.1)), 0.7)
    assert nothing.full_fork_seconds == pytest.approx(0.7 + 0.4)


DEFAULTS = ExecutionConfiguration(5, 5, 5, 10.0, 10.0)


def declaring(
    declared: ExecutionConfiguration | None, operation: float = 1e-6, *spent: Spent
) -> Benchmark:
    seconds = 0.0 if spent else 0.1
    run = ExecutionConfiguration(3, 0, 20, seconds, seconds)
    return replace(bench([[operation] * 20] * 3, run, *spent), declared=declared)


def test_a_declared_configuration_has_a_cost() -> None:
    for declared, operation, seconds in (
        (DEFAULTS, 1e-6, 5 * (0.7 + 100)),
        # Iterations of 1 s in which an operation of 0.4 s runs three times.
        (ExecutionConfiguration(2, 3, 4, 1.0, 1.0), 0.4, 2 * (0.7 + 7 * 1.2)),
        # @Fork(0) runs in JMH's own JVM.
        (ExecutionConfiguration(0, 1, 2, 1.0, 1.0), 1e-6, 3.0),
    ):
        run = declaring(declared, operation)
        assert declared_seconds(run, cost_model(run, 0.7)) == pytest.approx(seconds)
    # Single shots of 0.01 s that take 0.05 s each with their setup, after a start of 1 s.
    shot = ExecutionConfiguration(5, 0, 1, 0.0, 0.0)
    run = declaring(shot, 0.01, *[Spent(1.0 + 20 * 0.05, 20 * 0.05)] * 3)
    assert declared_seconds(run, cost_model(run)) == pytest.approx(5 * (1.0 + 0.05))
    assert declared_configuration(declaring(replace(DEFAULTS, iterations=0))) is None


def test_a_plan_contains_declared_configurations() -> None:
    known = declaring(DEFAULTS)
    plan = optimize(Suite((known,)))
    (entry,) = plan.benchmarks
    assert (entry.today, entry.today_seconds) == (DEFAULTS, 502.5)
    assert plan.former_seconds == plan.today_seconds == 502.5
    both = optimize(Suite((known, replace(declaring(None), identity=Identity("B.b")))))
    assert both.today_seconds is None
    assert both.former_seconds == both.full_seconds
