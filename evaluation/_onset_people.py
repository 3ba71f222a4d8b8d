"""Uncertainty of onset's agreement with people, and its dependence on people's own consistency.

The same people judged the labelled series twice before. The final label is not a simple function
of these two passes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from evaluation._jmh_steady import read_rows

BoolArray = npt.NDArray[np.bool_]

PASSES = ("round1_start", "round2_start")
DRAWS = 4000
SEED = 0


def agreement(steady: BoolArray, label: BoolArray) -> tuple[float, float]:
    """Return the share of agreements and Matthews' correlation."""
    share = float(np.mean(steady == label))
    constant = bool(steady.all() or not steady.any() or label.all() or not label.any())
    return share, 0.0 if constant else float(np.corrcoef(steady, label)[0, 1])


def passes_of(folder: Path, benchmarks: list[str]) -> BoolArray:
    """Return the labels of both earlier passes, shape (passes, benchmarks)."""
    rows = {row["benchmark"]: row for row in read_rows(folder, "label_rounds")}
    return np.array([[int(rows[name][one]) >= 0 for name in benchmarks] for one in PASSES])


def passes_table(steady: BoolArray, label: BoolArray, passes: BoolArray) -> list[str]:
    """Return the agreement by the number of earlier passes that agree with the label.

    Parameters
    ----------
    steady, label : ndarray of bool, shape (series,)
        Results of the detector, and final labels.
    passes : ndarray of bool, shape (passes, series)
        Labels of the earlier passes.
    """
    same = np.sum(passes == label, axis=0)
    lines = [
        "| earlier passes that agree with the label | series | labelled steady | agreements | "
        "MCC |",
        "|---|---|---|---|---|",
    ]
    for count in range(len(passes), -1, -1):
        which = same == count
        share, mcc = agreement(steady[which], label[which])
        labelled = np.mean(label[which])
        lines.append(f"| {count} | {np.sum(which)} | {labelled:.3f} | {share:.3f} | {mcc:.3f} |")
    return lines


def likely_range(
    steady: BoolArray, label: BoolArray, project: npt.NDArray[np.str_], draws: int = DRAWS
) -> npt.NDArray[np.float64]:
    """Return the 5th and 95th percentile of agreements and MCC, shape (2, 2), rows percentiles.

    Bootstrap over projects, which estimates the variation between samples of projects.
    """
    random = np.random.default_rng(SEED)
    members = [np.flatnonzero(project == name) for name in np.unique(project)]
    drawn = random.integers(len(members), size=(draws, len(members)))
    figures = []
    for row in drawn:
        which = np.concatenate([members[place] for place in row])
        figures.append(agreement(steady[which], label[which]))
    return np.percentile(figures, (5, 95), axis=0)
