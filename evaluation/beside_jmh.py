"""Verdicts of `steady run` on two jars, compared with stock JMH on the same benchmarks.

Usage: python -m evaluation.beside_jmh measure RESULTS BASE HEAD TRUTH [--forks 5]
           [--iterations 10] [--seconds 1] [--only REGEX] [--java JAVA] [--jvm-arg=ARG ...]
           [--side-by-side]
       python -m evaluation.beside_jmh table RESULTS:TRUTH [RESULTS:TRUTH ...]

*measure* runs stock JMH on the benchmarks compared by the run in RESULTS: a number of interleaved
forks of base and head, each with as many warm-up iterations as measurement iterations. Forks with a
result in TRUTH are not repeated. With *--side-by-side* both versions run concurrently, each pinned
to one processor, and swap processors with every fork (Linux): disturbances affect both, in half the
time. *table* shows each benchmark with its true ratio, and how often steady was right:

- *sign*: the reported direction of the change is correct;
- *interval*: the confidence interval contains the true ratio;
- *excluded*: if no change was reported, the true change is below the upper bound.

The truth has an error of its own, given by Welch's 95 % interval. So each is counted twice: for the
ratio measured by stock JMH, and for the most favourable ratio in that interval.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from scipy.stats import ttest_ind

from evaluation._markdown import markdown
from steady.compare.comparison_files import ChangeEntry, ComparisonFile
from steady.model import Identity
from steady.text.numbers import percent

SIDES = ("base", "head")
CONFIDENCE = 0.95
REPORTED = {"improvement": 1, "regression": -1}


@dataclass(frozen=True)
class Case:
    """A benchmark's change according to steady, and its true change.

    Parameters
    ----------
    change : ChangeEntry
        Result of `steady compare`.
    ratio : float
        Ratio of head to base measured by stock JMH, in the benchmark's own unit.
    low, high : float
        95 % confidence interval of that ratio.
    """

    change: ChangeEntry
    ratio: float
    low: float
    high: float

    def right(self, *, nearest: bool) -> dict[str, bool]:
        """Return the statements of steady that can be wrong, and whether each was right."""
        low, high = (self.low, self.high) if nearest else (self.ratio, self.ratio)
        entry, found = self.change, {}
        if way := REPORTED.get(entry.outcome):
            higher = (way > 0) == (entry.direction == "higher")
            found["sign"] = high > 1 if higher else low < 1
        if entry.interval is not None:
            ends = 1 + entry.interval[0], 1 + entry.interval[1]
            found["interval"] = low <= ends[1] and high >= ends[0]
        if entry.excluded is not None and not way:
            found["excluded"] = low <= 1 + entry.excluded and high >= 1 - entry.excluded
        return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, or print the tables."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.beside_jmh")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("measure")
    one.add_argument("results", type=Path)
    one.add_argument("base", type=Path)
    one.add_argument("head", type=Path)
    one.add_argument("truth", type=Path)
    one.add_argument("--forks", type=int, default=5, help="of each version (default: 5)")
    one.add_argument("--iterations", type=int, default=10, help="measured, and warm-up")
    one.add_argument("--seconds", type=float, default=1.0, help="of an iteration (default: 1)")
    one.add_argument("--only", default="", help="benchmarks whose label matches (default: all)")
    one.add_argument("--java", default="java")
    one.add_argument("--jvm-arg", action="append", default=[])
    one.add_argument("--side-by-side", action="store_true", help="on two processors at once")
    commands.add_parser("table").add_argument("both", nargs="+", metavar="RESULTS:TRUTH")
    given = parser.parse_args(arguments)
    if given.command == "measure":
        measure(given)
    else:
        print(table([pair.partition(":")[::2] for pair in given.both]))
    return 0


def compared(results: Path) -> tuple[ChangeEntry, ...]:
    """Return the result of `steady compare` on a run."""
    command = [sys.executable, "-m", "steady.cli", "compare", str(results), "--json"]
    command += ["--fail-on", "never"]
    told = subprocess.run(command, check=True, capture_output=True).stdout
    return msgspec.json.decode(told, type=ComparisonFile).changes


def measure(given: argparse.Namespace) -> None:
    """Run the forks without a result, one by one."""
    given.truth.mkdir(parents=True, exist_ok=True)
    jars = dict(zip(SIDES, (given.base, given.head), strict=True))
    for change in compared(given.results):
        single = change.identity.mode == "ss"  # single shots are counted, not timed
        if single or not re.search(given.only, change.identity.label):
            continue
        for fork in range(given.forks):
            commands = []
            for processor, side in enumerate(SIDES if fork % 2 == 0 else SIDES[::-1]):
                file = _file(given.truth, change.identity, side, fork)
                command = _command(given, jars[side], change.identity, file.with_suffix(".part"))
                pinned = ["taskset", "--cpu-list", str(processor)] if given.side_by_side else []
                commands += [(file, [*pinned, *command])] if not file.exists() else []
            _run(commands, 2 if given.side_by_side else 1)


def _file(truth: Path, identity: Identity, side: str, fork: int) -> Path:
    name = re.sub(r"[^\w.=-]+", "_", identity.label)
    return truth / f"{name}-{side}-{fork}.json"


def _command(given: argparse.Namespace, jar: Path, identity: Identity, results: Path) -> list[str]:
    time = f"{round(1000 * given.seconds)}ms"
    return [
        *(given.java, *(["-Djmh.ignoreLock=true"] if given.side_by_side else [])),
        *("-jar", str(jar), f"^{re.escape(identity.name)}$"),
        *(word for key, value in identity.params for word in ("-p", f"{key}={value}")),
        *("-bm", identity.mode, "-t", str(identity.threads), "-f", "1", "-foe", "true"),
        *("-wi", str(given.iterations), "-i", str(given.iterations), "-w", time, "-r", time),
        *(word for one in given.jvm_arg for word in ("-jvmArgsAppend", one)),
        *("-rf", "json", "-rff", str(results)),
    ]


def _run(commands: Sequence[tuple[Path, list[str]]], at_once: int) -> None:
    """Run commands concurrently; the output of a successful one is renamed to its result."""

    def run(one: tuple[Path, list[str]]) -> None:
        file, command = one
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        file.with_suffix(".part").rename(file)

    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(run, commands))


def cases(results: Path, truth: Path) -> Iterator[Case]:
    """Yield the compared benchmarks with at least two forks of stock JMH per version."""
    for change in compared(results):
        logs = [np.log(_levels(truth, change.identity, side)) for side in SIDES]
        if min(map(len, logs)) < 2:
            continue
        difference = float(logs[1].mean() - logs[0].mean())
        ends = ttest_ind(logs[1], logs[0], equal_var=False).confidence_interval(CONFIDENCE)
        yield Case(change, *np.exp([difference, ends.low, ends.high]).tolist())


def _levels(truth: Path, identity: Identity, side: str) -> list[float]:
    """Return the mean of each fork's iterations."""
    files = sorted(truth.glob(_file(truth, identity, side, 0).name.replace("-0.json", "-*.json")))
    records = [json.loads(file.read_bytes())[0]["primaryMetric"] for file in files]
    return [float(np.mean(record["rawData"])) for record in records]


