from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from steady.errors import InputError
from steady.harness import harness_named
from steady.model import Benchmark, ExecutionConfiguration, Identity, Level, Spent, Suite
from steady.optimize.cost import cost_model
from tests.looped import looped

CONFIGURATION = ExecutionConfiguration(2, 0, 4, 1.0, 0.1)


def bench(
    values: object, configuration: ExecutionConfiguration, *, unit: str = "s/op", warmup: int = 0
) -> Benchmark:
    levels = (Level("fork"), Level("iteration"))
    return Benchmark(Identity("B.a"), unit, np.array(values), levels, warmup, configuration)


@looped(
    ("operation", "seconds"),
    [(1e-9, 0.1), (0.01, 0.1), (0.03, 0.12), (0.1, 0.1), (0.11, 0.11), (5.0, 5.0), (np.nan, 0.1)],
)
def test_an_iteration_ends_after_the_operation_that_passes_its_time(
    operation: float, seconds: float
) -> None:
    assert harness_named("jmh").cost.lasting(0.1, np.array(operation), 1) == pytest.approx(seconds)


def test_a_single_shot_lasts_as_long_as_its_batch() -> None:
    assert harness_named("jmh").cost.lasting(0.0, np.array([0.5]), 1).tolist() == [0.5]
    # JMH scores the whole batch of a single shot (BenchmarkGenerator.generateSingleShotTime).
    assert harness_named("jmh").cost.lasting(0.0, np.array([0.5]), 10).tolist() == [0.5]
    assert harness_named("go").cost.lasting(0.0, np.array([0.5]), 10).tolist() == [5.0]


def test_each_fork_pays_for_startup_and_warmup_again() -> None:
    # Two forks whose first iteration takes 0.5 s, the others nominal 0.1 s.
    model = cost_model(bench([[0.5, 0.01, 0.01, 0.01]] * 2, CONFIGURATION), 0.7)
    assert model.full_fork_seconds == pytest.approx(0.7 + 0.5 + 0.3)
    assert model.fork_seconds(1, 1, 2) == pytest.approx(0.7 + 0.5 + 0.2)
    assert model.fork_seconds(0, 0, 1) == pytest.approx(0.7 + 0.5)


def test_warmup_that_was_not_recorded_is_still_paid_for() -> None:
    unrecorded = replace(CONFIGURATION, warmup_iterations=3)
    model = cost_model(bench([[0.01] * 4] * 2, unrecorded), 0.0)
    assert model.full_fork_seconds == pytest.approx(3 * 1.0 + 4 * 0.1)


def test_recorded_warmup_costs_its_own_time() -> None:
    recorded = replace(CONFIGURATION, warmup_iterations=1)
    model = cost_model(bench([[0.01] * 5] * 2, recorded, warmup=1), 0.0)
    assert model.full_fork_seconds == pytest.approx(1.0 + 4 * 0.1)


def test_throughput_is_priced_by_the_time_of_one_operation() -> None:
    model = cost_model(bench([[2.0] * 4] * 2, CONFIGURATION, unit="ops/s"), 0.0)
    assert model.full_fork_seconds == pytest.approx(4 * 0.5)


def test_missing_iterations_cost_what_the_other_forks_paid() -> None:
    values = [[0.5, 0.2, 0.01], [0.5, np.nan, np.nan]]
    model = cost_model(bench(values, CONFIGURATION), 0.0)
    assert np.diff(model.elapsed) == pytest.approx([0.5, 0.2, 0.1])


def test_units_without_a_time_cost_the_nominal_seconds() -> None:
    model = cost_model(bench([[3.0] * 4] * 2, CONFIGURATION, unit="MB/s"), 0.0)
    assert model.full_fork_seconds == pytest.approx(0.4)


def test_results_without_a_configuration_cannot_be_priced() -> None:
    with pytest.raises(InputError, match="do not say how long an iteration lasts"):
        cost_model(Suite.of({"a": np.ones((2, 20))}, unit="ns/op")["a"])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("harness", ["jmh", "go"])
