"""Power of three interleaved rounds, with and without the prior, compared with benchstat.

Usage: python -m evaluation.three_rounds DATA [--live FOLDER ...]
       python -m evaluation.three_rounds --coverage

DATA holds jmh-steady and uoptime (see ``python -m evaluation``). Forks of one version are used as
base and head, assigned as in ``evaluation.fork_priors``: every reported change is a false alarm.
Head multiplied by 1.05 or 1.1 should be detected. A change counts if it is at least 3 %, also for
benchstat. For every project, the rule uses a prior estimated from the *other* projects. Without a
prior, the rule is that of commit 455c4e26. It is still the rule for Go; the prior for Go that is
evaluated here is not used.

*busy* is simulated: each pair of iterations shares a drift, and three in ten iterations are
disturbed alone, by 30 % (JMH) or 20 % (Go) on average. With --live, recordings of one version
against itself, as written by `steady run --base A --head A`, are split into runs of three rounds.

benchstat uses the Mann-Whitney test on all iterations of a version (SciPy's, by the normal
approximation; with 21 results a side, ``benchstat`` prints a p that differs by 0.004 at most). At
*equal alarms*, each rule has the level at which 1 % of its comparisons are false alarms.

The second table simulates nine Go benchmarks on a busy machine in three rounds of seven. Two of
them became faster by 30 and 27 %. They are judged as `steady compare` does by default.

With --coverage, suites are simulated whose pairs of forks differ by less or more than published
ones, or in which one benchmark in ten is bimodal (two modes, 10 % apart). The cells show how many
unchanged benchmarks lie outside their 99 % interval, without and with the prior.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr
from scipy.stats import mannwhitneyu

from evaluation._markdown import markdown
from evaluation.fork_priors import SHARES, PublishedSuite, go_suites, jmh_suites, without_each
from evaluation.turns import read
from steady.compare import RULES
from steady.compare.alpha_spending import looks_of
from steady.compare.multiple_testing import judge_jointly
from steady.compare.pair import FORK, Pair
from steady.compare.round_tables import round_tables
from steady.compare.rule import Judgement, RuleOptions
from steady.compare.rules import DEFAULT_RULE
from steady.compare.variance.posterior import RandomEffects
from steady.compare.variance.prior import PUBLISHED
from steady.model import FloatArray
from steady.options.strictness import USUAL_FALSE_ALARMS

CHANGES = np.log([1.0, 1.05, 1.1])
LEAST = np.log(1.03)
LEVELS = (0.01, 0.001)
EQUAL = 0.01
SIZES = (1, 4, 12, 0)
RUNS = 100


class Found(NamedTuple):
    """The level and the estimate of each comparison, one column for each of `CHANGES`."""

    levels: FloatArray
    changes: FloatArray

    def shares(self, level: float) -> FloatArray:
        """Return the rates of false alarms in either direction, and of detected slowdowns."""
        sizes = np.abs(self.changes)
        sizes[:, 1:] = self.changes[:, 1:]
        return np.asarray(((self.levels < level) & (sizes >= LEAST)).mean(axis=0))

    def level_of(self, alarms: float) -> float:
        """Return the level with a given rate of false alarms."""
        counted = np.abs(self.changes[:, 0]) >= LEAST
        levels = np.sort(np.where(counted, self.levels[:, 0], 1.0))
        return float(levels[int(alarms * len(levels))])


def by_rule(suites: Sequence[PublishedSuite], prior: Callable[[PublishedSuite], str]) -> Found:
    """Return the level at which the interval of each comparison would just exclude zero."""
    levels, changes = [], []
    for suite in suites:
        tables = round_tables(dict(enumerate(suite.pairs())))
        effects = RandomEffects.of(tables, prior(suite))
        level, change = levels_of(effects)
        levels.append(level)
        changes.append(change)
    return Found(np.concatenate(levels), np.concatenate(changes))


def levels_of(effects: RandomEffects) -> tuple[FloatArray, FloatArray]:
    """Return the level and the estimate of each benchmark, one column for each of `CHANGES`."""
    flat = len(effects.weights), -1
    weights, mean, variance = (
        values.reshape(flat)
        for values in (effects.weights, effects.fits.mean, effects.fits.variance)
    )
    change = (weights * mean).sum(axis=1, keepdims=True)
    away, deviation = mean - change, np.sqrt(variance)
    half = np.abs(change + CHANGES)
    outside = [
        (weights * (ndtr((-h - away) / deviation) + ndtr((away - h) / deviation))).sum(axis=1)
        for h in (half[:, [place]] for place in range(len(CHANGES)))
    ]
    return np.stack(outside, axis=1), change + CHANGES


def by_benchstat(suites: Sequence[PublishedSuite]) -> Found:
    """Return Mann and Whitney's p, and the change of the median."""
    base = np.concatenate([suite.base.reshape(len(suite.base), -1) for suite in suites])
    head = np.concatenate([suite.head.reshape(len(suite.head), -1) for suite in suites])
    levels = [
        mannwhitneyu(base, np.exp(c) * head, axis=1, method="asymptotic").pvalue for c in CHANGES
    ]
    change = np.log(np.median(head, axis=1) / np.median(base, axis=1))
    return Found(np.stack(levels, axis=1), change[:, np.newaxis] + CHANGES)


