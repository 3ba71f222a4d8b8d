"""Cost of a plan's page in addition to the analysis: seconds, bytes and memory.

Usage: python benchmarks/plan_page.py OUT [--benchmarks N] [--forks N] [--iterations N] [--jobs N]
                                          [--strategy NAME]

It makes a full run of forks that warm up, plans it, and writes OUT/report.html. Memory is the peak
of this process and, once for each job, of its largest worker.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import steady
from steady.model import ExecutionConfiguration, Level
from steady.report.plan_page import write_plan_page

LEVELS = (Level("fork"), Level("iteration"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Create the page, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--benchmarks", type=int, default=1000)
    parser.add_argument("--forks", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=3000)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--strategy", default="error-budget")
    given = parser.parse_args(arguments)
    suite = full_run(given.benchmarks, given.forks, given.iterations)
    begin = time.perf_counter()
    plan = steady.optimize(suite, given.strategy, jobs=given.jobs)
    planned = time.perf_counter()
    path = write_plan_page(given.out, plan, suite, given.jobs)
    wrote = time.perf_counter()
    own, workers = (
        resource.getrusage(who).ru_maxrss / 1024
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    drawn = path.read_text(encoding="utf-8").count('<details class="benchmark"')
    print(f"{given.benchmarks} benchmarks x {given.forks} forks x {given.iterations} iterations")
    print(f"analysis {planned - begin:.1f} s, page {wrote - planned:.1f} s, {given.jobs} jobs")
    print(f"{path.stat().st_size / 1e6:.2f} MB with pictures of {drawn} benchmarks")
    print(f"memory {own + given.jobs * workers:.0f} MiB, {own:.0f} of them in the first process")
    return 0


def full_run(benchmarks: int, forks: int, iterations: int) -> steady.Suite:
    """Return synthetic forks with different warm-ups, some odd forks and some drifts."""
    generator = np.random.default_rng(1)
    full = ExecutionConfiguration(forks, 0, iterations, 0.1, 0.1)
    made = []
    for number in range(benchmarks):
        identity = steady.Identity(f"org.example.suite{number % 40}.CodecBenchmark.method{number}")
        levels = generator.normal(0, 0.3 if number % 9 == 0 else 0.01, (forks, 1))
        ends = generator.uniform(5, 80, (forks, 1))
        warmup = 3 * np.exp(-np.arange(iterations) / ends)
        drift = 1 + (0.5 if number % 33 == 0 else 0.0) * np.linspace(1, 0, iterations)
        noise = generator.normal(0, 0.02, (forks, iterations))
        values = 1000 * np.exp(levels + noise) * (1 + warmup) * drift
        made.append(steady.Benchmark(identity, "ns/op", values, LEVELS, configuration=full))
    return steady.Suite(tuple(made), harness="jmh")


if __name__ == "__main__":
    raise SystemExit(main())
