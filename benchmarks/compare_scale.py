"""CPU time and memory of `steady compare` for suites of growing size.

Usage: python benchmarks/compare_scale.py [--benchmarks N ...] [--output KIND ...]

Each line is one `steady compare` in a separate process, on synthetic results in JMH's JSON: 5 forks
of 5 iterations per side, long names, and one benchmark in a thousand slower by a fifth. Writing
them is not timed. The table has the processor time and the peak memory of the process.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

SIZES = (1_000, 10_000, 100_000)
FORKS, ITERATIONS = 5, 5
SLOWER = 1_000  # one in this number of benchmarks is slower
KINDS = ("terminal", "markdown", "json")
PERCENTILES = ("0.0", "50.0", "99.9")


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--benchmarks", type=int, nargs="+", default=SIZES, metavar="N")
    parser.add_argument("--output", nargs="+", default=KINDS, choices=KINDS, metavar="KIND")
    given = parser.parse_args(arguments)
    print("| benchmarks | output | seconds | processor time, s | peak memory, MiB |")
    print("|--:|:--|--:|--:|--:|")
    for size in given.benchmarks:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for side in ("base", "head"):
                write(folder / f"{side}.json", size, side)
            for kind in given.output:
                took = measured(folder, kind)
                print(f"| {size:,} | {kind} | " + " | ".join(took) + " |", flush=True)
    return 0


def measured(folder: Path, kind: str) -> tuple[str, str, str]:
    """Compare in a separate process, and print its CPU time and memory."""
    program = "import sys; from steady.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "compare", "--output", kind]
    command += ["--base", str(folder / "base.json"), "--head", str(folder / "head.json")]
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"steady compare ended with exit code {process.returncode}")
    processor = used.ru_utime + used.ru_stime
    return f"{seconds:.1f}", f"{processor:.1f}", f"{used.ru_maxrss / 1024:.0f}"


def write(path: Path, size: int, side: str) -> None:
    """Write one version of a synthetic run."""
    with path.open("w", encoding="utf-8") as file:
        file.write("[\n")
        for index, record in enumerate(records(size, side)):
            file.write(",\n" * (index > 0) + json.dumps(record))
        file.write("\n]\n")


def records(size: int, side: str) -> Iterator[dict[str, object]]:
    """Yield JMH's records."""
    random = np.random.default_rng(["base", "head"].index(side))
    for index in range(size):
        level = 1.0 + index % 97
        level *= 1.2 if side == "head" and index % SLOWER == 0 else 1.0
        forks = level * np.exp(0.02 * random.standard_normal((FORKS, 1)))
        values = forks * np.exp(0.01 * random.standard_normal((FORKS, ITERATIONS)))
        of_all = np.percentile(values, [float(percentile) for percentile in PERCENTILES])
        yield {
            "jmhVersion": "1.37",
            "benchmark": f"org.example.suite.module{index // 400}.Group{index // 20}Benchmark."
            f"operation{index // 4 % 5}",
            "mode": "avgt",
            "threads": 1,
            "forks": FORKS,
            "jvm": "/usr/lib/jvm/java-21/bin/java",
            "jvmArgs": ["-Xmx2g"],
            "jdkVersion": "21.0.2",
            "vmName": "OpenJDK 64-Bit Server VM",
            "vmVersion": "21.0.2+13-LTS",
            "warmupIterations": 5,
            "warmupTime": "100 ms",
            "warmupBatchSize": 1,
            "measurementIterations": ITERATIONS,
            "measurementTime": "100 ms",
            "measurementBatchSize": 1,
            "params": {"size": str(10 ** (index % 4))},
            "primaryMetric": {
                "score": float(values.mean()),
                "scoreError": float(values.std()),
                "scoreConfidence": [float(values.min()), float(values.max())],
                "scorePercentiles": dict(zip(PERCENTILES, of_all.tolist(), strict=True)),
                "scoreUnit": "us/op",
                "rawData": values.tolist(),
            },
            "secondaryMetrics": {},
        }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
