"""Table 2, second half: results of the similarity methods for forks of real benchmarks.

Usage: python -m evaluation DATA --only fork_similarity
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from evaluation._calls import BoolArray, Calls
from evaluation._jmh_steady import joined, read_rows, read_series
from evaluation._markdown import Section, markdown, number, paragraph, percent
from evaluation._similarity_choices import (
    CHOICES,
    METHODS,
    Judge,
    Verdict,
    own_lengths,
    shortest_length,
)
from steady.model import FloatArray
from steady.steadystate import detect

FORKS, ITERATIONS = 5, 60

REVIEWED = (
    ("published: heuristic, reviewed subset", Calls(173, 82, 16, 53)),
    ("published: same, reviewed subset", Calls(52, 23, 137, 112)),
)
"""Published agreement with peer reviews of 324 benchmarks: Bauer et al. 2023, tables 2 and 3."""


def table(data: Path) -> Section:
    """Return all parts of the table."""
    folder = data / "jmh-steady"
    names, series = zip(*read_series(folder), strict=True)
    classes = {row["benchmark"]: row["benchmark_class"] for row in read_rows(folder, "cpssd")}
    inconsistent = np.array([classes[name] == "inconsistent" for name in names])
    starts = [[detect(fork, "kb-kssd").start for fork in forks[:FORKS]] for forks in series]
    pairs = list(zip(series, starts, strict=True))
    parts = [part for one in pairs if (part := steady_part(*one)) is not None]
    own = [forks for one in pairs if (forks := own_steady_parts(*one)) is not None]
    verdicts = {name: _dissimilar(method) for name, method in METHODS.items()} | {
        f"heuristic, {name}": verdict for name, verdict in list(CHOICES.items())[1:]
    }
    return [
        "## 2. Forks that differ: real forks",
        _introduction(len(series), inconsistent),
        classes_table(series, inconsistent, verdicts),
        paragraph(
            f"""This table uses only the steady parts of forks 0 to {FORKS - 1}, as a plan does. The
                warm-up that KB-KSSD finds in the slowest of them is removed, and the remainder is
                merged into {ITERATIONS} iterations; {len(parts)} of {len(series)} benchmarks have
                such a part. The cells show the share called dissimilar, in %, by the distance
                between the forks' medians:"""
        ),
        spread_table(parts),
        lengths_paragraph(own),
    ]


def _introduction(benchmarks: int, inconsistent: BoolArray) -> str:
    return paragraph(
        f"""This table uses all 10 forks of 3000 iterations of {benchmarks} benchmarks, warm-up
        included, as in Bauer et al. (2023). The columns after *dissimilar* show how well this call
        agrees with CP-SSD's class *inconsistent*: some forks become steady and others do not
        ({np.count_nonzero(inconsistent)} benchmarks, `cpssd.csv`). The published figures are based
        on peer reviews instead, for the 324 benchmarks on which two reviewers agreed. These reviews
        are not public."""
    )


def _dissimilar(method: Judge) -> Verdict:
    return lambda forks: not method(forks).similar


def classes_table(
    series: Sequence[FloatArray],
    inconsistent: BoolArray,
    verdicts: Mapping[str, Verdict],
) -> str:
    """Return the number of dissimilar benchmarks, and the agreement with the classes."""
    rows = []
    for name, verdict in verdicts.items():
        called = np.array([verdict(forks) for forks in series])
        rows.append(_class_row(name, Calls.of(called, inconsistent)))
    rows += [_class_row(name, calls) for name, calls in REVIEWED]
    header = ["", "benchmarks", "dissimilar, %", "agreement, %", "sensitivity, %"]
    return markdown([*header, "specificity, %", "MCC"], rows)


def _class_row(name: str, calls: Calls) -> list[str]:
    return [
        name,
        str(calls.total),
        percent((calls.true_positives + calls.false_positives) / calls.total),
        percent(calls.agreements / calls.total),
        percent(calls.sensitivity),
        percent(calls.specificity),
        number(calls.correlation),
    ]


def steady_part(forks: FloatArray, starts: Sequence[int | None]) -> FloatArray | None:
    """Return the part in which all forks are steady, merged to 60 iterations, or None.

    Parameters
    ----------
    forks : ndarray of float64, shape (forks, n)
        Forks of one benchmark, including warm-up.
    starts : sequence of int or None
        Steady starts of the first forks, one for each fork that is used.
    """
    found = [start for start in starts if start is not None]
    if len(found) < len(starts):
        return None
    size = (forks.shape[1] - max(found)) // ITERATIONS
    return joined(forks[: len(starts), -size * ITERATIONS :], size) if size else None


def own_steady_parts(forks: FloatArray, starts: Sequence[int | None]) -> list[FloatArray] | None:
    """Return each fork's own steady part, with ten iterations merged into one, or None."""
    parts = []
    for fork, start in zip(forks, starts, strict=False):
        tens = 0 if start is None else (len(fork) - start) // 10
        if tens < ITERATIONS:
            return None
        parts.append(joined(fork[len(fork) - 10 * tens :], 10))
    return parts


def spread_table(parts: Sequence[FloatArray]) -> str:
    """Return the number of dissimilar benchmarks by the difference in level."""
    levels = np.array([np.median(part, axis=1) for part in parts])
    spread = np.ptp(levels, axis=1) / np.median(levels, axis=1)
    groups = {
        "all": spread >= 0,
        "< 3 %": spread < 0.03,
        "3 to 10 %": (spread >= 0.03) & (spread < 0.1),
        ">= 10 %": spread >= 0.1,
    }
    rows = []
    for name, method in METHODS.items():
        found = [method(part) for part in parts]
        dissimilar = np.array([not result.similar for result in found])
        shares = [percent(float(dissimilar[group].mean())) for group in groups.values()]
        named = float(np.mean([len(result.odd_forks) == 1 for result in found]))
        rows.append([name, *shares, percent(named)])
    counts = [f"{name} ({np.count_nonzero(group)})" for name, group in groups.items()]
    return markdown(["", *counts, "one fork named, %"], rows)


def lengths_paragraph(own: Sequence[list[FloatArray]]) -> str:
    """Return the effect of how forks of unequal length are compared."""
    ours = np.array([shortest_length(forks) for forks in own])
    other = np.array([own_lengths(forks) for forks in own])
    return paragraph(
        f"""The paper does not describe the comparison of forks of unequal length. With each fork's
            own warm-up removed, the heuristic calls {percent(float(ours.mean()), 1)} % of
            {len(own)} benchmarks dissimilar when all forks are truncated to the shortest (as in
            steady), and {percent(float(other.mean()), 1)} % when each pair is compared over its
            common length. The results differ for {np.count_nonzero(ours != other)}."""
    )
