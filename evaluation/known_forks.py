"""Power of three interleaved rounds with historical data on each benchmark's forks.

Usage: python -m evaluation.known_forks DATA
       python -m evaluation.known_forks --coverage

DATA holds jmh-steady and uoptime (see ``python -m evaluation``). As in `evaluation.three_rounds`,
forks of one version serve as base and head; every reported change is a false alarm, and head
multiplied by 1.05 or 1.1 should be detected. The prior comes from the other projects.

*Same run:* of the ten forks of JMH, six form three rounds, and two or all of the other four are
historical data. *Versions:* the three forks of a version of ds3 form one round, so three
consecutive versions form three; one or four versions before them are historical data. Consecutive
versions differ by a commit, and by a day or more. Go: three rounds as in `evaluation.three_rounds`,
with one or two earlier versions as historical data, which the verdict does not use, because this
has no benefit. *Busy* adds noise to all data, including the historical ones: successive iterations
of the typical benchmark differ by 8 %. *Restless* adds a sixth of that noise.

With --coverage, suites are simulated whose earlier forks differ half as much as the new ones,
equally, or twice as much, and suites in which one benchmark in ten is bimodal. The cells show how
many unchanged benchmarks lie outside their 99 % interval, without and with five earlier forks.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from pathlib import Path

import numpy as np

from evaluation._jmh_steady import joined, read_series
from evaluation._markdown import markdown
from evaluation._uoptime_data import Run, read_projects
from evaluation.fork_priors import (
    JMH_ITERATIONS,
    JMH_JOINED,
    PublishedSuite,
    jmh_suites,
    without_each,
)
from evaluation.three_rounds import EQUAL, LEVELS, Found, busy, levels_of
from steady.compare.pair import FORK
from steady.compare.round_tables import round_tables
from steady.compare.variance.historical import historical_variance, without_busy_machines
from steady.compare.variance.posterior import RandomEffects
from steady.compare.variance.prior import PUBLISHED
from steady.model import Benchmark, ExecutionConfiguration, FloatArray, Identity, Level
from steady.plan.historical_variance import HistoricalVariance

DEALS = 6  # of JMH
SERIES = 6  # of three versions of each project, evenly spaced
MOST_BENCHMARKS = 100  # of a project of ds3
FORKS = {"jmh": FORK, "go": "process"}
PRIORS = {"jmh": FORK, "go": ""}


@dataclass(frozen=True, eq=False)
class KnownSuite:
    """Three rounds, and the forks of earlier runs: each of shape (benchmarks, forks, ...)."""

    new: PublishedSuite
    earlier: tuple[FloatArray, ...]

    def known(self) -> dict[int, HistoricalVariance]:
        """Return the historical data as `steady.compare` reads them."""
        level = FORKS[self.new.harness]
        known = [
            reduce(add, (_forks(level, one[place]) for one in self.earlier))
            for place in range(len(self.new.base))
        ]
        return dict(enumerate(without_busy_machines(known)))


def _forks(level: str, times: FloatArray) -> HistoricalVariance:
    one = _benchmark(level, times)
    return historical_variance([one], one, one)


def _benchmark(level: str, times: FloatArray) -> Benchmark:
    warmed = ExecutionConfiguration(len(times), 1, times.shape[1], 1.0, 1.0)
    levels = Level(level), Level("iteration")
    return Benchmark(Identity("b"), "ns/op", times, levels, configuration=warmed)


def same_run(data: Path, known: int) -> Iterator[KnownSuite]:
    """Assign ten forks of JMH: six to three rounds, others to the historical data."""
    generator = np.random.default_rng(0)
    projects: dict[str, list[FloatArray]] = {}
    for name, series in read_series(data / "jmh-steady"):
        last = series[:, -JMH_ITERATIONS * JMH_JOINED :]
        projects.setdefault(name.split("#")[0], []).append(joined(last, JMH_JOINED))
    for _ in range(DEALS):
        for project, tables in projects.items():
            dealt = np.stack([generator.permutation(table) for table in tables])
            new = PublishedSuite("jmh", project, dealt[:, :3], dealt[:, 3:6])
            yield KnownSuite(new, (dealt[:, 6 : 6 + known],))


def versions(data: Path, known: int) -> Iterator[KnownSuite]:
    """Return one round of each of three versions, and the versions before them."""
    generator = np.random.default_rng(0)
    for dataset in ("ds3", "ds3_extra"):
        for project, runs in read_projects(data / "uoptime", dataset).items():
            starts = np.arange(max(len(runs) - known - 2, 0))
            for start in starts[:: max(len(starts) // SERIES, 1)].tolist():
                table = _together(runs[start : start + known + 3])[:, :MOST_BENCHMARKS]
                if table.shape[1] > 1:
                    dealt = np.take_along_axis(
                        table, np.argsort(generator.random(table.shape[:3]))[..., np.newaxis], 2
                    )
                    base, head = (np.moveaxis(dealt[known:, :, side], 0, 1) for side in (0, 1))
                    new = PublishedSuite("jmh", project, base, head)
                    yield KnownSuite(new, tuple(table[:known]))


def go_versions(data: Path, known: int) -> Iterator[KnownSuite]:
    """Return the rounds of `evaluation.three_rounds`, and one instance of each earlier version."""
    generator = np.random.default_rng(0)
    for project, runs in read_projects(data / "uoptime", "ds1").items():
        for start in range(len(runs) - known):
            table = _together(runs[start : start + known + 1])[..., 0]
            for _ in range(4):
                order = np.argsort(generator.random(table.shape[1:4]), axis=2)
                dealt = np.take_along_axis(table[-1], order[..., np.newaxis], axis=2)
                new = PublishedSuite("go", project, dealt[:, :, 0], dealt[:, :, 1])
                before = [one[:, instance] for one in table[:-1] for instance in range(3)]
                yield KnownSuite(new, tuple(before))


def _together(runs: Sequence[Run]) -> FloatArray:
    """Return the benchmarks that all runs have, shape (runs, benchmarks, ...)."""
    names = sorted(set.intersection(*(set(run) for run in runs)))
    return np.array([[run[name] for name in names] for run in runs])


def all_busy(suites: Sequence[KnownSuite], share: float, size: float) -> list[KnownSuite]:
    """Add a fraction of a busy machine's noise to the new rounds and to the historical data."""

    def disturbed(some: Sequence[PublishedSuite]) -> list[PublishedSuite]:
        noisy = busy(some, size)
        return [
            replace(
                one,
                base=one.base * (more.base / one.base) ** share,
                head=one.head * (more.head / one.head) ** share,
            )
            for one, more in zip(some, noisy, strict=True)
        ]

    new = disturbed([suite.new for suite in suites])
    earlier = []
    for number in range(len(suites[0].earlier)):
        alone = [replace(s.new, base=s.earlier[number], head=s.earlier[number]) for s in suites]
        earlier.append([one.base for one in disturbed(alone)])
    return [KnownSuite(*both) for both in zip(new, zip(*earlier, strict=True), strict=True)]


