"""Table 6: sensitivity of detectors to their parameters (Beseda et al. 2025, RQ2).

Usage: python -m evaluation.sensitivity DATA [--base N] [--every K] [--jobs N] [--output FILE]

DATA holds the folder ``jmh-steady``. The paper's table 3 took 6,144 samples, which are 512 times
2 (parameters + 1). The document states its number of samples and series.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from SALib.analyze import sobol as sobol_indices
from SALib.sample import sobol as sobol_sample

from evaluation._calls import Calls
from evaluation._jmh_steady import read_series
from evaluation._kb_kssd_settings import IntArray, Settings, steady_starts
from evaluation._markdown import markdown, number, paragraph
from evaluation._onset_settings import called_steady
from evaluation.steady_state import read_labels
from steady.model import FloatArray
from steady.parallel import workers

OUTPUT = Path("docs/evaluation-sensitivity.md")
SEED = 20250101
BASE = 512

Ranges = Mapping[str, tuple[float, float]]

RANGES: Ranges = {
    "prob_win_size": (400, 600),
    "step_win_size": (50, 90),
    "t_crit": (3, 5),
    "prob_threshold": (0.75, 0.95),
    "outlier_win_size": (80, 120),
}
"""The paper's parameters and ranges, section 4.2."""

Published = Mapping[str, tuple[float, float, float]]
"""First-order and total index of 24,576 samples, total index of 6,144, by parameter."""

PUBLISHED: Published = {
    "prob_win_size": (0.20, 0.46, 0.32),
    "step_win_size": (0.01, 0.01, 0.01),
    "t_crit": (0.16, 0.46, 0.39),
    "prob_threshold": (0.11, 0.36, 0.30),
    "outlier_win_size": (0.15, 0.26, 0.20),
}
"""Beseda et al. 2025, tables 2 and 3."""

GRID: dict[str, FloatArray] = {
    "prob_win_size": np.linspace(400, 600, 5),
    "step_win_size": np.linspace(50, 90, 5),
    "t_crit": np.linspace(3, 5, 9),
    "prob_threshold": np.linspace(0.75, 0.95, 5),
    "outlier_win_size": np.linspace(80, 120, 5),
}
"""Around the published optimum, in the paper's ranges; the paper's own grid is not public."""

OPTIMUM = (500.0, 70.0, 4.0, 0.95, 100.0)

OWN_RANGES: Ranges = {"probability": (0.3, 0.7), "level_p": (0.001, 0.05)}
"""Grid of steady's own detector's options, around their defaults."""

OWN_GRID: dict[str, tuple[float, ...]] = {
    "probability": (0.3, 0.4, 0.5, 0.6, 0.7),
    "level_p": (0.001, 0.005, 0.01, 0.02, 0.05),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the document."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.sensitivity")
    parser.add_argument("data", type=Path, help="folder that holds jmh-steady")
    parser.add_argument("--base", type=int, default=BASE, help=f"base samples (default: {BASE})")
    parser.add_argument("--every", type=int, default=1, help="each K-th series only (default: 1)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--output", type=Path, default=OUTPUT, help=f"file (default: {OUTPUT})")
    given = parser.parse_args(arguments)
    series, label = open_series(given.data / "jmh-steady", given.every)
    text = document(series, label, given.base, given.jobs)
    given.output.write_text(text, encoding="utf-8", newline="\n")
    return 0


def open_series(folder: Path, every: int) -> tuple[list[FloatArray], IntArray]:
    """Read the series with open labels, and their labelled starts, -1 if not steady."""
    labels = read_labels(folder)
    wanted = set(labels.benchmarks)
    series = {name: forks[0].copy() for name, forks in read_series(folder) if name in wanted}
    return [series[name] for name in labels.benchmarks[::every]], labels.starts[::every]


