"""Twelve processes record twenty runs each into one branch; no run may be lost.

``python benchmarks/history_pushers.py`` prints the figures in docs/history.md.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from steady.history import Remote, Retention, load_run, record
from steady.history.git_store import GitStore
from steady.model import Suite

BENCHMARKS = 30
ENVIRON = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def suite_of(seed: int) -> Suite:
    """Return a run of a small suite."""
    random = np.random.default_rng(seed)
    values = {f"org.example.Bench.b{n}": random.normal(100, 1, (5, 10)) for n in range(BENCHMARKS)}
    return Suite.of(values, unit="ns/op", iteration_seconds=0.1)


def push(pusher: int, runs: int, url: str, scratch: str) -> tuple[int, list[float]]:
    """Record some runs; return the number of overtaken pushes, and the seconds of each record."""
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        time.sleep(seconds)

    folder = Path(scratch) / str(pusher)
    folder.mkdir()
    store = GitStore(Remote(url, (), ENVIRON), "steady-data", folder, sleep=sleep)
    seconds = []
    for run in range(runs):
        number = 1000 * pusher + run
        begun = time.monotonic()
        record(
            store,
            "default",
            f"{number:040x}",
            suite_of(number),
            run=f"{pusher}-{run}",
            retention=Retention(runs=10**6, megabytes=10**6),
        )
        seconds.append(time.monotonic() - begun)
    return len(waits), seconds


def main() -> None:
    """Run the pushers, count the recorded runs, and read all of them back."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pushers", type=int, default=12)
    parser.add_argument("--runs", type=int, default=20)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "remote.git"
        subprocess.run(["git", "init", "--quiet", "--bare", bare], check=True, env=ENVIRON)
        subprocess.run(["git", "-C", bare, "config", "uploadpack.allowFilter", "true"], check=True)
        begun = time.monotonic()
        with multiprocessing.get_context("fork").Pool(arguments.pushers) as pool:
            tasks = [(n, arguments.runs, bare.as_uri(), folder) for n in range(arguments.pushers)]
            done = pool.starmap(push, tasks, chunksize=1)
        elapsed = time.monotonic() - begun
        check = Path(folder) / "check"
        check.mkdir()
        store = GitStore(Remote(bare.as_uri(), (), ENVIRON), "steady-data", check)
        entries = store.entries()
        whole = sum(len(load_run(store, entry)) == BENCHMARKS for entry in entries)
        subprocess.run(
            ["git", "-C", bare, "fsck", "--strict", "--no-dangling"], check=True, env=ENVIRON
        )
    expected = arguments.pushers * arguments.runs
    overtaken = sum(count for count, _ in done)
    seconds = [s for _, every in done for s in every]
    print(f"{len(entries)} of {expected} runs were kept, and {whole} of them could be read back")
    print(f"{elapsed:.0f} s in all; {overtaken} pushes were overtaken and repeated")
    print(f"the median record took {np.median(seconds):.1f} s, the longest {max(seconds):.1f} s")
    if whole != expected:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
