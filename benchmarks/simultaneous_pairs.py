"""Cost and benefit of measuring two benchmarks simultaneously: JMH's base against itself.

Usage: python benchmarks/simultaneous_pairs.py OUT --base JAR --head JAR --minutes M
           [--screening] [--only REGEX] [--pairs N]

Base and head should differ in nothing that the benchmarks run, so every difference is an error.
Takes N benchmarks at a time, in random order. It measures an interleaved pair of forks of each of
them, one pair after the other, and then all N pairs simultaneously (in every second group first),
with the configuration of `steady run --time-budget` or that of its screening. Each measurement is a
line in OUT; without ``--base``, it only reads OUT.

The table shows, for both ways, the seconds per pair, the standard deviation of the differences
(from their median absolute value), their 90th percentile and largest value, the share of pairs with
a fork that stays cold, and the standard error at equal seconds: the standard deviation times the
square root of the seconds per pair, as a multiple of that of a single pair.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

from steady.compare.pair import Pair
from steady.compare.round_tables import paired_differences
from steady.engine.screening import Shift, screening_configuration
from steady.engine.unplanned import RULE, Unplanned
from steady.harness.jmh.run.jmh_runs import JmhRuns, JmhSession
from steady.harness.only import Only
from steady.harness.runs import ForkResult, HarnessSettings, RunFacts, Turn
from steady.harness.trial import Trial, Version
from steady.model import Benchmark, FloatArray, Identity
from steady.readers import load
from steady.stats.trimmed import midmean

SIDES = ("base", "head")
BUDGET_SECONDS = 300.0
"""The time budget whose configuration is used; with many benchmarks, that of any short one."""

NORMAL = 1.4826
"""Standard deviation of a normal distribution with a median absolute value of 1."""


@dataclass(frozen=True)
class Measurement:
    """Measurement of pairs of forks.

    Parameters
    ----------
    harness : JmhRuns
        Runs the benchmarks.
    session : JmhSession
        Its session.
    versions : sequence of Version
        Base and head.
    share : Unplanned
        The configuration of a fork.
    screening : bool
        Whether forks are those of the screening.
    folder : Path
        Folder for results.
    """

    harness: JmhRuns
    session: JmhSession
    versions: Sequence[Version]
    share: Unplanned
    screening: bool
    folder: Path

    def trials(self, identity: Identity) -> list[Trial]:
        """Return a fork of each version."""
        declared = self.harness.declared(self.versions[0])[identity]
        configuration = self.share.configuration(identity, declared)
        if self.screening:
            configuration = screening_configuration(configuration, identity.mode)
        seconds = self.share.seconds(configuration)
        one = replace(configuration, forks=1)
        return [
            Trial(number, 0, side, identity, one, seconds, 120.0, screening=self.screening)
            for number, side in enumerate(SIDES)
        ]

    def measure(self, group: Sequence[Identity]) -> Iterator[Mapping[str, object]]:
        """Measure benchmarks simultaneously, and yield a line for each of them."""
        trials = [trial for identity in group for trial in self.trials(identity)]
        paths = [self.folder / f"{number}.json" for number in range(len(trials))]
        begin = time.perf_counter()
        ends = self.session.measure_in_turn(trials, paths)
        seconds = time.perf_counter() - begin
        for place, identity in enumerate(group):
            own = slice(2 * place, 2 * place + 2)
            yield {
                "benchmark": identity.label,
                "pairs": len(group),
                "seconds": seconds / len(group),
                "in_turn": all(isinstance(end, Turn) and end.in_turn for end in ends[own]),
                "cold": any(isinstance(end, Turn) and end.cold for end in ends[own]),
                "difference": self.difference(trials[own], paths[own], ends[own]),
            }

    def difference(self, trials: Sequence[Trial], paths: Sequence[Path], ends: object) -> float:
        """Return the logarithm of the ratio of head to base; NaN if a fork has no result."""
        if not all(path.exists() for path in paths):
            print(ends)
            return math.nan
        base, head = (self.merged(*one) for one in zip(trials, paths, strict=True))
        if self.screening:
            shift = Shift.between(base, head)
            return math.nan if shift is None else shift.typical
        sides = Pair.of(base, head).values_of_rounds
        (change,), *_ = midmean(paired_differences(*map(np.log, sides)))
        return float(change)

    def merged(self, trial: Trial, path: Path) -> Benchmark:
        """Return the merged result of a fork."""
        result = ForkResult(trial, "run:0", path, in_turn=True)
        file = self.folder / "merged.json"
        file.write_bytes(self.harness.merge([result], RunFacts({trial.identity: 1})))
        path.unlink()
        return load(file)[trial.identity]


def measure(arguments: argparse.Namespace) -> None:
    """Measure until the time has passed, writing each line immediately."""
    end = time.monotonic() + 60 * arguments.minutes
    versions = [Version("base", arguments.base), Version("head", arguments.head)]
    harness = JmhRuns(HarnessSettings(java=arguments.java, stop=RULE))
    harness.check(versions)
    only = Only(arguments.only)
    identities = [one for one in harness.benchmarks(versions[0]) if only.wants(one)]
    random.Random(arguments.seed).shuffle(identities)
    share = Unplanned.share(harness.name, len(identities), BUDGET_SECONDS)
    longest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        scratch, results = Path(folder, "scratch"), Path(folder, "results")
        scratch.mkdir()
        results.mkdir()
        with harness.open(versions, scratch) as session:
            own = Measurement(harness, session, versions, share, arguments.screening, results)
            for number in count():
                at = arguments.pairs * number
                group = [identities[k % len(identities)] for k in range(at, at + arguments.pairs)]
                ways = [*([one] for one in group), group]
                begin = time.monotonic()
                if begin + longest > end:
                    break
                for way in reversed(ways) if number % 2 else ways:
                    for line in own.measure(way):
                        with arguments.out.open("a", encoding="utf-8") as file:
                            file.write(json.dumps(line) + "\n")
                longest = max(longest, time.monotonic() - begin)


def _number(line: Mapping[str, object], key: str) -> float:
    return float(str(line[key]))


def spread(differences: FloatArray) -> float:
    """Return the standard deviation of differences around 0, from their median absolute value."""
    return NORMAL * float(np.median(np.abs(differences)))


def report(lines: Sequence[Mapping[str, object]]) -> None:
    """Print the table, and the factor by which differences are larger with a neighbour."""
    usable = [one for one in lines if one["in_turn"] and not math.isnan(_number(one, "difference"))]
    print(f"{len(lines)} pairs, {len(lines) - len(usable)} without an interleaved result")
    print("pairs  number  seconds  sd  90 %  largest  cold  error at equal seconds")
    errors: dict[int, float] = {}
    seconds: dict[int, float] = {}
    for pairs in sorted({int(_number(line, "pairs")) for line in usable}):
        own = [line for line in usable if line["pairs"] == pairs]
        differences = np.array([_number(line, "difference") for line in own])
        seconds[pairs] = float(np.mean([_number(line, "seconds") for line in own]))
        errors[pairs] = spread(differences) * math.sqrt(seconds[pairs])
        print(
            f"{pairs}  {len(own)}  {seconds[pairs]:.2f}  {spread(differences):.4f}  "
            f"{np.quantile(np.abs(differences), 0.9):.4f}  {np.abs(differences).max():.4f}  "
            f"{np.mean([bool(line['cold']) for line in own]):.2f}  "
            f"{errors[pairs] / errors[min(errors)]:.2f}"
        )
    if len(seconds) > 1:
        report_factor(usable, math.sqrt(seconds[min(seconds)] / seconds[max(seconds)]))


def report_factor(lines: Sequence[Mapping[str, object]], even: float) -> None:
    """Print how often and by which factor a difference is larger with a neighbour.

    Compared are the two differences of a benchmark in one group. At a median factor of `even`, the
    errors at equal seconds are equal.
    """
    sizes: dict[str, list[Mapping[str, object]]] = {}
    for line in lines:
        sizes.setdefault(str(line["benchmark"]), []).append(line)
    factors = []
    for own in sizes.values():
        alone = [abs(_number(one, "difference")) for one in own if one["pairs"] == 1]
        beside = [abs(_number(one, "difference")) for one in own if one["pairs"] != 1]
        factors += [b / a for a, b in zip(alone, beside, strict=False) if a > 0]
    larger, number = sum(one > 1 for one in factors), len(factors)
    print(
        f"larger with a neighbour: {larger} of {number} differences "
        f"(sign test: p = {binomtest(larger, number).pvalue:.3f}), median factor "
        f"{np.median(factors):.2f}; both ways are equally good at {even:.2f}"
    )


def main() -> None:
    """Measure, unless only results are read, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--base", type=Path)
    parser.add_argument("--head", type=Path)
    parser.add_argument("--java", default="java")
    parser.add_argument("--only", default="")
    parser.add_argument("--minutes", type=float, default=4.5)
    parser.add_argument("--pairs", type=int, default=2)
    parser.add_argument("--screening", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.base is not None:
        measure(arguments)
    text = arguments.out.read_text(encoding="utf-8")
    report([json.loads(line) for line in text.splitlines()])


if __name__ == "__main__":
    main()
