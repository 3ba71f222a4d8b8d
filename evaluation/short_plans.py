"""Table 8: warm-ups of plans from short records, and the errors of their results.

Usage: python -m evaluation DATA --only short_plans
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evaluation._markdown import Section, Table, number, paragraph, percent
from evaluation._short_records import (
    DRAWS,
    ONSET,
    RECORDS,
    IntArray,
    Labelled,
    Record,
    crossed,
    read,
    share_better,
)
from steady.model import FloatArray
from steady.optimize.drift import Drift
from steady.optimize.warm_up import no_warmup, required_warmup
from steady.steadystate import detector_for

FORKS = 5
"""Number of forks for planning, and of held-out forks."""

MEASURED = 10
"""Number of measured iterations after the warm-up; fewer at the end of a record."""

LARGEST = 1.0
"""Upper limit of a deviation, so that a few benchmarks do not dominate the mean."""

CONSTANT = "best constant of the other projects"
ONSET_START = "onset's start, also where it says unsteady"
DETECTORS = ("kb-kssd", "sdm", "r-test", "georges", "flat", ONSET, ONSET_START, CONSTANT)
"""A fast detector of each kind, and the constant, each with the drift test."""

HEADER = (
    "", "planned, %", "warm-up, mean", "start's error, median", "mean", "deviation, median, %",
    "mean, %", "p90, %", "constant's mean, %", "better, %",
)  # fmt: skip

Ends = Sequence[int | None]
"""Warm-up of each benchmark; None if it keeps its full run."""


def table(data: Path) -> Section:
    """Return the section on plans from short records, with a table for each length."""
    labelled = read(data / "jmh-steady")
    sections: list[str | Table] = ["## 8. Plans from short records", _introduction(labelled)]
    for record in RECORDS:
        made, off = warmups(labelled, record), deviations(labelled, record)
        sections += [f"**{record.title}**:", plans_table(labelled, record, made, off)]
    return sections


def _introduction(labelled: Labelled) -> str:
    return paragraph(
        f"""A plan uses forks 0 to 4 of the {len(labelled.names)} benchmarks of [table
        7](evaluation-short.md). Each detector judges each fork, and the drift test extends the
        warm-up that nearly all forks need ([methods-plan.md](methods-plan.md#the-warm-up)).
        *Planned*: the benchmarks that get a warm-up; the others keep their full run. *Start's
        error*: from the label of fork 0, over the series that are steady within the record.
        *Deviation*: the difference between the 10 iterations after the warm-up in forks 5 to 9
        (median fork) and the level of these forks in the second half of 300 s; at most 100 %.
        *Constant's mean*: the same benchmarks with a constant warm-up, as long as the mean warm-up
        in the other projects. *Better*: the share of {DRAWS} draws of projects in which the
        detector's mean deviation is below the constant's, for the same time. *by-length* is a
        plan's default."""
    )


def warmups(data: Labelled, record: Record) -> Mapping[str, Ends]:
    """Return the warm-up of plans with each detector."""
    labels = record.labels(data.starts)
    constants = crossed(labels, data.projects, labels < record.iterations)
    ends: dict[str, list[int | None]] = {name: [] for name in DETECTORS}
    every = np.arange(FORKS)
    for index, forks in enumerate(data.forks):
        seen = record.of(forks[:FORKS])
        drift = Drift(seen)
        for name, found in ends.items():
            starts = (
                [int(constants[index])] * FORKS
                if name == CONSTANT
                else [_start(data, index, one, name) for one in seen]
            )
            equals = name == ONSET_START
            found.append(required_warmup(drift, starts, every, equals=equals)[0])
    return ends


def _start(data: Labelled, index: int, series: FloatArray, name: str) -> int | None:
    if name == ONSET_START:
        return data.by_others(index, series, everywhere=True)
    return data.found_in(index, series, name)


def chosen(data: Labelled, record: Record, ends: Mapping[str, Ends]) -> Ends:
    """Return the warm-ups by `by-length`: those of one detector, or none."""
    detector = detector_for(record.iterations)
    if detector:
        return ends[ONSET_START if detector == "onset" else detector]
    every = np.arange(FORKS)
    return [no_warmup(Drift(record.of(forks[:FORKS])), every)[0] for forks in data.forks]


def deviations(data: Labelled, record: Record) -> FloatArray:
    """Return the deviation of the held-out forks' results after each warm-up.

    Returns
    -------
    ndarray of float64, shape (benchmarks, iterations)
        Relative deviation of the median fork's mean over the next iterations from the level of the
        same forks in the second half of all 3000 iterations.
    """
    first = np.arange(record.iterations)
    last = np.minimum(first + MEASURED, record.iterations)
    rows = []
    for forks in data.forks:
        unseen = record.of(forks[FORKS:])
        sums = np.concatenate((np.zeros((len(unseen), 1)), np.cumsum(unseen, axis=1)), axis=1)
        results = np.median((sums[:, last] - sums[:, first]) / (last - first), axis=0)
        truth = np.median(np.median(forks[FORKS:, forks.shape[1] // 2 :], axis=1))
        rows.append(np.minimum(np.abs(results / truth - 1), LARGEST))
    return np.array(rows)


def plans_table(data: Labelled, record: Record, ends: Mapping[str, Ends], off: FloatArray) -> Table:
    """Return the table of one record; `off` holds the `deviations`."""
    rows = [_row(f"{name}, drift test", found, data, record, off) for name, found in ends.items()]
    rows.append(_row("**by-length**", chosen(data, record, ends), data, record, off))
    return Table(HEADER, rows)


def _row(name: str, ends: Ends, data: Labelled, record: Record, off: FloatArray) -> list[str]:
    planned = np.array([end is not None for end in ends])
    warmup = np.array([record.iterations if end is None else end for end in ends])
    labels = record.labels(data.starts)
    error = np.abs(warmup - labels)[labels < record.iterations]
    which = np.flatnonzero(planned)
    cells = [percent(float(np.mean(planned)))]
    if not len(which):
        return [name, *cells, "–", *_middle(error), *["–"] * 5]
    own = off[which, warmup[which]]
    constant = off[which, _as_long(warmup[which], data.projects[which])]
    quantiles = float(np.median(own)), float(own.mean()), float(np.quantile(own, 0.9))
    return [
        name,
        *cells,
        number(float(warmup[which].mean()), 1),
        *_middle(error),
        *(percent(one, 1) for one in (*quantiles, float(constant.mean()))),
        percent(share_better(own, constant, data.projects[which])),
    ]


def _middle(error: IntArray) -> list[str]:
    return [number(float(np.median(error)), 1), number(float(error.mean()), 1)]


def _as_long(warmup: IntArray, projects: npt.NDArray[np.str_]) -> IntArray:
    """Return for each benchmark the mean warm-up of the other projects."""
    constants = np.zeros_like(warmup)
    for project in np.unique(projects):
        own = projects == project
        others = warmup[~own]
        constants[own] = round(float(others.mean())) if len(others) else 0
    return constants