@pytest.mark.parametrize("seconds", [1.1e100, 1e300, 1.7e308])
def test_iterations_longer_than_can_be_are_refused(seconds: float, harness: str) -> None:
    endless = replace(CONFIGURATION, iteration_seconds=seconds)
    with pytest.raises(InputError, match=r"B\.a: a fork would take more than 1e\+100 s"):
        cost_model(bench([[1e-9] * 4] * 2, endless), 0.0, harness=harness)


def test_a_level_that_knows_its_startup_overrides_the_default() -> None:
    suite = Suite.of({"a": np.ones((2, 3))}, unit="ns/op", iteration_seconds=1, startup_seconds=9)
    assert cost_model(suite["a"], 0.5).full_fork_seconds == pytest.approx(9 + 3)


def tried_by_go(benchtime: float, operation: float) -> float:
    """Return the seconds of one result line, as `B.launch` and `predictN` of Go 1.26 spend them."""
    goal, each = round(benchtime * 1e9), round(operation * 1e9)
    count, spent = 1, each
    while count * each < goal and count < 10**9:
        predicted = goal * count // (count * each)
        predicted += predicted // 5
        count = min(max(min(predicted, 100 * count), count + 1), 10**9)
        spent += count * each
    return spent * 1e-9


@looped(
    "nanoseconds",
    [1, 2, 7, 30, 499, 500, 501, 1_003, 77_000, 4_000_003, 9_000_001, 20_400_000, 49_999_999],
)
def test_go_pays_for_the_runs_that_it_tries_out(nanoseconds: int) -> None:
    seconds = harness_named("go").cost.lasting(0.05, np.array([nanoseconds * 1e-9]), 1)
    assert seconds[0] == pytest.approx(tried_by_go(0.05, nanoseconds * 1e-9))
    assert 0.05 <= seconds[0] < 3 * 0.05


def test_go_runs_an_operation_once_where_it_fills_the_benchtime() -> None:
    seconds = harness_named("go").cost.lasting(0.05, np.array([0.05, 2.0]), 1)
    assert seconds.tolist() == [0.05, 2.0]


def test_go_gives_up_at_a_thousand_million_operations() -> None:
    tiny = harness_named("go").cost.lasting(100.0, np.array([1e-9]), 1)
    assert tiny[0] == pytest.approx(1.0 + 0.1 + 0.01 * 0.1, rel=0.01)


def test_go_tries_nothing_out_where_it_is_told_the_number_of_operations() -> None:
    counted = replace(CONFIGURATION, iteration_seconds=0.0, batch_size=50)
    model = cost_model(bench([[1e-3] * 4] * 2, counted), 0.0, harness="go")
    assert model.full_fork_seconds == pytest.approx(4 * 0.05)


def test_go_without_a_time_costs_what_is_usual() -> None:
    model = cost_model(bench([[3.0] * 4] * 2, CONFIGURATION, unit="MB/s"), 0.0, harness="go")
    assert model.full_fork_seconds == pytest.approx(4 * 0.16)


def timed(values: object, configuration: ExecutionConfiguration, *spent: Spent | None) -> Benchmark:
    return replace(bench(values, configuration), spent=spent)


def test_the_clock_tells_what_a_start_costs() -> None:
    # Measured on a busy machine: starts of 4.8 s (with that of JMH's own JVM), 1.3 s and 1.5 s.
    configuration = ExecutionConfiguration(3, 0, 20, 0.1, 0.1)
    forks = (Spent(7.932, 3.174), Spent(4.546, 3.254), Spent(4.378, 2.894))
    model = cost_model(timed([[1e-6] * 20] * 3, configuration, *forks))
    # The first iteration takes 0.1 s longer than the others, however many follow.
    assert model.startup == pytest.approx(4.546 - 3.174 + 0.1)
    assert model.full_fork_seconds == pytest.approx(4.546)
    # Five iterations cost a quarter of what twenty do: what passes between them is part of each.
    assert model.fork_seconds(0, 0, 5) == pytest.approx(4.546 - 3.174 + 0.1 + 3.074 / 4)


