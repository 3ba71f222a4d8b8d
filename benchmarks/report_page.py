"""Size of a report with many benchmarks, and the time a browser takes to open it.

Usage: python benchmarks/report_page.py OUT [--benchmarks N] [--forks N] [--iterations N]

It generates results of base and head in which 3 % of the benchmarks changed, writes
OUT/report.html, and prints its size and the seconds needed. If a browser is available (Chromium or
Chrome, or --browser), it also prints the additional time to load the page and run its script,
compared with an empty page in a new browser: the median of --times, in wall-clock and CPU time.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from steady.compare import compare
from steady.model import Benchmark, Environment, Identity, Level, Suite
from steady.report.content import ReportData
from steady.report.html import html
from steady.report.provenance import Runs

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
LEVELS = (Level("fork"), Level("iteration"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Create the page, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--benchmarks", type=int, default=1000)
    parser.add_argument("--forks", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--browser", default=next(filter(None, map(shutil.which, BROWSERS)), None))
    parser.add_argument("--times", type=int, default=3)
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    base, head = suites(given.benchmarks, given.forks, given.iterations)
    comparison = compare(base, head)
    started = time.process_time()
    text = html(ReportData(comparison=comparison, runs=Runs(base, head)))
    wrote = time.process_time() - started
    page, empty = given.out / "report.html", given.out / "empty.html"
    page.write_text(text, encoding="utf-8")
    empty.write_text("<!doctype html><title>empty</title>", encoding="utf-8")
    print(f"{given.benchmarks} benchmarks x {given.forks} forks x {given.iterations} iterations")
    print(f"{len(text.encode()) / 1e6:.2f} MB, written in {wrote:.1f} s of processor time")
    if given.browser is None:
        print("no browser was found: install chromium, or name one with --browser")
        return 0
    pairs = [[opened(given.browser, path) for path in (page, empty)] for _ in range(given.times)]
    clock, processor = (
        statistics.median(full[which] - nothing[which] for full, nothing in pairs)
        for which in (0, 1)
    )
    print(f"opened in {clock:.2f} s more than an empty page (median of {given.times})")
    print(f"processor time of that: {processor:.2f} s")
    return 0


def suites(benchmarks: int, forks: int, iterations: int) -> tuple[Suite, Suite]:
    """Return base and head: interleaved forks with warm-up, some benchmarks 10 % slower."""
    generator = np.random.default_rng(1)
    rounds = tuple(f"round {number}" for number in range(forks))
    environment = Environment("a processor", "a system", "17", "a virtual machine")
    sides: tuple[list[Benchmark], list[Benchmark]] = ([], [])
    for number in range(benchmarks):
        identity = Identity(f"org.example.suite{number % 40}.CodecBenchmark.method{number}")
        shift = generator.normal(0, 0.05, (forks, 1))
        for side, factor in enumerate((1.0, 1.1 if number % 33 == 0 else 1.0)):
            noise = generator.normal(0, 0.02, (forks, iterations))
            warmup = np.exp(-np.arange(iterations) / 8)
            values = 1000 * factor * np.exp(shift + noise) * (1 + 3 * warmup)
            sides[side].append(
                Benchmark(
                    identity,
                    "ns/op",
                    values,
                    LEVELS,
                    warmup=min(40, iterations // 2),
                    environment=environment,
                    blocks=rounds,
                )
            )
    base, head = (Suite(tuple(side), harness="jmh") for side in sides)
    return base, head


def opened(browser: str, page: Path) -> tuple[float, float]:
    """Return the wall-clock and CPU time of a new browser that opens a page, in seconds."""
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    before, started = os.times(), time.perf_counter()
    subprocess.run(
        [*command, page.resolve().as_uri()],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    took, after = time.perf_counter() - started, os.times()
    used = after.children_user + after.children_system
    return took, used - before.children_user - before.children_system


if __name__ == "__main__":
    raise SystemExit(main())
