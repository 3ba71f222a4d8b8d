"""Speed of the stability metrics on all configurations of one benchmark.

Usage: python benchmarks/uoptime.py

Compares a loop over configurations and metrics with 10,000 resamples each, as in the description of
µOpTime's prototype, with `steady.stats.configurations.stability_of_configurations`, which evaluates
all of them in one pass. The first pass of a process also computes tables that later ones share.
``rciw2`` is also shown separately, because it alone needs random numbers. Times are the minimum CPU
time of several runs, to exclude disturbances.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from steady.model import FloatArray
from steady.papers.uoptime import configuration_grid
from steady.stats import METRICS
from steady.stats.configurations import stability_of_configurations
from steady.stats.samples import IntArray

FULL_CONFIGURATIONS = ((3, 5, 5), (3, 20), (5, 50), (5, 100))
RESAMPLES = 10_000
LOOPS = 2
PASSES = 40

Literal = Callable[[FloatArray, np.random.Generator], float]


def cv(sample: FloatArray, _: np.random.Generator) -> float:
    """Divide the population standard deviation by the mean."""
    return float(np.std(sample) / np.mean(sample))


def rmad(sample: FloatArray, _: np.random.Generator) -> float:
    """Median absolute deviation by median."""
    median = np.median(sample)
    return float(np.median(np.abs(sample - median)) / median)


def rciw1(sample: FloatArray, random: np.random.Generator) -> float:
    """Percentile interval of the mean, by mean."""
    return width(resampled(sample, random).mean(axis=1)) / float(np.mean(sample))


def rciw2(sample: FloatArray, random: np.random.Generator) -> float:
    """Bootstrap-t interval of the mean, by mean; a resample without spread gets one of 1e-6."""
    drawn = resampled(sample, random)
    root = np.sqrt(sample.size)
    spread = drawn.std(axis=1, ddof=1)
    spread[spread == 0] = 1e-6
    statistics = (drawn.mean(axis=1) - np.mean(sample)) / (spread / root)
    error = np.std(sample, ddof=1) / root
    return float(width(statistics) * error / np.mean(sample))


def rciw3(sample: FloatArray, random: np.random.Generator) -> float:
    """Percentile interval of the median, by median."""
    return width(np.median(resampled(sample, random), axis=1)) / float(np.median(sample))


def rciw3_mean(sample: FloatArray, random: np.random.Generator) -> float:
    """Percentile interval of the mean, by median."""
    return width(resampled(sample, random).mean(axis=1)) / float(np.median(sample))


LITERAL: dict[str, Literal] = {
    "cv": cv,
    "rmad": rmad,
    "rciw1": rciw1,
    "rciw2": rciw2,
    "rciw3": rciw3,
    "rciw3-mean": rciw3_mean,
}


def resampled(sample: FloatArray, random: np.random.Generator) -> FloatArray:
    """Draw resamples with replacement, shape (resamples, n)."""
    return sample[random.integers(sample.size, size=(RESAMPLES, sample.size))]


def width(statistics: FloatArray) -> float:
    """Distance of the 0.5 and 99.5 percentiles."""
    lower, upper = np.percentile(statistics, (0.5, 99.5))
    return float(upper - lower)


def literal_stabilities(
    measurements: FloatArray, grid: IntArray, metric: str, seed: int = 0
) -> FloatArray:
    """Loop over configurations."""
    random = np.random.default_rng(seed)
    blocks = [measurements[tuple(slice(count) for count in counts)].ravel() for counts in grid]
    return np.array([LITERAL[metric](block, random) for block in blocks])


def main() -> None:
    """Print the table."""
    print(
        "| full configuration | configurations | metrics | loop, ms | first pass, ms | later, ms "
        "| ratio |"
    )
    print("|---|---|---|---|---|---|---|")
    for line in lines():
        print(line, flush=True)


def lines() -> Iterator[str]:
    """Yield one line of the table for each full configuration and group of metrics."""
    others = tuple(name for name in METRICS if name != "rciw2")
    groups = {"all": tuple(METRICS), "all but rciw2": others, "rciw2": ("rciw2",)}
    random = np.random.default_rng(1)
    for shape in FULL_CONFIGURATIONS:
        grid = configuration_grid(shape)
        measurements = random.lognormal(5, 0.02, shape)
        loops = {
            metric: min(milliseconds(loop) for _ in range(LOOPS))
            for metric in METRICS
            for loop in [partial(literal_stabilities, measurements, grid, metric)]
        }
        name = " x ".join(map(str, shape))
        for group, metrics in groups.items():
            one_pass = partial(stability_of_configurations, measurements, grid, metrics)
            passes = [milliseconds(one_pass) for _ in range(PASSES)]
            loop, later = sum(loops[metric] for metric in metrics), min(passes[1:])
            first = f"{passes[0]:.0f}" if group == "all" else ""
            yield (
                f"| {name} | {len(grid)} | {group} | {loop:.0f} | {first} | {later:.1f} "
                f"| {loop / later:.0f} |"
            )


def milliseconds(work: Callable[[], object]) -> float:
    """Measure the CPU time of one call, which is less affected by other programs."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


if __name__ == "__main__":
    main()
