"""Small benchmarks, plans and materials for the optimisation tests."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from steady.model import Benchmark, ExecutionConfiguration, FloatArray, Identity, Level
from steady.optimize import BenchmarkPlan, Plan
from steady.optimize.cost import CostModel
from steady.optimize.strategy import Choice, Material, Strategy

LEVELS = (Level("fork"), Level("iteration"))
FULL = ExecutionConfiguration(5, 0, 60, 0.1, 0.1)


def benchmark(
    values: npt.ArrayLike,
    unit: str = "us/op",
    name: str = "B.a",
    configuration: ExecutionConfiguration | None = None,
    **more: Any,
) -> Benchmark:
    """Return a benchmark of shape (forks, iterations); with 0.1 s per iteration by default."""
    table = np.asarray(values, dtype=np.float64)
    run = configuration or ExecutionConfiguration(len(table), 0, table.shape[1], 0.1, 0.1)
    return Benchmark(Identity(name), unit, table, LEVELS, configuration=run, **more)


def planned(
    name: str, run: ExecutionConfiguration = FULL, seconds: float = 1.0, **more: Any
) -> BenchmarkPlan:
    """Return the plan of a benchmark that keeps its full configuration."""
    fields: dict[str, Any] = {
        "full": run,
        "full_seconds": seconds,
        "status": "reduced",
        "reason": "",
    } | more
    return BenchmarkPlan(Identity(name), run, seconds=seconds, **fields)


def plan_of(names: Iterable[str], strategy: str = "error-budget", **more: Any) -> Plan:
    """Return a plan of identical benchmarks."""
    return Plan(tuple(map(planned, names)), strategy, **more)


def material(
    series: FloatArray,
    warmup: int = 0,
    first: int = 0,
    *,
    startup: float = 0.5,
    min_forks: int = 1,
    least: int = 5,
) -> Material:
    """Return the material of forks with iterations of one second."""
    cost = CostModel(startup, 0.0, np.arange(series.shape[1] + 1, dtype=float))
    return Material(series, warmup, first, cost, min_forks, least)


def choices(
    strategy: Strategy,
    materials: list[Material],
    kept: float = 0.0,
    offers: list[Any] | None = None,
) -> list[Choice]:
    """Return the choices; offers of a suite are cached."""
    offers = [strategy.offer(m) for m in materials] if offers is None else offers
    chooser = strategy.prepare(offers, kept)
    return [chooser.choose(m, offer) for m, offer in zip(materials, offers, strict=True)]
