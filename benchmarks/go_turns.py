"""Benefit of interleaving for Go: one version against itself, so every difference is an error.

Usage: python benchmarks/go_turns.py TARGET --only EXPRESSION [--rounds N] [--out FILE]

TARGET is a test binary or a folder of them. Each round measures each benchmark in three ways, in
random order, and twice each time, as base and as head:

- forks: one process of base, then one of head;
- turns: the two live processes of `steady run`, which take turns by iteration;
- short: a process for each iteration, base and head interleaved.

The error of a round is the median of log(head/base) over its pairs of iterations. The table shows
its root mean square; the same if the iterations of head are shuffled within their round, and if
base of one round is compared with head of another; and the seconds of a round.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path

import numpy as np
import numpy.typing as npt

from steady.engine import Trial, Version
from steady.harness.go.run.go_runs import GoRuns, GoSession
from steady.harness.only import Only
from steady.harness.search import Search
from steady.model import ExecutionConfiguration, Identity
from steady.readers import load

SIDES = ("base", "head")
SHUFFLES = 50

Pair = npt.NDArray[np.float64]
"""Times of base and head, one row each, and one column per iteration."""


@dataclass(frozen=True)
class Measurement:
    """Measurement of rounds of one benchmark.

    Parameters
    ----------
    session : GoSession
        Session that runs its processes.
    identity : Identity
        The benchmark.
    configuration : ExecutionConfiguration
        Configuration of a process.
    folder : Path
        Folder for results.
    """

    session: GoSession
    identity: Identity
    configuration: ExecutionConfiguration
    folder: Path

    def forks(self) -> Pair:
        """Measure one process after the other."""
        results = []
        for trial in self._trials(self.configuration):
            self.session.measure(trial, self._result(trial))
            results.append(self._times(trial))
        return np.array(results)

    def turns(self) -> Pair:
        """Measure two interleaved processes."""
        trials = self._trials(self.configuration)
        ends = self.session.measure_in_turn(trials, [self._result(trial) for trial in trials])
        if self.session.obstacle(trials) or any(isinstance(end, Exception) for end in ends):
            raise SystemExit(f"{self.identity.label}: {self.session.obstacle(trials) or ends}")
        return np.array([self._times(trial) for trial in trials])

    def short(self) -> Pair:
        """Measure processes of one iteration each."""
        trials = self._trials(replace(self.configuration, warmup_iterations=0, iterations=1))
        times: dict[str, list[float]] = {side: [] for side in SIDES}
        for number in range(self.configuration.iterations):
            for trial in trials if number % 2 == 0 else reversed(trials):
                self.session.measure(trial, self._result(trial))
                times[trial.version] += self._times(trial)
        return np.array([times[side] for side in SIDES])

    def _trials(self, configuration: ExecutionConfiguration) -> Sequence[Trial]:
        return [
            Trial(number, 0, side, self.identity, configuration, 0.0, 600.0)
            for number, side in enumerate(SIDES)
        ]

    def _result(self, trial: Trial) -> Path:
        return self.folder / f"{trial.version}.txt"

    def _times(self, trial: Trial) -> list[float]:
        (benchmark,) = load(self._result(trial)).benchmarks
        return [float(t) for t in benchmark.measurements[0, -trial.configuration.iterations :]]


WAYS: Mapping[str, Callable[[Measurement], Pair]] = {
    "forks": Measurement.forks,
    "turns": Measurement.turns,
    "short": Measurement.short,
}


def error(base: npt.NDArray[np.float64], head: npt.NDArray[np.float64]) -> float:
    """Return the median of log(head/base) over pairs of iterations."""
    return float(np.median(np.log(head / base)))


def spread(errors: Sequence[float]) -> float:
    """Return the root mean square."""
    return float(np.sqrt(np.mean(np.square(errors))))


def spreads(pairs: Sequence[Pair], rng: np.random.Generator) -> tuple[float, float, float]:
    """Return the error of rounds, of shuffled rounds, and across rounds."""
    within = [error(b, rng.permutation(h)) for b, h in pairs for _ in range(SHUFFLES)]
    across = [error(one[0], other[1]) for one, other in permutations(pairs, 2)]
    return spread([error(*pair) for pair in pairs]), spread(within), spread(across)


def report(lines: Sequence[Mapping[str, object]]) -> None:
    """Print the table: each benchmark, and the geometric mean over benchmarks."""
    pairs: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    seconds: dict[str, list[float]] = defaultdict(list)
    for line in lines:
        way = str(line["way"])
        pairs[way, str(line["benchmark"])].append(np.array(line["pair"]))
        seconds[way].append(float(str(line["seconds"])))
    rng = np.random.default_rng(1)
    for way, taken in seconds.items():
        table = np.array([spreads(p, rng) for (w, _), p in pairs.items() if w == way])
        for (_, name), row in zip([key for key in pairs if key[0] == way], table, strict=True):
            print(f"{way}  " + "  ".join(f"{value:.3f}" for value in row) + f"  {name}")
        mean = np.exp(np.log(table).mean(axis=0))
        print(
            f"{way}: error {mean[0]:.3f}, shuffled {mean[1]:.3f}, across rounds {mean[2]:.3f}; "
            f"{np.mean(taken):.2f} s a round\n"
        )


def measure(arguments: argparse.Namespace) -> None:
    """Run all rounds, writing each result immediately."""
    versions = [Version(side, arguments.target) for side in SIDES]
    harness = GoRuns()
    identities = harness.benchmarks(versions[0], Search(only=Only(arguments.only)))
    seconds, order = arguments.seconds, random.Random(1)
    configuration = ExecutionConfiguration(
        1, arguments.warmup, arguments.iterations, seconds, seconds
    )
    with tempfile.TemporaryDirectory() as folder, harness.open(versions, Path(folder)) as session:
        for number in range(arguments.rounds):
            for identity in identities:
                measurement = Measurement(session, identity, configuration, Path(folder))
                for way in order.sample(list(WAYS), len(WAYS)):
                    begin = time.perf_counter()
                    pair = WAYS[way](measurement)
                    line = {
                        "round": number,
                        "benchmark": identity.label,
                        "way": way,
                        "seconds": time.perf_counter() - begin,
                        "load": os.getloadavg()[0],
                        "pair": pair.tolist(),
                    }
                    with arguments.out.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(line) + "\n")


def main() -> None:
    """Measure or read existing results, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", type=Path, nargs="?", help="without it, only OUT is read")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--warmup", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=0.05)
    parser.add_argument("--out", type=Path, default=Path("go_turns.jsonl"))
    arguments = parser.parse_args()
    if arguments.target is not None:
        measure(arguments)
    text = arguments.out.read_text(encoding="utf-8")
    report([json.loads(line) for line in text.splitlines()])


if __name__ == "__main__":
    main()
