"""Decisions after each batch: finished benchmarks, further rounds, and their duration."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from steady.compare import Change
from steady.compare.alpha_spending import looks_of
from steady.engine import RunRecord, Trial, Workload, schedule
from steady.engine.follow_up import Decider, first_batch
from steady.engine.journal import JournalEntry
from steady.engine.request import RunRequest
from steady.model import ExecutionConfiguration, Identity, Suite
from steady.optimize import BenchmarkPlan, Plan
from steady.plan.historical_variance import HistoricalVariance
from steady.readers import load
from steady.settings import RepoSettings
from steady.settings.repo_settings import Ignore, Threshold
from tests.jmh_records import jmh_record
from tests.looped import looped

NAMES = [f"org.Bench.m{number}" for number in range(10)]
LOOKS = looks_of(5)
SECONDS = 2.0
VERSIONS = ("base", "head")
CONFIGURATION = ExecutionConfiguration(5, 2, 4, 1.0, 1.0)
WORKLOADS = [Workload(Identity(n), CONFIGURATION, 6.0, 90.0, VERSIONS) for n in NAMES]


@dataclass
class Machine:
    """Executes the decisions: every fork takes two seconds.

    Parameters
    ----------
    folder : Path
        Gets the merged results.
    slowdowns, spreads : mapping of str to float
        By name of a benchmark, what head's times are multiplied with, and how forks differ.
    allocated : mapping of str to float
        By name of a benchmark, how many bytes more head allocates in an operation.
    promised : float
        Seconds that a fork should have taken.
    """

    folder: Path
    slowdowns: Mapping[str, float] = field(default_factory=dict)
    spreads: Mapping[str, float] = field(default_factory=dict)
    allocated: Mapping[str, float] = field(default_factory=dict)
    promised: float = SECONDS
    trials: tuple[Trial, ...] = ()

    def __post_init__(self) -> None:
        self.generator = np.random.default_rng(0)
        self.values: dict[tuple[str, str], list[list[float]]] = {}
        self.blocks: dict[tuple[str, str], list[str]] = {}
        self.records: dict[int, JournalEntry] = {}

    def first(self) -> RunRecord:
        """Run the trials before the first decision."""
        return self.run(schedule(first_batch(WORKLOADS, decider().looks), seed=3))

    def until_nothing_follows(self, decide: Decider) -> RunRecord:
        state = self.first()
        while further := decide(state):
            state = self.run(tuple(further))
        return state

    def run(self, trials: tuple[Trial, ...]) -> RunRecord:
        for trial in trials:
            name = trial.identity.name
            factor = self.slowdowns.get(name, 1.0) if trial.version == "head" else 1.0
            spread = self.spreads.get(name, 0.005)
            level = 100 * factor * np.exp(self.generator.normal(0, spread))
            key = name, trial.version
            self.values.setdefault(key, []).append([float(level)] * 4)
            self.blocks.setdefault(key, []).append(f"r:{trial.round}")
            start = SECONDS * trial.number
            promised = replace(trial, seconds=self.promised)
            self.records[trial.number] = JournalEntry.of(
                promised, f"r:{trial.round}", start, start + SECONDS
            )
        self.trials += trials
        merged = {}
        for version in VERSIONS:
            merged[version] = self.folder / f"{version}.json"
            records = [self._record(n, version) for n in NAMES if (n, version) in self.values]
            merged[version].write_text(json.dumps(records))
        return RunRecord(self.trials, self.records, merged)

    def _record(self, name: str, version: str) -> dict[str, object]:
        values = self.values[name, version]
        more = self.allocated.get(name, 0.0) if version == "head" else 0.0
        allocated = {"scoreUnit": "B/op", "rawData": [[64 + more] * 4 for _ in values]}
        return jmh_record(
            name,
            values,
            warmup=2,
            seconds="1 s",
            secondaryMetrics={"gc.alloc.rate.norm": allocated},
            steady=[{"block": one, "looks": list(LOOKS)} for one in self.blocks[name, version]],
        )


def decider(
    time_budget: float | None = 1e9, settings: RepoSettings | None = None, **options: Any
) -> Decider:
    return Decider(
        request=RunRequest(seed=3, time_budget=time_budget, **options),
        planned_seconds=5 * len(VERSIONS) * SECONDS * len(WORKLOADS),
        looks={w.identity: LOOKS for w in WORKLOADS},
        settings=settings,
    )


def names(trials: object) -> set[str]:
    return {trial.identity.name for trial in trials}  # type: ignore[attr-defined]


def test_the_first_batch_ends_at_the_first_interim_analysis() -> None:
    batch = first_batch(WORKLOADS, {WORKLOADS[0].identity: (3, 5), WORKLOADS[1].identity: (2, 4)})
    assert [w.configuration.forks for w in batch] == [3, 2] + [5] * 8


def compared(state: RunRecord) -> list[Change]:
    base, head = (load(state.merged[name]) for name in VERSIONS)
    return list(decider().compared(base, head).changes)


def test_clear_benchmarks_end_and_unclear_ones_continue(tmp_path: Path) -> None:
    state = Machine(tmp_path, {NAMES[4]: 2.0}, {NAMES[7]: 0.1, NAMES[8]: 0.2}).first()
    further = decider()(state)
    closed = {c.identity.name: c.outcome for c in compared(state) if c.outcome != "unclear"}
    assert closed[NAMES[4]] == "regression"
    assert "unchanged" in closed.values()
    assert names(further) == set(NAMES) - closed.keys() >= {NAMES[7], NAMES[8]}
    counts = Counter((t.identity.name, t.version) for t in further)
    assert set(counts.values()) == {2}
    assert [t.number for t in further] == list(range(60, 60 + len(further)))
    assert min(t.round for t in further) == 3
    assert decider()(state) == further


def test_an_apparent_change_of_allocation_gets_enough_rounds(tmp_path: Path) -> None:
    machine = Machine(tmp_path, {NAMES[4]: 2.0}, allocated={NAMES[4]: 32.0})
    state = machine.first()
    assert NAMES[4] not in {c.identity.name for c in compared(state) if c.outcome == "unclear"}
    further = decider()(state)
    assert NAMES[4] in names(further)
    state = machine.run(tuple(further))
    base, head = (load(state.merged[name]) for name in VERSIONS)
    (allocation,) = decider().compared(base, head).metrics.regressions
    assert allocation.identity.name == NAMES[4]
    assert NAMES[4] not in names(decider()(state))


def test_allocation_gets_its_rounds_before_slow_decisions_on_time(tmp_path: Path) -> None:
    noisy = {NAMES[4]: 0.1, NAMES[7]: 0.1}
    state = Machine(tmp_path, {NAMES[7]: 1.3}, noisy, allocated={NAMES[4]: 32.0}).first()
    two_rounds = sum(record.seconds for record in state.records.values()) + 2 * 2 * SECONDS
    assert names(decider(two_rounds)(state)) == {NAMES[4]}


def test_the_variance_of_the_plan_is_used_during_the_run(tmp_path: Path) -> None:
    base, head = (
        Suite(tuple(replace(b, in_turn=(True,) * len(b.blocks)) for b in load(file).values()))
        for file in Machine(tmp_path).first().merged.values()
    )
    how, known = (CONFIGURATION, CONFIGURATION), HistoricalVariance(variance=1e-5, freedom=8.0)
    entries = (
        BenchmarkPlan(one.identity, *how, 1.0, 1.0, "full", "", known_forks=known)
        for one in WORKLOADS
    )
    plan = Plan(tuple(entries), "detect")
    excluded = [
        np.median([change.excluded for change in one.compared(base, head).changes])
        for one in (replace(decider(), plan=plan), decider())
    ]
    assert excluded[0] < excluded[1]


def test_it_ends_when_all_is_clear_or_fully_analysed(tmp_path: Path) -> None:
    machine = Machine(tmp_path, {NAMES[4]: 1.1}, {NAMES[7]: 0.1})
    state = machine.until_nothing_follows(decider())
    rounds = {n: len(machine.values[n, "base"]) for n in NAMES}
    assert set(rounds.values()) <= set(LOOKS)
    assert max(rounds.values()) > LOOKS[0]
    for change in compared(state):
        assert change.outcome != "unclear" or rounds[change.identity.name] == LOOKS[-1]


@looped("budget", [127.9, 128.0, 200.0])
def test_no_batch_exceeds_the_remaining_time(budget: float, tmp_path: Path) -> None:
    """After 3 rounds of 10 benchmarks, 2 forks of 2 s each, 120 s are spent."""
    machine = Machine(tmp_path, {NAMES[4]: 1.2}, dict.fromkeys(NAMES, 0.1))
    spent = SECONDS * len(machine.until_nothing_follows(decider(budget)).trials)
    assert spent <= max(budget, 120.0)
    assert (spent > 120.0) == (budget >= 128.0)


@looped("promised", [4.0, 0.5, 0.0])
def test_without_a_budget_it_takes_the_time_of_the_planned_rounds(
    promised: float, tmp_path: Path
) -> None:
    """Forks that take four times as long as expected do not reduce their number."""
    machine = Machine(tmp_path, {}, dict.fromkeys(NAMES, 0.2), promised=promised)
    usual = replace(decider(None), planned_seconds=100 * (promised or SECONDS))
    most = max(100, int(100 * promised / SECONDS))
    assert most - 2 * 10 < len(machine.until_nothing_follows(usual).trials) <= most


def test_settings_decide_which_benchmarks_are_unclear(tmp_path: Path) -> None:
    settings = RepoSettings(
        thresholds=(Threshold(NAMES[4], 0.9),), ignore=(Ignore(NAMES[7], "the disk decides"),)
    )
    state = Machine(tmp_path, {}, dict.fromkeys(NAMES, 0.05)).first()
    assert names(decider()(state)) == set(NAMES)
    assert names(decider(settings=settings)(state)) == set(NAMES) - {NAMES[4], NAMES[7]}


def test_benchmarks_that_cannot_be_compared_are_skipped(tmp_path: Path) -> None:
    state = Machine(tmp_path, {}, dict.fromkeys(NAMES, 0.05)).first()
    for version, path in state.merged.items():
        assert decider()(RunRecord(state.trials, state.records, {version: path})) == ()
    text = state.merged["head"].read_text()
    for change in ("no result", "unit", "lost fork"):
        records = json.loads(text)
        if change == "no result":
            del records[4]
        elif change == "unit":
            records[4]["primaryMetric"]["scoreUnit"] = "us/op"
        else:
            records[4]["forks"] += 1
        state.merged["head"].write_text(json.dumps(records))
        assert names(decider()(state)) == set(NAMES) - {NAMES[4]}, change
    for value in ("NaN", 1e200):  # nothing usable is no reason to end the run
        records = json.loads(text)
        for record in records:
            record["primaryMetric"]["rawData"] = [[value] * 4] * 3
        state.merged["head"].write_text(json.dumps(records))
        assert decider()(state) == ()
