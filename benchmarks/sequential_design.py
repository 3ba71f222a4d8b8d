"""Power, false alarms and duration of runs with interim analyses, by simulation.

Usage: python benchmarks/sequential_design.py [--suites N]

Simulated suites of 20 benchmarks with five planned rounds. Rounds differ by a normal number, some
benchmarks much more than others (the variance is that of Student's t with three degrees of
freedom). Three designs are judged: the planned rounds, with each benchmark at 99 %; the same with a
single second analysis, as in earlier versions, which spends half the planned time on benchmarks
that seem changed at 70 %; and interim analyses with the spending functions error * share ** power,
at two rates of false alarms. The rule is the moderated t-test of `paired-t`, without its weights
and without the trimming from ten rounds on, which would take most of the time.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from steady.compare import Change, Estimate
from steady.compare.alpha_spending import looks_of, nominal_levels
from steady.compare.bounds import outcome_of
from steady.compare.multiple_testing import SuiteJudgement, judge_jointly, judge_separately
from steady.compare.pair import Pair
from steady.compare.power import NOT_DETECTABLE
from steady.compare.round_allocation import UnclearBenchmark, allocate_rounds
from steady.compare.rule import Judgement, Rule, RuleOptions
from steady.compare.variance import moderated_widths
from steady.model import Identity

SIZE, PLANNED, MIN_CHANGE = 20, 5, 0.03
CASES = ((0.015, 0.0, 0), (0.03, 0.05, 1), (0.03, 0.1, 4))
"""Standard deviation of rounds, size of the change, and number of changed benchmarks."""

FloatArray = npt.NDArray[np.float64]


def decide(pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
    """Judge by the mean of the rounds' log ratios, which `head` contains."""
    counts = np.array([len(pair.head) for pair in pairs], dtype=np.float64)
    means = [float(pair.head.mean()) for pair in pairs]
    variances = np.array([pair.head.var(ddof=1) for pair in pairs])
    widths = moderated_widths(
        variances, counts - 1, options.confidence, most_shared=options.most_shared
    )
    halves = widths / np.sqrt(counts)
    return [
        Judgement(side(0.0), side(mean), False, None, NOT_DETECTABLE).with_change(mean, half)
        for mean, half in zip(means, halves.tolist(), strict=True)
    ]


def side(level: float) -> Estimate:
    """Return a result without a confidence interval."""
    value = math.exp(level)
    return Estimate(value, value, value, 1, 1)


RULE = Rule(decide, resampled=False, statement="", false_alarms="")


Way = Callable[[FloatArray], tuple[SuiteJudgement, list[int]]]
"""A design of a run: a function that returns the final judgements, and the rounds."""


def pairs_of(logs: FloatArray, rounds: Sequence[int]) -> list[Pair]:
    """Return the rounds that were measured."""
    return [
        Pair("ns/op", np.ones((n, 1)), row[:n, np.newaxis])
        for row, n in zip(logs, rounds, strict=True)
    ]


def is_reported(_: int, judgement: Judgement) -> bool:
    """Return whether a benchmark would be reported as changed."""
    return outcome_of(judgement, "lower", MIN_CHANGE) in ("regression", "improvement")


def planned(logs: FloatArray) -> tuple[SuiteJudgement, list[int]]:
    """Judge the planned rounds, each benchmark at 99 %."""
    rounds = [PLANNED] * SIZE
    return judge_separately(RULE, pairs_of(logs, rounds), RuleOptions()), rounds


def with_second_look(logs: FloatArray) -> tuple[SuiteJudgement, list[int]]:
    """Measure seemingly changed benchmarks once more, in half the planned time."""
    rounds = [PLANNED] * SIZE
    pairs = pairs_of(logs, rounds)
    judged = judge_separately(RULE, pairs, RuleOptions()).judgements
    near = RULE.judge(pairs, RuleOptions(confidence=0.7))
    suspects = [i for i, j in enumerate(near) if j.apart and abs(judged[i].ratio) >= MIN_CHANGE / 2]
    left = PLANNED * SIZE // 2
    for i in sorted(
        suspects, key=lambda i: -abs(judged[i].ratio) / judged[i].detectable.of(judged[i].ratio)
    ):
        target = max(MIN_CHANGE, 0.6 * abs(judged[i].ratio))
        needed = math.ceil(PLANNED * ((judged[i].detectable.of(judged[i].ratio) / target) ** 2 - 1))
        further = min(max(PLANNED, needed), 3 * PLANNED, left)
        if further >= PLANNED:
            rounds[i] += further
            left -= further
    return judge_separately(RULE, pairs_of(logs, rounds), RuleOptions()), rounds


