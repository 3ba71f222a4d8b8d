"""Table 7: detectors on short records, compared with the best constant for each length.

Usage: python -m evaluation DATA --only short_runs
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from evaluation._calls import Calls
from evaluation._markdown import Section, Table, number, paragraph, percent
from evaluation._short_records import (
    DRAWS,
    LEFT,
    RECORDS,
    BoolArray,
    IntArray,
    Labelled,
    Record,
    crossed,
    found_by_all,
    read,
    share_better,
)

CONSTANT = "best constant of the other projects"
HEADER = (
    "", "agreements, %", "MCC", "median", "mean", "within 10 %, %", "over all, mean",
    "better than the constant, %",
)  # fmt: skip


def table(data: Path) -> Section:
    """Return the section on short records, with a table for each length."""
    labelled = read(data / "jmh-steady")
    sections: list[str | Table] = ["## 7. Short records", _introduction(labelled)]
    for record in RECORDS:
        sections += section_of(labelled, record, found_by_all(labelled, record))
    return sections


def _introduction(labelled: Labelled) -> str:
    return paragraph(
        f"""This section uses the first iterations of fork 0 of the {len(labelled.names)} benchmarks
        with open labels; 10 iterations of 0.1 s are merged into one of 1 s. The label of a
        truncated series is "steady within the record" if people put the start at least {LEFT}
        iterations before its end, which is the minimum that a plan measures; otherwise it is "not
        steady within the record". *Median*, *mean* and *within 10 %* (of the record's length) are
        distances from the labelled start over the series that are steady within the record; a
        detector that finds no start counts as a start at the end. *Over all* is the mean distance
        over every series. Here "not steady within the record" also counts as a start at the end, so
        the figure covers both questions. The constant is the median of the other projects' labels:
        of the steady ones for the start, and of all for *over all*, where it may be the end. For
        agreements, the constant is the more frequent label of the other projects. *Better than the
        constant*: the share of {DRAWS} draws of projects, with replacement, in which the detector's
        distance over all is smaller. The learned stoppers were trained on these forks and are
        excluded."""
    )


def section_of(
    labelled: Labelled, record: Record, found: Mapping[str, IntArray]
) -> Sequence[str | Table]:
    """Return the title and the table of one length."""
    labels = record.labels(labelled.starts)
    within = labels < record.iterations
    every = np.ones_like(within)
    start = crossed(labels, labelled.projects, within)
    overall = crossed(labels, labelled.projects, every)
    never = crossed((~within).astype(np.int64), labelled.projects, every) > 0
    constant = np.abs(overall - labels)
    rows = [
        _row("always steady, from 0", np.zeros_like(labels), labels, record, labelled, constant),
        _row("never steady", np.full_like(labels, record.iterations), labels, record, labelled,
             constant),
        [*_calls(~never, within), *_errors(start, labels, record), number(constant.mean(), 1), "–"],
    ]  # fmt: skip
    rows[2].insert(0, CONSTANT)
    rows += [
        _row(f"steady: {name}", starts, labels, record, labelled, constant)
        for name, starts in found.items()
    ]
    title = (
        f"**{record.title}**: {np.count_nonzero(within)} of {len(labels)} series are steady within "
        "the record. Distances are in its iterations."
    )
    return [title, Table(HEADER, rows)]


def _row(
    name: str,
    found: IntArray,
    labels: IntArray,
    record: Record,
    labelled: Labelled,
    constant: IntArray,
) -> list[str]:
    distance = np.abs(found - labels)
    return [
        name,
        *_calls(found < record.iterations, labels < record.iterations),
        *_errors(found, labels, record),
        number(distance.mean(), 1),
        percent(share_better(distance, constant, labelled.projects)),
    ]


def _calls(called: BoolArray, within: BoolArray) -> list[str]:
    calls = Calls.of(called, within)
    return [percent(calls.agreements / calls.total, 1), number(calls.correlation)]


def _errors(found: IntArray, labels: IntArray, record: Record) -> list[str]:
    within = labels < record.iterations
    if not within.any():
        return ["–"] * 3
    errors = np.abs(found - labels)[within]
    near = float(np.mean(errors <= record.iterations / 10))
    return [number(float(np.median(errors)), 1), number(float(errors.mean()), 1), percent(near)]
