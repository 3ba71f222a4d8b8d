"""What the hook by which forks take turns costs in each iteration (`steady.run.SteadyTurns`).

Usage: python benchmarks/turns_overhead.py JAR [BENCHMARK] [--pairs N] [--iterations N]

Two live forks of one jar take turns, so that the machine does the same to both. One of them has
the hook. The other one only asks for its turns (``TurnsOverhead.java``). Which side has the hook
changes from pair to pair. Printed are the median ratio of the scores of neighbouring iterations,
with the hook over without it, and the time that the hook works in each iteration. It works before
and after the measured time, so the second is not contained in the first.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from steady.emit.jmh_command_lines import MAIN, CommandLine
from steady.model import ExecutionConfiguration, Identity
from steady.run import Version
from steady.run.java import Java, compiled
from steady.run.jmh_classes import HOOK
from steady.run.jmh_harness import JmhHarness
from steady.run.turn_server import TurnServer
from steady.run.turns import SIDES, Course

ITERATION_SECONDS = 0.1
MINE = "TurnsOverhead"


def pair(
    jar: Path, classes: Path, identity: Identity, one: ExecutionConfiguration, hooked: int
) -> list[dict[str, Any]]:
    """Run two forks that take turns, and return their records; `hooked` is the side with it."""
    line = CommandLine((identity.name,), identity.mode, identity.threads, (), one)
    path = os.pathsep.join(map(str, (jar, classes)))
    course = Course(one.warmup_iterations, one.iterations)
    with tempfile.TemporaryDirectory() as folder, TurnServer(course) as server:
        running = []
        for side in SIDES:
            files = ["-rf", "json", "-rff", f"{folder}/{side}.json", "-o", f"{folder}/{side}.log"]
            kind = "hook" if side == hooked else "none"
            profiler = ["-prof", f"{MINE}:{server.seat(side)}-{kind}"]
            command = ["java", "-Djmh.ignoreLock=true", "-cp", path, MAIN, *profiler, *files]
            running.append(subprocess.Popen([*command, "-foe", "true", *line.arguments]))
        for side, process in enumerate(running):
            process.wait()
            server.leave(side)
        return [json.loads(Path(folder, f"{side}.json").read_text())[0] for side in SIDES]


def main() -> None:
    """Measure pairs of forks, and print what the hook costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jar", type=Path)
    parser.add_argument("benchmark", nargs="?", default="DigestBenchmark.fingerprint")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=40, help="of 0.1 s")
    arguments = parser.parse_args()
    identity = next(
        identity
        for identity in JmhHarness().benchmarks(Version("results", arguments.jar))
        if identity.name.endswith(arguments.benchmark)
    )
    seconds = ITERATION_SECONDS
    one = ExecutionConfiguration(1, 10, arguments.iterations, seconds, seconds)
    compiler = Java.ask("java").compiler
    here = Path(__file__).parent
    sources = [here / f"{MINE}.java", here.parent / "src" / "steady" / "run" / f"{HOOK}.java"]
    ratios, works = list[float](), list[float]()
    with tempfile.TemporaryDirectory() as classes:
        if compiler is None or not compiled(compiler, sources, [arguments.jar], Path(classes)):
            parser.error("there is no javac that compiles the two profilers")
        for number in range(arguments.pairs):
            records = pair(arguments.jar, Path(classes), identity, one, number % 2)
            scores = [record["primaryMetric"]["rawData"][0] for record in records]
            with_hook, without = scores[number % 2], scores[1 - number % 2]
            ratios += [a / b for a, b in zip(with_hook, without, strict=True)]
            works += records[number % 2]["secondaryMetrics"]["hook"]["rawData"][0]
            print(f"pair {number + 1}: ratio so far {statistics.median(ratios):.4f}", flush=True)
    work = statistics.median(works)
    print(
        f"{identity.label}, {len(ratios)} pairs of iterations of {seconds:g} s: the score with the "
        f"hook is {100 * (statistics.median(ratios) - 1):+.2f} % (median); the hook works "
        f"{work:.0f} µs in an iteration (median; 90th percentile "
        f"{statistics.quantiles(works, n=10)[-1]:.0f} µs), {100 * work / 1e6 / seconds:.3f} % of it"
    )


if __name__ == "__main__":
    main()
