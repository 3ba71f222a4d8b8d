"""Table 5, first part: error rates and power of each rule of `steady compare`.

Usage: python -m evaluation DATA --only verdicts

Two groups of forks of one version serve as base and head, so every reported change is a false
alarm. Head multiplied by 1.03 ... 1.2 is a true slowdown: the fraction reported as slower is the
rule's power. If head is multiplied, so is a rule's confidence interval (a test checks this for
every rule), so one judgement serves all slowdowns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

import numpy as np

from evaluation._jmh_steady import read_series
from evaluation._markdown import Number, Section, Table, paragraph
from evaluation._uoptime_data import Run, read_projects
from steady.compare import RULES
from steady.compare.bounds import outcome_of
from steady.compare.pair import Pair
from steady.compare.rule import Judgement, RuleOptions
from steady.model import FloatArray

Suite = list[Pair]
Known = Callable[[list[Run], int], list[Run]]

MIN_CHANGE = 0.03
SLOWDOWNS = (1.03, 1.05, 1.1, 1.2)
OPTIONS = RuleOptions(confidence=0.99, resamples=2000)
"""Fewer resamples than by default: interval endpoints agree to a hundredth of the width, and the
table takes a third of the time."""

ALONE = "(Student's t, each benchmark alone)"
KNOWING = ("moderated-t", "known-spread")
UNIT = "ns/op"

TEXT = (
    """This section gives the false alarms of each rule of `steady compare`, and its power. Two
    groups of forks of the same version serve as base and head. Then head is multiplied by 1.03 to
    1.2, as a planted slowdown. A change counts if it is at least 3 %, and confidence intervals are
    at 99 %. *slower*: the false alarms that call head slower. *n*: the number of comparisons.""",
    """*a × b*: a forks of b iterations on each side. In jmh-steady, an iteration is the mean of 100
    recorded ones of 0.1 s from the end of the 3000 (of 30 in the row 3 × 60). The ten forks of a
    benchmark are divided between base and head twice; in the row *drawn* they are drawn twice with
    replacement, as many as a run takes for a benchmark that it continues. In ds2, the first 50
    iterations are excluded, and forks are divided four times. In ds3, every version except a
    project's first compares one of its forks with another: alternately 1 with 2, 2 with 3, or 3
    with 1, and all three pairs in the rows with known runs. In these rows, `known-spread` takes the
    variance between forks from the project's runs of earlier versions, from those of all other
    versions, or (in jmh-steady) from five forks that represent the full run of a plan. ds3_extra
    has projects that the study did not use. In ds1, complete instances are compared, each of which
    is a separate machine with three suite runs as forks, and also the suite runs of one instance;
    *exchanged*: with base and head exchanged. With one fork on each side and no earlier run, rules
    that count forks have too few Java forks to report anything: both shares are 0 %.""",
    """The best figures known before, on one fork of ds3 against another: the paper's rule raises
    16.5 % false alarms and finds 69 and 83 % of slowdowns by 10 and 20 %; a noise floor from other
    runs raises 2 % and finds 39 and 67 %. On instances of ds1, the best raises 2.4 % and finds 97,
    98 and 99 % of slowdowns by 5, 10 and 20 %.""",
)


@dataclass(frozen=True)
class Experiment:
    """Two groups of measurements of the same version, many times.

    Parameters
    ----------
    title : str
        Title of the data in the table.
    suites : list of list of Pair
        Suites of benchmarks that are judged together.
    rules : tuple of str
        Rules that have a row in the table.
    """

    title: str
    suites: list[Suite]
    rules: tuple[str, ...] = field(default_factory=lambda: (*RULES, ALONE))


def table(data: Path) -> Section:
    """Return false alarms and power of every rule on every experiment."""
    titles = ["data", "rule", "false alarms", "slower"]
    titles += [f"+{slowdown - 1:.0%}" for slowdown in SLOWDOWNS] + ["n"]
    rows = []
    for experiment in experiments(data):
        for name in experiment.rules:
            judgements = [j for suite in experiment.suites for j in judge(name, suite)]
            rows.append([experiment.title, name, *rates(judgements).cells])
    return ["## 5. Verdicts", *map(paragraph, TEXT), Table(titles, rows, texts=2, grouped=True)]


def judge(name: str, suite: Suite) -> list[Judgement]:
    """Judge the benchmarks of one suite by a registered rule, or by Student's t-test."""
    if name != ALONE:
        return RULES[name].value.judge(suite, OPTIONS)
    rule = RULES["moderated-t"].value
    return [rule.judge([pair], OPTIONS)[0] for pair in suite]


