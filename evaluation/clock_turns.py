"""Benefit of interleaving by time slices: pairs of one version, run in different ways.

Usage: python -m evaluation.clock_turns HARNESS TARGET [--pairs 15] [--seconds 1] [--busy 0]
           [--only REGEX] [--seed 0] [-- COMMAND ...]

HARNESS is ``pytest-benchmark``, ``google-benchmark``, ``criterion``, ``command`` or another one
whose benchmarks are processes, TARGET is the value of ``--base``. Each benchmark is run --pairs
times in each of these ways, which all measure --seconds per version:

- *sequence*: one process after the other, the usual way;
- *at once*: both concurrently on one processor, interleaved by the scheduler;
- *shuffled*: processes of a fifth of the time, five of each version, in random order;
- *in turn*: as `steady run` does it: in time slices of some milliseconds, or execution by execution
  for a command.

A pair that could not take turns, or of which a process failed, is not counted.

With --busy, this number of busy processes runs at the same time. A pair's error is the logarithm of
the ratio of both sides' medians (*shuffled*: of their geometric means over the processes), which
should be 0. The table contains the root mean square, median absolute and largest error, and the
seconds per pair. The ways are interleaved too, so that all have the same machine conditions.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evaluation._markdown import markdown
from steady.harness.runs import HarnessSettings, Runs, Session, Turn
from steady.harness.trial import Trial, TrialError, Version
from steady.harnesses import RUNNABLE
from steady.model import ExecutionConfiguration, FloatArray, Identity
from steady.programs import program_runs
from steady.programs.in_turn import run_in_turn
from steady.readers import load

ITERATIONS = 10
PROCESSES = 5
TIMEOUT = 120.0
SLICES = (5, 20, 50)
SIDES = ("base", "head")


class PairError(NamedTuple):
    """The error and the duration of one pair."""

    error: float
    seconds: float


@dataclass(frozen=True)
class Pair:
    """One benchmark, to be run against itself.

    Parameters
    ----------
    sessions : sequence of Session
        One session per version, which can be used concurrently.
    trials : sequence of Trial
        One trial per version.
    folder : Path
        Folder for results.
    """

    sessions: Sequence[Session]
    trials: Sequence[Trial]
    folder: Path

    @property
    def results(self) -> list[Path]:
        """Result file of each version."""
        return [self.folder / f"{side}.json" for side in SIDES]

    def measure(self, side: int) -> None:
        """Run one version alone."""
        self.sessions[side].measure(self.trials[side], self.results[side])

    def medians(self) -> FloatArray:
        """Return the logarithms of both versions' medians."""
        identity = self.trials[0].identity
        return np.log([float(np.nanmedian(load(one)[identity].measured)) for one in self.results])

    def shorter(self, share: int) -> Pair:
        """Return a pair with a fraction of the measuring time."""
        return replace(self, trials=[_shorter(trial, share) for trial in self.trials])


Way = Callable[[Pair], FloatArray | None]
"""Function that runs a pair and returns the logarithms of both values, or None if it was not
interleaved."""


def sequence(pair: Pair) -> FloatArray:
    """Run one version after the other."""
    pair.measure(0)
    pair.measure(1)
    return pair.medians()


def at_once(pair: Pair) -> FloatArray:
    """Run both concurrently."""
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(pair.measure, (0, 1)))
    return pair.medians()


def shuffled(pair: Pair, *, generator: np.random.Generator) -> FloatArray:
    """Run short processes of both versions in random order."""
    short = pair.shorter(PROCESSES)
    values: dict[int, list[float]] = {0: [], 1: []}
    for side in generator.permutation([0, 1] * PROCESSES).tolist():
        short.measure(side)
        short.results[1 - side].write_bytes(short.results[side].read_bytes())
        values[side].append(float(short.medians()[side]))
    return np.array([np.mean(values[side]) for side in (0, 1)])


def in_turn(pair: Pair, *, milliseconds: int = 0) -> FloatArray | None:
    """Run both interleaved, as `steady run` does, in time slices."""
    if milliseconds:
        sliced = partial(run_in_turn, slice_seconds=milliseconds / 1000)
        setattr(program_runs, run_in_turn.__name__, sliced)
    taken = pair.sessions[0].measure_in_turn(pair.trials, pair.results)
    if not all(isinstance(one, Turn) and one.in_turn for one in taken):
        return None
    return pair.medians()


