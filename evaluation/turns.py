"""Benefit of interleaving: error of a pair of forks, false alarms, and detectable effect.

Usage: python -m evaluation.turns FOLDER [FOLDER ...] [--rounds 3 5 10] [--deals 20]
       python -m evaluation.turns --quiet DATA [--rounds 3 5] [--deals 1]

Each FOLDER holds ``base.json`` and ``head.json`` (or ``.json.gz``, or ``.txt``), as written by
`steady run --base A --head A`: one version twice, with interleaved forks. Every difference is an
error. Each recording is analysed in three ways:

- *turns*: the k-th iteration of one fork is compared with the k-th of the other, as they ran;
- *shuffled*: the same, with the iterations of base in each fork in random order;
- *fork medians*: without the information that the forks were interleaved.

The rounds of a recording are repeatedly split at random into runs of a few rounds, and base and
head are assigned at random in each round. Every change that the default rule then reports is a
false alarm. Head multiplied by 1.02 to 1.27 should be detected: the interval moves with it, so one
judgement serves all factors.

With --quiet, the forks of the jmh-steady data (see ``python -m evaluation``) are compared with each
other as if they had been interleaved: on a quiet machine almost all error comes from differences
between forks. Each of the 30 projects is one suite, whose ten forks are assigned to five rounds,
six times.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from evaluation._markdown import markdown
from evaluation.verdicts import jmh_steady, join
from steady.compare import RULES
from steady.compare.pair import Pair
from steady.compare.round_tables import round_tables
from steady.compare.rule import Judgement, RuleOptions
from steady.compare.rules import DEFAULT_RULE
from steady.model import FloatArray
from steady.readers import load

FACTORS = (1.02, 1.03, 1.05, 1.08, 1.12, 1.19, 1.27)
MIN_CHANGE = 0.03
OPTIONS = RuleOptions(confidence=0.99)
QUIET_ITERATIONS = 20
QUIET_DEALS = 6

Suite = dict[str, Pair]
View = Callable[[Pair, np.random.Generator], Pair]


def as_they_ran(pair: Pair, generator: np.random.Generator) -> Pair:  # noqa: ARG001
    """Return the pair."""
    return pair


def shuffled(pair: Pair, generator: np.random.Generator) -> Pair:
    """Shuffle the iterations of base within each fork."""
    base = pair.base.copy()
    for row in base:
        known = np.isfinite(row)
        row[known] = generator.permutation(row[known])
    return replace(pair, base=base)


def without_turns(pair: Pair, generator: np.random.Generator) -> Pair:  # noqa: ARG001
    """Remove the information on interleaving."""
    return replace(pair, turns=np.empty(0, dtype=bool))


VIEWS: dict[str, View] = {
    "turns": as_they_ran,
    "shuffled": shuffled,
    "fork medians": without_turns,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.turns")
    parser.add_argument("folders", type=Path, nargs="*", help="each holds base.json and head.json")
    parser.add_argument("--quiet", type=Path, metavar="DATA", help="folder that holds jmh-steady")
    parser.add_argument("--rounds", type=int, nargs="+", default=[3, 5, 10], help="of each run")
    parser.add_argument("--deals", type=int, default=20, help="times to deal (default: 20)")
    given = parser.parse_args(arguments)
    if given.quiet:
        print(verdict_table(quiet(given.quiet), given.rounds, given.deals))
        return 0
    recordings = [read(folder) for folder in given.folders]
    print(
        spread_table(recordings), verdict_table(recordings, given.rounds, given.deals), sep="\n\n"
    )
    return 0


def read(folder: Path) -> Suite:
    """Read base and head, omitting benchmarks without interleaved rounds."""
    base, head = (load(_file(folder, side)) for side in ("base", "head"))
    pairs = {i.label: Pair.of(base[i], head[i]) for i in base if i in head}
    return {name: pair for name, pair in pairs.items() if pair.in_turn}


def quiet(data: Path) -> list[Suite]:
    """Assign the forks of each project of jmh-steady to five rounds."""
    generator = np.random.default_rng(0)
    suites = []
    for project in jmh_steady(data / "jmh-steady"):
        forks = join(project, QUIET_ITERATIONS, 100)
        for _ in range(QUIET_DEALS):
            dealt = (generator.permutation(table) for table in forks)
            suites.append({str(place): _as_if_in_turn(one) for place, one in enumerate(dealt)})
    return suites


def _as_if_in_turn(forks: FloatArray) -> Pair:
    count = len(forks) // 2
    places = np.stack([np.arange(count)] * 2, axis=1)
    turns = np.ones(count, dtype=bool)
    return Pair("ns/op", forks[:count], forks[count : 2 * count], places, turns=turns)


def _file(folder: Path, side: str) -> Path:
    names = [folder / f"{side}{ending}" for ending in (".json", ".json.gz", ".txt")]
    return next((name for name in names if name.exists()), names[0])


def spread_table(recordings: Sequence[Suite]) -> str:
    """Return the differences between the two forks of a round, by benchmark."""
    names = sorted({name for suite in recordings for name in suite})
    rows, sizes = [], []
    for name in names:
        pairs = [suite[name] for suite in recordings if name in suite]
        errors = {view: _errors(pairs, view) for view in VIEWS}
        sizes.append([_size(values) for values in errors.values()])
        rows.append([f"`{name}`", str(len(errors["turns"])), *map(_digits, sizes[-1])])
    rows.append(["median", "", *map(_digits, np.median(sizes, axis=0))])
    title = "Root mean square of log(head/base) of one pair of forks, of one version:\n\n"
    return title + markdown(["benchmark", "pairs of forks", *VIEWS], rows)


def _errors(pairs: Sequence[Pair], view: str) -> FloatArray:
    generator = np.random.default_rng(0)
    viewed = {place: VIEWS[view](pair, generator) for place, pair in enumerate(pairs)}
    return np.concatenate([table.differences.ravel() for table in round_tables(viewed)])


def _size(errors: FloatArray) -> float:
    return float(np.sqrt(np.mean(np.square(errors))))


def _digits(value: float) -> str:
    return f"{value:.4f}"


def verdict_table(recordings: Sequence[Suite], rounds: Sequence[int], deals: int) -> str:
    """Return false alarms and power for each number of rounds and each view."""
    rows = [
        _row(view, count, [run for suite in recordings for run in runs(suite, count, deals, view)])
        for count in rounds
        for view in VIEWS
    ]
    titles = ["rounds", "", "comparisons", "outside", "false alarms"]
    titles += [f"× {factor:g}" for factor in FACTORS] + ["smallest found in half"]
    return markdown(titles, rows)


Judged = dict[str, Judgement]


def runs(suite: Suite, rounds: int, deals: int, view: str) -> list[Judged]:
    """Split the rounds into runs at random, and assign the forks of each round to base and head."""
    generator = np.random.default_rng(0)
    most = max((len(pair.rounds) for pair in suite.values()), default=0)
    dealt = []
    for _ in range(deals):
        orders = {name: generator.permutation(len(pair.rounds)) for name, pair in suite.items()}
        for start in range(0, most - rounds + 1, rounds):
            pairs = {
                name: VIEWS[view](_part(suite[name], chosen, generator), generator)
                for name, order in orders.items()
                if len(chosen := order[start : start + rounds]) == rounds
            }
            judged = RULES[DEFAULT_RULE].value.judge(list(pairs.values()), OPTIONS)
            dealt.append(dict(zip(pairs, judged, strict=True)))
    return dealt


def _part(pair: Pair, chosen: np.ndarray, generator: np.random.Generator) -> Pair:
    sides = pair.base[pair.rounds[chosen, 0]], pair.head[pair.rounds[chosen, 1]]
    columns = min(side.shape[1] for side in sides)
    base, head = (side[:, :columns] for side in sides)
    turn = generator.random((len(chosen), 1)) < 1 / 2
    places = np.stack([np.arange(len(chosen))] * 2, axis=1)
    return replace(
        pair,
        base=np.where(turn, head, base),
        head=np.where(turn, base, head),
        rounds=places,
        turns=pair.turns[chosen],
    )


def _row(view: str, rounds: int, dealt: Sequence[Judged]) -> list[str]:
    judged = [judgement for run in dealt for judgement in run.values()]
    if not judged:
        return [str(rounds), view, "0", *["–"] * (len(FACTORS) + 3)]
    needed: dict[str, list[float]] = defaultdict(list)
    for run in dealt:
        for name, judgement in run.items():
            needed[name].append(factor_needed(judgement))
    alarms = [one.apart and abs(one.ratio) >= MIN_CHANGE for one in judged]
    every = np.concatenate([*needed.values()])
    return [
        str(rounds),
        view,
        str(len(judged)),
        _percent(float(np.mean([one.apart for one in judged])), 1),
        _percent(float(np.mean(alarms)), 1),
        *(_percent(float(np.mean(every <= factor))) for factor in FACTORS),
        _percent(float(np.median([np.median(values) for values in needed.values()])) - 1, 1),
    ]


def factor_needed(judgement: Judgement) -> float:
    """Return the factor that head must be multiplied by for a slowdown to be reported."""
    reported = max(1 + judgement.detectable.increase, 1 + MIN_CHANGE)
    return reported / (1 + judgement.ratio)


def _percent(share: float, digits: int = 0) -> str:
    return f"{100 * share:.{digits}f} %"


if __name__ == "__main__":
    sys.exit(main())