@dataclass(frozen=True)
class Rates:
    """Error rates and power of a rule.

    Parameters
    ----------
    alarms, slower : float
        Fractions of the comparisons of equal versions with a reported change or slowdown.
    found : tuple of float
        Fraction of the slowdowns that are reported, for each size in `SLOWDOWNS`.
    comparisons : int
        Number of comparisons.
    """

    alarms: float
    slower: float
    found: tuple[float, ...]
    comparisons: int

    @property
    def cells(self) -> list[str]:
        """The formatted numbers of the table."""
        exact = [Number(100 * share, 1, " %") for share in (self.alarms, self.slower)]
        found = [Number(100 * share, 0, " %") for share in self.found]
        return [*exact, *found, str(self.comparisons)]


def rates(judgements: Sequence[Judgement]) -> Rates:
    """Count false alarms, those that call head slower, and detected slowdowns."""

    def share(outcomes: tuple[str, ...], factor: float = 1.0) -> float:
        judged = judgements if factor == 1.0 else [slowed(j, factor) for j in judgements]
        return float(np.mean([outcome_of(j, "lower", MIN_CHANGE) in outcomes for j in judged]))

    return Rates(
        alarms=share(("regression", "improvement")),
        slower=share(("regression",)),
        found=tuple(share(("regression",), slowdown) for slowdown in SLOWDOWNS),
        comparisons=len(judgements),
    )


def slowed(judgement: Judgement, factor: float) -> Judgement:
    """Return the judgement if head takes `factor` times as long as base."""
    interval = judgement.interval
    return replace(
        judgement,
        base=replace(judgement.base, center=1.0),
        head=replace(judgement.head, center=(1 + judgement.ratio) * factor),
        apart=interval is not None and (1 + interval[0]) * factor >= 1,
    )


def experiments(data: Path) -> Iterator[Experiment]:
    """All experiments, larger data sets first."""
    projects = jmh_steady(data / "jmh-steady")
    for forks, iterations, width in ((5, 20, 100), (3, 20, 100), (2, 20, 100), (3, 10, 100)):
        suites = dealt([join(p, iterations, width) for p in projects], forks, splits=2)
        yield Experiment(f"jmh-steady, {forks} × {iterations}", suites)
    suites = drawn([join(p, 20, 100) for p in projects], 15, times=2)
    yield Experiment("jmh-steady, 15 × 20, drawn", suites, ("moderated-t", "paired-t"))
    many = [join(p, 60, 30) for p in projects]
    yield Experiment("jmh-steady, 3 × 60", dealt(many, 3, splits=2))
    joined = [join(p, 20, 100) for p in projects]
    for forks in (2, 1):
        title = f"jmh-steady, {forks} × 20, five forks known from before"
        yield Experiment(title, dealt(joined, forks, splits=2, known=5), KNOWING)
    uoptime = data / "uoptime"
    ds2 = [np.stack(list(p[0].values()))[:, :, 50:] for p in read_projects(uoptime, "ds2").values()]
    yield Experiment("ds2, 2 × 50", dealt(ds2, 2, splits=4))
    ds3 = read_projects(uoptime, "ds3")
    yield Experiment("ds3, 1 × 20", one_fork(ds3, nothing))
    for text, known in (("runs before", before), ("all other runs", others)):
        suites = one_fork(ds3, known, in_turn=False)
        yield Experiment(f"ds3, 1 × 20, {text} known", suites, ("known-spread",))
    extra = read_projects(uoptime, "ds3_extra")
    yield Experiment("ds3_extra, 1 × 20", one_fork(extra, before), ("overlap",))
    suites = one_fork(extra, before, in_turn=False)
    yield Experiment("ds3_extra, 1 × 20, runs before known", suites, ("known-spread",))
    yield from go(list(read_projects(uoptime, "ds1").values()))


def dealt(
    projects: Sequence[FloatArray], forks: int, *, splits: int, known: int = 0
) -> list[Suite]:
    """Assign the forks of each benchmark to base and head, first in their own order.

    Parameters
    ----------
    projects : sequence of ndarray of float64, shape (benchmarks, forks, iterations)
        Each is one suite.
    forks : int
        Number of forks of each version; those at the same position form a round.
    splits : int
        Number of assignments.
    known : int
        Number of further forks, which serve as an earlier run.
    """
    generator = np.random.default_rng(0)
    suites = []
    for split in range(splits):
        for project in projects:
            order = np.tile(np.arange(project.shape[1]), (len(project), 1))
            if split:
                order = generator.permuted(order, axis=1)
            tables = np.take_along_axis(project, order[:, :, np.newaxis], axis=1)
            suites.append([pair(t, forks, known) for t in tables])
    return suites


