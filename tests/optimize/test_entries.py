from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from steady.model import Benchmark, ExecutionConfiguration, Identity, Level, Spent, Suite
from steady.optimize import optimize
from steady.optimize.cost import cost_model
from steady.optimize.entries import declared_configuration, declared_seconds

FULL = ExecutionConfiguration(3, 0, 20, 0.1, 0.1)
DEFAULTS = ExecutionConfiguration(5, 5, 5, 10.0, 10.0)


def bench(operation: float, declared: ExecutionConfiguration | None, *spent: Spent) -> Benchmark:
    values = np.full((3, 20), operation)
    levels = (Level("fork"), Level("iteration"))
    full = replace(FULL, iteration_seconds=0.0, warmup_seconds=0.0) if spent else FULL
    return Benchmark(
        Identity("B.a"), "s/op", values, levels, 0, full, declared=declared, spent=spent
    )


@pytest.mark.parametrize(
    ("operation", "declared", "seconds"),
    [
        (1e-6, DEFAULTS, 5 * (0.7 + 100)),
        # Iterations of 1 s in which an operation of 0.4 s runs three times.
        (0.4, ExecutionConfiguration(2, 3, 4, 1.0, 1.0), 2 * (0.7 + 7 * 1.2)),
        # @Fork(0) runs in JMH's own JVM.
        (1e-6, ExecutionConfiguration(0, 1, 2, 1.0, 1.0), 3.0),
    ],
)
def test_what_a_benchmark_declares_has_a_price(
    operation: float, declared: ExecutionConfiguration, seconds: float
) -> None:
    benchmark = bench(operation, declared)
    price = declared_seconds(benchmark, cost_model(benchmark, 0.7))
    assert price == pytest.approx(seconds)


def test_what_the_clock_says_counts_for_today_too() -> None:
    # Single shots of 0.01 s that take 0.05 s each with their setup, after a start of 1 s.
    benchmark = bench(
        0.01, ExecutionConfiguration(5, 0, 1, 0.0, 0.0), *[Spent(1.0 + 20 * 0.05, 20 * 0.05)] * 3
    )
    price = declared_seconds(benchmark, cost_model(benchmark))
    assert price == pytest.approx(5 * (1.0 + 0.05))


def test_a_plan_knows_what_its_benchmarks_declare() -> None:
    known = bench(1e-6, DEFAULTS)
    plan = optimize(Suite((known,)))
    (entry,) = plan.benchmarks
    assert (entry.today, entry.today_seconds) == (DEFAULTS, 502.5)
    assert plan.former_seconds == plan.today_seconds == 502.5
    unknown = replace(known, identity=Identity("B.b"), declared=None)
    both = optimize(Suite((known, unknown)))
    assert both.today_seconds is None
    assert both.former_seconds == both.full_seconds


def test_a_declaration_without_iterations_says_nothing() -> None:
    assert declared_configuration(bench(1e-6, replace(DEFAULTS, iterations=0))) is None
