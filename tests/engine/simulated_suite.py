"""A suite that nobody planned for, on a machine with a clock of its own: no second passes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from steady.demo import recording
from steady.engine import (
    Agenda,
    ForkResult,
    Header,
    RunFacts,
    RunFolder,
    RunState,
    Target,
    Trial,
    TrialError,
    Turn,
    Version,
    Watcher,
    Workload,
    run_trials,
    schedule,
    with_starts,
)
from steady.engine.follow_up import Decider, first_batch, looks_of_run
from steady.engine.machine import Machine
from steady.engine.request import RunRequest
from steady.engine.time_limit import Clock
from steady.harness.jmh.run.merged_records import merge_forks
from steady.harness.jmh.run.stopped import configuration_members
from steady.harness.trial import digest
from steady.model import ExecutionConfiguration, Identity
from steady.readers import load

VERSIONS = (Version("base", Path("base.jar")), Version("head", Path("head.jar")))
DECLARED = ExecutionConfiguration(5, 5, 5, 1.0, 1.0)


def recorded_series(benchmarks: int) -> dict[Identity, np.ndarray[Any, Any]]:
    """Return the demo's records under new names: the last iterations of each fork."""
    with recording() as files:
        series = [benchmark.forks[:, -40:] for benchmark in load([files.full]).values()]
    return {
        Identity(f"org.Suite{number // 10}.bench{number}"): series[number % len(series)]
        for number in range(benchmarks)
    }


@dataclass
class SimulatedHarness:
    """Forks that end early, as those do that are judged live; their values were recorded.

    Parameters
    ----------
    series : mapping of Identity to ndarray
        Values of each benchmark, one row a fork.
    changes : mapping of Identity to float
        What head's values are multiplied with.
    start : float
        Seconds that two JVMs take to start.
    slowness : mapping of Identity to float
        How many times longer than it should an iteration of a benchmark takes.
    """

    series: Mapping[Identity, np.ndarray[Any, Any]]
    changes: Mapping[Identity, float] = field(default_factory=dict)
    start: float = 0.8
    slowness: Mapping[Identity, float] = field(default_factory=dict)
    live: bool = True
    now: float = 1000.0
    name = "jmh"
    suffix = ".json"
    start_seconds = 1.0

    def __post_init__(self) -> None:
        self.generator = np.random.default_rng(1)
        self.longest_pair = 0.0

    def clock(self) -> float:
        return self.now

    @contextmanager
    def open(self, versions: Sequence[Version], scratch: Path) -> Iterator[SimulatedHarness]:
        self.now += self.start_seconds
        yield self

    def obstacle(self, trials: Sequence[Trial]) -> str:
        return ""

    def measure(self, trial: Trial, result: Path) -> float | None:
        self.now += self._run([trial], [result], trial.configuration.iterations)
        return None

    def measure_in_turn(
        self, trials: Sequence[Trial], results: Sequence[Path]
    ) -> Sequence[Turn | TrialError]:
        configuration = trials[0].configuration
        most = configuration.iterations + configuration.warmup_iterations
        iterations = int(self.generator.integers(9, 40)) if self.live else most
        seconds = self._run(trials, results, min(iterations, most))
        self.longest_pair = max(self.longest_pair, seconds)
        self.now += seconds
        return [Turn(None, in_turn=True)] * 2

    def _run(self, trials: Sequence[Trial], results: Sequence[Path], iterations: int) -> float:
        one = trials[0]
        each = one.configuration.iteration_seconds * self.slowness.get(one.identity, 1.0) + 0.002
        if self.live:
            fitting = (sum(trial.seconds for trial in trials) - self.start) / each / len(trials)
            iterations = max(min(iterations, int(fitting)), 6)
        measured = max(iterations // 2, 3)
        row = self.generator.choice(self.series[one.identity])
        state = row[self.generator.integers(0, len(row), measured)]
        for trial, path in zip(trials, results, strict=True):
            noise = self.generator.normal(0, 0.01) + self.generator.normal(0, 0.02, measured)
            change = self.changes.get(one.identity, 1.0) if trial.version == "head" else 1.0
            values = (state * change * np.exp(noise)).tolist()
            path.write_text(json.dumps([_record(trial, values)]))
        return self.start + len(trials) * iterations * each

    def declared(self, version: Version) -> Mapping[Identity, ExecutionConfiguration]:
        return dict.fromkeys(self.series, DECLARED)

    def operation_seconds(self, identity: Identity) -> float:
        return float("nan")

    def merge(self, results: Sequence[ForkResult], facts: RunFacts) -> bytes:
        self.now += 0.2  # about what it takes for a suite of eighty
        return merge_forks(results, facts)


def _record(trial: Trial, values: list[float]) -> dict[str, Any]:
    kept = replace(trial.configuration, warmup_iterations=5, iterations=len(values))
    return {
        "benchmark": trial.identity.name,
        "mode": trial.identity.mode,
        "threads": 1,
        **configuration_members(kept, trial.identity.mode),
        "primaryMetric": {"score": 1.0, "scoreUnit": "us/op", "rawData": [values]},
        "secondaryMetrics": {},
        "steadyStop": {"method": "simulated", "warmup": 5, "iterations": len(values)},
    }


def run_within(
    folder: Path,
    harness: SimulatedHarness,
    workloads: Sequence[Workload],
    seconds: float,
    *,
    resume: bool = False,
    precedence: Sequence[Identity] = (),
) -> tuple[RunState, Decider, list[str]]:
    """Run a suite as the command does, and return what was said, too."""
    began = harness.now
    every = with_starts(schedule(workloads, seed=1), harness.start_seconds, "iterations")
    decider = Decider(
        request=RunRequest(seed=1, time_budget=seconds),
        planned_seconds=sum(trial.seconds for trial in every),
        looks=looks_of_run(every),
    )
    batch = first_batch(workloads, decider.looks)
    first = with_starts(schedule(batch, seed=1), harness.start_seconds, "iterations")
    header = Header(
        harness="jmh",
        seed=1,
        plan="",
        versions=tuple(Target(v.name, str(v.target), "") for v in VERSIONS),
        trials=digest(first),
        described={},
        machine=Machine("A processor", "An os", 2, ""),
        started=began,
    )
    lines: list[str] = []
    agenda = Agenda(
        harness=harness,  # type: ignore[arg-type]
        versions=VERSIONS,
        trials=first,
        header=header,
        follow_up=decider,
        looks=decider.looks,
        time_budget=seconds,
        began=began,
        first=precedence,
    )
    state = run_trials(
        agenda,
        RunFolder(folder, ".json"),
        Watcher(lines.append),
        resume=resume,
        clock=Clock(harness.clock),
    )
    return state, decider, lines
