"""A suite without a plan on a machine with a simulated clock."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from steady.demo import recording
from steady.engine import (
    ForkResult,
    Header,
    RunFacts,
    RunFolder,
    RunPlan,
    RunRecord,
    Target,
    Trial,
    TrialError,
    Turn,
    Version,
    Watcher,
    Workload,
    run_trials,
    schedule,
    screening,
    with_starts,
)
from steady.engine.follow_up import Decider, first_batch, looks_of_run
from steady.engine.machine import Machine
from steady.engine.request import RunRequest
from steady.engine.screening import screening_trials
from steady.engine.shared_processes import SharedProcesses
from steady.engine.time_limit import Clock
from steady.engine.unplanned import unplanned
from steady.harness.jmh.run.merged_records import merge_forks
from steady.harness.trial import digest
from steady.model import ExecutionConfiguration, Identity
from steady.readers import load
from tests.jmh_records import jmh_record

VERSIONS = (Version("base", Path("base.jar")), Version("head", Path("head.jar")))
DECLARED = ExecutionConfiguration(5, 5, 5, 1.0, 1.0)
BEGAN = 1000.0
PAIR_START = 0.8
"""Seconds that two JVMs take to start."""


def recorded_series(benchmarks: int) -> dict[Identity, np.ndarray[Any, Any]]:
    """Return the last iterations of each fork of the demo under new names."""
    with recording() as files:
        series = [benchmark.forks[:, -40:] for benchmark in load([files.full]).values()]
    return {
        Identity(f"org.Suite{number // 10}.bench{number}"): series[number % len(series)]
        for number in range(benchmarks)
    }


@dataclass
class SimulatedHarness:
    """Forks that end early, as with live stopping; their values are recorded ones.

    Parameters
    ----------
    series : mapping of Identity to ndarray
        Values of each benchmark, one row a fork.
    changes : mapping of Identity to float
        What head's values are multiplied with.
    slowness : mapping of Identity to float
        How many times longer than it should an iteration of a benchmark takes.
    cold : collection of Identity
        What never becomes warm, which takes twice its time.
    live : bool
        Whether forks end early.
    stops_at : int
        The pair at which somebody stops the run.
    """

    series: Mapping[Identity, np.ndarray[Any, Any]]
    changes: Mapping[Identity, float] = field(default_factory=dict)
    slowness: Mapping[Identity, float] = field(default_factory=dict)
    cold: Collection[Identity] = ()
    live: bool = True
    stops_at: int = 0
    now: float = BEGAN
    pairs: int = 0
    simultaneous: list[int] = field(default_factory=list)
    steps: list[list[Identity]] = field(default_factory=list)
    alone: Collection[Identity] = ()
    name = "jmh"
    suffix = ".json"
    start_seconds = 1.0
    has_pairs = True

    def __post_init__(self) -> None:
        self.generator = np.random.default_rng(1)

    @contextmanager
    def open(self, versions: Sequence[Version], scratch: Path) -> Iterator[SimulatedHarness]:
        self.now += self.start_seconds
        yield self

    def fits_beside(self, identity: Identity) -> bool:
        return identity not in self.alone

    def layout(self, trial: Trial) -> str:
        return ""

    def obstacle(self, trials: Sequence[Trial]) -> str:
        return ""

    def measure_in_turn(
        self, trials: Sequence[Trial], results: Sequence[Path]
    ) -> Sequence[Turn | TrialError]:
        self.pairs += 1
        if self.pairs == self.stops_at:
            raise KeyboardInterrupt
        pairs = range(0, len(trials), 2)
        taken = [self.taken(trials[k : k + 2], results[k : k + 2]) for k in pairs]
        self.simultaneous.append(len(taken))
        self.steps.append([trial.identity for trial in trials[::2]])
        self.now += max(seconds for seconds, _ in taken)
        return [Turn(None, in_turn=True, cold=cold) for _, cold in taken for _ in range(2)]

    def taken(self, trials: Sequence[Trial], results: Sequence[Path]) -> tuple[float, bool]:
        """Run two forks; return their duration, and whether they stayed cold."""
        one = trials[0]
        if one.screening:
            return self.screened(trials, results), False
        most = one.configuration.iterations + one.configuration.warmup_iterations
        iterations = min(int(self.generator.integers(9, 40)) if self.live else most, most)
        each = one.configuration.iteration_seconds * self.slowness.get(one.identity, 1.0) + 0.002
        promised = sum(trial.seconds for trial in trials)
        if self.live:
            iterations = max(min(iterations, int((promised - PAIR_START) / each / 2)), 6)
        measured = max(iterations // 2, 3)
        row = self.generator.choice(self.series[one.identity])
        state = row[self.generator.integers(0, len(row), measured)]
        for trial, path in zip(trials, results, strict=True):
            noise = self.generator.normal(0, 0.01) + self.generator.normal(0, 0.02, measured)
            change = self.changes.get(one.identity, 1.0) if trial.version == "head" else 1.0
            values = (state * change * np.exp(noise)).tolist()
            stop = {"method": "simulated", "warmup": 5, "iterations": len(values)}
            facts = [{"version": 1, "stop": stop}]
            record = jmh_record(one.identity.name, [values], warmup=5, unit="us/op", steady=facts)
            path.write_text(json.dumps([record]))
        cold = one.identity in self.cold
        return PAIR_START + 2 * iterations * each + cold * promised, cold

    def screened(self, trials: Sequence[Trial], results: Sequence[Path]) -> float:
        """Run two short forks: their ratio varies by 10 %, their fastest iterations by less."""
        identity = trials[0].identity
        row = self.generator.choice(self.series[identity])
        for trial, path in zip(trials, results, strict=True):
            noise = self.generator.normal(0, 0.02) + np.abs(self.generator.normal(0, 0.2, 20))
            change = self.changes.get(identity, 1.0) if trial.version == "head" else 1.0
            values = (row[:20].mean() * change * np.exp(noise)).tolist()
            record = jmh_record(identity.name, [values], warmup=5, unit="us/op")
            path.write_text(json.dumps([record]))
        return PAIR_START + 4 * screening.SECONDS

    def declared(self, version: Version) -> Mapping[Identity, ExecutionConfiguration]:
        return dict.fromkeys(self.series, DECLARED)

    def merge(self, results: Sequence[ForkResult], facts: RunFacts) -> bytes:
        self.now += 0.2  # about what it takes for a suite of eighty
        return merge_forks(results, facts)


@dataclass(frozen=True)
class Within:
    """A finished run."""

    state: RunRecord
    decider: Decider
    harness: SimulatedHarness

    @property
    def rounds(self) -> Counter[Identity]:
        measured = (t.identity for t in self.state.trials if t.number in self.state.records)
        return Counter({identity: number // 2 for identity, number in Counter(measured).items()})

    @property
    def looked_at(self) -> set[Identity]:
        return set(self.harness.series) - set(self.state.too_few_rounds(self.decider.looks))

    @property
    def slower(self) -> set[Identity]:
        base, head = (load(self.state.merged[version.name]) for version in VERSIONS)
        changes = self.decider.compared(base, head).changes
        return {change.identity for change in changes if change.outcome == "regression"}


def run_within(
    folder: Path,
    harness: SimulatedHarness,
    seconds: float,
    workloads: Sequence[Workload] | None = None,
    *,
    resume: bool = False,
    precedence: Sequence[Identity] = (),
    screens: bool = False,
    pairs: int = 1,
    processes: SharedProcesses | None = None,
) -> Within:
    """Run a suite like the command, without a plan unless there are workloads."""
    if workloads is None:
        held = {version.name: harness.series for version in VERSIONS}
        declared = harness.declared(VERSIONS[0])
        workloads = unplanned(
            list(declared), held, declared, harness="jmh", seconds=seconds, processes=processes
        )
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
    plan = RunPlan(
        harness=harness,  # type: ignore[arg-type]
        versions=VERSIONS,
        trials=first,
        header=header,
        follow_up=decider,
        looks=decider.looks,
        time_budget=seconds,
        began=began,
        first=precedence or tuple(harness.series),
        screening=screening_trials(workloads, lambda _: 0.9) if screens else (),
        pairs=pairs,
        screening_pairs=pairs,
        shared_processes=processes or SharedProcesses(),
    )
    state = run_trials(
        plan,
        RunFolder(folder, ".json"),
        Watcher(list[str]().append),
        resume=resume,
        clock=Clock(lambda: harness.now),
    )
    if not resume:
        assert harness.now - began <= 1.05 * seconds
    assert state.complete or state.interrupted, "what had no time is no failure"
    return Within(state, decider, harness)
