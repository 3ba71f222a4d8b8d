"""How often each rule of `steady compare` is wrong: false alarms and power on public data.

Usage: python evaluation/verdicts.py DATA > table.md

DATA holds the folders ``jmh-steady`` and ``uoptime``. Two groups of forks of one version stand
for base and head: whatever a rule reports is a false alarm. Head multiplied by 1.03 ... 1.2 is a
true slowdown: the share reported as slower is the rule's power. A change counts from 3 %.
"""

from __future__ import annotations

import csv
import gzip
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from steady.compare import RULES, Judgement, Pair, RuleOptions

FloatArray = npt.NDArray[np.float64]
Judge = Callable[[Sequence[Pair], float], list[Judgement]]
Suites = list[FloatArray]  # one array a suite, shape (benchmarks, forks, iterations)

MIN_CHANGE = 0.03
SLOWDOWNS = (1.03, 1.05, 1.1, 1.2)
SPLITS = 4
CONFIDENCES = {"overlap": (0.99,), "overlap-forks": (0.99,), "moderated-t": (0.99, 0.98)}


@dataclass(frozen=True)
class Experiment:
    """Two groups of forks of the same version.

    Parameters
    ----------
    data : str
        Which data, for the table.
    suites : list of ndarray
        Benchmarks that are judged together.
    base, head : int
        Forks of either side.
    splits : int
        How many times the forks are dealt out; the first time in their own order.
    """

    data: str
    suites: Suites
    base: int
    head: int
    splits: int

    def pairs(self) -> Iterator[list[Pair]]:
        """Deal out the forks: all benchmarks of a suite, one split after the other."""
        generator = np.random.default_rng(0)
        for split in range(self.splits):
            for suite in self.suites:
                order = np.tile(np.arange(suite.shape[1]), (len(suite), 1))
                if split:
                    order = generator.permuted(order, axis=1)
                forks = np.take_along_axis(suite, order[:, :, np.newaxis], axis=1)
                yield [
                    Pair("ns/op", f[: self.base], f[self.base : self.base + self.head])
                    for f in forks
                ]


