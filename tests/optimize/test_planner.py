from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest

from steady.errors import InputError
from steady.model import Benchmark, ExecutionConfiguration, FloatArray, Identity, Level, Suite
from steady.optimize import STRATEGIES, optimize, plan_to_json
from steady.optimize.entries import measured_from
from steady.parallel import workers
from steady.plan.suite_plan import BenchmarkPlan
from steady.report.plan_receipt import receipt
from tests.looped import looped
from tests.optimize.small_plans import FULL, benchmark


def series(seed: int = 0, *, forks: int = 5, warm: int = 12, spread: float = 0.004) -> FloatArray:
    """Return forks that take 40 % longer for `warm` iterations and are steady afterwards."""
    rng = np.random.default_rng(seed)
    values = rng.normal(100, 0.5, (forks, 60)) * rng.normal(1, spread, (forks, 1))
    values[:, :warm] *= 1.4
    return values


def suite_of(
    values: FloatArray, *, unit: str = "us/op", warmup: int = 0, **changes: object
) -> Suite:
    run = replace(FULL, forks=len(values), **changes)  # type: ignore[arg-type]
    return Suite((benchmark(values, unit, configuration=run, warmup=warmup),), harness="jmh")


@pytest.mark.parametrize("strategy", list(STRATEGIES))
class TestEveryStrategy:
    def test_a_quiet_benchmark_is_reduced_after_its_warmup(self, strategy: str) -> None:
        plan = optimize(suite_of(series()), strategy)
        entry = plan["B.a"]
        assert entry.status == "reduced"
        # Interleaved pairs can exceed the number of forks of the full run.
        in_turn = STRATEGIES[strategy].value.interleaved
        assert in_turn or entry.forks == 5
        window = series()[:, entry.warmup : entry.warmup + entry.iterations]
        assert np.median(window) == pytest.approx(100, rel=0.01)
        assert entry.seconds == pytest.approx(
            entry.forks * (0.5 + 0.1 * (entry.warmup + entry.iterations)), rel=2e-3
        )
        assert entry.full_seconds == pytest.approx(5 * (0.5 + 6.0), rel=2e-3)
        assert entry.expected_error is not None
        assert entry.expected_error < 0.01
        assert plan.seconds < (1.0 if in_turn else 0.5) * plan.full_seconds
        # The plan is deterministic, and throughput is planned like its time.
        assert plan_to_json(optimize(suite_of(series()), strategy)) == plan_to_json(plan)
        throughput = optimize(suite_of(1 / series(), unit="ops/us"), strategy)["B.a"]
        assert (throughput.warmup, throughput.forks) == (entry.warmup, entry.forks)
        assert abs(throughput.iterations - entry.iterations) <= 1

    def test_too_few_measurements_keep_the_full_configuration(self, strategy: str) -> None:
        stuck = 1 / series()
        stuck[2, 3] = 0.0
        ended = series(1, warm=0)
        ended[0, 14:] = np.nan
        recorded: dict[str, Any] = {"warmup_iterations": 14, "iterations": 46}
        recorded |= {"warmup": 14, "warmup_seconds": 9.0}
        for suite, why in (
            (suite_of(ended, **recorded), "a fork ended in its warm-up, after 14 of 60 iterations"),
            (suite_of(stuck, unit="ops/us"), "without a completed operation"),
            (suite_of(series(forks=1)), "1 fork"),
            (suite_of(series()[:, -9:], iterations=9), "9 of 9 iterations"),
        ):
            entry = optimize(suite, strategy)["B.a"]
            assert (entry.status, entry.configuration) == ("full", entry.full)
            assert entry.seconds == entry.full_seconds
            assert why in entry.reason

    def test_a_drift_keeps_the_full_run_by_default(self, strategy: str) -> None:
        drifting = series(warm=0) * np.linspace(1, 2, 60)
        kept = optimize(suite_of(drifting), strategy)["B.a"]
        assert kept.status == "full"
        assert "drift" in kept.reason or "never steady" in kept.reason
        reduced = optimize(suite_of(drifting), strategy, unsteady="reduce", min_forks=1)["B.a"]
        assert reduced.warmup <= 30
        # With fewer forks than the minimum, all are kept; the verdict needs three pairs of forks.
        fewest = {"detect": 3}.get(strategy, 2)
        assert optimize(suite_of(series(forks=2)), strategy)["B.a"].forks == fewest

    def test_unrecorded_warmup_and_warmup_of_another_length_are_kept(self, strategy: str) -> None:
        entry = optimize(suite_of(series(warm=0), warmup_iterations=7), strategy)["B.a"]
        assert entry.warmup >= 7
        assert entry.full_seconds == pytest.approx(5 * (0.5 + 0.7 + 6.0), rel=2e-3)
        # 10 warm-up iterations of 0.5 s were recorded; the benchmark needs 20 more of 0.1 s.
        changes: dict[str, Any] = {"warmup_iterations": 10, "warmup_seconds": 0.5, "iterations": 50}
        entry = optimize(suite_of(series(warm=30), warmup=10, **changes), strategy)["B.a"]
        assert entry.configuration.warmup_seconds == 0.5
        assert entry.warmup >= 10 + np.ceil(20 * 0.1 / 0.5)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_few_zeros_are_planned_and_many_are_reported(strategy: str) -> None:
    for first, last, too_many in ((0, 60, True), (44, 60, True), (46, 60, False), (0, 31, False)):
        values = series(warm=0)
        values[:, first:last] = 0.0
        ways: tuple[Literal["keep", "reduce"], ...] = ("keep", "reduce")
        for unsteady in ways:
            plan = optimize(suite_of(values, unit="B/op"), strategy, unsteady=unsteady)
            [entry] = plan.benchmarks
            assert entry.seconds <= entry.full_seconds
            assert entry.reason.startswith("the second half of a fork is mostly 0") == too_many
            assert not too_many or entry.configuration == entry.full


