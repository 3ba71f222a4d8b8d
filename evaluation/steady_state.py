"""Table 1: classification and start of steady state by each detector, and by human labels.

Usage: python -m evaluation DATA --only steady_state
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evaluation._calls import Calls
from evaluation._jmh_steady import read_rows, read_series
from evaluation._markdown import Number, Section, Table, markdown, number, paragraph, percent
from evaluation.train_recommended import cross_validated, read_labelled
from steady.papers.onset import onset
from steady.steadystate import BY_LENGTH, METHODS, detect

IntArray = npt.NDArray[np.int64]
UNSTEADY = -1
NEAR = 50

PUBLISHED_CALLS = (
    ("CP-SSD", 409, 150, 27),
    ("KB-KSSD", 405, 176, 5),
    ("SDM", 399, 125, 62),
    ("t-test", 324, 112, 150),
    ("R-test", 407, 178, 1),
)
"""Agreements, false positives and negatives over all 586: Beseda et al. 2025, figures 2, 6 and 7.

The false calls of SDM, t-test and R-test, and all of R-test, are from the authors' script.
"""

PUBLISHED_DISTANCES = (
    ("CP-SSD", "160323", "93047"),
    ("KB-KSSD", "137094", "81519"),
    ("SDM", "", "98958 (printed: 95958)"),
    ("t-test", "", "203237"),
    ("R-test", "", "76355"),
)
"""Manhattan distances over all of subset A and B: Beseda et al. 2025, figures 3 and 11."""

BASELINES = {
    "CP-SSD": "cp_ssd_start",
    "KB-KSSD": "kb_kssd_start",
    "SDM": "sdm_start",
    "t-test": "ttest_start",
    "R-test": "rtest_start",
}
ONSET = "onset, fit to the other projects"
ONSET_EVERYWHERE = "onset's start, also where it says unsteady"
LEARNED = ("fcn", "oscnn", "rocket")
"""Stoppers that were trained on these forks; `evaluation.stoppers` judges them by other fits."""

ANNOTATORS = tuple(f"ann{number}" for number in range(1, 6))
ROUNDS = ("round1_start", "round2_start")


@dataclass(frozen=True)
class Labels:
    """The open labels, fork 0 of each benchmark.

    Parameters
    ----------
    benchmarks, projects : sequence of str
        Names.
    starts : ndarray of int64
        Labelled first steady iteration, -1 if not steady.
    """

    benchmarks: Sequence[str]
    projects: npt.NDArray[np.str_]
    starts: IntArray

    @property
    def steady(self) -> npt.NDArray[np.bool_]:
        """Whether the series is labelled steady."""
        return self.starts >= 0


def table(data: Path) -> Section:
    """Return all parts of the table."""
    folder = data / "jmh-steady"
    labels = read_labels(folder)
    published = read_starts(folder, "baselines", labels, BASELINES)
    ours = our_starts(folder, labels)
    annotators = read_starts(folder, "labels", labels, {name: name for name in ANNOTATORS})
    rounds = read_starts(folder, "label_rounds", labels, {name: name for name in ROUNDS})
    return [
        "## 1. Where the steady state begins",
        _introduction(labels),
        calls_table(labels.starts, ours, published, rounds),
        "Published over all 586 series, with the held-out labels:",
        markdown(
            ["", "agreements", "false positives", "false negatives"],
            [[name, *map(str, counts)] for name, *counts in PUBLISHED_CALLS],
        ),
        *starts_tables(labels, ours, published, annotators),
        annotators_table(annotators, labels.starts),
    ]


def _introduction(labels: Labels) -> str:
    return paragraph(
        f"""The labels are the judgment-aggregated ground truth of Beseda et al. (2025, RQ1). They
        cover fork 0 of {len(labels.starts)} benchmarks of {len(np.unique(labels.projects))}
        projects, and {np.count_nonzero(labels.steady)} of these series are steady. *steady*: our
        methods under their registered names. *Published*: the starts found by the authors' code
        (`baselines.csv`). *Rounds*: two earlier passes of the same human group over the same
        series, which show the agreement of people with themselves. A false positive is an unsteady
        series that is called steady."""
    )


def read_labels(folder: Path) -> Labels:
    """Read the open labels."""
    rows = [row for row in read_rows(folder, "labels") if row["split"] == "open"]
    starts = [int(row["jagt_start"]) if row["steady"] == "1" else UNSTEADY for row in rows]
    return Labels(
        [row["benchmark"] for row in rows],
        np.array([row["project"] for row in rows]),
        np.array(starts, dtype=np.int64),
    )


def read_starts(
    folder: Path, name: str, labels: Labels, columns: Mapping[str, str]
) -> dict[str, IntArray]:
    """Read columns of starts in the labels' order; an empty cell counts as unsteady."""
    rows = {row["benchmark"]: row for row in read_rows(folder, name)}
    return {
        title: np.array([int(rows[one][column] or UNSTEADY) for one in labels.benchmarks])
        for title, column in columns.items()
    }


