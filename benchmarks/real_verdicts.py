"""What `steady run` and its rules say on a real machine: false alarms, and planted changes found.

Usage: python benchmarks/real_verdicts.py measure OUT --plan PLAN --base JAR --head JAR --runs N
           [--only REGEX] [--second-look FRACTION]
       python benchmarks/real_verdicts.py judge OUT [--changed NAME...]

`measure` makes N interleaved runs with a seed each, or goes on with those that OUT holds; with one
jar as base and head, every change that is told is a false alarm. `judge` takes the runs apart: all
forks of base in one run against all forks of head in the next, as if nobody had interleaved them,
also with the noise floor that the other runs tell; the planned rounds alone; and those with the
second look. Benchmarks named by `--changed` are
counted as found where a regression is told; all others as false alarms where any change is.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import steady
from steady.compare import Comparison
from steady.model import Benchmark, Suite

RULES = ("overlap", "moderated-t", "paired-t")


@dataclass(frozen=True)
class Run:
    """Both sides of one run, and the rounds of each benchmark that were planned."""

    base: Suite
    head: Suite
    planned: frozenset[str]


def measure(arguments: argparse.Namespace) -> None:
    """Run `steady run` as often as asked."""
    steady_command = Path(sys.executable).with_name("steady")
    for seed in range(1, arguments.runs + 1):
        command = [steady_command, "run", "--plan", arguments.plan, "--base", arguments.base]
        command += ["--head", arguments.head, "--out", arguments.out / str(seed), "--resume"]
        command += ["--seed", str(seed), "--new", "skip", "--second-look", arguments.second_look]
        command += ["--only", arguments.only] if arguments.only else []
        subprocess.run(command, check=True)


def read(folder: Path) -> Run:
    """Return one run."""
    journal = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    planned = frozenset(line["block"] for line in journal if line["kind"] == "planned")
    return Run(steady.load(folder / "base.json"), steady.load(folder / "head.json"), planned)


def each(suite: Suite, change: Callable[[Benchmark], Benchmark]) -> Suite:
    """Return the suite with every benchmark changed."""
    return Suite(tuple(change(benchmark) for benchmark in suite.values()))


def first_look(suite: Suite, planned: frozenset[str]) -> Suite:
    """Return the planned forks alone."""

    def only_planned(benchmark: Benchmark) -> Benchmark:
        kept = np.array([block in planned for block in benchmark.blocks])
        blocks = tuple(block for block in benchmark.blocks if block in planned)
        return replace(benchmark, measurements=benchmark.measurements[kept], blocks=blocks)

    return each(suite, only_planned)


def without_rounds(suite: Suite) -> Suite:
    """Return the suite as if nobody knew which forks ran together."""
    return each(suite, lambda benchmark: replace(benchmark, blocks=()))


@dataclass(frozen=True)
class Sides:
    """Base and head as they are compared, and the runs that are known beside them."""

    base: Suite
    head: Suite
    earlier: tuple[Suite, ...] = ()


def ways(runs: Sequence[Run]) -> dict[str, list[Sides]]:
    """Return base and head of each run, by how they were measured."""
    planned = [Sides(first_look(r.base, r.planned), first_look(r.head, r.planned)) for r in runs]
    alone = [without_rounds(sides.base) for sides in planned]
    count = len(runs)
    apart = [
        Sides(
            alone[one],
            without_rounds(planned[(one + 1) % count].head),
            tuple(alone[k] for k in range(count) if k not in (one, (one + 1) % count)),
        )
        for one in range(count)
    ]
    return {
        "separate runs": [replace(sides, earlier=()) for sides in apart],
        "separate runs, noise floor of the others": apart,
        "interleaved": planned,
        "interleaved, with second look": [Sides(run.base, run.head) for run in runs],
    }


def is_named(name: str, changed: Sequence[str]) -> bool:
    """Tell whether a benchmark is one of those that were changed."""
    return any(name.endswith(end) for end in changed)


def judge(arguments: argparse.Namespace) -> None:
    """Print one line for each way to measure and each rule."""
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
    measuring.add_argument("--second-look", default="50%", metavar="FRACTION")
    measuring.set_defaults(command=measure)
    judging = commands.add_parser("judge")
    judging.add_argument("out", type=Path)
    judging.add_argument("--changed", nargs="*", default=[], metavar="NAME")
    judging.set_defaults(command=judge)
    arguments = parser.parse_args()
    arguments.command(arguments)


if __name__ == "__main__":
    main()