def judged(suites: Sequence[KnownSuite], *, told: bool) -> tuple[Found, list[str]]:
    """Return the level of each comparison, and its project."""
    found, projects = [], []
    for suite in suites:
        tables = round_tables(dict(enumerate(suite.new.pairs())))
        known = suite.known() if told else None
        others = f"without {suite.new.project}"  # the prior was not fitted to projects of ds3
        prior = others if others in PUBLISHED else PRIORS[suite.new.harness]
        effects = RandomEffects.of(tables, prior, known)
        found.append(levels_of(effects))
        projects += [suite.new.project] * len(suite.new.base)
    return Found(*(np.concatenate(column) for column in zip(*found, strict=True))), projects


def rows(name: str, counts: str, suites: Sequence[KnownSuite]) -> Iterator[list[str]]:
    """Return two rows: without and with historical data."""
    for told in (False, True):
        found, projects = judged(suites, told=told)
        worst = max(_alarms(found, np.array(projects) == p) for p in dict.fromkeys(projects))
        shares = [found.shares(level) for level in LEVELS]
        cells = [f"{s:.{0 if k else 2}%}" for some in shares for k, s in enumerate(some.tolist())]
        equal = found.shares(found.level_of(EQUAL))[1:].tolist()
        cells += [f"{worst:.1%}", *(f"{share:.0%}" for share in equal)]
        yield [name, counts if told else "nothing", str(len(found.levels)), *cells]


