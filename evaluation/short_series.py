"""Effect of fewer, longer iterations on KB-KSSD, on the jmh-steady data.

Usage: python -m evaluation.short_series DATA_FOLDER

The first table merges the 3000 iterations of 0.1 s into fewer, longer ones and compares each choice
of windows with the human labels of the open series. The second uses a typical developer's run, the
first 50 s as 50 iterations of 1 s. Starts are compared on the series that both the label and the
detector call steady.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluation._jmh_steady import ITERATION_SECONDS, joined, read_rows, read_series
from steady.model import FloatArray
from steady.steadystate import detect

Windows = tuple[int, int, int, int]
"""Outlier window, kernel, step window, probability window."""

Find = Callable[[FloatArray], int | None]
"""Function that returns the first steady iteration of a series."""

PUBLISHED: Windows = (100, 15, 70, 500)


@dataclass(frozen=True)
class Labelled:
    """One series with its human label, None if not steady."""

    values: FloatArray
    start: int | None


def read_labelled(folder: Path) -> list[Labelled]:
    """Return fork 0 of every benchmark whose label is open."""
    labels = {row["benchmark"]: row for row in read_rows(folder, "labels")}
    return [
        Labelled(
            forks[0],
            int(labels[name]["jagt_start"]) if labels[name]["steady"] == "1" else None,
        )
        for name, forks in read_series(folder)
        if labels[name]["split"] == "open"
    ]


def published(iterations: int) -> Windows:
    """Return the published windows, with the longest kernel that fits."""
    outlier, kernel, step, probability = PUBLISHED
    return outlier, min(kernel, iterations // 2), step, probability


def scaled(iterations: int, power: float) -> Windows:
    """Return the published windows times (iterations / 3000) ** power, with lower limits."""
    scale = (iterations / 3000) ** power
    outlier, kernel, step, probability = (round(window * scale) for window in PUBLISHED)
    return max(outlier, 10), max(kernel, 2), max(step, 3), max(probability, 10)


def choices(iterations: int) -> dict[str, Windows | None]:
    """Return the tried methods of adapting the windows to the length of a series."""
    return {
        "published": published(iterations),
        "all in proportion": scaled(iterations, 1),
        "all by the square root": scaled(iterations, 0.5),
        "**published, kernel a tenth (default)**": None,
    }


def detector(windows: Windows | None) -> Find:
    """Return KB-KSSD with these windows, or by default with its own."""
    names = ("outlier_window", "kernel", "step_window", "probability_window")
    options = {} if windows is None else dict(zip(names, windows, strict=True))
    return lambda values: detect(values, "kb-kssd", **options).start


def constant(start: int) -> Find:
    """Return a function that always returns this start."""
    return lambda _: start


def line(name: str, series: list[Labelled], find: Find, size: int) -> str:
    """Return one row of the table; `size` iterations of 0.1 s are merged into one."""
    found = [find(joined(one.values, size)) for one in series]
    agreements = sum(
        (start is None) == (one.start is None) for start, one in zip(found, series, strict=True)
    )
    both = [
        (start * size, one.start, one.values)
        for start, one in zip(found, series, strict=True)
        if start is not None and one.start is not None
    ]
    error = ITERATION_SECONDS * np.array([abs(start - label) for start, label, _ in both])
    level = [
        abs(np.mean(values[start:]) / np.mean(values[label:]) - 1) for start, label, values in both
    ]
    return (
        f"| {name} | {agreements} | {found.count(None)} | {len(both)} | {np.median(error):.1f} | "
        f"{np.mean(error):.1f} | {100 * np.median(level):.2f} | "
        f"{100 * np.quantile(level, 0.9):.1f} |"
    )


HEADER = (
    "| | agreements | called unsteady | both steady | median error, s | mean error, s | "
    "level off, median % | level off, 90th percentile % |\n|---|---|---|---|---|---|---|---|"
)


def full_length_table(series: list[Labelled]) -> None:
    """Print the effect of merging all 3000 iterations."""
    print(HEADER)
    print(line("3000 iterations of 0.1 s, published windows", series, detector(PUBLISHED), 1))
    for seconds in (0, 20, 33.4):
        start = round(seconds / ITERATION_SECONDS)
        print(line(f"constant start at {seconds:g} s", series, constant(start), 1))
    for size in (10, 20, 50, 100, 250):
        count = 3000 // size
        for name, windows in choices(count).items():
            what = f"{count} of {size * ITERATION_SECONDS:g} s, {name}"
            print(line(what, series, detector(windows), size))


def short_run_table(series: list[Labelled], iterations: int, size: int) -> None:
    """Print the same for a run that ends early; labels near its end or later are unsteady."""
    last = iterations - 5 * size
    early = [
        Labelled(
            one.values[:iterations],
            one.start if one.start is not None and one.start < last else None,
        )
        for one in series
    ]
    print(HEADER)
    for seconds in (0, 10, 15):
        start = round(seconds / ITERATION_SECONDS / size)
        print(line(f"constant start at {seconds} s", early, constant(start), size))
    for name, windows in choices(iterations // size).items():
        print(line(name, early, detector(windows), size))


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="folder of the jmh-steady data")
    series = read_labelled(parser.parse_args().folder)
    steady = sum(one.start is not None for one in series)
    print(f"{len(series)} labelled series, {steady} of them steady.\n")
    full_length_table(series)
    print("\nThe first 50 s as 50 iterations of 1 s:\n")
    short_run_table(series, 500, 10)


if __name__ == "__main__":
    main()
