"""Table 4: error and cost of results, for plans and for today's configurations.

Usage: python -m evaluation.result_quality DATA      DATA: the folder that holds jmh-steady
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from evaluation._jmh_steady import read_rows
from evaluation._markdown import Section, Table, number, paragraph, percent, render
from evaluation._quality import FORKS, Outcome, Subject, outcome, read_subjects
from steady.optimize.cost import STARTUP_SECONDS, CostModel
from steady.optimize.drift import Drift
from steady.optimize.strategy import Choice, Material, make_strategy
from steady.optimize.warm_up import required_warmup
from steady.steadystate import detect

HEADER = (
    "configuration", "deviation, median %", "exchanged, %", "mean of both, %", "quartiles",
    "p90", "other forks, median %", "seconds, median", "exchanged, s", "mean of both, s",
    "total h", "start-up h", "forks",
)  # fmt: skip
SHORT = (10, 60)
"""Number of iterations of 1 s, each merged from ten of the data, as in users' runs."""

Judged = tuple[str, list[Outcome]]
Judge = Callable[[Sequence[Subject]], Iterator[Judged]]

FIXED = MappingProxyType(
    {
        "dev": "developers' own",
        "default": "JMH's defaults",
        "cv": "Laaber et al., CV",
        "rciw": "Laaber et al., RCIW",
        "kld": "Laaber et al., KLD",
    }
)
"""Configurations in the data."""

BUDGETS = (0.01, 0.015, 0.02, 0.03, 0.05)
HOURS = (5, 11, 25, 33)
METRICS = ("cv", "rmad", "rciw1", "rciw2", "rciw3")
THRESHOLD, RESAMPLES = 0.01, 1000
LEAST = (1, 5)
"""Minimum numbers of forks and of iterations of a plan: by the errors alone, and the default."""


def table(data: Path) -> Section:
    """Return the tables with their descriptions."""
    folder = data / "jmh-steady"
    subjects = read_subjects(folder)
    short = [subject.shortened(*SHORT) for subject in subjects]
    return [
        "## 4. Result quality",
        _introduction(len(subjects), len({subject.project for subject in subjects})),
        both_ways(subjects, partial(today, folder), budgets),
        paragraph(
            f"""The next table starts from a typical full run of users: 5 forks of {SHORT[1]}
                iterations of 1 s, the first minute of each fork. µOpTime chooses after the warm-up
                that KB-KSSD finds, with a threshold of {THRESHOLD:.0%}, {RESAMPLES} resamples, and
                cost in seconds. A benchmark without a steady state keeps its full run."""
        ),
        both_ways(short, budgets, uoptime),
    ]


def both_ways(subjects: Sequence[Subject], *judges: Judge) -> Table:
    """Return the table of some configuration methods, judged on either half of the forks."""
    turned = [subject.turned() for subject in subjects]
    pairs = [
        (one, other)
        for judge in judges
        for one, other in zip(judge(subjects), judge(turned), strict=True)
    ]
    return Table(HEADER, [row(name, found, other) for (name, found), (_, other) in pairs])


def _introduction(benchmarks: int, projects: int) -> str:
    return paragraph(
        f"""{benchmarks} benchmarks of {projects} projects were planned from forks 0 to 4 and judged
        on forks 5 to 9. *Exchanged*: plans come from forks 5 to 9 and are judged on forks 0 to 4.
        The configurations of the developers and of Laaber et al. in forks 0 to 4 are then judged on
        the same forks. Quartiles, p90, hours and forks are given only for the first direction. A
        result is the mean, over the executed forks, of the mean of each fork's measurement
        iterations. The truth is the mean of all measurements of forks 5 to 9 that CP-SSD calls
        steady. The deviation is |result / truth - 1|, averaged over all choices of that many of the
        five forks; *other forks* uses the steady measurements of forks 0 to 4 as the truth instead,
        which share no fork with the result. Seconds include warm-up and measurement; an iteration
        takes ceil(0.1 / v) v for a measured time v of one operation. The start of a fork is counted
        separately, with {STARTUP_SECONDS} s. *In 5 h*: a time budget of 10 h for base and head,
        half of it for the version that is judged here. *One suite*: all benchmarks are planned
        together, with one price of time; otherwise each project is planned separately. *5 forks of
        5*: a plan has at least 5 forks, and each has at least 5 iterations."""
    )


def today(folder: Path, subjects: Sequence[Subject]) -> Iterator[Judged]:
    """Yield the outcomes of each configuration of `FIXED`.

    Configurations that differ between forks are given for forks 0 to 4: that of fork k is applied
    to fork k + 5, or to fork k itself if the halves are exchanged.
    """
    rows = {(row["benchmark"], int(row["fork"])): row for row in read_rows(folder, "configs")}
    for name, title in FIXED.items():
        yield (
            title,
            [
                _fixed(subject, [rows[subject.name, fork] for fork in range(FORKS)], name)
                for subject in subjects
            ],
        )


def _fixed(subject: Subject, rows: Sequence[Mapping[str, str]], name: str) -> Outcome:
    known = [row for row in rows if row[f"{name}_measure_last"]]
    count = min(int(rows[0]["jmh_forks"]), FORKS) if name == "dev" else len(known)
    # Benchmarks with fewer than five manually stopped forks reuse their windows cyclically.
    used = [known[fork % len(known)] for fork in range(FORKS)]
    starts = np.array([int(row[f"{name}_warmup_last"]) + 1 for row in used])
    stops = np.array([int(row[f"{name}_measure_last"]) + 1 for row in used])
    return outcome(subject, starts, np.minimum(stops, subject.later.shape[1]), count)


