"""Overhead of the library for interleaving by time slices, in nanoseconds per clock call.

Usage: python benchmarks/clock_calls.py [--rounds 15] [--calls 2000000]

A small C program calls `clock_gettime` repeatedly and prints the nanoseconds per call. It runs in
three ways, interleaved on one processor, so that all have the same machine conditions: without the
library; with the library but without a shared page (no turns); and with a page on which the other
side never appears, as at the end of a pair. The table has the median over all rounds, and the
median of each round's ratio to the first way. The last line has the cost of a hand-over, from two
programs that take turns of one millisecond: the time of both interleaved minus twice the time of
one, divided by the number of turns.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from steady.programs.clock_turns import built_library, clock_page
from steady.programs.in_turn import run_in_turn
from steady.programs.process import Program

SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int count, char **words) {
  long calls = atol(words[count - 1]);
  double begin = now();
  struct timespec t;
  for (long i = 0; i < calls; i++) clock_gettime(CLOCK_MONOTONIC, &t);
  printf("%.4f\\n", (now() - begin) / calls);
  return 0;
}
"""


def nanoseconds(program: Path, calls: int, variables: Mapping[str, str]) -> float:
    """Return the nanoseconds per call."""
    command = [str(program), str(calls)]
    done = subprocess.run(
        command, env={**os.environ, **variables}, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def hand_over(program: Path, library: Path, folder: Path, calls: int) -> float:
    """Return the microseconds per hand-over."""
    one = Program((str(program), str(calls)))
    begin = time.perf_counter()
    taken = run_in_turn([one, one], [60.0, 60.0], library, folder, slice_seconds=0.001)
    took = time.perf_counter() - begin
    own = sum(float(each.output) for each in taken) * calls / 1e9
    turns = sum(each.turns for each in taken)
    return (took - own) / turns * 1e6


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=2_000_000)
    asked = parser.parse_args()
    if sys.platform != "linux":
        raise SystemExit("interleaved programs need Linux")
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = folder / "calls"
        compiler = ["cc", "-O2", "-xc", "-", "-o", str(program)]
        subprocess.run(compiler, input=SOURCE, text=True, check=True)
        library = built_library(folder)
        page = folder / "page"
        loaded = {"LD_PRELOAD": str(library)}
        turns = {
            "STEADY_TURNS_PAGE": str(page),
            "STEADY_TURNS_SIDE": "0",
            "STEADY_TURNS_SLICE": "20000000",
        }
        ways = {"without": {}, "loaded": loaded, "with a page": loaded | turns}
        values: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(asked.rounds):
            for way, variables in ways.items():
                page.unlink(missing_ok=True)
                with clock_page(page):
                    values[way].append(nanoseconds(program, asked.calls, variables))
        costs = [hand_over(program, library, folder, 20_000_000) for _ in range(3)]
    print("| way | nanoseconds a call | ratio |\n| --- | --: | --: |")
    for way, own in values.items():
        ratio = np.median(np.array(own) / values["without"])
        print(f"| {way} | {np.median(own):.1f} | {ratio:.2f} |")
    print(f"\nA hand-over takes about {np.median(costs):.0f} µs.")


if __name__ == "__main__":
    main()