def _alarms(found: Found, chosen: np.ndarray) -> float:
    return float(Found(found.levels[chosen], found.changes[chosen]).shares(LEVELS[0])[0])


TITLES = ["data", "known", "comparisons"]
TITLES += [f"{name} at {1 - level:.1%}" for level in LEVELS for name in ("alarms", "+5", "+10")]
TITLES += ["alarms at 99.0%, worst project", "+5 at equal alarms", "+10"]


def coverage() -> Iterator[list[str]]:
    """Return how many unchanged benchmarks lie outside, without and with earlier forks."""
    generator = np.random.default_rng(3)
    cases = [(f"{ratio:g} times", 0.02, ratio, 0.0) for ratio in (0.5, 1.0, 2.0)]
    for name, spread, ratio, bistable in (*cases, ("1 time, one in ten bistable", 0.003, 1.0, 0.1)):
        for size in (1, 4, 12, 100):
            suites = [
                _simulated(size, spread, ratio, bistable, generator) for _ in range(2400 // size)
            ]
            outside = [
                float(np.mean(judged(suites, told=told)[0].levels[:, 0] < LEVELS[0]))
                for told in (False, True)
            ]
            yield [name, str(size), *(f"{share:.1%}" for share in outside)]


def _simulated(
    size: int, spread: float, ratio: float, bistable: float, generator: np.random.Generator
) -> KnownSuite:
    own = spread / np.sqrt(2) * np.exp(generator.normal(0, 0.7, (size, 1, 1, 1)))
    two = generator.random((size, 1, 1, 1)) < bistable

    def times(sides: int, forks: int, scale: FloatArray) -> FloatArray:
        shape = size, sides, forks, 1
        modes = np.where(two, generator.choice([-0.05, 0.05], shape), 0.0)
        levels = scale * generator.standard_normal(shape) + modes
        return np.exp(levels + 0.02 * generator.standard_normal((*shape[:3], 10)))

    base, head = np.moveaxis(times(2, 3, own), 1, 0)
    return KnownSuite(PublishedSuite("jmh", "", base, head), (times(1, 5, ratio * own)[:, 0],))


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.known_forks")
    parser.add_argument("data", type=Path, nargs="?", help="holds jmh-steady and uoptime")
    parser.add_argument("--coverage", action="store_true", help="simulate, and read no data")
    given = parser.parse_args()
    if given.coverage:
        print(markdown(["earlier spread", "suite", "without", "with five forks"], coverage()))
        return 0
    if given.data is None:
        parser.error("name the folder of the data, or --coverage")
    learnt = without_each([*jmh_suites(given.data, 5, 1)])
    PUBLISHED.update({f"without {project}": prior for project, prior in learnt.items()})
    table: list[list[str]] = []
    for title, kind, counts, size in (
        ("JMH, same run", same_run, {2: "2 forks", 4: "4 forks"}, 0.3),
        ("JMH, versions", versions, {1: "1 run of 3 forks", 4: "4 runs of 3 forks"}, 0.3),
        ("Go, versions", go_versions, {1: "1 version", 2: "2 versions"}, 0.2),
    ):
        for known, words in counts.items():
            suites = list(kind(given.data, known))
            table += rows(f"{title}, quiet", words, suites)
            for how, share in (("restless", 1 / 6), ("busy", 1.0)):
                table += rows(f"{title}, {how}", words, all_busy(suites, share, size))
    print(markdown(TITLES, table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