def test_an_unstable_benchmark_keeps_its_full_run_only_with_uoptime() -> None:
    spread = np.array([[1.0], [1.3], [0.8], [1.1], [1.5]])
    unstable = suite_of(np.random.default_rng(1).lognormal(0, 0.4, (5, 60)) * spread)
    entry = optimize(unstable, "uoptime")["B.a"]
    assert (entry.status, entry.forks) == ("insufficient", 5)
    assert entry.seconds == entry.full_seconds
    assert entry.warmup + entry.iterations == 60
    entry = optimize(unstable)["B.a"]
    assert (entry.status, entry.forks) == ("reduced", 5)
    assert "above 3.00%; the error of the full run is" in entry.reason


@pytest.mark.parametrize(
    ("harness", "ratio", "says"), [("jmh", 1 / 3, "0.33 times"), ("go", 1.0, "1 times")]
)
def test_errors_include_the_variance_between_runs(harness: str, ratio: float, says: str) -> None:
    random = np.random.default_rng(0)
    values = np.exp(0.02 * random.standard_normal((5, 1)) + 0.001 * random.standard_normal((5, 30)))
    plan = optimize(replace(suite_of(values, iterations=30), harness=harness))
    [entry] = plan.benchmarks
    spread = np.std(np.log(np.median(values[:, entry.warmup :], axis=1)), ddof=1)
    assert entry.expected_error == pytest.approx(spread * np.hypot(5**-0.5, ratio), rel=0.25)
    assert f"a run-to-run variation of {says} the standard deviation" in receipt(plan)


def test_the_cost_of_a_plan_for_go_includes_calibration() -> None:
    # 100 us per operation: runs of 1 and 100 precede the run of 1,200 in 0.1 s.
    jmh, go = (
        optimize(replace(suite_of(series(warm=0)), harness=harness)) for harness in ("jmh", "go")
    )
    assert go.full_seconds == pytest.approx(5 * (0.5 + 60 * 0.1301), rel=2e-3)
    assert jmh.full_seconds == pytest.approx(5 * (0.5 + 60 * 0.1), rel=2e-3)


def test_an_invalid_option_is_reported_in_one_sentence() -> None:
    for options, message in (
        ({"strategy": "uoptime", "threshold": 0.0}, "threshold is 0.0; give a percentage above 0"),
        ({"strategy": "uoptime", "threshold": float("nan")}, "threshold is nan"),
        ({"budget": None}, "budget is None; give a percentage above 0"),
        ({"time_budget": 0.0}, "time_budget is 0.0; give seconds above 0, such as 600"),
        ({"time_budget": 2.0}, "time_budget is 2 s; base and head of the suite take at least"),
        ({"min_forks": 0}, "min_forks is 0"),
        ({"startup_seconds": -1.0}, "startup_seconds is -1.0"),
        ({"unsteady": "drop"}, "unsteady is 'drop'"),
        ({"jobs": 0}, "jobs is 0; give at least 1 process"),
        ({"strategy": "best"}, "unknown strategy 'best'; expected one of: error-budget, detect"),
        ({"strategy": "uoptime", "metric": "sd"}, "unknown stability metric 'sd'"),
        ({"detector": "eye"}, "unknown steady-state detector 'eye'"),
        ({"strategy": "uoptime", "budget": 0.02}, "'uoptime' has no option 'budget'; it has: metr"),
        ({"metric": "cv"}, "'error-budget' has no option 'metric'; it has: budget"),
        ({"strategy": "detect", "budget": 0.03}, "no option 'budget'; it has: detect, power"),
        ({"strategy": "detect", "detect": 0.0, "min_change": -1.0}, "detect is 0.0; give a perc"),
        ({"strategy": "detect", "detect": float("nan")}, "detect is nan; give a percentage above"),
        ({"strategy": "detect", "power": 1.0}, "power is 1.0; give a percentage above 0 and below"),
        ({"strategy": "detect", "confidence": 0.0}, "confidence is 0.0; give a percentage above 0"),
        ({"strategy": "detect", "time_budget": -5.0}, "time_budget is -5.0; give seconds above 0"),
        ({"strategy": "detect", "detect": 0.03}, "below min_change, which is 0.03; give a larger"),
    ):
        with pytest.raises(InputError, match=message):
            optimize(suite_of(series()), **options)


