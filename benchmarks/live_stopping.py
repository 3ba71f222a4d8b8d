"""Cost and accuracy of live stopping compared with fixed numbers of iterations.

Usage: python benchmarks/live_stopping.py JAR [BENCHMARK...] [--plan PLAN] [--method NAME...]
           [--forks N] [--warmup N] [--iterations N] [--reference N] [--repeats N]

For each benchmark, one after the other on one machine: forks with all iterations, forks as planned,
and forks stopped by each method. The reference is the mean of separate forks with `--reference`
measured iterations each. The table has the seconds of one set of forks and the deviation of its
mean from the reference, both as medians over the repeats.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from steady.engine import ForkResult, HarnessSettings, RunFacts, StopRule, Trial, Version
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.model import ExecutionConfiguration, Identity
from steady.optimize import read_plan
from steady.readers import load

ITERATION_SECONDS = 0.1


def run(
    jar: Path, identity: Identity, one: ExecutionConfiguration, forks: int, stop: StopRule | None
) -> tuple[float, float]:
    """Return the duration of some forks in seconds, and the mean of their means."""
    versions = [Version("results", jar)]
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder, "scratch")
        scratch.mkdir()
        harness = JmhRuns(HarnessSettings(stop=stop))
        harness.check(versions)
        results = []
        start = time.perf_counter()
        with harness.open(versions, scratch) as session:
            for number in range(forks):
                trial = Trial(number, number, "results", identity, one, 0.0, 600.0)
                path = Path(folder, f"{number}.json")
                session.measure(trial, path)
                results.append(ForkResult(trial, str(number), path))
        seconds = time.perf_counter() - start
        merged = Path(folder, "merged.json")
        merged.write_bytes(harness.merge(results, RunFacts({identity: forks})))
        values = load(merged)[identity].measured
        return seconds, float(np.nanmean(values, axis=1).mean())


def compare(jar: Path, identity: Identity, arguments: argparse.Namespace) -> None:
    """Print one line for each way to run a benchmark."""
    warmup, forks, seconds = arguments.warmup, arguments.forks, ITERATION_SECONDS
    one, long = (
        ExecutionConfiguration(1, warmup, count, seconds, seconds)
        for count in (arguments.iterations, arguments.reference)
    )
    ways: dict[str, tuple[ExecutionConfiguration, StopRule | None]] = {
        "all iterations": (one, None)
    }
    if arguments.plan is not None:
        ways["static plan"] = (replace(arguments.plan[identity].configuration, forks=1), None)
    ways |= {name: (one, StopRule(name)) for name in arguments.method}
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    references = []
    for _ in range(arguments.repeats):
        references.append(run(jar, identity, long, forks, None)[1])
        for name, (configuration, rule) in ways.items():
            found[name].append(run(jar, identity, configuration, forks, rule))
    reference = statistics.median(references)
    title = f"{identity.label}, {forks} forks of at most {warmup} + {arguments.iterations}"
    print(title, flush=True)
    for name, runs in found.items():
        spent = statistics.median(seconds for seconds, _ in runs)
        off = statistics.median(abs(mean / reference - 1) for _, mean in runs)
        print(f"  {name:16} {spent:7.1f} s  off by {100 * off:6.2f} %", flush=True)


def main() -> None:
    """Run the given benchmarks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jar", type=Path)
    parser.add_argument(
        "benchmarks",
        nargs="*",
        default=["DigestBenchmark.fingerprint", "TextBenchmark.formatReport"],
    )
    parser.add_argument("--plan", type=read_plan, help="one with iterations of 0.1 s")
    parser.add_argument("--method", nargs="+", default=["kb-kssd", "laaber-cv"])
    parser.add_argument("--forks", type=int, default=3)
    parser.add_argument("--warmup", type=int, default=60, help="iterations of 0.1 s, at most")
    parser.add_argument("--iterations", type=int, default=60, help="of 0.1 s, at most")
    parser.add_argument("--reference", type=int, default=200, help="of 0.1 s")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    held = JmhRuns().benchmarks(Version("results", arguments.jar))
    for name in arguments.benchmarks:
        identity = next((i for i in held if i.name.endswith(name)), None)
        if identity is None:
            parser.error(f"{arguments.jar} holds no benchmark {name}")
        compare(arguments.jar, identity, arguments)


if __name__ == "__main__":
    main()
