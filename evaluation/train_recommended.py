"""Fit the recommended detector to the open human labels, and evaluate it.

Usage: python -m evaluation.train_recommended DATA [--write]

DATA is the folder of the jmh-steady data. Prints figures of a cross-validation by project: each
project is predicted by a fit to the others. ``--write`` fits to all open series instead and writes
``onset.json`` and ``onset_points.json`` of ``src/steady/papers``, the same bytes every time.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import sparse

from evaluation._jmh_steady import joined, read_rows, read_series
from evaluation._onset_fit import fit_points, points_json
from evaluation._onset_people import agreement, likely_range, passes_of, passes_table
from steady.model import FloatArray
from steady.papers.onset import (
    LAST_START,
    LEVEL_P,
    MISS_COST,
    MODEL_FILE,
    PROBABILITY,
    Trees,
    best_part,
    has_no_warmup,
    middle_of,
    start_distribution,
)
from steady.papers.onset_features import FEATURES, PARTS, part_features, series_features
from steady.papers.onset_model import POINTS_FILE, PlotProperties, PointsModel, plot_properties

BoolArray = npt.NDArray[np.bool_]

MODELS = Path(__file__).parent.parent / "src" / "steady" / "papers"

TREES = 300
RATE = 0.1
PENALTY = 10.0
LEAST_WEIGHT = 0.75
BINS = 32

SIZES = (1, 10, 60)
"""Number of iterations merged into one, for evaluating starts."""

LENGTHS = (1, 2, 3, 5, 10, 60)
"""Number of iterations merged into one, for evaluating the classification as steady."""

BEGINNINGS = (2000, 1000, 600)
"""Lengths to which series are truncated."""

LEAST_STEADY = 50
"""Minimum length after the labelled start for a truncated series to count as steady."""

MISSES = (0.0, 10.0, MISS_COST, 40.0)
NEAR = 50


@dataclass(frozen=True)
class Labelled:
    """One labelled series; the start is -1 if not steady."""

    benchmark: str
    project: str
    values: FloatArray
    start: int
    in_subset_a: bool


class Growth:
    """Training data of a tree: the bin index of each value in its column.

    Parameters
    ----------
    evidence : ndarray of float64, shape (rows, columns)
    """

    def __init__(self, evidence: FloatArray) -> None:
        shares = np.linspace(0, 1, BINS + 1)[1:-1]
        self.borders = [np.unique(np.quantile(column, shares)) for column in evidence.T]
        self.bins = np.stack(
            [
                np.searchsorted(b, column)
                for b, column in zip(self.borders, evidence.T, strict=True)
            ],
            axis=1,
        )
        rows, columns = evidence.shape
        cells = self.bins + np.arange(columns) * BINS
        starts = np.arange(rows + 1) * columns
        self._members = sparse.csr_array(
            (np.ones(cells.size), cells.ravel(), starts), shape=(rows, columns * BINS)
        ).T.tocsr()

    def question(self, pushes: FloatArray) -> tuple[int, int]:
        """Return the split with the largest gain; `pushes` are gradients and curvatures."""
        sums = (self._members @ pushes).reshape(-1, BINS, 2)
        pull, weight = np.cumsum(sums, axis=1).transpose(2, 0, 1)
        other_pull, other_weight = pull[:, -1:] - pull, weight[:, -1:] - weight
        gain = pull**2 / (weight + PENALTY) + other_pull**2 / (other_weight + PENALTY)
        gain[np.minimum(weight, other_weight) < LEAST_WEIGHT] = -1
        # Rounded, so that ties between equivalent columns are not broken by the last bit.
        best = int(np.argmax(np.round(gain[:, :-1], 9)))
        return best // (BINS - 1), best % (BINS - 1)

    def is_above(self, question: tuple[int, int]) -> BoolArray:
        """Evaluate a split for every row."""
        column, border = question
        return np.asarray(self.bins[:, column] > border)


def fit(evidence: FloatArray, started: FloatArray) -> Trees:
    """Boost trees of depth two on the logistic loss, with Newton steps in the leaves."""
    growth = Growth(evidence)
    share = np.mean(started)
    base = round(float(np.log(share / (1 - share))), 6)
    log_odds = np.full(len(started), base)
    columns, thresholds, leaves = [], [], []
    for _ in range(TREES):
        expected = 1 / (1 + np.exp(-log_odds))
        pushes = np.stack((started - expected, expected * (1 - expected)), axis=1)
        first = growth.question(pushes)
        above = growth.is_above(first)
        if_no, if_yes = (growth.question(pushes * side[:, np.newaxis]) for side in (~above, above))
        leaf = 2 * above + np.where(above, growth.is_above(if_yes), growth.is_above(if_no))
        pull, weight = (np.bincount(leaf, push, 4) for push in pushes.T)
        leaves.append(np.round(RATE * pull / (weight + PENALTY), 6))
        log_odds += leaves[-1][leaf]
        asked = (first, if_no, if_yes)
        columns.append([column for column, _ in asked])
        thresholds.append([round(float(growth.borders[c][b]), 6) for c, b in asked])
    return Trees(base, np.array(columns), np.array(thresholds), np.array(leaves))


def read_labelled(folder: Path) -> list[Labelled]:
    """Return fork 0 of every benchmark whose label is open."""
    labels = {row["benchmark"]: row for row in read_rows(folder, "labels")}
    baselines = {row["benchmark"]: row for row in read_rows(folder, "baselines")}
    series = []
    for name, forks in read_series(folder):
        label, baseline = labels[name], baselines[name]
        if label["split"] == "open":
            start = int(label["jagt_start"]) if label["steady"] == "1" else -1
            found = "-1" not in (baseline["cp_ssd_start"], baseline["kb_kssd_start"])
            series.append(
                Labelled(name, label["project"], forks[0].copy(), start, found and start >= 0)
            )
    return series


def evidence_of(values: FloatArray) -> FloatArray:
    """Return the features of the trees."""
    return part_features(values, series_features(values))


def plot_of(values: FloatArray) -> PlotProperties:
    """Return the properties of a series' plot."""
    return plot_properties(values, series_features(values))