def test_a_time_budget_includes_benchmarks_that_keep_their_full_run() -> None:
    forks = {
        "quiet": series(),
        "noisy": series(1, spread=0.05),
        "drifting": series(2, warm=0) * np.linspace(1, 2, 60),
    }
    suite = Suite(tuple(benchmark(values, name=f"B.{name}") for name, values in forks.items()))
    plan = optimize(suite, time_budget=110.0)
    assert plan["B.drifting"].status == "full"
    assert plan["B.drifting"].seconds == pytest.approx(32.5, rel=1e-3)
    assert plan["B.drifting"].pair_seconds == pytest.approx(65.0, rel=1e-3)
    assert 85.0 < plan.pair_seconds <= 110.0
    assert (plan.options["time_budget"], plan.rotation) == (110.0, 1)
    longer = optimize(suite, time_budget=155.0)
    assert 110.0 < longer.pair_seconds <= 155.0
    # In 94 s, all three could be measured only during the warm-up of two, 40 % too slow.
    assert optimize(suite, time_budget=94.0).rotation == 2


def test_progress_is_reported_before_each_analysis_and_planning() -> None:
    steps: list[tuple[int, int, str]] = []
    optimize(some(2), progress=lambda *step: steps.append(step))
    assert steps == [(0, 2, "B.0"), (0, 2, "B.1"), (1, 2, "B.0"), (1, 2, "B.1")]


def some(count: int) -> Suite:
    """Return a suite of benchmarks with increasing noise, one of which is never steady."""
    forks = [series(number, spread=0.004 * number) for number in range(count)]
    forks[3:4] = [values * np.linspace(1, 2, 60) for values in forks[3:4]]
    return Suite(tuple(benchmark(values, name=f"B.{n}") for n, values in enumerate(forks)))


@pytest.mark.parametrize(
    "strategy", [pytest.param("error-budget", marks=pytest.mark.thorough), "detect"]
)
def test_the_plan_does_not_depend_on_the_number_of_processes(
    strategy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = plan_to_json(optimize(some(4), strategy))
    monkeypatch.setattr(workers, "__kwdefaults__", {"delay": 0.0})
    assert plan_to_json(optimize(some(4), strategy, jobs=2)) == alone


LEVELS = (Level("fork"), Level("iteration"))


@looped(
    ("full_warmup", "recorded", "seconds", "planned", "start"),
    [
        (0, 0, (1.0, 1.0), 8, 8),  # -wi 0: all warm-up is recorded
        (5, 0, (1.0, 1.0), 5, 0),  # none of the harness's warm-up is recorded
        (5, 0, (1.0, 1.0), 12, 7),
        (5, 5, (1.0, 1.0), 12, 12),  # all of it is
        (5, 5, (1.0, 1.0), 3, 3),
        (5, 2, (1.0, 1.0), 7, 4),
        (5, 5, (2.0, 1.0), 8, 11),  # 3 more iterations of 2 s equal 6 measured ones
        (5, 5, (1.0, 2.0), 9, 7),
        (5, 0, (1.0, 0.0), 9, 4),  # single shots
    ],
)
def test_the_measurement_starts_at_a_recorded_iteration(
    full_warmup: int, recorded: int, seconds: tuple[float, float], planned: int, start: int
) -> None:
    identity = Identity("a")
    benchmark = Benchmark(identity, "ns/op", np.ones((3, 40)), LEVELS, warmup=recorded)
    full, run = (
        ExecutionConfiguration(3, warmup, 20, *seconds) for warmup in (full_warmup, planned)
    )
    entry = BenchmarkPlan(identity, run, full, 1.0, 2.0, "reduced", "")
    assert measured_from(entry, benchmark) == start
