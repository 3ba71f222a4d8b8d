"""What the similarity methods say of planted forks and of steady forks of real benchmarks.

Usage: python evaluation/fork_similarity.py [DATA_FOLDER]

The first three tables need no data: five forks of 60 iterations with noise of 2 %, one of which
may differ in a known way, and five equal forks of other lengths. The fourth takes forks 0 to 4 of
the jmh-steady data, cuts the warm-up that KB-KSSD finds and joins the rest to 60 iterations. The
last takes all 10 forks as they are, as the paper does.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
from _jmh_steady import joined, read_series

from steady.model import FloatArray
from steady.similarity import Similarity, similarity
from steady.steadystate import detect

FORKS, ITERATIONS, REPEATS = 5, 60, 200

METHODS: dict[str, Callable[[FloatArray], Similarity]] = {
    "heuristic": lambda forks: similarity(forks),
    "heuristic, tolerance 3 %": lambda forks: similarity(forks, tolerance=0.03),
    "heuristic, tolerance 5 %": lambda forks: similarity(forks, tolerance=0.05),
    "heuristic, tolerance 10 %": lambda forks: similarity(forks, tolerance=0.1),
    "same": lambda forks: similarity(forks, "same"),
    "same, threshold 0.05": lambda forks: similarity(forks, "same", threshold=0.05),
}

TIME = np.arange(ITERATIONS) / ITERATIONS


def wave(periods: float, shift: float = 0.0) -> FloatArray:
    """Return one fork's level with a wave of 20 %."""
    return np.asarray(1 + 0.2 * np.sin(2 * np.pi * (periods * TIME + shift)), dtype=np.float64)


PLANTS: dict[str, tuple[FloatArray | float, FloatArray | float, float]] = {
    "nothing": (1.0, 1.0, 0.02),
    "shift of 5 %": (1.0, 1.05, 0.02),
    "shift of 20 %": (1.0, 1.2, 0.02),
    "shift of 100 %": (1.0, 2.0, 0.02),
    "noise of 10 %": (1.0, 1.0, 0.1),
    "noise of 20 %": (1.0, 1.0, 0.2),
    "trend of 30 %": (1.0, 1 + 0.3 * TIME, 0.02),
    "wave in all forks": (wave(4), wave(4), 0.02),
    "wave in one fork": (1.0, wave(4), 0.02),
    "wave of double frequency": (wave(4), wave(8), 0.02),
    "wave shifted by a quarter": (wave(4), wave(4, 0.25), 0.02),
}
"""Level of forks 0 to 3, level of fork 4, noise of fork 4."""


def planted(name: str, level_spread: float = 0.0) -> Iterator[FloatArray]:
    """Yield forks of which the last one differs; levels spread normally around 1."""
    random = np.random.default_rng(20230415)
    usual, odd, noise = PLANTS[name]
    for _ in range(REPEATS):
        forks = usual * (1 + 0.02 * random.standard_normal((FORKS, ITERATIONS)))
        forks[-1] = odd * (1 + noise * random.standard_normal(ITERATIONS))
        yield forks * (1 + level_spread * random.standard_normal((FORKS, 1)))


def planted_tables() -> None:
    """Print how often each method finds what was planted, and what M2 and M4 depend on."""
    print("| planted in the last of five forks | " + " | ".join(METHODS) + " |")
    print("|---|" + "---|" * len(METHODS))
    rows = [(name, list(planted(name))) for name in PLANTS]
    rows.insert(1, ("levels spread by 2 %", list(planted("nothing", 0.02))))
    for name, cases in rows:
        cells = []
        for method in METHODS.values():
            found = [method(forks) for forks in cases]
            dissimilar = np.mean([not result.similar for result in found])
            named = np.mean([result.odd_forks == (FORKS - 1,) for result in found])
            cells.append(f"{100 * dissimilar:.0f} / {100 * named:.0f}")
        print(f"| {name} | " + " | ".join(cells) + " |")
    words = [(60, 4), (30, 3), (30, 4), (30, 8), (15, 4)]
    print("\n| | M1 | " + " | ".join(f"M2, {w} letters of {a}" for w, a in words), end="")
    print(" | M3 | M3 without mean | M4 | M4 as printed | M5 | M5, tolerance 5 % |")
    print("|---|" + "---|" * (len(words) + 7))
    for name, cases in rows:
        values = np.mean([measures(forks, words) for forks in cases[:50]], axis=0)
        print(f"| {name} | " + " | ".join(f"{value:.2f}" for value in values) + " |")


