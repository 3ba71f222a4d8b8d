"""Agreement among the people who labelled the open jmh-steady series.

Usage: python -m evaluation.label_noise DATA

DATA is the folder of the jmh-steady data. Disagreement among people limits the accuracy of any
detector; the tables show this limit.
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path

import numpy as np

from evaluation._jmh_steady import read_rows, read_series
from steady.papers.onset_features import series_features

ANNOTATORS = ("ann1", "ann2", "ann3", "ann4", "ann5")
NEAR = 50
CONTRASTS = (0, 2, 4, 6, 8, 11, 20, 40, np.inf)


def steadiness_table(folder: Path) -> list[str]:
    """Compare the two full passes with the final label and with each other."""
    rounds = {row["benchmark"]: row for row in read_rows(folder, "label_rounds")}
    final = [row for row in read_rows(folder, "labels") if row["split"] == "open"]
    label = np.array([row["steady"] == "1" for row in final])
    first, second = (
        np.array([int(rounds[row["benchmark"]][name]) >= 0 for row in final])
        for name in ("round1_start", "round2_start")
    )
    lines = ["| steady or not | agreements | MCC |", "|---|---|---|"]
    for name, one, other in (
        ("first pass, final label", first, label),
        ("second pass, final label", second, label),
        ("first pass, second pass", first, second),
    ):
        mcc = np.corrcoef(one, other)[0, 1]
        lines.append(f"| {name} | {np.mean(one == other):.3f} | {mcc:.3f} |")
    return lines


def starts_table(folder: Path) -> list[str]:
    """Compare each annotator's starts with the median of the other four, on subset A."""
    found = {row["benchmark"]: row for row in read_rows(folder, "baselines")}
    rows = [
        row
        for row in read_rows(folder, "labels")
        if row["steady"] == "1"
        and "-1"
        not in (found[row["benchmark"]]["cp_ssd_start"], found[row["benchmark"]]["kb_kssd_start"])
    ]
    starts = np.array([[int(row[name]) for name in ANNOTATORS] for row in rows])
    lines = [
        f"| start, n = {len(rows)} | mean error | median error | within {NEAR}, % |",
        "|---|---|---|---|",
    ]
    for place in range(len(ANNOTATORS)):
        others = np.median(np.delete(starts, place, axis=1), axis=1)
        error = np.abs(starts[:, place] - others)
        lines.append(
            f"| annotator {place + 1}, median of the others | {np.mean(error):.0f} | "
            f"{np.median(error):.0f} | {100 * np.mean(error <= NEAR):.0f} |"
        )
    return lines


def contrast_table(folder: Path) -> list[str]:
    """Return the fraction labelled steady by the contrast of the warm-up (see onset)."""
    label = {row["benchmark"]: row["steady"] for row in read_rows(folder, "labels")}
    rows = [
        (series_features(forks[0]).contrast, label[name] == "1")
        for name, forks in read_series(folder)
        if label[name]
    ]
    contrast, steady = (np.array(column) for column in zip(*rows, strict=True))
    lines = ["| contrast from | to | series | called steady, % |", "|---|---|---|---|"]
    for low, high in pairwise(CONTRASTS):
        inside = (contrast >= low) & (contrast < high)
        share = 100 * np.mean(steady[inside])
        lines.append(f"| {low:g} | {high:g} | {np.sum(inside)} | {share:.0f} |")
    return lines


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DATA", help="the jmh-steady data")
    folder = parser.parse_args().folder
    print(
        "\n".join(
            [*steadiness_table(folder), "", *starts_table(folder), "", *contrast_table(folder)]
        )
    )


if __name__ == "__main__":
    main()