def table(both: Sequence[Sequence[str]]) -> str:
    """Return one row per benchmark, and the rates at which steady was right."""
    found = [case for results, truth in both for case in cases(Path(results), Path(truth))]
    rows = [_row(case) for case in sorted(found, key=lambda case: case.change.identity.label)]
    titles = ["benchmark", "truth", "its interval", "steady", "its interval", "excluded", "wrong"]
    sums = markdown(["", "as measured", "within its error"], _sums(found))
    return f"{markdown(titles, rows)}\n\n{sums}"


def _row(case: Case) -> list[str]:
    entry = case.change
    cold = f", not warm after {entry.cold_seconds:.1f} s" if entry.cold_seconds else ""
    return [
        f"`{entry.identity.label}`",
        percent(case.ratio - 1, signed=True),
        f"{percent(case.low - 1, signed=True)} to {percent(case.high - 1, signed=True)}",
        f"{entry.outcome}{cold}",
        " to ".join(percent(end, signed=True) for end in entry.interval or ()),
        "" if entry.excluded is None else f"> {percent(entry.excluded)}",
        ", ".join(what for what, well in case.right(nearest=True).items() if not well),
    ]


def _sums(found: Sequence[Case]) -> list[list[str]]:
    rows = []
    for what in ("sign", "interval", "excluded"):
        told = [[case.right(nearest=near).get(what) for case in found] for near in (False, True)]
        rows.append([what, *(f"{sum(map(bool, t))} of {len(t) - t.count(None)}" for t in told)])
    return rows


if __name__ == "__main__":
    sys.exit(main())