def document(series: list[FloatArray], label: IntArray, base: int, jobs: int | Executor) -> str:
    """Return the whole text."""
    steady = [values for values, start in zip(series, label, strict=True) if start >= 0]
    parts = [
        "# How detectors depend on their parameters",
        "`make evaluate-sensitivity DATA=../shared/data` writes this page.",
        *kb_kssd_parts(steady, label[label >= 0], base, jobs),
        *own_parts(series, label, base),
    ]
    return "\n\n".join(parts) + "\n"


def kb_kssd_parts(
    series: list[FloatArray], label: IntArray, base: int, jobs: int | Executor
) -> Iterator[str]:
    """Yield the paragraphs about KB-KSSD, on series that are labelled steady."""
    samples = saltelli(RANGES, base)
    grid = np.array(list(product(*GRID.values())))
    starts = all_starts(series, np.concatenate([samples, grid]), jobs)
    sampled, gridded = np.split(starts, [len(samples)], axis=1)
    yield "## KB-KSSD"
    yield paragraph(
        f"""The table has Sobol's indices over the five parameters and ranges of Beseda et al.
        (2025, section 4.2), from {len(samples)} samples, on {len(series)} series that the open
        labels call steady (the paper: all 407). The response is the norm of the distances between
        found and labelled starts (the paper's equation 9). Series that a setting calls unsteady do
        not count in it, as in section 3.5. Windows are rounded to whole iterations. The figure in
        brackets is half the width of the 95 % bootstrap confidence interval. *Published*: the
        paper's tables 2 (24,576 samples) and 3 (6,144)."""
    )
    yield indices_table(RANGES, norm(sampled, label), PUBLISHED)
    yield "The same indices for the number of series called unsteady, which the norm excludes:"
    yield indices_table(RANGES, (sampled < 0).sum(axis=0).astype(np.float64))
    yield "## KB-KSSD: the fit around the optimum"
    counts = ", ".join(f"{len(values)} of {name}" for name, values in GRID.items())
    yield paragraph(
        f"""Sum of distances (equation 13) of {len(grid)} settings, every combination of {counts}.
        The paper chose its optimum by that sum among 15,000 settings, on all labels. Series called
        unsteady are excluded, so a setting that calls more of them unsteady has fewer distances to
        sum. The last row is the constant start with the smallest sum."""
    )
    yield fit_table(grid, gridded, label)


def own_parts(series: list[FloatArray], label: IntArray, base: int) -> Iterator[str]:
    """Yield the paragraphs about our own detector, on all labelled series."""
    samples = saltelli(OWN_RANGES, base)
    grid = np.array(list(product(*OWN_GRID.values())))
    called = called_steady(series, *np.concatenate([samples, grid]).T)
    sampled, gridded = np.split(called, [len(samples)], axis=1)
    truth = label >= 0
    ranges = ", ".join(f"{name} {low:g} to {high:g}" for name, (low, high) in OWN_RANGES.items())
    yield "## steady's own detector (onset)"
    yield paragraph(
        f"""Its options determine whether a series is steady ({ranges}); the start of the steady
        state is learnt, and
            `docs/evaluation.md` judges it by fits to other projects. Its points were fitted to the
            labels on this page, so the figures here are optimistic. The table has Sobol's indices
            of the number of agreements with all {len(series)} labels, from {len(samples)}
        samples:"""
    )
    agreements = (sampled == truth[:, np.newaxis]).sum(axis=0).astype(np.float64)
    yield indices_table(OWN_RANGES, agreements)
    yield "Agreements and Matthews' correlation coefficient by setting:"
    calls = [Calls.of(column, truth) for column in gridded.T]
    cells = [f"{one.agreements}, {number(one.correlation)}" for one in calls]
    width = len(OWN_GRID["level_p"])
    rows = [
        [f"{probability:g}", *cells[place * width : (place + 1) * width]]
        for place, probability in enumerate(OWN_GRID["probability"])
    ]
    yield markdown(["probability", *(f"level_p {p:g}" for p in OWN_GRID["level_p"])], rows)


