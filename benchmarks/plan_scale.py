"""Time and memory of planning for suites of growing size.

Usage: python benchmarks/plan_scale.py DATA_FOLDER [--jobs N ...] [--dask N] [--benchmarks N ...]

DATA_FOLDER holds the jmh-steady data: 586 benchmarks of 10 forks of 3000 iterations. They are
written to a temporary folder in the series format, one file per project, which is not timed. For
more than 586 benchmarks, they are written again under other names. Each line is a separate process
that loads the files of the first N benchmarks and plans them with the default strategy, in a number
of processes, or with workers of Dask on this machine, whose start is not timed. Memory is the peak
of that process and, once for each worker, of the largest one. The last column identifies the plan,
which is the same in all lines with the same number of benchmarks.
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
from concurrent.futures import Executor
from contextlib import ExitStack
from hashlib import sha256
from itertools import chain, count, groupby, islice
from pathlib import Path
from typing import Any

import numpy as np

import steady
from steady.model import ExecutionConfiguration, FloatArray, Level
from steady.optimize.plan_json import plan_to_json

SIZES = (100, 300, 586)
NAMES = {"jobs": "jobs: ", "dask": "Dask: "}
FULL = ExecutionConfiguration(10, 0, 3000, 0.1, 0.1)
LEVELS = (Level("fork"), Level("iteration"))
Named = tuple[str, FloatArray]


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("data", type=Path, metavar="DATA_FOLDER")
    processors = len(os.sched_getaffinity(0))
    parser.add_argument("--jobs", type=int, nargs="*", default=[processors], metavar="N")
    parser.add_argument("--dask", type=int, nargs="*", default=[], metavar="N")
    parser.add_argument("--benchmarks", type=int, nargs="+", default=SIZES, metavar="N")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.measure:
        print(json.dumps(measured(given.data, given.jobs, given.dask)))
        return 0
    print(
        "| benchmarks | workers | load, s | plan, s | together, s | processor time, s "
        "| peak memory, MiB | plan |"
    )
    print("|--:|---|--:|--:|--:|--:|--:|---|")
    kinds = [("jobs", jobs) for jobs in given.jobs] + [("dask", jobs) for jobs in given.dask]
    for size in given.benchmarks:
        with tempfile.TemporaryDirectory() as folder:
            write(given.data, size, Path(folder))
            for kind, number in kinds:
                line = apart(Path(folder), kind, number)
                print(
                    f"| {line['benchmarks']} | {NAMES[kind]}{number} | {line['load']:.1f} "
                    f"| {line['plan']:.1f} | {line['load'] + line['plan']:.1f} "
                    f"| {line['processor']:.1f} | {line['memory']:.0f} | {line['digest']:.8} |",
                    flush=True,
                )
    return 0


def apart(folder: Path, kind: str, number: int) -> dict[str, Any]:
    """Measure in a new process, to determine its peak memory."""
    own = [__file__, str(folder), "--measure", "--jobs", f"--{kind}", str(number)]
    done = subprocess.run([sys.executable, *own], check=True, capture_output=True, text=True)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def measured(folder: Path, jobs: Sequence[int], dask: Sequence[int]) -> dict[str, Any]:
    """Load and plan, and print time and memory."""
    with ExitStack() as stack:
        workers: int | Executor = jobs[0] if jobs else executor_of_dask(stack, dask[0])
        begin = time.perf_counter()
        suite = steady.load(folder)
        loaded = time.perf_counter()
        plan = steady.optimize(suite, jobs=workers)
        planned = time.perf_counter()
    own, others = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return {
        "benchmarks": len(suite),
        "load": loaded - begin,
        "plan": planned - loaded,
        "processor": own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime,
        "memory": (own.ru_maxrss + sum([*jobs, *dask]) * others.ru_maxrss) / 1024,
        "digest": sha256(plan_to_json(plan).encode()).hexdigest(),
    }


def executor_of_dask(stack: ExitStack, number: int) -> Executor:
    """Start workers of Dask on this machine."""
    from distributed import Client, LocalCluster

    cluster = LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=number, threads_per_worker=1, dashboard_address=":0"
    )
    client = Client(stack.enter_context(cluster))  # type: ignore[no-untyped-call]
    executor: Executor = stack.enter_context(client).get_executor()
    client.wait_for_workers(number)
    return executor


def write(data: Path, size: int, folder: Path) -> None:
    """Write the first `size` benchmarks in the series format, one file per project."""
    for project, named in groupby(read_series(data, size), lambda one: one[0].split("#")[0]):
        suite = steady.Suite(
            tuple(
                steady.Benchmark(steady.Identity(name), "s/op", values, LEVELS, configuration=FULL)
                for name, values in named
            )
        )
        steady.write_series(suite, folder / f"{project}.json")


def read_series(folder: Path, size: int) -> Iterator[Named]:
    """Yield the names and series of `size` benchmarks, shape (forks, iterations)."""
    again = (
        (f"{prefix}{name}", values)
        for prefix in chain([""], (f"again{n}." for n in count(1)))
        for name, values in all_series(folder)
    )
    return islice(again, size)


def all_series(folder: Path) -> Iterator[Named]:
    """Yield all benchmarks' names and series, shape (forks, iterations)."""
    for path in sorted((folder / "series").glob("*.npz")):
        with np.load(path) as data:
            planes = np.ascontiguousarray(np.moveaxis(data["planes"], 0, -1))
            names = [str(name) for name in data["benchmark"]]
        yield from zip(names, planes.view("<f8")[..., 0], strict=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
