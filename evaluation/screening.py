"""Share of planted changes that screening detects, from runs of a version against itself.

Usage: python -m evaluation.screening RUN [RUN ...]

Each RUN is the output folder of a run of two equal versions without a plan, whose time was too
short for all benchmarks, such as ``steady run a.jar b.jar --same-code run --time-budget 5m``.
A change is planted by multiplying all times of head's screening forks with a factor.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from evaluation._markdown import Number, Table
from steady.engine.journal import Journal
from steady.engine.screening import Screened, Shift
from steady.model import Benchmark, Identity
from steady.readers import load

CHANGES = (-0.3, 0.05, 0.1, 0.2, 0.3, 0.5)
"""Planted relative changes."""


def results_of(run: Path) -> Iterator[tuple[Benchmark, Benchmark, float]]:
    """Yield the screening forks of base and head of each benchmark, and the seconds of both."""
    records = Journal.open(run / "journal.jsonl").screened.values()
    sides: dict[str, dict[str, Benchmark]] = {}
    seconds: dict[str, float] = {}
    for record in records:
        (path,) = (run / "forks").glob(f"{record.number}.*")
        if record.status == "ok":
            (benchmark,) = load(path).values()
            sides.setdefault(record.benchmark, {})[record.version] = benchmark
            seconds[record.benchmark] = seconds.get(record.benchmark, 0.0) + record.seconds
    for name, both in sides.items():
        if len(both) == 2:
            yield both["base"], both["head"], seconds[name]


def with_change(shift: Shift, change: float) -> Shift:
    """Return the shift after a planted relative change of head's times."""
    by = math.log1p(change)
    return Shift(shift.fastest + by, shift.typical + by)


def detected(shifts: Sequence[Shift], change: float) -> float:
    """Return the share of notable differences if each benchmark in turn is changed by a factor."""
    screened = Screened({Identity(f"benchmark{k}"): shift for k, shift in enumerate(shifts)})
    changed = [with_change(shift, change) for shift in shifts]
    return float(np.mean([shift.difference >= screened.notable for shift in changed]))


def table(runs: Sequence[Path]) -> Table:
    """Return a row for each run: seconds, noise, and the share of detected changes."""
    columns = ("run", "benchmarks", "seconds each", "no change", *(f"{c:+.0%}" for c in CHANGES))
    rows = []
    for run in runs:
        results = list(results_of(run))
        shifts = [s for base, head, _ in results if (s := Shift.between(base, head)) is not None]
        shares = [Number(100 * detected(shifts, change), 0, " %") for change in (0.0, *CHANGES)]
        each = float(np.mean([seconds for *_, seconds in results]))
        rows.append((run.name, str(len(shifts)), Number(each, 2, " s"), *shares))
    return Table(columns, tuple(rows))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    print(table(parser.parse_args(arguments).runs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
