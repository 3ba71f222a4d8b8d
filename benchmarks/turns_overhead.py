"""Overhead per iteration of the hook that interleaves forks (`steady.engine.SteadyTurns`).

Usage: python benchmarks/turns_overhead.py JAR [BENCHMARK] [--forks N] [--iterations N]
           [--iteration-seconds S]

In each fork, the hook is active in half of the iterations: with it, without, without, with it, and
so on (``TurnsOverhead.java``). So both cases are measured in the same JVM. The output has the
median ratio of the scores of neighbouring iterations, with the hook to without it, and the
processor time of the hook in an iteration. The hook runs before and after the measured time, so the
ratio does not include this processor time. A server answers each of its requests immediately.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from steady.engine import Version
from steady.execution.turn_order import Course
from steady.harness.jmh.configure.command_lines import MAIN, CommandLine
from steady.harness.jmh.run.java_program import HOOK, Java, compiled
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.run.turn_server import TurnServer
from steady.model import ExecutionConfiguration, Identity

WARMUP_SECONDS = 2.0
MINE = "TurnsOverhead"


def fork(jar: Path, classes: Path, identity: Identity, one: ExecutionConfiguration) -> Any:
    """Run one fork, and return its record."""
    line = CommandLine((identity.name,), identity.mode, identity.threads, (), one)
    path = os.pathsep.join(map(str, (jar, classes)))
    course = Course(one.warmup_iterations, one.iterations)
    with tempfile.TemporaryDirectory() as folder, TurnServer(course) as server:
        server.leave(1)  # no other client, so it never waits
        files = ["-rf", "json", "-rff", f"{folder}/result.json", "-o", f"{folder}/jmh.log"]
        command = ["java", "-cp", path, MAIN, "-prof", f"{MINE}:{server.address(0)}", *files]
        subprocess.run([*command, "-foe", "true", *line.arguments], check=True)
        return json.loads(Path(folder, "result.json").read_text())[0]


def median_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the median with its 95 % confidence limits, from order statistics."""
    ordered = sorted(values)
    reach = 0.98 * math.sqrt(len(ordered))
    middle = (len(ordered) - 1) / 2
    low, high = max(0, math.floor(middle - reach)), math.ceil(middle + reach)
    return ordered[low], statistics.median(ordered), ordered[min(high, len(ordered) - 1)]


def main() -> None:
    """Measure some forks, and print the overhead of the hook."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jar", type=Path)
    parser.add_argument("benchmark", nargs="?", default="DigestBenchmark.fingerprint")
    parser.add_argument("--forks", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=100, help="a multiple of 2")
    parser.add_argument("--iteration-seconds", type=float, default=0.1, metavar="S")
    arguments = parser.parse_args()
    identity = next(
        identity
        for identity in JmhRuns().benchmarks(Version("results", arguments.jar))
        if identity.name.endswith(arguments.benchmark)
    )
    seconds = arguments.iteration_seconds
    warmup = round(WARMUP_SECONDS / seconds)
    one = ExecutionConfiguration(1, warmup, arguments.iterations, seconds, seconds)
    compiler = Java.query("java").compiler
    here = Path(__file__).parent
    sources = [here / f"{MINE}.java", here.parent / "src" / "steady" / "run" / f"{HOOK}.java"]
    ratios, needs = list[float](), list[float]()
    with tempfile.TemporaryDirectory() as classes:
        if compiler is None or not compiled(compiler, sources, [arguments.jar], Path(classes)):
            parser.error("javac is missing or did not compile the two profilers")
        for number in range(arguments.forks):
            record = fork(arguments.jar, Path(classes), identity, one)
            scores = record["primaryMetric"]["rawData"][0]
            micros = record["secondaryMetrics"]["hook"]["rawData"][0]
            for first in range(0, len(scores), 2):
                hooked, bare = sorted((first, first + 1), key=lambda place: micros[place] < 0)
                ratios.append(scores[hooked] / scores[bare])
                needs.append(micros[hooked])
            print(f"fork {number + 1}: ratio so far {statistics.median(ratios):.4f}", flush=True)
    low, middle, high = (100 * (value - 1) for value in median_interval(ratios))
    need = statistics.median(needs)
    print(
        f"{identity.label}, {len(ratios)} pairs of iterations of {seconds:g} s: the score with the "
        f"hook is {middle:+.2f} % ({low:+.2f} to {high:+.2f} %); the hook needs {need:.0f} µs of "
        f"an iteration (90th percentile {statistics.quantiles(needs, n=10)[-1]:.0f} µs), "
        f"{100 * need / 1e6 / seconds:.3f} % of it"
    )


if __name__ == "__main__":
    main()