def problem(ranges: Ranges) -> dict[str, object]:
    """Return the ranges in SALib's format."""
    return {"num_vars": len(ranges), "names": list(ranges), "bounds": list(ranges.values())}


def saltelli(ranges: Ranges, base: int) -> FloatArray:
    """Return Saltelli's samples, shape (2 * base * (parameters + 1), parameters)."""
    found = sobol_sample.sample(problem(ranges), base, calc_second_order=True, seed=SEED)
    return np.asarray(found, dtype=np.float64)


def all_starts(series: list[FloatArray], rows: FloatArray, jobs: int | Executor) -> IntArray:
    """Return the start found in each series under each setting, shape (series, settings)."""
    columns = dict(zip(RANGES, rows.T, strict=True))
    windows = {
        name: np.rint(columns[name]).astype(np.int64) for name in RANGES if "win_size" in name
    }
    settings = Settings(
        windows["outlier_win_size"],
        windows["step_win_size"],
        windows["prob_win_size"],
        columns["t_crit"],
        columns["prob_threshold"],
    )
    find = partial(steady_starts, settings=settings)
    with workers(jobs, delay=0.0) as shared:
        return np.array(list(shared.map(find, series)))


def norm(starts: IntArray, label: IntArray) -> FloatArray:
    """Return the L2 norm of the distances from the label under each setting."""
    errors = np.where(starts < 0, 0, starts - label[:, np.newaxis])
    return np.asarray(np.sqrt(np.sum(errors.astype(np.float64) ** 2, axis=0)))


def indices_table(ranges: Ranges, response: FloatArray, published: Published | None = None) -> str:
    """Return the first-order and total indices, with the paper's if published."""
    if np.ptp(response) == 0:
        return "The response is the same under all samples."
    found = sobol_indices.analyze(problem(ranges), response, calc_second_order=True, seed=SEED)
    rows = []
    for position, name in enumerate(ranges):
        own = [_with_interval(found, kind, position) for kind in ("S1", "ST")]
        theirs = () if published is None else published[name]
        rows.append([name, *own, *map(number, theirs)])
    header = ["", "first-order", "total"]
    if published is not None:
        header += ["published: first-order", "total", "total, 6,144 samples"]
    return markdown(header, rows)


def _with_interval(found: dict[str, FloatArray], kind: str, position: int) -> str:
    return f"{number(found[kind][position])} ({number(found[f'{kind}_conf'][position])})"


def fit_table(grid: FloatArray, starts: IntArray, label: IntArray) -> str:
    """Return the best settings of the grid, the published one, and the best constant."""
    errors = np.abs(np.where(starts < 0, 0, starts - label[:, np.newaxis]))
    sums, unsteady = errors.sum(axis=0), (starts < 0).sum(axis=0)
    order = np.lexsort((unsteady, sums))
    published = int(np.flatnonzero((grid == OPTIMUM).all(axis=1))[0])
    lines = [("best", int(order[0])), ("second", int(order[1])), ("third", int(order[2]))]
    lines += [("published optimum", published), ("median of the grid", int(order[len(order) // 2]))]
    rank = {int(row): place for place, row in enumerate(order.tolist(), start=1)}
    rows = [
        [name, str(rank[row]), *(f"{value:g}" for value in grid[row]), *_sums(sums, unsteady, row)]
        for name, row in [*lines, ("worst", int(order[-1]))]
    ]
    constant = int(np.median(label))
    apart = int(np.abs(label - constant).sum())
    rows.append([f"constant {constant}", "", *[""] * len(GRID), str(apart), "0"])
    return markdown(["", "rank", *GRID, "sum of distances", "called unsteady"], rows)


def _sums(sums: IntArray, unsteady: IntArray, row: int) -> tuple[str, str]:
    return str(int(sums[row])), str(int(unsteady[row]))


if __name__ == "__main__":
    sys.exit(main())