@lru_cache
def levels(looks: tuple[int, ...], error: float, power: float) -> tuple[float, ...]:
    """Return the level of each interim analysis for a power spending function."""
    return tuple(nominal_levels(looks, error, lambda shares, all_: all_ * shares**power).tolist())


def spending_rule(looks: tuple[int, ...], power: float) -> Rule:
    """Return the rule with a different spending function, for pairs without interim analyses."""

    def decide_at_levels(pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
        at_looks = levels(looks, 1 - options.confidence, power)
        own = [at_looks[looks.index(len(pair.head))] for pair in pairs]
        by_level = {
            level: decide(pairs, replace(options, confidence=1 - level)) for level in set(own)
        }
        return [by_level[level][index] for index, level in enumerate(own)]

    return Rule(decide_at_levels, resampled=False, statement="", false_alarms="")


@dataclass(frozen=True)
class Deciding:
    """A run with interim analyses, in the time of the planned rounds."""

    false_alarms: float
    power: float

    def __call__(self, logs: FloatArray) -> tuple[SuiteJudgement, list[int]]:
        """Run to the end."""
        looks = looks_of(PLANNED)
        rule = spending_rule(looks, self.power)
        rounds = [looks[0]] * SIZE
        while True:
            pairs = pairs_of(logs, rounds)
            judged = judge_jointly(rule, pairs, RuleOptions(), self.false_alarms, is_reported)
            together = zip(judged.judgements, judged.excluded, rounds, strict=True)
            cases = [
                UnclearBenchmark(change_of(judgement, excluded), MIN_CHANGE, n, looks, 1.0)
                for judgement, excluded, n in together
            ]
            unclear = [i for i, case in enumerate(cases) if case.change.outcome == "unclear"]
            left = float(PLANNED * SIZE - sum(rounds))
            granted = allocate_rounds([cases[i] for i in unclear], left)
            if not granted:
                return judged, rounds
            for place, further in granted.items():
                rounds[unclear[place]] += further


def change_of(judgement: Judgement, excluded: float) -> Change:
    """Return the state of a benchmark in a run."""
    return Change(
        Identity("b"),
        "ns/op",
        "lower",
        judgement.base,
        judgement.head,
        outcome_of(judgement, "lower", MIN_CHANGE, excluded=excluded),
        smallest=max(MIN_CHANGE, judgement.detectable.of(judgement.ratio)),
        excluded=excluded,
    )


WAYS: dict[str, Way] = {
    "planned rounds, each at 99 %": planned,
    "the same with one second look": with_second_look,
    **{
        f"deciding, {rate:.0%} a pull request, power {power:g}": Deciding(rate, power)
        for rate, power in ((0.02, 0.5), (0.05, 0.5))
    },
}


def suites(count: int, spread: float, change: float, changed: int) -> Iterator[FloatArray]:
    """Return log ratios of head to base; the first benchmarks are slower."""
    generator = np.random.default_rng(1)
    for _ in range(count):
        spreads = spread * np.sqrt(3 / generator.chisquare(3, (SIZE, 1)))
        logs = generator.normal(0, 1, (SIZE, 4 * PLANNED)) * spreads
        logs[:changed] += math.log1p(change)
        yield logs


def row(way: Way, count: int, spread: float, change: float, changed: int) -> str:
    """Return a row of the table."""
    rounds = found = unchanged = false = alarmed = 0.0
    for logs in suites(count, spread, change, changed):
        judged, own = way(logs)
        reported = [is_reported(0, judgement) for judgement in judged.judgements]
        rounds += sum(own) / SIZE
        found += sum(reported[:changed])
        false += sum(reported[changed:])
        alarmed += any(reported[changed:])
        unchanged += sum(
            excluded < MIN_CHANGE and not r
            for excluded, r in zip(judged.excluded[changed:], reported[changed:], strict=True)
        )
    equal = count * (SIZE - changed)
    power = f"{found / (count * changed):.0%}" if changed else "–"
    return (
        f"{rounds / count:.2f} | {power} | {unchanged / equal:.0%} | {false / equal:.2%} | "
        f"{alarmed / count:.1%}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--suites", type=int, default=100, metavar="N")
    count = parser.parse_args().suites
    print("| spread | slower | way | rounds | found | unchanged | alarms | pull requests |")
    print("|--:|---|---|--:|--:|--:|--:|--:|")
    for spread, change, changed in CASES:
        for name, way in WAYS.items():
            slower = f"{changed} of {SIZE} by {change:.0%}" if changed else "none"
            print(f"| {spread:.1%} | {slower} | {name} |", end=" ")
            print(f"{row(way, count, spread, change, changed)} |", flush=True)


if __name__ == "__main__":
    main()
