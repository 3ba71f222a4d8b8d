"""What it costs that a fork's JVM writes which classes it loads.

Usage: python benchmarks/class_log_cost.py JAR [PAIRS]

JAR holds benchmarks and JMH. A JVM that lists them (``-lp``) loads about as many classes as a fork
that begins. It runs with the log and without it, in turn, and the processor time of both is shown.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from steady.harness.jmh.samecode.class_log import LOG_OPTION


def processor_seconds(jar: str, *options: str) -> float:
    """Return the processor time of one JVM."""
    before = os.times()
    command = ["java", *options, "-cp", jar, "org.openjdk.jmh.Main", "-lp"]
    subprocess.run(command, check=True, capture_output=True)
    after = os.times()
    own = after.children_user + after.children_system
    return own - before.children_user - before.children_system


def main(jar: str, pairs: int) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "classes.log"
        option = LOG_OPTION.format(log)
        times: dict[str, list[float]] = {"": [], option: []}
        for pair in range(pairs):
            for choice in sorted(times, reverse=bool(pair % 2)):
                times[choice].append(processor_seconds(jar, *filter(None, [choice])))
        lines = len(log.read_text(encoding="utf-8").splitlines())
    differences = [logged - bare for bare, logged in zip(times[""], times[option], strict=True)]
    error = statistics.stdev(differences) / len(differences) ** 0.5
    print(f"without the log: median {statistics.median(times['']):.3f} s of processor time")
    print(f"the log of {lines} classes: {statistics.mean(differences):+.4f} s, +- {error:.4f} s")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20)
