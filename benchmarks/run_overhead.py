"""Overhead of `steady run` over plain JMH for the same forks.

Usage: python benchmarks/run_overhead.py JAR [BENCHMARK] [--forks N] [--iterations N] [--repeats N]

It interleaves, on one machine, JMH itself with ``-f N``, and N trials of `steady.engine`'s session,
each started, checked, stored and merged, with one start of their driver. The time before the first
trial, which occurs once in a run of any length, is reported separately: it includes reading the
jar, checking Java, and compiling the driver.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from steady.engine import ForkResult, RunFacts, Trial, Version
from steady.harness.jmh.configure.command_lines import CommandLine
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.model import ExecutionConfiguration, Identity

ITERATION_SECONDS = 0.1


def bare(jar: Path, identity: Identity, configuration: ExecutionConfiguration) -> float:
    """Return the duration of JMH in seconds."""
    arguments = CommandLine(
        (identity.name,), identity.mode, identity.threads, (), configuration
    ).arguments
    with tempfile.TemporaryDirectory() as folder:
        files = ["-rf", "json", "-rff", f"{folder}/result.json", "-o", f"{folder}/log.txt"]
        start = time.perf_counter()
        subprocess.run(
            ["java", "-Djmh.scorePrecision=9", "-jar", str(jar), *files, *arguments], check=True
        )
        return time.perf_counter() - start


def with_steady(
    jar: Path, identity: Identity, forks: int, one: ExecutionConfiguration
) -> tuple[float, float]:
    """Return the seconds until the first trial, and the duration of the trials."""
    versions = [Version("results", jar)]
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder, "scratch")
        scratch.mkdir()
        start = time.perf_counter()
        harness = JmhRuns()
        harness.check(versions)
        harness.describe(versions)
        results = []
        with harness.open(versions, scratch) as session:
            ready = time.perf_counter()
            for number in range(forks):
                trial = Trial(number, number, "results", identity, one, 0.0, 600.0)
                path = Path(folder, f"{number}.json")
                session.measure(trial, path)
                results.append(ForkResult(trial, str(number), path))
        harness.merge(results, RunFacts({identity: forks}))
        return ready - start, time.perf_counter() - ready


def main() -> None:
    """Measure both, interleaved, and print their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jar", type=Path)
    parser.add_argument("benchmark", nargs="?", default="DigestBenchmark.fingerprint")
    parser.add_argument("--forks", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=25, help="of 0.1 s")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    identity = next(
        identity
        for identity in JmhRuns().benchmarks(Version("results", arguments.jar))
        if identity.name.endswith(arguments.benchmark)
    )
    forks, seconds = arguments.forks, ITERATION_SECONDS
    all_forks, one = (
        ExecutionConfiguration(count, 0, arguments.iterations, seconds, seconds)
        for count in (forks, 1)
    )
    ratios = []
    for repeat in range(arguments.repeats):
        alone = bare(arguments.jar, identity, all_forks)
        preparation, ours = with_steady(arguments.jar, identity, forks, one)
        ratios.append(ours / alone)
        print(
            f"{repeat + 1}: bare {alone / forks:.3f} s a fork, steady {ours / forks:.3f} s, "
            f"{100 * (ratios[-1] - 1):+.2f} %; once before: {preparation:.2f} s",
            flush=True,
        )
    print(f"median overhead of {identity.label}: {100 * (statistics.median(ratios) - 1):+.2f} %")


if __name__ == "__main__":
    main()