def test_a_clock_that_tells_only_the_whole_tells_the_start() -> None:
    model = cost_model(timed([[1e-6] * 4] * 2, CONFIGURATION, Spent(2.0), Spent(2.0)))
    assert model.startup == pytest.approx(2.0 - 4 * 0.1)
    assert model.fork_seconds(1, 1, 2) == pytest.approx(1.6 + 0.3)


def test_unrecorded_warmup_is_fitted_too() -> None:
    unrecorded = replace(CONFIGURATION, warmup_iterations=4, warmup_seconds=0.1)
    model = cost_model(timed([[1e-6] * 4] * 2, unrecorded, Spent(2.0, 1.6), Spent(2.0, 1.6)))
    assert model.startup == pytest.approx(0.4 + 0.1)
    assert model.unrecorded == pytest.approx(0.75)
    assert model.full_fork_seconds == pytest.approx(2.0)


def test_two_forks_in_turn_pay_for_two_starts_and_for_their_turns() -> None:
    benchmark = timed([[1e-6] * 4] * 2, CONFIGURATION, Spent(2.0, 0.6), Spent(2.0, 0.6))
    model = cost_model(benchmark)
    one = 1.4 + 0.1 + 3 * 0.5 / 4
    assert model.fork_seconds(1, 1, 2) == pytest.approx(one)
    assert model.pair_seconds(1, 1, 2) == pytest.approx(2 * (one + 0.03 * 2 * 0.5 / 4))
    process = cost_model(benchmark, harness="go")
    both = 2 * process.fork_seconds(1, 1, 2)
    assert process.pair_seconds(1, 1, 2) == pytest.approx(both)
    shots = ExecutionConfiguration(2, 0, 4, 0.0, 0.0)
    single = cost_model(bench([[0.5] * 4] * 2, shots))
    assert single.pair_seconds(0, 0, 4) == pytest.approx(2 * (0.5 + 4 * 0.5))


def test_iterations_that_took_less_than_they_report_are_not_priced_higher() -> None:
    model = cost_model(timed([[0.07] * 4] * 2, CONFIGURATION, *[Spent(1.0, 0.42)] * 2))
    assert model.full_fork_seconds == pytest.approx(1.0)
    assert model.fork_seconds(0, 0, 2) == pytest.approx(0.58 + 0.21)


@pytest.mark.parametrize(
    ("operation", "spent"),
    [
        (0.5, Spent(5.0, 4.0)),  # each shot has a setup of its own
        (0.0, Spent(5.0, 4.0)),
        (0.5, Spent(0.1)),
    ],
)
def test_single_shots_cost_what_the_clock_says(operation: float, spent: Spent) -> None:
    shots = ExecutionConfiguration(2, 0, 4, 0.0, 0.0)
    model = cost_model(timed([[operation] * 4] * 2, shots, spent, spent), 0.05)
    assert model.full_fork_seconds == pytest.approx(spent.seconds if operation else 1.0)


def test_go_tries_out_as_often_as_the_clock_says() -> None:
    # A benchmark that loops by b.Loop tries nothing out; 0.04 s is the start of the process.
    values = [[2e-6] * 4] * 2
    untimed = cost_model(bench(values, CONFIGURATION), 0.04, harness="go")
    model = cost_model(timed(values, CONFIGURATION, *[Spent(0.52)] * 2), 0.04, harness="go")
    assert untimed.full_fork_seconds > 0.55
    assert model.full_fork_seconds == pytest.approx(0.52)
    assert model.fork_seconds(0, 0, 1) == pytest.approx(0.04 + 0.48 / 4)


def test_forks_that_are_not_whole_tell_nothing() -> None:
    values = [[1e-6] * 4, [1e-6, np.nan, np.nan, np.nan]]
    model = cost_model(timed(values, CONFIGURATION, Spent(2.0, 1.0), Spent(0.3, 0.1)), 0.7)
    assert model.full_fork_seconds == pytest.approx(2.0)
    nothing = cost_model(timed(values, CONFIGURATION, None, Spent(0.3, 0.1)), 0.7)
    assert nothing.full_fork_seconds == pytest.approx(0.7 + 0.4)