def busy(suites: Sequence[PublishedSuite], size: float) -> list[PublishedSuite]:
    """Add the noise of a busy machine."""
    generator = np.random.default_rng(1)
    return [_disturbed(suite, size, generator) for suite in suites]


def _disturbed(
    suite: PublishedSuite, size: float, generator: np.random.Generator
) -> PublishedSuite:
    shape = suite.base.shape
    drift = 0.15 * np.cumsum(generator.standard_normal(shape), axis=-1) / np.sqrt(shape[-1])

    def alone() -> FloatArray:
        woken = generator.random(shape) < 0.3
        own = np.where(woken, generator.exponential(size, shape), 0.0)
        return np.asarray(own + 0.03 * generator.standard_normal(shape))

    return replace(
        suite,
        base=suite.base * np.exp(drift + alone()),
        head=suite.head * np.exp(drift + alone()),
    )


def live_suites(folder: Path, deals: int = 20) -> Iterator[PublishedSuite]:
    """Split the rounds of a recording into runs of three, with base and head assigned at random."""
    generator = np.random.default_rng(0)
    pairs = list(read(folder).values())
    rounds = min(len(pair.rounds) for pair in pairs)
    columns = min(side.shape[1] for pair in pairs for side in pair.values_of_rounds)
    sides = np.stack([np.stack(pair.values_of_rounds)[:, :rounds, :columns] for pair in pairs])
    for _ in range(deals):
        turned = generator.random((len(pairs), 1, rounds, 1)) < 1 / 2
        order = np.argsort(generator.random((len(pairs), 1, rounds, 1)), axis=2)
        dealt = np.take_along_axis(np.where(turned, sides[:, ::-1], sides), order, axis=2)
        for start in range(0, rounds - 2, 3):
            part = dealt[:, :, start : start + 3]
            yield PublishedSuite(
                "go" if pairs[0].exchangeable else "jmh", "", part[:, 0], part[:, 1]
            )


def parts(suites: Sequence[PublishedSuite], size: int) -> list[PublishedSuite]:
    """Split each suite into smaller ones; 0 for no splitting."""
    return (
        [
            replace(
                suite, base=suite.base[start : start + size], head=suite.head[start : start + size]
            )
            for suite in suites
            for start in range(0, len(suite.base) - size + 1, size)
        ]
        if size
        else list(suites)
    )


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.three_rounds")
    parser.add_argument("data", type=Path, nargs="?", help="holds jmh-steady and uoptime")
    parser.add_argument("--coverage", action="store_true", help="simulate, and read no data")
    parser.add_argument("--live", type=Path, nargs="*", default=[], help="recordings")
    given = parser.parse_args()
    if given.coverage:
        titles = [f"{count} rounds" for count in ROUNDS]
        print(markdown(["harness", "forks differ by", "suite", *titles], coverage()))
        return 0
    if given.data is None:
        parser.error("name the folder of the data, or --coverage")
    jmh, go = list(jmh_suites(given.data, 3, 2)), list(go_suites(given.data, 4))
    learnt = [*jmh_suites(given.data, 5, 1)], [*go_suites(given.data, 1)]
    PUBLISHED.update(jmh=PUBLISHED[FORK], go=(SHARES["go"], 0.00027, 0.7))
    for one in learnt:
        PUBLISHED.update({f"without {p}": prior for p, prior in without_each(one).items()})
    data = {
        "JMH, quiet": jmh,
        "JMH, busy (simulated)": busy(jmh, 0.3),
        "Go, quiet": go,
        "Go, busy (simulated)": busy(go, 0.2),
        **{f"live: {folder.name}": list(live_suites(folder)) for folder in given.live},
    }
    print(markdown(TITLES, [row for name, suites in data.items() for row in rows(name, suites)]))
    print("\n" + markdown(["", "−30 %", "−27 %", "false alarms in 7 others"], go_case()))
    return 0


TITLES = ["data", "suite", "rule", "comparisons"]
TITLES += [f"{name} at {1 - level:.1%}" for level in LEVELS for name in ("alarms", "+5", "+10")]
TITLES += ["+5 at equal alarms", "+10"]


