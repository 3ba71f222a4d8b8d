"""From result files to a plan, for suites of growing size: seconds and memory.

Usage: python benchmarks/plan_scale.py DATA_FOLDER [--jobs N] [--benchmarks N ...]

DATA_FOLDER holds the jmh-steady data: 586 benchmarks of 10 forks of 3000 iterations. They are
written to a temporary folder in the series format, a file a project, which is not timed. Each line
is a process of its own that loads the files of the first so many benchmarks and plans them with the
default strategy. Memory is the peak of that process and, once for each job, of its largest worker.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

import steady
from steady.model import ExecutionConfiguration, FloatArray, Level

SIZES = (100, 300, 586)
FULL = ExecutionConfiguration(10, 0, 3000, 0.1, 0.1)
LEVELS = (Level("fork"), Level("iteration"))
Named = tuple[str, FloatArray]


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("data", type=Path, metavar="DATA_FOLDER")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N")
    parser.add_argument("--benchmarks", type=int, nargs="+", default=SIZES, metavar="N")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.measure:
        print(json.dumps(measured(given.data, given.jobs)))
        return 0
    print(
        "| benchmarks | jobs | load, s | plan, s | together, s | processor time, s "
        "| peak memory, MiB |"
    )
    print("|--:|--:|--:|--:|--:|--:|--:|")
    for size in given.benchmarks:
        with tempfile.TemporaryDirectory() as folder:
            write(given.data, size, Path(folder))
            line = apart(Path(folder), given.jobs)
        print(
            f"| {line['benchmarks']:.0f} | {given.jobs} | {line['load']:.1f} | {line['plan']:.1f} "
            f"| {line['load'] + line['plan']:.1f} | {line['processor']:.1f} "
            f"| {line['memory']:.0f} |",
            flush=True,
        )
    return 0


def apart(folder: Path, jobs: int) -> dict[str, float]:
    """Measure in a fresh process, whose memory is its own."""
    command = [sys.executable, __file__, str(folder), "--jobs", str(jobs), "--measure"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def measured(folder: Path, jobs: int) -> dict[str, float]:
    """Load and plan, and say what it took."""
    begin = time.perf_counter()
    suite = steady.load(folder)
    loaded = time.perf_counter()
    steady.optimize(suite, jobs=jobs)
    planned = time.perf_counter()
    own, workers = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return {
        "benchmarks": len(suite),
        "load": loaded - begin,
        "plan": planned - loaded,
        "processor": own.ru_utime + own.ru_stime + workers.ru_utime + workers.ru_stime,
        "memory": (own.ru_maxrss + jobs * workers.ru_maxrss) / 1024,
    }


def write(data: Path, size: int, folder: Path) -> None:
    """Write the first `size` benchmarks in the series format, a file a project."""
    for project, named in groupby(read_series(data, size), lambda one: one[0].split("#")[0]):
        suite = steady.Suite(
            tuple(
                steady.Benchmark(steady.Identity(name), "s/op", values, LEVELS, configuration=FULL)
                for name, values in named
            )
        )
        steady.write_series(suite, folder / f"{project}.json")


def read_series(folder: Path, size: int) -> Iterator[Named]:
    """Yield the first `size` benchmarks' names and series, shape (forks, iterations)."""
    for path in sorted((folder / "series").glob("*.npz")):
        with np.load(path) as data:
            planes = np.ascontiguousarray(np.moveaxis(data["planes"], 0, -1))
            names = [str(name) for name in data["benchmark"]]
        for name, values in zip(names, planes.view("<f8")[..., 0], strict=True):
            if size == 0:
                return
            size -= 1
            yield name, values


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