def our_starts(folder: Path, labels: Labels) -> dict[str, IntArray]:
    """Run every registered detector except the learned stoppers on the labelled series.

    The detector that was trained on these labels is evaluated by cross-validation over projects.
    """
    wanted = set(labels.benchmarks)
    series = {name: forks[0] for name, forks in read_series(folder) if name in wanted}
    found = {}
    for method in METHODS:
        if METHODS[method].value is onset or method in (BY_LENGTH, *LEARNED):
            continue
        starts = [detect(series[name], method).start for name in labels.benchmarks]
        found[method] = np.array([UNSTEADY if start is None else start for start in starts])
    by_others = cross_validated(read_labelled(folder))
    answers = [by_others[name] for name in labels.benchmarks]
    found[ONSET] = np.array([one.start if one.is_steady else UNSTEADY for one in answers])
    found[ONSET_EVERYWHERE] = np.array([one.start for one in answers])
    return found


def calls_table(
    label: IntArray,
    ours: Mapping[str, IntArray],
    published: Mapping[str, IntArray],
    rounds: Mapping[str, IntArray],
) -> Table:
    """Return the agreement on the classification as steady."""
    rows = [_calls_row("always steady", np.zeros_like(label), label)]
    rows += [
        _calls_row(f"steady: {name}", found, label)
        for name, found in ours.items()
        if name != ONSET_EVERYWHERE
    ]
    rows += [_calls_row(f"published: {name}", found, label) for name, found in published.items()]
    rows += [
        _calls_row(f"people, round {position}", found, label)
        for position, found in enumerate(rounds.values(), start=1)
    ]
    header = ["", "agreements", "share, %", "false positives", "false negatives"]
    return Table([*header, "balanced accuracy", "MCC"], rows)


def _calls_row(name: str, found: IntArray, label: IntArray) -> list[str]:
    calls = Calls.of(found >= 0, label >= 0)
    return [
        name,
        str(calls.agreements),
        percent(calls.agreements / len(label), 1),
        str(calls.false_positives),
        str(calls.false_negatives),
        number(calls.balanced_accuracy),
        number(calls.correlation),
    ]


def starts_tables(
    labels: Labels,
    ours: Mapping[str, IntArray],
    published: Mapping[str, IntArray],
    annotators: Mapping[str, IntArray],
) -> list[str | Table]:
    """Return the distances from the labelled start on subset A and on subset B."""
    subset_a = labels.steady & _all_steady(published[name] for name in ("CP-SSD", "KB-KSSD"))
    subset_b = subset_a & _all_steady(published.values())
    constant = crossed_constants(labels)
    everything = {
        "start at 0": np.zeros_like(labels.starts),
        "best constant of the other projects": constant,
        **{f"steady: {name}": found for name, found in ours.items()},
        **{f"published: {name}": found for name, found in published.items()},
        **{f"annotator {name[-1]} (part of the label)": f for name, f in annotators.items()},
    }
    parts: list[str | Table] = []
    for letter, subset, what, column in (
        ("A", subset_a, "the label, KB-KSSD and CP-SSD all call steady", 1),
        ("B", subset_b, "SDM, t-test and R-test call steady too", 2),
    ):
        whole = ", ".join(f"{row[0]} {row[column]}" for row in PUBLISHED_DISTANCES if row[column])
        parts.append(
            paragraph(
                f"""Subset {letter}: the series that {what} ({np.count_nonzero(subset)} with open
                labels). Distances are in iterations of 0.1 s, over the series in which the method
                found a start. Published sums of distances over the whole subset, with the held-out
                labels: {whole}."""
            )
        )
        rows = [
            _distance_row(name, found[subset], labels.starts[subset])
            for name, found in everything.items()
        ]
        header = ["", "no start", "sum of distances", "mean", "median"]
        parts.append(Table([*header, f"within {NEAR}, %"], rows))
    return parts


def _all_steady(starts: Iterable[IntArray]) -> npt.NDArray[np.bool_]:
    return np.asarray(np.all([found >= 0 for found in starts], axis=0), dtype=np.bool_)


def _distance_row(name: str, found: IntArray, label: IntArray) -> list[str]:
    missing = found < 0
    errors = np.abs(found - label)[~missing]
    if errors.size == 0:
        return [name, str(len(found)), "–", "–", "–", "–"]
    return [
        name,
        str(np.count_nonzero(missing)),
        str(int(errors.sum())),
        Number(float(errors.mean())),
        Number(float(np.median(errors))),
        percent(float(np.mean(errors <= NEAR))),
    ]


def crossed_constants(labels: Labels) -> IntArray:
    """Return, for each series, the median labelled start of the other projects.

    The median is the constant with the least sum of distances.
    """
    constants = np.zeros_like(labels.starts)
    for project in np.unique(labels.projects):
        own = labels.projects == project
        constants[own] = int(np.median(labels.starts[~own & labels.steady]))
    return constants


def annotators_table(annotators: Mapping[str, IntArray], label: IntArray) -> str:
    """Return the distance of each annotator from the others, a limit for any detector."""
    steady = label >= 0
    starts = np.array([annotators[name][steady] for name in ANNOTATORS])
    rows = []
    for one in range(len(ANNOTATORS)):
        others = np.median(np.delete(starts, one, axis=0), axis=0)
        errors = np.abs(starts[one] - others)
        near = percent(float(np.mean(errors <= NEAR)))
        rows.append(
            [f"annotator {one + 1}", f"{errors.mean():.0f}", f"{np.median(errors):.0f}", near]
        )
    text = (
        f"Each annotator against the median of the other four, on {starts.shape[1]} steady series:"
    )
    header = ["", "mean distance", "median", f"within {NEAR}, %"]
    return f"{text}\n\n{markdown(header, rows)}"
