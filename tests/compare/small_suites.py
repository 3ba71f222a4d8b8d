"""Small suites for the tests of comparisons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from steady.model import (
    Benchmark,
    Environment,
    ExecutionConfiguration,
    Failure,
    Identity,
    Level,
    Suite,
)
from steady.optimize.suite_plan import BenchmarkPlan, Plan


def make_benchmark(
    name: str,
    values: npt.ArrayLike,
    *,
    unit: str = "ns/op",
    mode: str = "avgt",
    params: tuple[tuple[str, str], ...] = (),
    warmup: int = 0,
    configuration: ExecutionConfiguration | None = None,
    environment: Environment | None = None,
) -> Benchmark:
    """Return a benchmark on the levels fork and iteration."""
    return Benchmark(
        Identity(name, mode, params),
        unit,
        np.asarray(values, dtype=np.float64),
        (Level("fork"), Level("iteration")),
        warmup=warmup,
        configuration=configuration,
        environment=environment or Environment(),
    )


def steady_values(level: float, *, forks: int = 3, iterations: int = 10) -> list[list[float]]:
    """Return forks that differ by a few tenths of a per cent about a level."""
    return [
        [level * (1 + 0.001 * ((3 * i + 5 * f) % 7 - 3)) for i in range(iterations)]
        for f in range(forks)
    ]


def make_suite(*benchmarks: Benchmark, failures: Sequence[Failure] = (), **levels: float) -> Suite:
    """Make a suite from levels by name, or from benchmarks."""
    plain = [make_benchmark(name, steady_values(level)) for name, level in levels.items()]
    return Suite((*benchmarks, *plain), failures=tuple(failures))


def make_plan(*names: str) -> Plan:
    """Plan 3 forks of 2 + 10 iterations of 1 s for each name."""
    run = ExecutionConfiguration(3, 2, 10, 1.0, 1.0)
    full = ExecutionConfiguration(5, 20, 50, 1.0, 1.0)
    entries = (
        BenchmarkPlan(Identity(name), run, full, 36.0, 350.0, "reduced", "steady") for name in names
    )
    return Plan(tuple(entries), "uoptime")