def rows(name: str, suites: Sequence[PublishedSuite]) -> list[list[str]]:
    """Return the rows of one kind of data."""
    table = []
    for size in SIZES:
        some = parts(suites, size)
        for rule, prior in (("without", _nothing), ("with", _others)):
            table.append([name, str(size or "whole"), rule, *_cells(by_rule(some, prior))])
    return [*table, [name, "", "benchstat", *_cells(by_benchstat(suites))]]


def _nothing(_: PublishedSuite) -> str:
    return ""


def _others(suite: PublishedSuite) -> str:
    return f"without {suite.project}" if suite.project else suite.harness


def _cells(found: Found) -> list[str]:
    shares = [found.shares(level) for level in LEVELS]
    cells = [f"{s:.{2 if not k else 0}%}" for some in shares for k, s in enumerate(some.tolist())]
    equal = found.shares(found.level_of(EQUAL))[1:].tolist()
    return [str(len(found.levels)), *cells, *(f"{share:.0%}" for share in equal)]


def go_case() -> list[list[str]]:
    """Return the rate at which each rule detects both changes, and its false alarms."""
    generator = np.random.default_rng(2)
    judged: dict[str, list[FloatArray]] = {"steady": [], "benchstat, p < 0.001": []}
    for _ in range(RUNS):
        forks = 0.003 * generator.standard_normal((2, 9, 3, 1))
        quiet = PublishedSuite("go", "", *(100 * np.exp(forks) * np.ones(7)))
        suite = _disturbed(quiet, 0.35, generator)
        suite.head[:2] *= np.array([0.7, 0.73])[:, np.newaxis, np.newaxis]
        pairs = [replace(pair, looks=looks_of(5)) for pair in suite.pairs()]
        judged["steady"].append(np.array([_reported(0, j) for j in _by_default(pairs)]))
        found = by_benchstat([suite])
        sure = (found.levels[:, 0] < 0.001) & (np.abs(found.changes[:, 0]) >= LEAST)
        judged["benchstat, p < 0.001"].append(sure)
    shares = {name: np.mean(some, axis=0) for name, some in judged.items()}
    return [
        [name, f"{share[0]:.0%}", f"{share[1]:.0%}", f"{share[2:].mean():.2%}"]
        for name, share in shares.items()
    ]


def coverage() -> Iterator[list[str]]:
    """Return the number of unchanged benchmarks outside their intervals, by prior."""
    generator = np.random.default_rng(3)
    PUBLISHED.update(jmh=PUBLISHED[FORK], go=(SHARES["go"], 0.00027, 0.7))
    for harness in SHARES:
        for name, spread, bistable in (("0.3 %", 0.003, 0.0), ("3 %", 0.03, 0.0), *BISTABLE):
            for size in (1, 4, 12, 100):
                cells = []
                for rounds in ROUNDS:
                    suites = [
                        _simulated(harness, (size, rounds), spread, bistable, generator)
                        for _ in range(COMPARISONS // size)
                    ]
                    found = [by_rule(suites, prior) for prior in (_nothing, _others)]
                    outside = [np.mean(one.levels[:, 0] < LEVELS[0]) for one in found]
                    cells.append(" / ".join(f"{share:.1%}" for share in outside))
                yield [harness, name, str(size), *cells]


ROUNDS = (3, 5, 10)
COMPARISONS = 1200
BISTABLE = (("0.3 %, or two modes", 0.003, 0.1),)


def _simulated(
    harness: str,
    shape: tuple[int, int],
    spread: float,
    bistable: float,
    generator: np.random.Generator,
) -> PublishedSuite:
    size, rounds = shape
    own = spread / np.sqrt(2) * np.exp(generator.normal(0, 0.7, (size, 1, 1, 1)))
    levels = own * generator.standard_normal((size, 2, rounds, 1))
    modes = generator.choice([-0.05, 0.05], levels.shape)
    levels += np.where(generator.random((size, 1, 1, 1)) < bistable, modes, 0.0)
    base, head = np.moveaxis(100 * np.exp(levels) * np.ones(10), 1, 0)
    return _disturbed(PublishedSuite(harness, "", base, head), 0.05, generator)


def _by_default(pairs: Sequence[Pair]) -> Sequence[Judgement]:
    rule = RULES[DEFAULT_RULE].value
    return judge_jointly(rule, pairs, RuleOptions(), USUAL_FALSE_ALARMS, _reported).judgements


def _reported(_: int, judgement: Judgement) -> bool:
    return judgement.apart and abs(judgement.ratio) >= np.expm1(LEAST)


if __name__ == "__main__":
    sys.exit(main())