def drawn(projects: Sequence[FloatArray], forks: int, *, times: int) -> list[Suite]:
    """Draw the forks of base and of head from those of each benchmark, with replacement.

    This gives as many rounds as a continued benchmark has; parameters as for `dealt`.
    """
    generator = np.random.default_rng(0)
    return [
        [pair(table[generator.integers(len(table), size=2 * forks)], forks, 0) for table in project]
        for _ in range(times)
        for project in projects
    ]


def pair(table: FloatArray, forks: int, known: int, *, exchangeable: bool = False) -> Pair:
    """Return the first forks as base, the next as head, the last `known` as an earlier run."""
    earlier = (table[len(table) - known :],)
    rounds = np.stack([np.arange(forks)] * 2, axis=1)
    return Pair(UNIT, table[:forks], table[forks : 2 * forks], rounds, earlier, exchangeable)


def one_fork(projects: dict[str, list[Run]], known: Known, *, in_turn: bool = True) -> list[Suite]:
    """Compare one fork of each version with another: 1 and 2, 2 and 3, 3 and 1.

    The first version is omitted, so that all kinds of historical data are used for the same
    versions.

    Parameters
    ----------
    projects : dict of str to list of dict
        Each version is one suite.
    known : callable
        Function from all runs of a project and the index of one to its historical data.
    in_turn : bool
        Whether each version has one of the three comparisons; all three otherwise.
    """
    return [
        fork_suite(runs[index], first, known(runs, index))
        for runs in projects.values()
        for index in range(1, len(runs))
        for first in ([index % 3] if in_turn else range(3))
    ]


def fork_suite(run: Run, first: int, known: list[Run]) -> Suite:
    """Pair fork `first` of every benchmark with the next one."""
    second = (first + 1) % 3
    return [
        Pair(
            UNIT,
            table[[first]],
            table[[second]],
            earlier=tuple(r[name] for r in known if name in r),
        )
        for name, table in run.items()
    ]


def nothing(runs: list[Run], index: int) -> list[Run]:  # noqa: ARG001
    """Return no earlier runs."""
    return []


def before(runs: list[Run], index: int) -> list[Run]:
    """Return the runs of earlier versions."""
    return runs[:index]


def others(runs: list[Run], index: int) -> list[Run]:
    """Return the runs of all other versions."""
    return runs[:index] + runs[index + 1 :]


def go(projects: Sequence[list[Run]]) -> Iterator[Experiment]:
    """Compare instances, with suite runs as forks, and suite runs of one instance."""
    runs = [np.stack(list(run.values())) for project in projects for run in project]
    pairs = ((0, 1), (0, 2), (1, 2))
    for title, seconds in (("3 × 5 × 5", 5), ("3 × 5 × 1", 1)):
        tables = [run[..., :seconds].reshape(*run.shape[:3], -1) for run in runs]
        for text, turned in (("", pairs), (", exchanged", [(j, i) for i, j in pairs])):
            suites = [
                [pair(np.concatenate([b[i], b[j]]), 3, 0, exchangeable=True) for b in run]
                for run in tables
                for i, j in turned
            ]
            yield Experiment(f"ds1 (Go), instances, {title}{text}", suites)
    within = [
        [pair(b[i].reshape(3, 25)[:2], 1, 0, exchangeable=True) for b in run]
        for run in runs
        for i in range(3)
    ]
    yield Experiment("ds1 (Go), suite runs of one instance, 5 × 5", within)


def jmh_steady(folder: Path) -> list[FloatArray]:
    """Read the 30 projects of jmh-steady: 10 forks of 3000 iterations."""
    named = groupby(read_series(folder), key=lambda entry: entry[0].split("#")[0])
    return [np.stack([values for _, values in group]) for _, group in named]


def join(project: FloatArray, iterations: int, width: int) -> FloatArray:
    """Merge every `width` of the last iterations of each fork into one."""
    last = project[:, :, -iterations * width :]
    return np.asarray(last.reshape(*project.shape[:2], iterations, width).mean(axis=3))