def length_table() -> None:
    """Print how often five forks of noise alone are called dissimilar, by their length."""
    random = np.random.default_rng(20230415)
    print("\n| iterations of noise alone | " + " | ".join(METHODS) + " |")
    print("|---|" + "---|" * len(METHODS))
    for length in (10, 15, 20, 30, 60):
        cases = [1 + 0.02 * random.standard_normal((FORKS, length)) for _ in range(REPEATS)]
        shares = [np.mean([not m(forks).similar for forks in cases]) for m in METHODS.values()]
        print(f"| {length} | " + " | ".join(f"{100 * share:.0f}" for share in shares) + " |")


def measures(forks: FloatArray, words: list[tuple[int, int]]) -> list[float]:
    """Return the measures of all choices, each the mean over the pairs."""
    default = similarity(forks).measures
    centred = forks - forks.mean(axis=1, keepdims=True)
    pairs = list(combinations(range(len(forks)), 2))
    squares = np.sum(forks**2, axis=1)
    return [
        default["correlation"],
        *(similarity(forks, segments=w, alphabet=a).measures["compression"] for w, a in words),
        default["fourier"],
        similarity(centred).measures["fourier"],
        default["cosine"],
        float(np.mean([1 - forks[i] @ forks[j] / (squares[i] + squares[j]) for i, j in pairs])),
        default["kolmogorov-smirnov"],
        similarity(forks, tolerance=0.05).measures["kolmogorov-smirnov"],
    ]


def steady_part(forks: FloatArray) -> FloatArray | None:
    """Return the part where all forks are steady, joined to 60 iterations; None without one."""
    starts = [detect(fork).start for fork in forks]
    if any(start is None for start in starts):
        return None
    size = (forks.shape[1] - max(start or 0 for start in starts)) // ITERATIONS
    return joined(forks[:, -size * ITERATIONS :], size) if size else None


def share_table(cases: list[FloatArray]) -> None:
    """Print how many benchmarks each method calls dissimilar, by how far their levels differ."""
    level = np.median(np.array(cases), axis=2)
    spread = np.ptp(level, axis=1) / np.median(level, axis=1)
    groups = {"all": spread >= 0, "< 3 %": spread < 0.03}
    groups |= {"3 to 10 %": (spread >= 0.03) & (spread < 0.1), ">= 10 %": spread >= 0.1}
    print("| dissimilar, % | " + " | ".join(f"{k} ({v.sum()})" for k, v in groups.items()), end="")
    print(" | one fork named |\n|---|" + "---|" * (len(groups) + 1))
    for name, method in METHODS.items():
        found = [method(forks) for forks in cases]
        dissimilar = np.array([not result.similar for result in found])
        named = np.mean([len(result.odd_forks) == 1 for result in found])
        shares = [f"{100 * dissimilar[group].mean():.0f}" for group in groups.values()]
        print(f"| {name} | " + " | ".join(shares) + f" | {100 * named:.0f} |")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", help="folder of the jmh-steady data")
    folder = parser.parse_args().folder
    planted_tables()
    length_table()
    if folder is None:
        return
    series = [forks for _, forks in read_series(folder)]
    steady = [part for forks in series if (part := steady_part(forks[:FORKS])) is not None]
    print(f"\nSteady parts of {len(steady)} of {len(series)} benchmarks, levels differing by:\n")
    share_table(steady)
    print("\nAll 10 forks of 3000 iterations, warm-up included:\n")
    share_table(series)


if __name__ == "__main__":
    main()
