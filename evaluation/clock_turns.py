"""What turns by the clock gain: a program against itself, in pairs, by each way to run the two.

Usage: python -m evaluation.clock_turns HARNESS FOLDER [--pairs 15] [--seconds 1] [-- COMMAND ...]

HARNESS is ``pytest-benchmark``, ``google-benchmark`` or another that runs as a program, FOLDER what
``--base`` would be. Each benchmark runs as often as --pairs says, in each of these ways:

- *sequence*: one process, and then the other, as people do it;
- *at once*: both at the same time on one processor, where the system's scheduler decides;
- *clock*: in turn by the clock, with slices of so many milliseconds.

A pair's error is the logarithm of the quotient of both medians, which should be 0. The table has
the root mean square of these errors, the median of their sizes, the largest, and the seconds that a
pair took. The ways take turns too, so that all meet the same hours of the machine.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evaluation._markdown import markdown
from steady.engine.pinning import pinned
from steady.harness import RUNNABLE
from steady.harness.runs import HarnessSettings
from steady.harness.trial import Trial
from steady.model import ExecutionConfiguration, Identity
from steady.programs.clock_library import built_library
from steady.programs.in_turn import run_in_turn
from steady.programs.process import Ended, Program, run_alone
from steady.programs.program_runs import Place, ProgramKind, ProgramRuns
from steady.readers import open_document

ITERATIONS = 10
TIMEOUT = 120.0
SLICES = (5, 20, 50)

Way = Callable[[Sequence[Program]], Sequence[Ended]]


class PairError(NamedTuple):
    """The error of one pair, and what it took."""

    error: float
    seconds: float


def sequence(programs: Sequence[Program]) -> Sequence[Ended]:
    """Run one, and then the other."""
    return [run_alone(one, TIMEOUT) for one in programs]


def at_once(programs: Sequence[Program]) -> Sequence[Ended]:
    """Run both at the same time."""
    with ThreadPoolExecutor(len(programs)) as threads:
        return list(threads.map(lambda one: run_alone(one, TIMEOUT), programs))


def by_the_clock(milliseconds: int, library: Path, folder: Path) -> Way:
    """Return what runs both in turn, with slices of so many milliseconds."""

    def run(programs: Sequence[Program]) -> Sequence[Ended]:
        taken = run_in_turn(
            programs, [TIMEOUT] * 2, library, folder, slice_seconds=milliseconds / 1000
        )
        return [one.ended for one in taken]

    return run


def error_of_pair(
    kind: ProgramKind, place: Place, identity: Identity, way: Way, seconds: float
) -> PairError:
    """Run a benchmark against itself once."""
    each = seconds / (ITERATIONS + 1)
    how = ExecutionConfiguration(1, 1, ITERATIONS, each, each)
    with tempfile.TemporaryDirectory() as folder:
        results = [Path(folder, f"{side}.json") for side in range(2)]
        trial = Trial(0, 0, "base", identity, how, seconds, TIMEOUT)
        programs = [kind.program(place, trial, result) for result in results]
        begin = time.monotonic()
        ended = way(programs)
        took = time.monotonic() - begin
        failed = [one for one in ended if one.code != 0]
        if failed:
            raise SystemExit(f"{identity.label} failed: {failed[0].output[-500:]}")
        medians = [
            float(np.median(kind.read(open_document(result))[identity].measured))
            for result in results
        ]
    return PairError(float(np.log(medians[1] / medians[0])), took)


def row(way: str, errors: Sequence[PairError]) -> list[str]:
    """Return a row of the table."""
    sizes = np.abs([one.error for one in errors])
    numbers = (np.sqrt(np.mean(sizes**2)), np.median(sizes), sizes.max())
    took = float(np.mean([one.seconds for one in errors]))
    return [way, str(len(errors)), *(f"{number:.4f}" for number in numbers), f"{took:.1f}"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    command: list[str] = []
    if "--" in words:
        place_of = words.index("--")
        words, command = words[:place_of], words[place_of + 1 :]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("harness")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=1.0)
    parsed = parser.parse_args(words)
    runs = RUNNABLE[parsed.harness].value.make(HarnessSettings(command=tuple(command)))
    if not isinstance(runs, ProgramRuns):
        raise SystemExit(f"{parsed.harness} does not run as a program")
    place = Place(parsed.folder, tuple(command))
    errors: dict[str, list[PairError]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as scratch, pinned(frozenset({_last_processor()})):
        library = built_library(Path(scratch))
        ways: dict[str, Way] = {"sequence": sequence, "at once": at_once}
        for slices in SLICES:
            ways[f"clock, {slices} ms"] = by_the_clock(slices, library, Path(scratch))
        for _ in range(parsed.pairs):
            for identity in runs.kind.listed(place):
                for name, way in ways.items():
                    errors[name].append(
                        error_of_pair(runs.kind, place, identity, way, parsed.seconds)
                    )
    head = ["way", "pairs", "root mean square", "median", "largest", "seconds a pair"]
    print(markdown(head, [row(name, own) for name, own in errors.items()]))


def _last_processor() -> int:
    return max(os.sched_getaffinity(0))


if __name__ == "__main__":
    main()
