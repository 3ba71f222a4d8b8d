"""Advice for benchmarks without a plan that another run would help."""

from dataclasses import dataclass
from math import ceil
from typing import Literal

import numpy as np

from steady.model import Benchmark, Identity, Suite
from steady.optimize.analysis import ENOUGH_FORKS, shortage
from steady.optimize.cost import configuration_of
from steady.optimize.strategy import MIN_FORKS
from steady.optimize.warm_up import ENOUGH_ITERATIONS, shortest_fork
from steady.plan.suite_plan import BenchmarkPlan, Plan
from steady.steadystate import SHORTEST

LONGER = 2
"""If a run was too short, the next one is this many times as long."""

Why = Literal["no operation", "too few", "unsteady"]


@dataclass(frozen=True, slots=True)
class Advice:
    """Advice for some benchmarks.

    Parameters
    ----------
    why : {"no operation", "too few", "unsteady"}
        The missing property: an operation in each iteration, enough forks and iterations, or a
        steady state.
    benchmarks : tuple of Identity
        The benchmarks concerned.
    forks, iterations : int
        Forks, and iterations of a fork, of the full run to make instead.
    iteration_seconds : float
        Length of its iterations, in seconds.
    can_reduce : bool
        Whether they can be planned from the second half of the measurements (``unsteady`` only).
    """

    why: Why
    benchmarks: tuple[Identity, ...]
    forks: int
    iterations: int
    iteration_seconds: float
    can_reduce: bool = False


def advice(suite: Suite, plan: Plan) -> tuple[Advice, ...]:
    """Return advice for the benchmarks that have no plan because measurements are missing.

    Parameters
    ----------
    suite : Suite
        The full run.
    plan : Plan
        The plan made from it.

    Returns
    -------
    tuple of Advice
        One item for each reason. Benchmarks that another run would not help are not included.
    """
    by_reason: dict[Why, list[Benchmark]] = {}
    for benchmark in suite.benchmarks:
        why = _reason(benchmark, plan[benchmark.identity])
        if why is not None:
            by_reason.setdefault(why, []).append(benchmark)
    reducing = plan.options.get("unsteady") == "reduce"
    return tuple(_advice(why, those, reducing) for why, those in by_reason.items())


def _reason(benchmark: Benchmark, entry: BenchmarkPlan) -> Why | None:
    series = benchmark.fork_times
    if np.isinf(series).any():
        return "no operation"
    if entry.status != "full" or entry.stability is not None:
        return None  # a strategy has chosen its configuration
    if shortage(series, benchmark.warmup) is None:
        return "unsteady"
    few = len(series) < ENOUGH_FORKS or shortest_fork(series) < ENOUGH_ITERATIONS
    return "too few" if few else None


def _advice(why: Why, benchmarks: list[Benchmark], reducing: bool) -> Advice:
    configurations = [configuration_of(benchmark) for benchmark in benchmarks]
    iterations = max(max(benchmark.forks.shape[1] for benchmark in benchmarks), ENOUGH_ITERATIONS)
    seconds = max(configuration.iteration_seconds for configuration in configurations)
    halves = (b.fork_times[:, b.fork_times.shape[1] // 2 :] for b in benchmarks)
    return Advice(
        why,
        tuple(benchmark.identity for benchmark in benchmarks),
        max(MIN_FORKS, *(benchmark.forks.shape[0] for benchmark in benchmarks)),
        max(iterations * LONGER, SHORTEST) if why == "unsteady" else iterations,
        ceil(seconds * LONGER * 1000) / 1000 if why == "no operation" else seconds,
        why == "unsteady" and not reducing and max(map(shortest_fork, halves)) >= ENOUGH_ITERATIONS,
    )
