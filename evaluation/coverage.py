"""Coverage of the confidence intervals of short interleaved runs.

Usage: python -m evaluation.coverage DATA [--pairs KIND ...]

DATA is the folder that holds jmh-steady (see ``python -m evaluation``).

Short runs of `steady run` without a plan are simulated on the recorded forks of jmh-steady
(`evaluation._simulated_rounds`), and judged as the command does. The true ratio is that of the late
parts of all forks, so an interval also misses it if forks become faster after their measurement.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

from evaluation._coverage_pairs import KINDS, LARGEST_SUITE, LOOKS, Case, Recorded
from evaluation._jmh_steady import read_series
from evaluation._markdown import Number, Section, Table, paragraph, render
from evaluation.fork_priors import Prior, jmh_suites, without_each
from evaluation.verdicts import MIN_CHANGE
from steady.compare import RULES
from steady.compare.bounds import outcome_of
from steady.compare.multiple_testing import judge_jointly
from steady.compare.pair import FORK
from steady.compare.rule import Judgement, RuleOptions
from steady.compare.rules import DEFAULT_RULE
from steady.compare.variance.prior import PUBLISHED
from steady.engine.unplanned import ROUNDS
from steady.options.strictness import USUAL_FALSE_ALARMS


@dataclass(frozen=True)
class Interval:
    """The result of one comparison.

    Parameters
    ----------
    project : str
        The project.
    rounds : int
        Number of rounds.
    cold : bool
        Whether the forks were not warm.
    half, error : float
        Half-width of the confidence interval, and distance of its center from the true ratio, in
        logarithms.
    bounded : bool
        Whether the true change is below the upper bound.
    outcome : str
        The outcome.
    """

    project: str
    rounds: int
    cold: bool
    half: float
    error: float
    bounded: bool
    outcome: str

    @property
    def holds(self) -> bool:
        """Whether the confidence interval holds the true ratio."""
        return self.error <= self.half


def intervals(suite: Sequence[Case], *, late: bool) -> Iterator[Interval]:
    """Run a suite round by round, and yield the intervals at its end.

    A benchmark continues while its outcome is unclear. Cases without an interval are omitted.
    """
    counts = [LOOKS[0]] * len(suite)
    while True:
        pairs = [case.pair(count, late=late) for case, count in zip(suite, counts, strict=True)]
        found = judge_jointly(
            RULES[DEFAULT_RULE].value, pairs, RuleOptions(), USUAL_FALSE_ALARMS, _reported
        )
        judged = list(zip(found.judgements, found.excluded, strict=True))
        outcomes = [outcome_of(j, "lower", MIN_CHANGE, excluded=bound) for j, bound in judged]
        further = [
            next((look for look in LOOKS if count < look <= len(case.rounds)), count)
            if outcome == "unclear"
            else count
            for case, count, outcome in zip(suite, counts, outcomes, strict=True)
        ]
        if further == counts:
            break
        counts = further
    for case, pair, count, outcome, (judgement, bound) in zip(
        suite, pairs, counts, outcomes, judged, strict=True
    ):
        if judgement.interval is not None:
            low, high = np.log1p(judgement.interval)
            yield Interval(
                case.base.project,
                count,
                pair.cold_seconds > 0,
                half=float(high - low) / 2,
                error=float(abs((low + high) / 2 - case.truth)),
                bounded=bool(abs(np.expm1(case.truth)) <= bound),
                outcome=outcome,
            )


def _reported(_: int, judgement: Judgement) -> bool:
    return judgement.apart and abs(judgement.ratio) >= MIN_CHANGE


TEXT = (
    """This section shows how often the confidence intervals of short runs hold the true ratio.
    Runs of `steady run` without a plan are simulated on the recorded forks of jmh-steady: two
    forks run interleaved until the live stop ends them, mostly after 3 to 7 s. The default rule
    judges up to eight benchmarks of a project together after 3, 5 and 10 rounds, with the interim
    analyses and the error rates of the command; benchmarks that are unclear continue. The prior is
    estimated from the other projects.""",
    """The true ratio is that of the means of the last 100 s of all ten forks, each of which ran for
    300 s. Thus an interval also misses it if forks become faster after their measurement.
    *One version*: base and head are the forks of one benchmark, each used once, so there are at
    most five rounds, and the true ratio is 1. *Other parameters*: base and head are two parameter
    combinations of one method. *Other benchmarks*: they are two benchmarks of a project. In these
    two rows, forks are drawn with replacement. Two versions of a benchmark resemble each other
    less than the first row and more than the last one.""",
    """*Live stop*: the iterations are those that the run would have measured. *Late*: as many
    iterations of warm forks from the last 100 s, so that only differences between forks remain.
    *Upper bound holds*: the true change is not larger than the upper bound. *Not warm*: fewer than
    three rounds were warm, so that the confidence interval is widened. The range is Clopper and
    Pearson's for a proportion. The data contain neither compiler times nor processor times, by
    which `steady run` keeps forks in their warm-up, so the real live stop is later.""",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.coverage", description=__doc__.split("\n")[0]
    )
    parser.add_argument("data", type=Path, metavar="DATA", help="holds jmh-steady")
    parser.add_argument(
        "--pairs", nargs="+", choices=KINDS, default=list(KINDS), metavar="KIND", help="(all)"
    )
    given = parser.parse_args(arguments)
    sys.stdout.write(render(table(given.data, given.pairs)) + "\n")
    return 0


def table(data: Path, kinds: Collection[str] = KINDS) -> Section:
    """Return the coverage of each kind of pairs, by the number of rounds."""
    titles = ["pairs", "measured", "rounds", "intervals", "hold the true ratio", "95 % range"]
    titles += ["upper bound holds", "median half-width"]
    found = coverages(data, kinds)
    rows = [
        [kind, "late" if late else "live stop", name, *_cells(own)]
        for (kind, late), every in found.items()
        for name, own in _by_rounds(every)
        if own
    ]
    heading = "## Coverage of confidence intervals"
    return [heading, *map(paragraph, TEXT), Table(titles, rows, texts=3, grouped=True)]


def coverages(data: Path, kinds: Collection[str] = KINDS) -> dict[tuple[str, bool], list[Interval]]:
    """Return the intervals of each kind of pairs, measured when the live stop decides and late."""
    priors = without_each(list(jmh_suites(data, ROUNDS, 1)))
    everything = [Recorded(*one) for one in read_series(data / "jmh-steady")]
    found: dict[tuple[str, bool], list[Interval]] = {
        (kind, late): [] for kind in kinds for late in (False, True)
    }
    generators = {kind: np.random.default_rng(0) for kind in kinds}
    for project, own in groupby(everything, key=lambda one: one.project):
        benchmarks = list(own)
        with _prior(priors[project]):
            for kind, generator in generators.items():
                cases = KINDS[kind](benchmarks, generator)
                for late in (False, True):
                    found[kind, late] += _of_project(cases, late=late)
    return found


def _of_project(cases: Sequence[Case], *, late: bool) -> Iterator[Interval]:
    for start in range(0, len(cases), LARGEST_SUITE):
        yield from intervals(cases[start : start + LARGEST_SUITE], late=late)


@contextmanager
def _prior(prior: Prior) -> Iterator[None]:
    """Replace the published prior by one that does not know the project."""
    published = PUBLISHED[FORK]
    PUBLISHED[FORK] = prior
    try:
        yield
    finally:
        PUBLISHED[FORK] = published


def _by_rounds(every: Sequence[Interval]) -> Iterator[tuple[str, list[Interval]]]:
    yield "all", list(every)
    for look in LOOKS:
        yield str(look), [one for one in every if one.rounds == look and not one.cold]
    yield "not warm", [one for one in every if one.cold]


def _cells(own: Sequence[Interval]) -> list[str]:
    held = sum(one.holds for one in own)
    range_ = binomtest(held, len(own)).proportion_ci(method="exact")
    half = np.expm1(np.median([one.half for one in own]))
    return [
        str(len(own)),
        Number(100 * held / len(own), 1, " %"),
        f"{100 * range_.low:.1f} to {100 * range_.high:.1f} %",
        Number(100 * float(np.mean([one.bounded for one in own])), 1, " %"),
        Number(100 * float(half), 1, " %"),
    ]


if __name__ == "__main__":
    sys.exit(main())
