"""False alarms and power of the rules on interleaved runs, compared with benchstat's test.

Usage: python -m evaluation.beside_benchstat FOLDER [--rounds 5] [--deals 6]

FOLDER holds ``base.txt`` and ``head.txt``, as written by `steady run --base A --head A`: one binary
twice, in many rounds (such as 40 of 5 results). The rounds are split at random into runs of a few
rounds, with base and head assigned at random in each round. Every reported change is then a false
alarm. Head or base is also multiplied by 1.1 to 1.5, which should be detected.

benchstat uses the Mann-Whitney test on all results of a version, as if independent, and reports p <
0.01 (SciPy's, which agrees with ``benchstat -alpha 0.01`` to three digits). In the last row, its
level is chosen such that it has as many false alarms as the default rule.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.stats import mannwhitneyu

from evaluation._markdown import markdown
from steady.compare import RULES
from steady.compare.pair import Pair
from steady.compare.rule import Judgement, RuleOptions
from steady.compare.rules import DEFAULT_RULE
from steady.model import FloatArray
from steady.readers import load

CHANGES = (1.1, 1.2, 1.3, 1.5)
LEVEL = 0.01
COMPARED = ("overlap", "moderated-t", "paired-t")
OPTIONS = RuleOptions(confidence=1 - LEVEL)

Suite = list[Pair]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.beside_benchstat")
    parser.add_argument("folder", type=Path, help="holds base.txt and head.txt")
    parser.add_argument("--rounds", type=int, default=5, help="of each run (default: 5)")
    parser.add_argument("--deals", type=int, default=6, help="times to deal (default: 6)")
    given = parser.parse_args(arguments)
    whole = read(given.folder)
    print(table([s for seed in range(given.deals) for s in dealt(whole, given.rounds, seed)]))
    return 0


def read(folder: Path) -> Suite:
    """Read base and head, keeping only benchmarks with the maximum number of rounds."""
    base, head = (load(folder / f"{side}.txt") for side in ("base", "head"))
    pairs = [Pair.of(base[name], head[name]) for name in base if name in head]
    most = max(len(pair.rounds) for pair in pairs)
    return [pair for pair in pairs if len(pair.rounds) == most]


def dealt(whole: Suite, rounds: int, seed: int) -> list[Suite]:
    """Split the rounds into runs at random, and assign the forks of each round to base and head."""
    generator = np.random.default_rng(seed)
    count = len(whole[0].rounds)
    order = generator.permutation(count)
    turned = [generator.random(count) < 1 / 2 for _ in whole]
    return [
        [
            _part(pair, order[start : start + rounds], turn)
            for pair, turn in zip(whole, turned, strict=True)
        ]
        for start in range(0, count - rounds + 1, rounds)
    ]


def _part(pair: Pair, chosen: np.ndarray, turned: np.ndarray) -> Pair:
    base, head = pair.base[pair.rounds[chosen, 0]], pair.head[pair.rounds[chosen, 1]]
    turn = turned[chosen][:, np.newaxis]
    rounds = np.stack([np.arange(len(chosen))] * 2, axis=1)
    return Pair(pair.unit, np.where(turn, head, base), np.where(turn, base, head), rounds)


def table(suites: list[Suite]) -> str:
    """Return the false alarms and the power of every rule and of benchstat's test."""
    rows = [_row(f"`{name}`", _judged(name, suites)) for name in COMPARED]
    alarms = _judged(DEFAULT_RULE, suites)[0]
    nominal = _ranked(suites, LEVEL)
    level = float(np.quantile(_levels(suites, 1.0), alarms))
    rows.append(_row(f"benchstat, p < {LEVEL:g}", nominal))
    rows.append(_row(f"benchstat, p < {level:.2g}", _ranked(suites, level)))
    titles = ["rule", "false alarms", *(f"× {change:g}" for change in CHANGES)]
    count = sum(map(len, suites))
    return f"{count} comparisons of equal versions.\n\n" + markdown(titles, rows)


def _row(name: str, shares: Sequence[float]) -> list[str]:
    return [name, f"{100 * shares[0]:.1f} %", *(f"{100 * share:.0f} %" for share in shares[1:])]


def _judged(name: str, suites: list[Suite]) -> list[float]:
    """Return a rule's rate of false alarms, and its power for each change."""
    judge = RULES[name].value.judge
    alarms = [j.apart for suite in suites for j in judge(suite, OPTIONS)]
    shares = [float(np.mean(alarms))]
    for change in CHANGES:
        found = [
            _right(j, factor)
            for factor in (change, 1 / change)
            for suite in suites
            for j in judge([replace(p, head=factor * p.head) for p in suite], OPTIONS)
        ]
        shares.append(float(np.mean(found)))
    return shares


def _right(judgement: Judgement, factor: float) -> bool:
    return judgement.apart and (judgement.head.center > judgement.base.center) == (factor > 1)


def _ranked(suites: list[Suite], level: float) -> list[float]:
    """Return the same rates for benchstat's test."""
    shares = [float(np.mean(_levels(suites, 1.0) < level))]
    for change in CHANGES:
        levels = [_levels(suites, factor, one_way=True) for factor in (change, 1 / change)]
        shares.append(float(np.mean(np.concatenate(levels) < level)))
    return shares


def _levels(suites: list[Suite], factor: float, *, one_way: bool = False) -> FloatArray:
    """Return the p-value of each comparison; 1 if the medians differ in the other direction."""
    found = []
    for pair in (pair for suite in suites for pair in suite):
        base, head = pair.base.ravel(), factor * pair.head.ravel()
        p = float(mannwhitneyu(base, head, method="asymptotic").pvalue)
        right = (np.median(head) > np.median(base)) == (factor > 1)
        found.append(p if right or not one_way else 1.0)
    return np.array(found)


if __name__ == "__main__":
    sys.exit(main())
