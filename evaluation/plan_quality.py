"""Savings and errors of plans, and the changes detected with them.

A plan is made from forks 0 to 4 of each benchmark of the jmh-steady data, with its iterations of
0.1 s merged into 60 of 1 s, and judged on the held-out forks 5 to 9: by the deviation of the
planned result from the steady result of these forks, and by comparing base (planned forks of 0 to
4) with head (planned forks of 5 to 9, slowed down by a factor).

    python -m evaluation.plan_quality DATA [EVERY]      DATA: folder of the jmh-steady data
                                                        EVERY: only each EVERY-th benchmark
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

import steady
from evaluation._jmh_steady import joined, read_series
from steady.harness.suite_builder import LEVELS
from steady.model import (
    Benchmark,
    ExecutionConfiguration,
    FloatArray,
    Identity,
    Suite,
)
from steady.optimize import BenchmarkPlan, Plan

JOINED, ITERATIONS = 10, 60
FULL = ExecutionConfiguration(5, 0, ITERATIONS, 1.0, 1.0)
FACTORS = (1.0, 1.05, 1.08, 1.10, 1.20)

PLANS: Mapping[str, Mapping[str, Any]] = {
    "full run": {"strategy": "uoptime", "threshold": 1e-12},
    "uoptime, rciw3 1 %, 1 fork": {"strategy": "uoptime", "min_forks": 1},
    "uoptime, rciw3 1 %": {"strategy": "uoptime"},
    "error-budget 1.5 %": {"budget": 0.015},
    "error-budget 2 %, 3 forks": {"budget": 0.02, "min_forks": 3},
    "error-budget 2 %": {"budget": 0.02},
    "error-budget 3 %, 1 fork": {"min_forks": 1},
    "error-budget 3 %, 3 forks": {"min_forks": 3},
    "error-budget 3 %": {},
    "error-budget 5 %": {"budget": 0.05},
}


def suite_of(series: Sequence[FloatArray], forks: slice) -> Suite:
    """Return some forks of one project's benchmarks as a suite."""
    return Suite(
        tuple(
            Benchmark(Identity(f"b{index}"), "s/op", values[forks], LEVELS, 0, FULL)
            for index, values in enumerate(series)
        )
    )


def run_as(plan: Plan, suite: Suite, factor: float = 1.0) -> Suite:
    """Return the measurements by the plan, slowed down."""
    return Suite(
        tuple(
            b.with_measurements(planned(b.measurements, plan[b.identity]) * factor)
            for b in suite.values()
        )
    )


def planned(values: FloatArray, entry: BenchmarkPlan) -> FloatArray:
    """Return the iterations that a plan measures."""
    return values[: entry.forks, entry.warmup : entry.warmup + entry.iterations]


def judge(projects: Sequence[Sequence[FloatArray]], options: Mapping[str, Any]) -> list[float]:
    """Return fraction saved, deviation (median, p90), expected error, and reported changes."""
    seconds, deviations, expected = np.zeros(2), [], []
    reported = np.zeros(len(FACTORS))
    for series in projects:
        seen, unseen = suite_of(series, slice(0, 5)), suite_of(series, slice(5, 10))
        plan = steady.optimize(seen, **options)
        seconds += (plan.seconds, plan.full_seconds)
        base = run_as(plan, seen)
        for benchmark, entry in zip(unseen.values(), plan.benchmarks, strict=True):
            truth = np.median(np.median(benchmark.forks[:, ITERATIONS // 2 :], axis=1))
            result = np.median(np.median(planned(benchmark.forks, entry), axis=1))
            deviations.append(abs(result / truth - 1))
            expected.append(np.nan if entry.expected_error is None else entry.expected_error)
        for index, factor in enumerate(FACTORS):
            found = steady.compare(base, run_as(plan, unseen, factor))
            reported[index] += len(found.regressions)
            reported[index] += len(found.improvements) if factor == 1.0 else 0
    saved = 1 - seconds[0] / seconds[1]
    errors = [np.median(deviations), np.quantile(deviations, 0.9), np.nanmedian(expected)]
    return [saved, *errors, *(reported / len(deviations))]


def main() -> None:
    """Print the table."""
    data, every = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    chosen = [
        (name.split("#")[0], joined(values[:, : JOINED * ITERATIONS], JOINED))
        for index, (name, values) in enumerate(read_series(data))
        if index % every == 0
    ]
    projects = [
        [values for _, values in group] for _, group in groupby(chosen, key=lambda pair: pair[0])
    ]
    print(f"{len(chosen)} benchmarks of {len(projects)} projects.\n")
    print(
        "| plan | saved | deviation, median | p90 | expected | A/A | "
        + " | ".join(f"x{factor:g}" for factor in FACTORS[1:])
        + " |\n|---|" + "--:|" * (4 + len(FACTORS))
    )  # fmt: skip
    for name, options in PLANS.items():
        cells = " | ".join(f"{100 * value:.1f} %" for value in judge(projects, options))
        print(f"| {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
