"""Small suites, pairs and plans for the tests of comparisons."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from steady.compare.pair import Pair
from steady.compare.rule import Judgement
from steady.model import (
    Benchmark,
    ExecutionConfiguration,
    Failure,
    FloatArray,
    Identity,
    Level,
    Suite,
)
from steady.plan.suite_plan import BenchmarkPlan, Plan

LEVELS = (Level("fork"), Level("iteration"))


def make_benchmark(
    name: str, values: npt.ArrayLike, unit: str = "ns/op", mode: str = "avgt", **more: Any
) -> Benchmark:
    """Return a benchmark with forks and iterations; `more` sets its other fields."""
    table = np.asarray(values, dtype=np.float64)
    return Benchmark(Identity(name, mode), unit, table, LEVELS, **more)


def steady_values(level: float, *, forks: int = 3, iterations: int = 10) -> list[list[float]]:
    """Return forks that differ from a level by a few tenths of a per cent."""
    return [
        [level * (1 + 0.001 * ((3 * i + 5 * f) % 7 - 3)) for i in range(iterations)]
        for f in range(forks)
    ]


def make_suite(*benchmarks: Benchmark, failures: Sequence[Failure] = (), **levels: float) -> Suite:
    """Return a suite of levels by name, or of benchmarks."""
    plain = [make_benchmark(name, steady_values(level)) for name, level in levels.items()]
    return Suite((*benchmarks, *plain), failures=tuple(failures))


def make_plan(*names: str) -> Plan:
    """Return a plan of 3 forks with 2 + 10 iterations of 1 s for each name."""
    run = ExecutionConfiguration(3, 2, 10, 1.0, 1.0)
    full = ExecutionConfiguration(5, 20, 50, 1.0, 1.0)
    entries = (
        BenchmarkPlan(Identity(name), run, full, 36.0, 350.0, "reduced", "steady") for name in names
    )
    return Plan(tuple(entries), "uoptime")


def in_rounds(base: FloatArray, head: FloatArray, *, turns: bool = False, **more: Any) -> Pair:
    """Return a pair in which row i of both sides is round i, with or without turns."""
    rounds = np.repeat(np.arange(len(base))[:, np.newaxis], 2, axis=1)
    if turns:
        more["turns"] = np.ones(len(base), dtype=bool)
    return Pair("ns/op", base, head, rounds, **more)


def apart(judgements: Iterable[Judgement]) -> float:
    """Return the share of judgements with sides that are apart."""
    return float(np.mean([judgement.apart for judgement in judgements]))


def three_deviations(rate: float, count: int) -> float:
    """Return a rate plus three standard errors of its estimate."""
    return rate + 3 * float(np.sqrt(rate * (1 - rate) / count))
