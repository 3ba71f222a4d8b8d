"""Validation of a plan's detectable effect, which 80 % of the verdicts should detect.

    python -m evaluation.detect simulated            suites of known components, interleaved rounds
    python -m evaluation.detect recorded ROUNDS...   recorded interleaved rounds: one line of JSON
    each, with bench, run, warmup, base and head python -m evaluation.detect forks DATA [EVERY]
    the jmh-steady data; forks not interleaved python -m evaluation.detect demo
    changes detected by plans of equal duration for the demo

In the first three, a plan from one part of the forks predicts the change that is detected with a
power of 80 %. For each benchmark, half, once and twice this change is planted into the other part,
one benchmark at a time. The default rule then compares base and head.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import numpy as np

import steady
from evaluation._jmh_steady import joined, read_series
from steady.compare.alpha_spending import looks_of
from steady.demo import recording
from steady.harness.suite_builder import LEVELS
from steady.model import (
    Benchmark,
    ExecutionConfiguration,
    FloatArray,
    Identity,
    Suite,
)
from steady.optimize.detect import Detect, PairOffer
from steady.optimize.variance_components import VarianceComponents, from_rounds, from_run

SIZES = (0.0, 0.5, 1.0, 2.0)
"""Planted changes, relative to the predicted ones."""

MIN_CHANGE = Detect().min_change

Sides = list[tuple[FloatArray, FloatArray]]
"""Logarithms of base and of head of each benchmark, shape (rounds, iterations)."""


def suite_of(logs: Sequence[FloatArray], *, turned: bool) -> Suite:
    """Return one version as a suite with known rounds."""
    return Suite(
        tuple(
            Benchmark(
                Identity(f"b{index}"), "s/op", np.exp(table), LEVELS, 0,
                ExecutionConfiguration(len(table), 0, table.shape[1], 0.1, 0.1),
                blocks=tuple(f"r:{row}" for row in range(len(table))),
                in_turn=(True,) * len(table) if turned else (),
                looks=looks_of(len(table)),
            )
            for index, table in enumerate(logs)
        )
    )  # fmt: skip


def promises(known: Sequence[VarianceComponents], iterations: int, rounds: int) -> FloatArray:
    """Return the predicted detectable change of each benchmark, at a power of 80 %."""
    offers = [_offer(one, iterations, rounds) for one in known]
    chooser = Detect().prepare(offers, 0.0)
    return np.array([chooser.sizes(offer)[0] for offer in offers])


class Tally:
    """Counts of detected and planted changes."""

    def __init__(self) -> None:
        self.found = np.zeros(len(SIZES))
        self.promised: list[float] = []

    def add(self, sides: Sides, promised: FloatArray, *, turned: bool) -> None:
        """Compare, plant each size into one benchmark at a time, and count.

        A planted change shifts the estimate and does not affect the interval's width.
        """
        self.promised += promised.tolist()
        base, head = (suite_of(list(side), turned=turned) for side in zip(*sides, strict=True))
        comparison = steady.compare(base, head)
        ends = np.log1p([change.interval or (-0.9, 9.0) for change in comparison.changes])
        middle, half = ends.mean(axis=1), np.ptp(ends, axis=1) / 2
        for index, size in enumerate(SIZES):
            change = middle + np.log1p(size * promised)
            found = (change > half) & (np.expm1(change) >= MIN_CHANGE)
            self.found[index] += found.sum() if size else 0
        self.found[0] += len(comparison.regressions) + len(comparison.improvements)

    def row(self, name: str) -> str:
        """Return a row of the table."""
        shares = " | ".join(f"{100 * share:.1f} %" for share in self.found / len(self.promised))
        quantiles = " | ".join(f"{100 * q:.1f} %" for q in np.quantile(self.promised, (0.5, 0.9)))
        return f"| {name} | {len(self.promised)} | {quantiles} | {shares} |"


DEMO_HEADING = """\
| base and head | error-budget | detect | error-budget, a ninth | detect, a ninth | \
error-budget, an 81st | detect, an 81st |
|---|--:|--:|--:|--:|--:|--:|"""


def heading() -> str:
    """Return the head of the table."""
    return (
        "| verdict | cases | promised change, median | p90 | no change | half of it | the promised "
        "one | twice it |\n|---|--:|--:|--:|--:|--:|--:|--:|"
    )


def simulated() -> Iterator[str]:
    """Yield a row for each number of rounds and iterations, over suites of different sizes."""
    for rounds, iterations in ((3, 8), (3, 30), (5, 8), (5, 30), (10, 8)):
        tally, rng = Tally(), np.random.default_rng(1)
        for benchmarks in (4, 12, 30) * 8:
            between = 0.02 * rng.lognormal(0, 0.7, benchmarks)
            noise = 0.08 * rng.lognormal(0, 0.6, benchmarks)
            seen = _drawn(rng, between, noise, (5, 20))
            known = [one for table in seen if (one := from_rounds(table)) is not None]
            unseen = _drawn(rng, between, noise, (rounds, iterations))
            sides = [(np.zeros_like(table), table) for table in unseen]
            tally.add(sides, promises(known, iterations, rounds), turned=True)
        yield tally.row(f"{rounds} rounds of {iterations}")


def _drawn(
    rng: np.random.Generator, between: FloatArray, noise: FloatArray, shape: tuple[int, int]
) -> list[FloatArray]:
    """Return differences of each benchmark, shape (rounds, iterations), by the model."""
    return [
        rng.normal(0, b, (shape[0], 1)) + rng.normal(0, w, shape)
        for b, w in zip(between, noise, strict=True)
    ]


def recorded(paths: Sequence[Path]) -> Iterator[str]:
    """Yield predictions from half of the recorded rounds, and detections in the others."""
    lines = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    turns = [line for line in lines if "turns" in line["policy"]]
    tables = tables_of(turns)
    rng = np.random.default_rng(1)
    by_turns, by_forks = Tally(), Tally()
    ratios: list[float] = []
    for _ in range(10):
        seen, unseen, alone = [], [], []
        for base, head in tables:
            order = rng.permutation(len(base))
            half = len(base) // 2
            first, second = order[:half], order[half : 2 * half]
            seen.append(from_rounds(head[first] - base[first]))
            unseen.append((base[second], head[second]))
            alone.append(from_run(np.exp(base[first])))
        known = [one for one in seen if one is not None]
        upper = [one for one in alone if one is not None]
        ratios += [u.levels.variance / k.levels.variance for u, k in zip(upper, known, strict=True)]
        iterations = unseen[0][0].shape[1]
        rounds = min(len(base) for base, _ in unseen)
        unseen = [(base[:rounds], head[:rounds]) for base, head in unseen]
        promised = promises(known, iterations, rounds)
        by_turns.add(unseen, promised, turned=True)
        by_forks.add(unseen, promises(upper, iterations, rounds), turned=True)
    yield by_turns.row("planned from rounds in turn")
    yield by_forks.row("planned from the forks of one version (≤)")
    quantiles = np.sqrt(np.quantile(ratios, (0.1, 0.5, 0.9)))
    yield (
        f"\n{len(tables)} benchmarks of {min(map(len_of, tables))} to {max(map(len_of, tables))} "
        "rounds. Standard deviation of a pair's level without turns, as a multiple of that in "
        f"turn: {quantiles[0]:.1f} (p10), {quantiles[1]:.1f} (median), {quantiles[2]:.1f} (p90)."
    )


def len_of(sides: tuple[FloatArray, FloatArray]) -> int:
    """Return the number of rounds."""
    return len(sides[0])


def tables_of(lines: Sequence[dict[str, list[float]]]) -> Sides:
    """Return the rounds of each benchmark after their warm-up, cut to the shortest."""
    by_bench: dict[str, list[tuple[list[float], list[float]]]] = defaultdict(list)
    for line in lines:
        warmup = int(line["warmup"])  # type: ignore[call-overload]
        by_bench[str(line["bench"])].append((line["base"][warmup:], line["head"][warmup:]))
    length = min(len(side) for rows in by_bench.values() for row in rows for side in row)
    return [
        (
            np.log([base[:length] for base, _ in rows]),
            np.log([head[:length] for _, head in rows]),
        )
        for _, rows in sorted(by_bench.items())
        if len(rows) >= 6
    ]


def forks(data: Path, every: int) -> Iterator[str]:
    """Yield predictions from four forks, and detections in three pairs of the other six."""
    chosen = [
        (name.split("#")[0], np.log(joined(values[:, :600], 10)[:, 30:]))
        for index, (name, values) in enumerate(read_series(data / "jmh-steady"))
        if index % every == 0
    ]
    projects = [[logs for _, logs in group] for _, group in groupby(chosen, key=lambda p: p[0])]
    for iterations in (8, 30):
        tally, rng = Tally(), np.random.default_rng(1)
        for _ in range(3):
            for project in projects:
                order = rng.permutation(10)
                parts = [(logs[order[:4]], logs[order[4:7]], logs[order[7:]]) for logs in project]
                known = [from_run(np.exp(seen)) for seen, _, _ in parts]
                sides = [(base[:, :iterations], head[:, :iterations]) for _, base, head in parts]
                together = [one for one in known if one is not None]
                tally.add(sides, promises(together, iterations, 3), turned=False)
        yield tally.row(f"3 rounds of {iterations}, fork by fork")


def demo() -> Iterator[str]:
    """Yield the median detectable effect of plans of equal duration, by variance between forks."""
    with recording() as recorded_demo:
        full = steady.load(str(recorded_demo.full))
    wish = Detect()
    first = steady.optimize(full, "detect", unsteady="reduce")
    tables = [b.fork_times[:, first[b.identity].warmup :] for b in full.benchmarks]
    known = [one for table in tables if (one := from_run(table)) is not None]
    for seconds in (400.0, 600.0, 1041.0):
        today = steady.optimize(full, time_budget=seconds, unsteady="reduce", min_forks=3)
        planned = steady.optimize(full, "detect", time_budget=seconds, unsteady="reduce")
        cells = []
        for share in (1.0, 1 / 9, 1 / 81):
            parts = [_with_share(one, share) for one in known]
            chooser = wish.prepare([_offer(one, 5, 3) for one in parts], 0.0)
            for plan in (today, planned):
                sizes = [
                    chooser.sizes(_offer(one, entry.iterations, entry.forks))[0]
                    for one, entry in zip(parts, plan.benchmarks, strict=True)
                ]
                cells.append(f"{100 * np.median(sizes):.1f} %")
        yield f"| {seconds:.0f} s | {' | '.join(cells)} |"


def _with_share(one: VarianceComponents, share: float) -> VarianceComponents:
    """Return components with a share of the variance between forks."""
    between = max(one.levels.variance - one.explained, 0.0)
    levels = replace(one.levels, variance=one.explained + share * between)
    return replace(one, levels=levels, rounds=5)


def _offer(one: VarianceComponents, iterations: int, rounds: int) -> PairOffer:
    """Return an offer of a single configuration."""
    return PairOffer(one, np.array([iterations]), np.array([rounds]), np.array([1.0]))


TABLES: dict[str, Callable[[list[str]], Iterator[str]]] = {
    "simulated": lambda _: simulated(),
    "recorded": lambda paths: recorded([Path(path) for path in paths]),
    "demo": lambda _: demo(),
    "forks": lambda given: forks(Path(given[0]), int(given[1]) if len(given) > 1 else 1),
}


def main() -> None:
    """Print the table."""
    name, *given = sys.argv[1:] or ["simulated"]
    print(DEMO_HEADING if name == "demo" else heading())
    for line in TABLES[name](given):
        print(line, flush=True)


if __name__ == "__main__":
    main()
