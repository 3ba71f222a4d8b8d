"""Simulated probability that controls reveal slowdowns of skipped benchmarks.

Usage: python -m evaluation.controls [--runs N]

In each of ten pull requests, a fraction of the skipped benchmarks is slower by 10 %: the decision
that their code paths are identical is wrong. `steady.samecode.choice.select` draws the controls of
each, which are measured in three interleaved rounds, and judged with the others as by `steady
compare`. The first column is the standard deviation between pairs of forks; there are no other
changes. A wrong decision is noticed once a control of a pull request is reported as slower.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from evaluation._markdown import markdown, percent
from steady.compare import compare
from steady.compare.alpha_spending import looks_of
from steady.harness.builds import Decision
from steady.model import Benchmark, FloatArray, Identity, Level, Suite
from steady.model.suite import SameCode
from steady.samecode.choice import select

SLOWER, ROUNDS, ITERATIONS, PULL_REQUESTS = 1.1, 3, 10, 10
SPREADS = (0.005, 0.01, 0.02, 0.04)
SUITES = ((100, 0), (100, 1), (100, 10))
"""Numbers of benchmarks with an identical code path, and of others."""

SHARES = (0.01, 0.1, 0.5, 1.0)
"""Fractions of the skipped benchmarks that are slower."""

_LEVELS = (Level("fork"), Level("iteration"))


def is_noticed(slow: int, others: int, controls: int, spread: float, seed: list[int]) -> bool:
    """Simulate and judge the controls of a pull request, `slow` of which are slower."""
    random = np.random.default_rng(seed)
    names = [Identity(f"a.control{n}") for n in range(controls)]
    names += [Identity(f"a.other{n}") for n in range(others)]
    sides = []
    for side in ("base", "head"):
        factors = np.ones(len(names))
        factors[:slow] = SLOWER if side == "head" else 1.0
        benchmarks = tuple(
            _benchmark(name, 100 * factor * _noise(random, spread))
            for name, factor in zip(names, factors, strict=True)
        )
        suite = Suite(benchmarks, harness="jmh")
        sides.append(replace(suite, same_code=SameCode((), tuple(names[:controls]))))
    found = compare(*sides)
    return any(control.outcome == "regression" for control in found.controls)


def _noise(random: np.random.Generator, spread: float) -> FloatArray:
    forks = np.exp(random.normal(0, spread / np.sqrt(2), (ROUNDS, 1)))
    return np.asarray(forks * random.normal(1, 0.01, (ROUNDS, ITERATIONS)))


def _benchmark(identity: Identity, values: FloatArray) -> Benchmark:
    return Benchmark(
        identity,
        "ns/op",
        values,
        _LEVELS,
        blocks=tuple(f"run:{n}" for n in range(ROUNDS)),
        in_turn=(True,) * ROUNDS,
        looks=looks_of(5),
    )


def noticed(same: int, others: int, share: float, spread: float, runs: int) -> float:
    """Return the fraction of simulated series of pull requests with a slower control reported."""
    decisions = [Decision(Identity(f"a.same{n}")) for n in range(same)]
    decisions += [Decision(Identity(f"a.other{n}"), "differs") for n in range(others)]
    wrong = {one.identity for one in decisions[: max(round(share * same), 1)]}

    def in_ten(run: int) -> Iterator[bool]:
        for number in range(PULL_REQUESTS):
            controls = select(decisions, (f"{run}", f"{number}"), seed=0).controls
            slow = len(wrong & set(controls))
            if slow:
                yield is_noticed(slow, others, len(controls), spread, [run, number])

    return float(np.mean([any(in_ten(run)) for run in range(runs)]))


def table(runs: int) -> str:
    """Return the probabilities of noticing wrong decisions, as Markdown."""
    header = ("forks differ by", "suite", *(f"{share:.0%} wrong" for share in SHARES))
    rows = []
    for same, others in SUITES:
        for spread in SPREADS:
            shares = (noticed(same, others, share, spread, runs) for share in SHARES)
            suite = f"{same} skipped, {others} others"
            rows.append((f"{spread:.1%}", suite, *map(percent, shares)))
    return markdown(header, rows)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=200)
    sys.stdout.write(table(parser.parse_args().runs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