def _shorter(trial: Trial, share: int) -> Trial:
    how = trial.configuration
    if how.iteration_seconds:
        each = how.iteration_seconds / share
        how = replace(how, iteration_seconds=each, warmup_seconds=each)
    else:
        how = replace(how, iterations=max(how.iterations // share, 1))
    return replace(trial, configuration=how)


def _values(way: Way, pair: Pair) -> FloatArray | None:
    """Run a pair; if a process fails, print the reason and return None."""
    try:
        return way(pair)
    except TrialError as error:
        print(f"{pair.trials[0].identity.name}: not counted: {error}", file=sys.stderr)
        return None


def trials_of(runs: Runs, identity: Identity, seconds: float) -> list[Trial]:
    """Return one trial per version with a measuring time of about `seconds`."""
    each, count = seconds / (ITERATIONS + 1), ITERATIONS
    operation = runs.operation_seconds(identity)
    if np.isfinite(operation):  # an iteration is one operation of any duration
        each, count = 0.0, max(round(seconds / operation) - 1, 1)
    how = ExecutionConfiguration(1, 1, count, each, each)
    return [Trial(0, 0, side, identity, how, seconds, TIMEOUT) for side in SIDES]


def row(way: str, errors: Sequence[PairError]) -> list[str]:
    """Return a row of the table."""
    sizes = np.abs([one.error for one in errors])
    numbers = (np.sqrt(np.mean(sizes**2)), np.median(sizes), sizes.max())
    took = float(np.mean([one.seconds for one in errors]))
    return [way, str(len(errors)), *(f"{number:.4f}" for number in numbers), f"{took:.1f}"]


@contextmanager
def busy(number: int) -> Iterator[None]:
    """Run busy processes until the end of the context."""
    working = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for process in working:
            process.kill()
            process.wait()


def arguments_of(words: Sequence[str]) -> argparse.Namespace:
    """Parse the command line; ``command`` has the arguments after ``--``."""
    place = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("harness")
    parser.add_argument("target", type=Path)
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--only", type=re.compile, default=re.compile(""))
    parser.add_argument("--seed", type=int, default=0)
    parsed = parser.parse_args(list(words[:place]))
    parsed.command = tuple(words[place + 1 :])
    return parsed


def ways_of(runs: Runs, seed: int) -> dict[str, Way]:
    """Return the ways to run a pair, by name."""
    ways: dict[str, Way] = {
        "sequence": sequence,
        "at once": at_once,
        "shuffled": partial(shuffled, generator=np.random.default_rng(seed)),
    }
    if isinstance(runs, program_runs.ProgramRuns):
        return ways | {f"clock, {n} ms": partial(in_turn, milliseconds=n) for n in SLICES}
    return ways | {"in turn": in_turn}


@contextmanager
def on_one_processor() -> Iterator[None]:
    """Pin this thread and its child processes to one processor until the end of the context."""
    usable = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(usable)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, usable)


def main(words: Sequence[str] | None = None) -> None:
    """Print the table."""
    asked = arguments_of(sys.argv[1:] if words is None else words)
    runs = RUNNABLE[asked.harness].value.make(HarnessSettings(command=asked.command))
    versions = [Version(side, asked.target) for side in SIDES]
    runs.check(versions)
    errors: dict[str, list[PairError]] = defaultdict(list)
    ways = ways_of(runs, asked.seed)
    with ExitStack() as stack:
        stack.enter_context(busy(asked.busy))
        stack.enter_context(on_one_processor())
        held = [one for one in runs.benchmarks(versions[0]) if asked.only.search(one.name)]
        sessions = []
        for _ in SIDES:
            scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            sessions.append(stack.enter_context(runs.open(versions, scratch)))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for _ in range(asked.pairs):
            for identity in held:
                pair = Pair(sessions, trials_of(runs, identity, asked.seconds), folder)
                for name, way in ways.items():
                    begin = time.monotonic()
                    values = _values(way, pair)
                    took = time.monotonic() - begin
                    if values is not None:
                        errors[name].append(PairError(float(values[1] - values[0]), took))
    head = ["way", "pairs", "root mean square", "median", "largest", "seconds a pair"]
    print(markdown(head, [row(name, errors[name]) for name in ways if errors[name]]))


if __name__ == "__main__":
    main()
