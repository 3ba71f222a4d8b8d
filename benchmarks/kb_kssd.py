"""Speed of KB-KSSD over many forks.

Usage: python benchmarks/kb_kssd.py [FORKS]

Compares, on the same synthetic forks of 3000 iterations: a literal implementation of the paper with
loops over values and full convolutions (Beseda et al. 2025, equations 1 to 7), and
`steady.steadystate.kb_kssd`. The results of both are checked for equality.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from steady.model import FloatArray
from steady.steadystate import kb_kssd

ITERATIONS = 3000
OUTLIER_WINDOW, PERCENTILES = 100, (2.0, 98.0)
KERNEL, STEP_WINDOW = 15, 70
PROBABILITY_WINDOW, T_CRIT, PROBABILITY = 500, 4.0, 0.95


def literal_start(values: FloatArray) -> int | None:
    """Find the start of the steady state by the paper's loops."""
    smooth = without_outliers(values)
    step = step_down(smooth)
    rest = smooth[step + 1 :].tolist()
    probabilities = [0.0] * (step + 1)
    while rest:
        size = PROBABILITY_WINDOW if len(rest) - PROBABILITY_WINDOW >= 3 else len(rest)
        probabilities += [steady_share(rest[:size])] * size
        rest = rest[size:]
    start = len(values)
    while start > 0 and probabilities[start - 1] >= PROBABILITY:
        start -= 1
    return start if start < len(values) else None


def without_outliers(values: FloatArray) -> FloatArray:
    """Replace outliers by the median of their segment, recomputed each time."""
    result = values.copy()
    for part in np.array_split(result[1:], (len(values) - 1) // OUTLIER_WINDOW):
        low, high = (float(np.percentile(part, percent)) for percent in PERCENTILES)
        too_high = [place for place, value in enumerate(part) if value > high]
        too_low = [place for place, value in enumerate(part) if value < low]
        for place in too_high + too_low:
            part[place] = statistics.median(part.tolist())
    return result


def step_down(values: FloatArray) -> int:
    """Return the last iteration before the step down, or -1 if there is none."""
    centred = values - np.mean(values)
    n = len(centred)
    large = lowest(centred, n) - 1
    small = lowest(centred, KERNEL) + KERNEL - 1
    if not 0 <= large < n - 1 or abs(large - small) <= 1:
        return small if is_accepted(centred, small) else -1
    earlier, later = min(small, large), max(small, large)
    if earlier == 0:
        return later
    before = np.median(centred[max(0, later - STEP_WINDOW) : later + 1])
    after = np.median(centred[later + 1 : later + 1 + STEP_WINDOW])
    floor = np.median(centred[later + 1 :])
    if np.median(centred[earlier + 1 : later]) > 2 * abs(before - after) + floor:
        return later if is_accepted(centred, later) else earlier
    return earlier if is_accepted(centred, earlier) else -1


def lowest(centred: FloatArray, half: int) -> int:
    """Return the minimum's position of the convolution with a kernel of 1s and -1s."""
    kernel = np.concatenate([np.ones(half), -np.ones(half)])
    if half < len(centred):
        return int(np.argmin(np.convolve(centred, kernel, mode="valid")))
    return int(np.argmin(np.convolve(centred, kernel, mode="full")[half - 1 : 2 * half - 1]))


def is_accepted(centred: FloatArray, step: int) -> bool:
    """Compare the medians on either side of a step."""
    fall = np.median(centred[:step]) - np.median(centred[step:])
    return bool(fall >= abs(np.median(centred) / 2))


def steady_share(window: list[float]) -> float:
    """Return the fraction of a window's values near its mean (equations 3 to 7)."""
    n = len(window)
    if n < 3:
        return 0.0
    drift = (window[-1] - window[0]) / (n - 1)
    mean = sum(value - drift * place for place, value in enumerate(window, 1)) / n
    squares = sum((value - drift * place - mean) ** 2 for place, value in enumerate(window, 1))
    deviation = math.sqrt(squares / (n - 2))
    return sum(abs(value - mean) <= T_CRIT * deviation for value in window) / n


def made_up(forks: int) -> list[FloatArray]:
    """Return forks with a warm-up of any length, a level, noise and outliers."""
    random = np.random.default_rng(1)
    found = []
    for _ in range(forks):
        values = 1 + 0.03 * random.standard_normal(ITERATIONS)
        values[: random.integers(10, 1500)] += random.choice([0.05, 0.3, 2.0])
        values[random.random(ITERATIONS) < 0.02] *= 3
        found.append(values)
    return found


def main() -> None:
    """Print both times and their ratio."""
    forks = made_up(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
    expected, loop = timed(literal_start, forks)
    starts, ours = timed(lambda values: kb_kssd(values).start, forks)
    equal = sum(one == other for one, other in zip(expected, starts, strict=True))
    print(
        "| forks of 3000 iterations | equal starts | loop, ms a fork | steady, ms a fork | ratio |"
    )
    print("|---|---|---|---|---|")
    print(f"| {len(forks)} | {equal} | {loop:.2f} | {ours:.2f} | {loop / ours:.1f} |")


def timed(
    find: Callable[[FloatArray], int | None], forks: list[FloatArray]
) -> tuple[list[int | None], float]:
    """Return the results, and the CPU time per fork in milliseconds."""
    start = time.process_time()
    found = [find(values) for values in forks]
    return found, (time.process_time() - start) * 1000 / len(forks)


if __name__ == "__main__":
    main()
