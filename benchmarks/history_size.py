"""Size of a clone of the history after 50 and after 1,000 runs of 300 benchmarks.

``python benchmarks/history_size.py`` prints the figures in docs/history.md. Runs differ in every
digit of every measurement, like real ones.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from steady.history import Fingerprint, HistoryEntry, Remote, Retention, series_bytes
from steady.history.entry import Object, digest_of, pack
from steady.history.git_store import GitStore
from steady.history.store import KeptRun
from steady.model import Benchmark, ExecutionConfiguration, Identity, Level, Suite

BENCHMARKS, FORKS, ITERATIONS = 300, 5, 10
ENVIRON = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def suite() -> Suite:
    """Return a run in JMH's format."""
    random = np.random.default_rng(0)
    configuration = ExecutionConfiguration(FORKS, 5, ITERATIONS, 1.0, 1.0)
    levels = (Level("fork", 0.5), Level("iteration"))
    return Suite(
        tuple(
            Benchmark(
                Identity(f"org.example.project.Bench{number // 10}.measure{number % 10}"),
                "ns/op",
                10 ** (number % 5) * random.normal(5.0, 0.05, (FORKS, ITERATIONS)),
                levels,
                configuration=configuration,
            )
            for number in range(BENCHMARKS)
        ),
        harness="jmh",
        harness_version="1.37",
    )


def record_of(number: int, template: dict[str, Any]) -> KeptRun:
    """Return a copy of the template with different measurements.

    The result is the same as by `steady.history.record`, without the time for validating 300
    benchmarks.
    """
    random = np.random.default_rng(number)
    benchmarks = [
        {**table, "measurements": (10 ** (place % 5) * values).tolist()}
        for place, (table, values) in enumerate(
            zip(
                template["benchmarks"],
                random.normal(5.0, 0.05, (BENCHMARKS, FORKS, ITERATIONS)),
                strict=True,
            )
        )
    ]
    contents = json.dumps({**template, "benchmarks": benchmarks}).encode()
    digest, packed = digest_of(contents), pack(contents)
    entry = HistoryEntry(
        suite="default", commit=f"{number:040x}", run=digest[:16], time=1_700_000_000 + number,
        results=Object(digest, len(packed)), environment=Fingerprint(jdk=("21.0.5",)),
        benchmarks=BENCHMARKS,
    )  # fmt: skip
    return KeptRun(entry, {digest: packed})


def clone_size(bare: Path, folder: Path) -> int:
    """Return the bytes of a fresh clone of the branch."""
    clone = folder / "clone"
    subprocess.run(
        ["git", "clone", "--quiet", "--bare", "--single-branch", "--branch", "steady-data",
         bare.as_uri(), clone],
        check=True, env=ENVIRON,
    )  # fmt: skip
    size = sum(path.stat().st_size for path in (clone / "objects").rglob("*") if path.is_file())
    subprocess.run(["rm", "-r", clone], check=True)
    return size


def main() -> None:
    """Record runs, and measure the size of a clone at some points."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    arguments = parser.parse_args()
    marks = sorted({1, 10, 30, 50, 100, 300, arguments.runs})
    sizes: dict[int, int] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bare, scratch = folder / "remote.git", folder / "scratch"
        subprocess.run(["git", "init", "--quiet", "--bare", bare], check=True, env=ENVIRON)
        subprocess.run(["git", "-C", bare, "config", "uploadpack.allowFilter", "true"], check=True)
        scratch.mkdir()
        store = GitStore(Remote(bare.as_uri(), (), ENVIRON), "steady-data", scratch)
        template = json.loads(series_bytes(suite()))
        begun = time.monotonic()
        for number in range(1, arguments.runs + 1):
            store.update(record_of(number, template), Retention())
            if number in marks:
                sizes[number] = clone_size(bare, folder)
                took = (time.monotonic() - begun) / number
                print(
                    f"{number} runs: {sizes[number] / 2**20:.2f} MiB, {took:.1f} s a run",
                    flush=True,
                )
        for path in ("objects", "entries"):
            listed = subprocess.run(
                ["git", "-C", bare, "ls-tree", "-r", "--name-only", "steady-data", f"{path}/"],
                check=True, env=ENVIRON, capture_output=True,
            )  # fmt: skip
            print(f"{path}: {len(listed.stdout.splitlines())} files")
    last = sizes[arguments.runs] / sizes[min(50, arguments.runs)]
    print(f"after {arguments.runs} runs the clone is {last:.3f} times that after 50")


if __name__ == "__main__":
    main()