def main(arguments: Sequence[str]) -> int:
    """Print the tables."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    data = Path(arguments[0])
    print("| data | rule | confidence | A/A | A/A slower | " + _slowdown_titles() + " n |")
    print("|---|---|---:|---:|---:|" + "---:|" * (len(SLOWDOWNS) + 1))
    for experiment in experiments(data):
        for name, confidence, judge in judges():
            print(row(experiment, name, confidence, judge), flush=True)
    print("\nConsecutive versions of ds3, 3 forks x 20 iterations each (changes may be real):\n")
    print("| rule | confidence | reported | slower | n |\n|---|---:|---:|---:|---:|")
    versions = list(consecutive_versions(data))
    for name, confidence, judge in judges():
        counts = np.sum([count(judge(pairs, confidence)) for pairs in versions], axis=0)
        total = sum(map(len, versions))
        shares = " | ".join(f"{100 * c / total:.1f} %" for c in counts)
        print(f"| {name} | {confidence:.0%} | {shares} | {total} |")
    return 0


def _slowdown_titles() -> str:
    return "".join(f"x{slowdown:g} | " for slowdown in SLOWDOWNS).rstrip()


def experiments(data: Path) -> Iterator[Experiment]:
    """All A/A experiments, the larger data first."""
    jmh = jmh_steady(data / "jmh-steady")
    for forks, iterations, width in ((5, 20, 100), (3, 20, 100), (2, 20, 100), (3, 10, 100)):
        joined = [join(suite, iterations, width) for suite in jmh]
        title = f"jmh-steady, {forks} x {iterations} against {forks} x {iterations}"
        yield Experiment(title, joined, forks, forks, SPLITS)
    many = [join(suite, 60, 30) for suite in jmh]
    yield Experiment("jmh-steady, 3 x 60 against 3 x 60", many, 3, 3, SPLITS)
    measurements = data / "uoptime" / "measurements"
    ds2 = [suite[:, :, 50:] for suite in java(measurements, "ds2").values()]
    yield Experiment("ds2, 2 x 50 against 2 x 50", ds2, 2, 2, SPLITS)
    ds3 = latest(java(measurements, "ds3"))
    yield Experiment("ds3, 1 x 20 against 2 x 20", ds3, 1, 2, 3)
    yield Experiment("ds3, 1 x 20 against 1 x 20", ds3, 1, 1, 3)
    yield Experiment("ds1 (Go), 3 x 25 against 3 x 25", go_instances(measurements), 3, 3, 1)


def judges() -> Iterator[tuple[str, float, Judge]]:
    """Every registered rule, and the moderated t-test with nothing to share."""
    for name in RULES:
        for confidence in CONFIDENCES[name]:
            yield name, confidence, _by_rule(name)
    alone = _by_rule("moderated-t")
    yield "(t, each benchmark alone)", 0.99, lambda pairs, c: [alone([p], c)[0] for p in pairs]


def _by_rule(name: str) -> Judge:
    judge = RULES[name].value.judge
    return lambda pairs, confidence: judge(pairs, RuleOptions(confidence))


def row(experiment: Experiment, name: str, confidence: float, judge: Judge) -> str:
    """Run one rule through one experiment."""
    dealt = list(experiment.pairs())
    total = sum(map(len, dealt))
    alarms = np.sum([count(judge(pairs, confidence)) for pairs in dealt], axis=0)
    found = [
        np.sum([count(judge(slow_down(pairs, by), confidence)) for pairs in dealt], axis=0)[1]
        for by in SLOWDOWNS
    ]
    shares = [f"{100 * alarm / total:.1f} %" for alarm in alarms]
    shares += [f"{100 * share / total:.0f} %" for share in found]
    return f"| {experiment.data} | {name} | {confidence:.0%} | {' | '.join(shares)} | {total} |"


def slow_down(pairs: Iterable[Pair], factor: float) -> list[Pair]:
    """Make head slower."""
    return [Pair(pair.unit, pair.base, pair.head * factor) for pair in pairs]


def count(judgements: Iterable[Judgement]) -> tuple[int, int]:
    """Count the changes reported, and the slowdowns among them."""
    changes = [j.head.center / j.base.center - 1 for j in judgements if j.apart]
    reported = [change for change in changes if abs(change) >= MIN_CHANGE]
    return len(reported), sum(change > 0 for change in reported)


def join(suite: FloatArray, iterations: int, width: int) -> FloatArray:
    """Join the last iterations of each fork to longer ones, `width` at a time."""
    last = suite[:, :, -iterations * width :]
    return np.asarray(last.reshape(*suite.shape[:2], iterations, width).mean(axis=3))


def jmh_steady(folder: Path) -> Suites:
    """Read the 30 projects of jmh-steady: 10 forks of 3000 iterations."""
    suites = []
    for file in sorted((folder / "series").glob("*.npz")):
        planes = np.load(file)["planes"]
        values = np.ascontiguousarray(np.moveaxis(planes, 0, -1)).view("<f8")[..., 0]
        suites.append(np.asarray(values, dtype=np.float64))
    return suites


def java(folder: Path, data: str) -> dict[tuple[str, str], FloatArray]:
    """Read ds2 or ds3, one suite a project and version."""
    return {key: np.stack(list(suite.values())) for key, suite in java_names(folder, data).items()}


def latest(suites: dict[tuple[str, str], FloatArray]) -> Suites:
    """Keep the last version of each project."""
    return list({project: suite for (project, _), suite in sorted(suites.items())}.values())


def java_names(folder: Path, data: str) -> dict[tuple[str, str], dict[str, FloatArray]]:
    """Read ds2 or ds3 by (project, version) and benchmark, those with all forks and iterations."""
    shape = {"ds2": (5, 100), "ds3": (3, 20)}[data]
    suites: dict[tuple[str, str], dict[str, FloatArray]] = defaultdict(dict)
    for key, cells in sorted(_cells(folder, data, ("fork", "iteration"), shape).items()):
        if not np.isnan(cells).any():
            suites[key[:2]][key[2]] = cells
    return suites


def go_instances(folder: Path) -> Suites:
    """Read ds1: two instances, whose suite runs stand for forks; 25 values each."""
    levels = ("instance", "suite_run", "iteration", "second")
    suites: dict[tuple[str, str], list[FloatArray]] = defaultdict(list)
    for key, cells in sorted(_cells(folder, "ds1", levels, (3, 3, 5, 5)).items()):
        if not np.isnan(cells).any():
            suites[key[:2]].append(cells[:2].reshape(6, 25))
    return [np.stack(suite) for suite in suites.values()]


def _cells(
    folder: Path, data: str, levels: Sequence[str], shape: tuple[int, ...]
) -> dict[tuple[str, str, str], FloatArray]:
    found: dict[tuple[str, str, str], FloatArray] = defaultdict(lambda: np.full(shape, np.nan))
    for file in sorted(folder.glob(f"{data}*.csv.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as text:
            for line in csv.DictReader(text):
                key = line["project"], line["version"], line["benchmark"] + line["params"]
                found[key][tuple(int(line[level]) - 1 for level in levels)] = float(line["value"])
    return found


def consecutive_versions(data: Path) -> Iterator[list[Pair]]:
    """Pair every version of ds3 with the next of its project."""
    suites = java_names(data / "uoptime" / "measurements", "ds3")
    for (before, base), (after, head) in pairwise(sorted(suites.items())):
        shared = sorted(base.keys() & head.keys())
        if before[0] == after[0] and shared:
            yield [Pair("ns/op", base[name], head[name]) for name in shared]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
