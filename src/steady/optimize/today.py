"""What a benchmark costs as its project runs it today: by its annotations, or JMH's defaults."""

from __future__ import annotations

import numpy as np

from steady.harness import USUAL
from steady.model import Benchmark, ExecutionConfiguration
from steady.optimize.cost import CostModel, iteration_seconds


def declared_configuration(benchmark: Benchmark) -> ExecutionConfiguration | None:
    """Return what the harness runs without any options; None if that is not known."""
    declared = benchmark.declared
    return None if declared is None or declared.iterations < 1 else declared


def declared_seconds(benchmark: Benchmark, cost: CostModel, *, harness: str = USUAL) -> float:
    """Return the seconds of one run as the benchmark declares it.

    Parameters
    ----------
    benchmark : Benchmark
        A benchmark with a declared configuration.
    cost : CostModel
        Its cost, fitted to real times if these are known.
    harness : str
        The harness that runs it.

    Notes
    -----
    Iterations of another length were not measured, so every operation counts as the median of all
    measured ones. Without forks the harness starts no process.
    """
    declared = benchmark.declared
    if declared is None:
        raise ValueError(f"{benchmark.identity.label} declares nothing")
    operation = benchmark.seconds_per_operation
    known = operation[np.isfinite(operation) & (operation > 0)]
    usual = np.array(np.median(known) if known.size else np.nan)
    warmup, measured = (
        cost.times * float(iteration_seconds(seconds, usual, size, harness=harness)) + cost.each
        for seconds, size in (
            (declared.warmup_seconds, declared.warmup_batch_size),
            (declared.iteration_seconds, declared.batch_size),
        )
    )
    iterations = declared.warmup_iterations * warmup + declared.iterations * measured
    return declared.forks * (cost.startup + iterations) if declared.forks else iterations
