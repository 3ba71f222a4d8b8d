"""A suite on a machine with a simulated clock, run and compared by the whole commands.

Listing, the look for the same code, waits, starts and forks take the seconds that a script says.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jmh_forks import record
from msgspec import structs
from scripted_commands import only_harness, stand_in_folder_of_jars
from scripted_harness import ScriptedHarness

import steady.engine.selection
from steady.compare import Comparison, compare
from steady.engine import ForkResult, RunFacts, Trial, TrialError, Turn, Version
from steady.engine.request import RunRequest
from steady.engine.run_outcome import RunOutcome
from steady.engine.time_limit import Clock
from steady.engine.whole_run import Lines, run_request
from steady.harness.builds import Builds, Decision, decided
from steady.harness.jmh.run.merged_records import join_records, merge_forks
from steady.harness.runs import identities_in
from steady.harness.search import EVERYTHING, Search
from steady.harness.trial import BusyError, Held
from steady.model import ExecutionConfiguration, Identity
from steady.readers import load

DECLARED = ExecutionConfiguration(5, 5, 5, 1.0, 1.0)

SCREENING_SHARE = 0.25
"""Seconds of a screening pair, as a share of those of another one."""


def suite(methods: int, cases: int = 1) -> tuple[Identity, ...]:
    """Return benchmarks with several parameter combinations per method."""
    return tuple(
        Identity(f"org.Bench{method // 10}.m{method}", params=(("n", str(case)),))
        for method in range(methods)
        for case in range(cases)
    )


@dataclass
class Machine:
    """The durations on a simulated machine.

    Parameters
    ----------
    building : float
        Seconds to build a version.
    listing, each_listed : float
        Seconds to list a version, and for each benchmark of it.
    looking : float
        Seconds to find what runs the same code.
    start, pair : float
        Seconds of the harness's start, and of two forks in turn.
    busy : float
        Until when another program holds the harness's lock.
    """

    building: float = 0.0
    listing: float = 0.0
    each_listed: float = 0.0
    looking: float = 0.0
    start: float = 0.0
    pair: float = 7.0
    busy: float = 0.0
    now: float = 1000.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.now, self.sleep)

    @property
    def taken(self) -> float:
        return self.now - 1000.0


class WholeSuite(ScriptedHarness):
    """Benchmarks with results in JMH's format, so that they can be compared.

    Parameters
    ----------
    identities : sequence of Identity
        What both versions have.
    machine : Machine
        Where they run.
    fails : mapping of (Identity, str) to str
        Why a benchmark fails in a version.
    lost : mapping of Identity to str
        Why the search does not find a benchmark.
    slow : mapping of Identity to float
        Seconds of two forks of a benchmark.
    slower : mapping of Identity to float
        How many times as slow a benchmark is in head.
    cold : collection of Identity
        What does not become warm.
    spread : float
        How much forks of one version differ, as a standard deviation.
    """

    name = "jmh"

    def __init__(
        self,
        identities: Sequence[Identity],
        machine: Machine | None = None,
        *,
        fails: Mapping[tuple[Identity, str], str] | None = None,
        lost: Mapping[Identity, str] | None = None,
        slow: Mapping[Identity, float] | None = None,
        slower: Mapping[Identity, float] | None = None,
        cold: Collection[Identity] = (),
        spread: float = 0.002,
    ) -> None:
        super().__init__()
        self.identities, self.machine = identities, machine or Machine()
        self.fails, self.lost = fails or {}, lost or {}
        self.slow, self.slower, self.cold, self.spread = slow or {}, slower or {}, cold, spread
        self.started = False
        self.begun: list[Identity] = []
        self.random = np.random.default_rng(1)

    def build(self, version: Version) -> None:
        self.machine.now += self.machine.building

    def benchmarks(self, version: Version, search: Search = EVERYTHING) -> Sequence[Identity]:
        self.machine.now += self.machine.listing
        seen = []
        for identity in self.identities:
            if search.left() <= 0:
                search.late(identity)
                continue
            self.machine.now += self.machine.each_listed
            if identity in self.lost:
                search.lost(identity, self.lost[identity])
            else:
                seen.append(identity)
        return seen

    def declared(self, version: Version) -> Mapping[Identity, ExecutionConfiguration]:
        return dict.fromkeys(self.identities, DECLARED)

    def measure_in_turn(
        self, trials: Sequence[Trial], results: Sequence[Path]
    ) -> Sequence[Turn | TrialError]:
        if self.machine.now < self.machine.busy:
            raise BusyError("another JMH is running")
        if not self.started:
            self.machine.now += self.machine.start
            self.started = True
        identity, share = trials[0].identity, 1.0
        if trials[0].screening:
            share = SCREENING_SHARE
        else:
            self.begun.append(identity)
        ends: list[Turn | TrialError] = []
        for trial, path in zip(trials, results, strict=True):
            seconds = share * self.slow.get(identity, self.machine.pair) / 2
            self.machine.now += min(seconds, trial.timeout)
            why = self.fails.get((identity, trial.version), "")
            if seconds > trial.timeout:
                why = f"exceeded its limit of {trial.timeout:g} s and was stopped"
            if why:
                ends.append(TrialError(why))
                continue
            level = 100.0 * (self.slower.get(identity, 1.0) if trial.version == "head" else 1.0)
            level *= self.random.normal(1, self.spread)
            row = (level * self.random.normal(1, 0.01, 10)).tolist()
            path.write_text(json.dumps([record(identity, [row])]))
            ends.append(Turn(None, in_turn=True, cold=identity in self.cold))
        return ends

    def merge(self, results: Sequence[ForkResult], facts: RunFacts) -> bytes:
        self.machine.now += 0.05
        return merge_forks(results, facts)

    def measured(self, merged: Path) -> Sequence[Identity]:
        return identities_in(load(merged, empty=True))

    join = staticmethod(join_records)


@dataclass
class ScriptedBuilds(Builds):
    """Builds whose identical code paths are scripted."""

    machine: Machine
    same: Sequence[Identity]
    far: Mapping[Identity, int] = field(default_factory=dict)
    nothing_differs: bool = False

    def decisions(self, held: Held) -> tuple[Decision, ...]:
        self.machine.now += self.machine.looking
        found = decided(held, lambda identity: "" if identity in self.same else "differs")
        return tuple(structs.replace(one, distance=self.far.get(one.identity, 0)) for one in found)


@dataclass(frozen=True)
class Ran:
    """The outcome and the output of a whole run."""

    outcome: RunOutcome
    lines: list[str]

    @property
    def comparison(self) -> Comparison:
        return compare(self.outcome.suites["base"], self.outcome.suites["head"])

    def line(self, *parts: str) -> str:
        """Return the only line that contains all texts."""
        [line] = [line for line in self.lines if all(part in line for part in parts)]
        return line

    @property
    def counted(self) -> str:
        """The sum that the run prints at its end."""
        [line] = [line for line in self.lines if line.startswith("benchmarks: ")]
        return line.removeprefix("benchmarks: ")


Whole = Callable[..., Ran]


def whole_runs(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Whole:
    """Return a function that runs base and head into ``results``, by the simulated clock."""
    stand_in_folder_of_jars(monkeypatch, folder)

    def run(harness: WholeSuite, builds: ScriptedBuilds | None = None, **options: Any) -> Ran:
        only_harness(monkeypatch, harness)
        monkeypatch.setattr(steady.engine.selection, "builds_of", lambda *_: builds)
        request = RunRequest.of(base="base.jar", head="head.jar", **{"out": "results"} | options)
        lines: list[str] = []
        say = Lines(lambda line: lines.append(line.replace("\u00a0", " ")))
        return Ran(run_request(request, say, harness.machine.clock), lines)

    return run