def budgets(subjects: Sequence[Subject]) -> Iterator[Judged]:
    """Yield the outcomes of each use of ``error-budget``."""
    for least in LEAST:
        forks = f", {least} forks of {least}" if least > 1 else ""
        for budget in BUDGETS:
            found = chosen(subjects, least, "error-budget", budget=budget)
            yield f"error-budget {100 * budget:g} %{forks}, one suite", found
        for hours in HOURS if least == 1 else ():
            both = 2 * 3600.0 * hours  # a time budget covers base and head
            found = chosen(subjects, least, "error-budget", time_budget=both)
            yield f"error-budget in {hours} h{forks}, one suite", found
        for budget in BUDGETS:
            found = [
                one
                for _, group in groupby(subjects, key=lambda subject: subject.project)
                for one in chosen(list(group), least, "error-budget", budget=budget)
            ]
            yield f"error-budget {100 * budget:g} %{forks}", found


def uoptime(subjects: Sequence[Subject]) -> Iterator[Judged]:
    """Yield the outcomes with each stability metric."""
    warmups = [warmup(subject) for subject in subjects]
    for metric in METRICS:
        options = {"metric": metric, "threshold": THRESHOLD, "resamples": RESAMPLES}
        yield f"KB-KSSD + µOpTime, {metric}", chosen(subjects, 1, "uoptime", warmups, **options)


def warmup(subject: Subject) -> int | None:
    """Return the warm-up that nearly all prior forks need, or None without a steady state."""
    return required_warmup(
        Drift(subject.prior),
        [detect(fork).start for fork in subject.prior],
        np.arange(len(subject.prior)),
    )[0]


def chosen(
    subjects: Sequence[Subject],
    least: int,
    strategy: str,
    warmups: Sequence[int | None] | None = None,
    **options: Any,
) -> list[Outcome]:
    """Choose by a strategy for a suite, and judge; parameters as for `choices`."""
    made = choices(subjects, least, strategy, warmups, **options)
    return [_judged(*pair) for pair in zip(subjects, made, strict=True)]


def choices(
    subjects: Sequence[Subject],
    least: int,
    strategy: str,
    warmups: Sequence[int | None] | None = None,
    **options: Any,
) -> list[Choice]:
    """Choose by a strategy for a suite.

    Parameters
    ----------
    subjects : sequence of Subject
        The suite.
    least : int
        Fewest forks of a plan, and fewest iterations of each.
    strategy : str
        Registered name.
    warmups : sequence of int or None, optional
        Warm-up of each benchmark, None if it keeps its full run; by default no warm-up.
    **options
        Of the strategy.
    """
    known = [0] * len(subjects) if warmups is None else warmups
    materials = [
        None if length is None else material(subject, length, least)
        for subject, length in zip(subjects, known, strict=True)
    ]
    whole = [Choice(0, subject.prior.shape[1], FORKS, True, "") for subject in subjects]
    kept = sum(  # for base and head, like every time budget
        FORKS * float(material(subject, 0, least).cost.pair_seconds(0, 0, subject.prior.shape[1]))
        for subject, one in zip(subjects, materials, strict=True)
        if one is None
    )
    maker = make_strategy(strategy, **options)
    offers = [None if one is None else maker.offer(one) for one in materials]
    chooser = maker.prepare(
        [offer for one, offer in zip(materials, offers, strict=True) if one is not None], kept
    )
    return [
        full if one is None else chooser.choose(one, offer)
        for one, offer, full in zip(materials, offers, whole, strict=True)
    ]


def material(subject: Subject, length: int, least: int) -> Material:
    """Return the input of a strategy for a benchmark."""
    elapsed = np.concatenate([[0.0], np.cumsum(subject.prior_seconds.mean(axis=0))])
    cost = CostModel(STARTUP_SECONDS, 0.0, elapsed)
    return Material(subject.prior, length, 0, cost, least, least)


def _judged(subject: Subject, choice: Choice) -> Outcome:
    starts = np.full(FORKS, choice.warmup)
    return outcome(subject, starts, starts + choice.iterations, choice.forks)


def row(name: str, outcomes: Sequence[Outcome], turned: Sequence[Outcome]) -> list[str]:
    """Return a line of the table."""
    low, high, most = np.quantile([one.deviation for one in outcomes], [0.25, 0.75, 0.9])
    deviations = [_median(found, "deviation") for found in (outcomes, turned)]
    seconds = [_median(found, "seconds") for found in (outcomes, turned)]
    forks = np.array([one.forks for one in outcomes])
    return [
        name,
        *(percent(value, 2) for value in (*deviations, float(np.mean(deviations)))),
        f"{percent(low, 1)} to {percent(high, 1)}",
        percent(most, 1),
        percent(_median(outcomes, "other_deviation"), 2),
        *(number(value, 1) for value in (*seconds, float(np.mean(seconds)))),
        number(sum(one.seconds for one in outcomes) / 3600, 1),
        number(STARTUP_SECONDS * float(forks.sum()) / 3600, 2),
        number(float(forks.mean()), 1),
    ]


def _median(outcomes: Sequence[Outcome], what: str) -> float:
    return float(np.median([getattr(one, what) for one in outcomes]))


if __name__ == "__main__":
    sys.stdout.write(render(table(Path(sys.argv[1]))) + "\n")
