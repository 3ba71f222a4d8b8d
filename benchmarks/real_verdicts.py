"""False alarms and detected planted changes of `steady run` and its rules on a real machine.

Usage: python benchmarks/real_verdicts.py measure OUT --plan PLAN --base JAR --head JAR --runs N
           [--only REGEX] [--all-rounds | --time-budget TIME]
       python benchmarks/real_verdicts.py judge OUT [--changed NAME...]

`measure` makes N interleaved runs with a different seed each, or continues those in OUT; with one
jar as base and head, every reported change is a false alarm. `judge` compares parts of the runs:
all forks of base in one run with all forks of head in the next, as without interleaving, also with
the noise floor from the other runs; only the rounds up to the first interim analysis; and
everything that the run measured. For benchmarks named by `--changed`, reported regressions count as
found; for all others, reported changes count as false alarms.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path

import numpy as np

import steady
from steady.compare import Comparison
from steady.model import Benchmark, Suite

RULES = ("overlap", "moderated-t", "paired-t")


@dataclass(frozen=True)
class Run:
    """Base and head of one run, and the rounds before its first interim analysis."""

    base: Suite
    head: Suite
    first: frozenset[str]


def measure(arguments: argparse.Namespace) -> None:
    """Run `steady run` the given number of times."""
    steady_command = Path(sys.executable).with_name("steady")
    for seed in range(1, arguments.runs + 1):
        command = [steady_command, "run", "--plan", arguments.plan, "--base", arguments.base]
        command += ["--head", arguments.head, "--out", arguments.out / str(seed), "--resume"]
        command += ["--seed", str(seed), "--new", "skip", "--same-code", "run"]
        command += ["--all-rounds"] if arguments.all_rounds else []
        command += ["--time-budget", arguments.time_budget] if arguments.time_budget else []
        command += ["--only", arguments.only] if arguments.only else []
        subprocess.run(command, check=True)


def read(folder: Path) -> Run:
    """Return one run."""
    journal = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    first = frozenset(line["block"] for line in journal if line["kind"] == "planned")
    return Run(steady.load(folder / "base.json"), steady.load(folder / "head.json"), first)


def each(suite: Suite, change: Callable[[Benchmark], Benchmark]) -> Suite:
    """Return the suite with every benchmark changed."""
    return Suite(tuple(change(benchmark) for benchmark in suite.values()))


def first_look(suite: Suite, first: frozenset[str]) -> Suite:
    """Return the forks of the first rounds alone."""

    def only_first(benchmark: Benchmark) -> Benchmark:
        kept = np.array([block in first for block in benchmark.blocks])
        return replace(
            benchmark,
            measurements=benchmark.measurements[kept],
            metrics={},
            blocks=tuple(compress(benchmark.blocks, kept)),
            in_turn=tuple(compress(benchmark.in_turn, kept)),
            spent=tuple(compress(benchmark.spent, kept)),
        )

    return each(suite, only_first)


def without_rounds(suite: Suite) -> Suite:
    """Return the suite without the information on rounds."""
    return each(suite, lambda benchmark: replace(benchmark, blocks=(), in_turn=(), looks=()))


@dataclass(frozen=True)
class Sides:
    """Base and head to compare, and the historical runs."""

    base: Suite
    head: Suite
    earlier: tuple[Suite, ...] = ()


def ways(runs: Sequence[Run]) -> dict[str, list[Sides]]:
    """Return base and head of each run, by method of measurement."""
    first = [Sides(first_look(r.base, r.first), first_look(r.head, r.first)) for r in runs]
    alone = [without_rounds(sides.base) for sides in first]
    count = len(runs)
    apart = [
        Sides(
            alone[one],
            without_rounds(first[(one + 1) % count].head),
            tuple(alone[k] for k in range(count) if k not in (one, (one + 1) % count)),
        )
        for one in range(count)
    ]
    return {
        "separate runs": [replace(sides, earlier=()) for sides in apart],
        "separate runs, noise floor of the others": apart,
        "in turn, first look alone": first,
        "in turn, all rounds": [Sides(run.base, run.head) for run in runs],
    }


def is_named(name: str, changed: Sequence[str]) -> bool:
    """Return whether a benchmark has a planted change."""
    return any(name.endswith(end) for end in changed)


def judge(arguments: argparse.Namespace) -> None:
    """Print one line for each method of measurement and each rule."""
    folders = sorted((p for p in arguments.out.iterdir() if p.name.isdecimal()), key=_number)
    runs = [read(folder) for folder in folders]
    print("| measured | rule | false alarms | of | changes found | of |")
    print("|---|---|--:|--:|--:|--:|")
    for way, compared in ways(runs).items():
        for rule in RULES:
            if rule == "paired-t" and way.startswith("separate"):
                continue
            found = [
                steady.compare(sides.base, sides.head, rule=rule, earlier=sides.earlier)
                for sides in compared
            ]
            print(f"| {way} | `{rule}` | {_counts(found, arguments.changed)} |")


def _counts(comparisons: Sequence[Comparison], changed: Sequence[str]) -> str:
    changes = [change for comparison in comparisons for change in comparison.changes]
    planted = [c for c in changes if is_named(c.identity.name, changed)]
    equal = [c for c in changes if not is_named(c.identity.name, changed)]
    alarms = sum(c.outcome != "unchanged" for c in equal)
    found = sum(c.outcome == "regression" for c in planted)
    return f"{alarms} | {len(equal)} | {found} | {len(planted)}"


def _number(folder: Path) -> int:
    return int(folder.name)


def main() -> None:
    """Measure or judge."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)
    measuring = commands.add_parser("measure")
    measuring.add_argument("out", type=Path)
    for name in ("plan", "base", "head"):
        measuring.add_argument(f"--{name}", type=Path, required=True)
    measuring.add_argument("--runs", type=int, required=True)
    measuring.add_argument("--only", metavar="REGEX")
    how_long = measuring.add_mutually_exclusive_group()
    how_long.add_argument("--all-rounds", action="store_true")
    how_long.add_argument("--time-budget", metavar="TIME")
    measuring.set_defaults(command=measure)
    judging = commands.add_parser("judge")
    judging.add_argument("out", type=Path)
    judging.add_argument("--changed", nargs="*", default=[], metavar="NAME")
    judging.set_defaults(command=judge)
    arguments = parser.parse_args()
    arguments.command(arguments)


if __name__ == "__main__":
    main()