def fit_to(series: Sequence[Labelled], evidence: Sequence[FloatArray]) -> Trees:
    """Fit to the starts of the steady series: each part up to its start is a row."""
    parts = [
        (one, min(single.start * PARTS // len(single.values), LAST_START))
        for single, one in zip(series, evidence, strict=True)
        if single.start >= 0
    ]
    started = np.concatenate([np.arange(part + 1) == part for _, part in parts])
    rows = np.concatenate([one[: part + 1] for one, part in parts])
    return fit(rows, started.astype(np.float64))


@dataclass(frozen=True)
class Judged:
    """Cross-validated predictions for each series with `size` iterations merged into one.

    Parameters
    ----------
    steady : ndarray of bool, shape (series,)
    starts : dict of float to ndarray, shape (series,)
        Starts by the cost of a miss, in iterations of 0.1 s.
    """

    steady: BoolArray
    starts: dict[float, npt.NDArray[np.intp]]


class CrossValidation:
    """Leave-one-project-out fits and their predictions."""

    def __init__(self, series: list[Labelled]) -> None:
        self.series = series
        self.project = np.array([one.project for one in series])
        self.label = np.array([one.start >= 0 for one in series])
        self.evidence = [evidence_of(one.values) for one in series]
        self.seen = [plot_of(one.values) for one in series]
        self.trees = {name: self._fit_without(name) for name in np.unique(self.project)}
        self.points = {name: self._points_without(name) for name in self.trees}

    def _fit_without(self, project: str) -> Trees:
        others = np.flatnonzero(self.project != project)
        return fit_to([self.series[i] for i in others], [self.evidence[i] for i in others])

    def _points_without(self, project: str) -> PointsModel:
        others = np.flatnonzero(self.project != project)
        seen = [self.seen[i] for i in others]
        return fit_points(seen, self.label[others].astype(np.float64))

    def judge(self, size: int) -> Judged:
        """Predict every series with `size` iterations merged into one."""
        starts: dict[float, list[int]] = {miss: [] for miss in MISSES}
        for i, one in enumerate(self.series):
            values = joined(one.values, size)
            whole = series_features(values)
            evidence = self.evidence[i] if size == 1 else part_features(values, whole)
            probability = start_distribution(self.trees[one.project], evidence)
            for miss, found in starts.items():
                part = best_part(probability, miss)
                start = 0 if has_no_warmup(whole) else middle_of(part, len(values))
                found.append(size * start)
        steady = self.called_steady([joined(one.values, size) for one in self.series])
        return Judged(steady, {miss: np.array(found) for miss, found in starts.items()})

    def called_steady(self, values: Sequence[FloatArray]) -> BoolArray:
        """Return the classification as steady for alternative values of the series."""
        pairs = zip(self.series, values, strict=True)
        return np.array([self.calls_steady(one.project, own) for one, own in pairs])

    def calls_steady(self, project: str, values: FloatArray) -> bool:
        """Return the classification of a series by the fit to the other projects."""
        whole = series_features(values)
        likely = self.points[project].probability(plot_properties(values, whole))
        return bool(likely >= PROBABILITY or whole.level_p >= LEVEL_P)


@dataclass(frozen=True)
class Found:
    """Cross-validated prediction for one open benchmark.

    Parameters
    ----------
    is_steady : bool
        Whether it becomes steady.
    start : int
        Start of the steady state, also predicted for unsteady series.
    """

    is_steady: bool
    start: int


def cross_validated(series: list[Labelled]) -> dict[str, Found]:
    """Return the cross-validated prediction for each open benchmark."""
    judged = CrossValidation(series).judge(1)
    answers = zip(series, judged.steady, judged.starts[MISS_COST], strict=True)
    return {one.benchmark: Found(bool(steady), int(start)) for one, steady, start in answers}


def steadiness_table(cv: CrossValidation) -> list[str]:
    """Return the agreement with people on the classification as steady, by length."""
    rows = {
        f"{3000 // size}": (cv.called_steady([joined(one.values, size) for one in cv.series]), 3000)
        for size in LENGTHS
    }
    for length in BEGINNINGS:
        steady = cv.called_steady([one.values[:length] for one in cv.series])
        rows[f"the first {length}"] = steady, length - LEAST_STEADY
    lines = [
        "| iterations | labelled steady | agreements | MCC | steady by mistake | "
        "unsteady by mistake |",
        "|---|---|---|---|---|---|",
    ]
    starts = np.array([one.start for one in cv.series])
    for name, (steady, before) in rows.items():
        label = cv.label & (starts < before)
        share, mcc = agreement(steady, label)
        wrong = np.sum(steady & ~label), np.sum(~steady & label)
        lines.append(
            f"| {name} | {np.mean(label):.3f} | {share:.3f} | {mcc:.3f} | {wrong[0]} | {wrong[1]} |"
        )
    return lines


def people_table(cv: CrossValidation, folder: Path) -> list[str]:
    """Return the uncertainty of the agreement, and people's self-consistency."""
    steady = cv.called_steady([one.values for one in cv.series])
    (low, low_mcc), (high, high_mcc) = likely_range(steady, cv.label, cv.project)
    passes = passes_of(folder, [one.benchmark for one in cv.series])
    return [
        f"Other projects drawn, 90 % of the draws: agreements {low:.2f} to {high:.2f}, "
        f"MCC {low_mcc:.2f} to {high_mcc:.2f}.",
        "",
        *passes_table(steady, cv.label, passes),
    ]


def report(series: list[Labelled], folder: Path) -> str:
    """Return the tables of the cross-validation, in Markdown."""
    cv = CrossValidation(series)
    subset = np.array([one.in_subset_a for one in series])
    target = np.array([one.start for one in series])
    judged = {size: cv.judge(size) for size in SIZES}
    errors = {
        (size, miss): np.abs(starts - target)
        for size, one in judged.items()
        for miss, starts in one.starts.items()
    }
    lines = [
        *steadiness_table(cv),
        "",
        *people_table(cv, folder),
        "",
        f"| iterations | a miss costs | mean error, n = {subset.sum()} | median error | "
        "within 50, % |",
        "|---|---|---|---|---|",
    ]
    for (size, miss), error in errors.items():
        inside = error[subset]
        near = 100 * np.mean(inside <= NEAR)
        lines.append(
            f"| {3000 // size} | {miss:g} parts | {np.mean(inside):.1f} | "
            f"{np.median(inside):.0f} | {near:.1f} |"
        )
    lines += [
        "",
        "| project | series | labelled steady | agreements | mean error | median error |",
        "|---|---|---|---|---|---|",
    ]
    for name in cv.trees:
        which = cv.project == name
        share = np.mean(judged[1].steady[which] == cv.label[which])
        error = errors[1, MISS_COST][which & subset]
        lines.append(
            f"| {name} | {which.sum()} | {cv.label[which].mean():.2f} | {share:.2f} | "
            f"{np.mean(error):.0f} | {np.median(error):.0f} |"
        )
    return "\n".join(lines)


def to_json(trees: Trees) -> str:
    """Return JSON with one tree per line."""
    rows = zip(trees.columns, trees.thresholds, trees.leaves, strict=True)
    lines = [
        json.dumps(
            {
                "columns": [FEATURES[column] for column in columns],
                "thresholds": thresholds.tolist(),
                "leaves": leaves.tolist(),
            }
        )
        for columns, thresholds, leaves in rows
    ]
    return f'{{"base": {trees.base}, "trees": [\n' + ",\n".join(lines) + "\n]}\n"


def main() -> None:
    """Print the figures, or write the trees and the points."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DATA", help="the jmh-steady data")
    parser.add_argument("--write", action="store_true", help="fit to all and write the models")
    options = parser.parse_args()
    series = read_labelled(options.folder)
    if options.write:
        trees = fit_to(series, [evidence_of(one.values) for one in series])
        label = np.array([float(one.start >= 0) for one in series])
        points = fit_points([plot_of(one.values) for one in series], label)
        (MODELS / MODEL_FILE).write_text(to_json(trees), encoding="utf-8")
        (MODELS / POINTS_FILE).write_text(points_json(points), encoding="utf-8")
    else:
        print(report(series, options.folder))


if __name__ == "__main__":
    main()
