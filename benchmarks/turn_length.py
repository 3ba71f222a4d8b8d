"""Length of turns of two JMH forks: error and cost.

Usage: python benchmarks/turn_length.py OUT --plan PLAN --base JAR --head JAR [--only REGEX]
           [--millis 100 20 10 5] [--repeats N]

Runs the plan with turns of each length, one length after the other, and repeats this N times. For
each length, it prints the standard error of one pair of forks, computed from its own pairs of
turns, and the standard deviation between pairs of forks, both as the geometric mean over the
benchmarks.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import steady
from steady.cli.main import main as run_steady
from steady.compare.pair import Pair
from steady.compare.round_tables import paired_differences
from steady.harness.jmh.run import forks_in_turn
from steady.model import FloatArray
from steady.stats.trimmed import midmean


def measure(arguments: argparse.Namespace, millis: int, repeat: int) -> Path:
    """Run the plan once with turns of one length."""
    out: Path = arguments.out / f"{millis}-{repeat}"
    forks_in_turn.TURN_MILLIS = millis
    words = ["run", "--plan", arguments.plan, "--base", arguments.base, "--head", arguments.head]
    words += ["--all-rounds", "--same-code", "run", "--new", "skip", "--resume"]
    words += ["--seed", repeat, "--out", out]
    words += ["--only", arguments.only] if arguments.only else []
    run_steady(list(map(str, words)))
    return out


def pairs_of_forks(folder: Path) -> Iterator[tuple[str, FloatArray, FloatArray]]:
    """Yield each benchmark's name, the changes of its pairs of forks, and their variances."""
    base, head = (steady.load(folder / f"{side}.json") for side in ("base", "head"))
    for identity in base:
        sides = Pair.of(base[identity], head[identity]).values_of_rounds
        change, variance, _ = midmean(paired_differences(*map(np.log, sides)))
        yield identity.label, change, variance


def seconds_of_pair(folder: Path) -> float:
    """Return the wall-clock time of a pair of forks."""
    lines = (folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    seconds = [line["seconds"] for line in map(json.loads, lines) if line["kind"] == "planned"]
    return 2 * float(np.mean(seconds))


def geometric_mean(values: list[float]) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.mean(np.log(values))))


def report(folders: dict[int, list[Path]]) -> None:
    """Print a line for each length."""
    print("millis  pairs  error of one  spread of pairs  seconds a pair")
    for millis, own in folders.items():
        changes: dict[str, list[FloatArray]] = {}
        variances: dict[str, list[FloatArray]] = {}
        for folder in own:
            for name, change, variance in pairs_of_forks(folder):
                changes.setdefault(name, []).append(change)
                variances.setdefault(name, []).append(variance)
        errors = [float(np.sqrt(np.median(np.concatenate(v)))) for v in variances.values()]
        spreads = [float(np.std(np.concatenate(c), ddof=1)) for c in changes.values()]
        pairs = sum(part.size for parts in changes.values() for part in parts)
        seconds = float(np.mean([seconds_of_pair(folder) for folder in own]))
        print(
            f"{millis:6d}  {pairs:5d}  {geometric_mean(errors):12.4f}  "
            f"{geometric_mean(spreads):15.4f}  {seconds:14.1f}"
        )


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    for name in ("--plan", "--base", "--head"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--only")
    parser.add_argument("--millis", type=int, nargs="+", default=[100, 20, 10, 5])
    parser.add_argument("--repeats", type=int, default=1)
    arguments = parser.parse_args()
    folders: dict[int, list[Path]] = {millis: [] for millis in arguments.millis}
    for repeat in range(1, arguments.repeats + 1):
        for millis in arguments.millis:
            folders[millis].append(measure(arguments, millis, repeat))
    report(folders)


if __name__ == "__main__":
    main()
