"""Rate at which noise is classified as drift, and quality of the resulting plans.

First, stationary forks by simulation: correlated noise, forks that differ, single slow iterations.
None drifts, so each "still drifting" is an error. Then short runs, five forks of twenty merged
iterations of 1 s, from the original jmh-steady data and with added noise: a plan is made from forks
0 to 4 and judged on forks 5 to 9, whose own full run shows the effect of noise alone.

    python -m evaluation.drift_or_noise DATA [EVERY]    DATA: folder of the jmh-steady data
                                                        EVERY: only each EVERY-th benchmark
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import steady
from evaluation._jmh_steady import joined, read_series
from steady.model import Benchmark, ExecutionConfiguration, FloatArray, Identity, Level, Suite
from steady.optimize import BenchmarkPlan
from steady.optimize.drift import Drift
from steady.optimize.warm_up import required_warmup
from steady.steadystate import detect

FORKS, ITERATIONS, JOINED = 5, 20, 10
SIMULATED = 200
BEFORE = 200
"""Number of discarded initial iterations of a simulated process."""
FULL = ExecutionConfiguration(FORKS, 0, ITERATIONS, 1.0, 1.0)
LEVELS = (Level("fork"), Level("iteration"))


def correlated(rng: np.random.Generator, shape: tuple[int, int], correlation: float) -> FloatArray:
    """Return autocorrelated standard normal numbers, one series per row."""
    steps = rng.standard_normal((shape[0], shape[1] + BEFORE))
    for index in range(1, steps.shape[1]):
        steps[:, index] *= np.sqrt(1 - correlation**2)
        steps[:, index] += correlation * steps[:, index - 1]
    return np.asarray(steps[:, BEFORE:])


def stationary(
    rng: np.random.Generator, forks: int, iterations: int, correlation: float
) -> FloatArray:
    """Return forks of a busy machine: 15 % of noise, 5 % between forks, 2 % slow iterations."""
    shape = (forks, iterations)
    noise = 0.15 * correlated(rng, shape, correlation) + 0.05 * rng.standard_normal((forks, 1))
    return np.exp(noise + (rng.random(shape) < 0.02) * rng.exponential(0.5, shape))


def kept(series: FloatArray) -> str:
    """Return the reason why `series` would keep its full run, or an empty string."""
    starts = [detect(fork, method="kb-kssd").start for fork in series]
    warmup, reason = required_warmup(Drift(series), starts, np.arange(len(series)))
    return reason if warmup is None else ""


def outcomes(
    series: list[FloatArray], noise: float, seed: int = 0
) -> Iterator[tuple[BenchmarkPlan, float, float]]:
    """Yield each plan, and its and its full run's error on forks 5 to 9."""
    rng = np.random.default_rng(seed)
    noisy = [values * np.exp(noise * correlated(rng, values.shape, 0.6)) for values in series]
    suite = Suite(
        tuple(
            Benchmark(Identity(f"b{index}"), "s/op", values[:FORKS], LEVELS, 0, FULL)
            for index, values in enumerate(noisy)
        )
    )
    plan = steady.optimize(suite)
    for values, entry, quiet in zip(noisy, plan.benchmarks, series, strict=True):
        truth = np.median(quiet[FORKS:, ITERATIONS // 2 :])
        stop = entry.warmup + entry.iterations
        planned = np.median(values[FORKS : FORKS + entry.forks, entry.warmup : stop].mean(axis=1))
        full = np.median(values[FORKS:, ITERATIONS // 2 :].mean(axis=1))
        yield entry, abs(float(planned / truth) - 1), abs(float(full / truth) - 1)


def main() -> None:
    """Print both tables."""
    data, every = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    print(
        "| stationary forks × iterations | correlation | called drifting "
        "| no plan for another reason |"
    )
    print("|---|--:|--:|--:|")
    for forks, iterations in ((3, 20), (5, 20), (5, 60)):
        for correlation in (0.0, 0.8, 0.95):
            rng = np.random.default_rng(0)
            found = [
                kept(stationary(rng, forks, iterations, correlation)) for _ in range(SIMULATED)
            ]
            drifting = np.mean([reason.startswith("still drifting") for reason in found])
            other = np.mean([bool(reason) for reason in found]) - drifting
            print(
                f"| {forks} × {iterations} | {correlation:g} | {drifting:.1%} | {other:.1%} |",
                flush=True,
            )
    chosen = [
        joined(values[:, : JOINED * ITERATIONS], JOINED)
        for index, (_, values) in enumerate(read_series(data))
        if index % every == 0
    ]
    print(
        "\n| noise added | benchmarks | no plan | drift counts as noise | their deviation "
        "| that of their full run | deviation of the others | that of their full run |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for noise in (0.0, 0.1, 0.3):
        rows = list(outcomes(chosen, noise))
        reduced = [row for row in rows if row[0].status == "reduced"]
        told = [row for row in reduced if "as far as" in row[0].reason]
        sure = [row for row in reduced if "as far as" not in row[0].reason]
        keep = sum(row[0].expected_error is None for row in rows)
        cells = [
            f"{np.median([row[column] for row in part]):.1%}" if part else "–"
            for part in (told, sure)
            for column in (1, 2)
        ]
        print(
            f"| {noise:.0%} | {len(rows)} | {keep} | {len(told)} | {' | '.join(cells)} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
