"""The second look in a run: what is measured again, within the budget, under which numbers."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from steady.compare import RuleOptions
from steady.model import ExecutionConfiguration, Identity
from steady.run import RunState, Workload, schedule
from steady.run.journal import JournalEntry
from steady.run.second_look import SecondLook
from steady.settings import Ignore, RepoSettings, Threshold

NAMES = [f"org.Bench.m{number}" for number in range(10)]
ROUNDS = 5
SECONDS = 2.0


def state_of(folder: Path, slowdowns: dict[str, float]) -> RunState:
    """Return a planned run that has ended: every fork took two seconds."""
    configuration = ExecutionConfiguration(ROUNDS, 2, 4, 1.0, 1.0)
    versions = ("base", "head")
    workloads = [Workload(Identity(n), configuration, 6.0, 90.0, versions) for n in NAMES]
    trials = schedule(workloads, seed=3)
    records = {
        t.number: JournalEntry.of(t, f"r:{t.round}", 10.0 * i, 10.0 * i + SECONDS)
        for i, t in enumerate(trials)
    }
    generator = np.random.default_rng(0)
    merged = {}
    for version in versions:
        path = folder / f"{version}.json"
        path.write_text(json.dumps([_record(n, version, slowdowns, generator) for n in NAMES]))
        merged[version] = path
    return RunState(trials, records, merged)


def _record(
    name: str, version: str, slowdowns: dict[str, float], generator: np.random.Generator
) -> dict[str, object]:
    factor = slowdowns.get(name, 1.0) if version == "head" else 1.0
    values = 100 * factor * np.exp(generator.normal(0, 0.005, (ROUNDS, 4)))
    return {
        "benchmark": name,
        "mode": "avgt",
        "threads": 1,
        "forks": ROUNDS,
        "warmupIterations": 2,
        "warmupTime": "1 s",
        "warmupBatchSize": 1,
        "measurementIterations": 4,
        "measurementTime": "1 s",
        "measurementBatchSize": 1,
        "primaryMetric": {"scoreUnit": "ns/op", "rawData": values.tolist()},
        "steadyBlocks": [f"r:{number}" for number in range(ROUNDS)],
    }


def look(share: float) -> SecondLook:
    return SecondLook("paired-t", RuleOptions(), 0.03, share, seed=3)


def test_what_seems_changed_gets_further_rounds_of_both_versions(tmp_path: Path) -> None:
    state = state_of(tmp_path, {NAMES[4]: 1.2})
    further = look(0.5)(state)
    counts = Counter((trial.identity.name, trial.version) for trial in further)
    assert counts == {(NAMES[4], "base"): ROUNDS, (NAMES[4], "head"): ROUNDS}
    assert [trial.number for trial in further] == list(range(100, 110))
    assert {trial.round for trial in further} == set(range(ROUNDS, 2 * ROUNDS))
    assert all(trial.configuration == state.trials[0].configuration for trial in further)


def test_nothing_seems_changed_nothing_follows(tmp_path: Path) -> None:
    assert look(0.5)(state_of(tmp_path, {})) == ()


def test_settings_say_what_is_worth_a_second_look(tmp_path: Path) -> None:
    state = state_of(tmp_path, {NAMES[4]: 1.2, NAMES[7]: 1.2, NAMES[8]: 1.2})
    settings = RepoSettings(
        thresholds=(Threshold(NAMES[4], 0.6),), ignore=(Ignore(NAMES[7], "the disk decides"),)
    )
    seen = replace(look(9.0), settings=settings)(state)
    assert {trial.identity.name for trial in seen} == {NAMES[8]}


def test_the_same_state_gives_the_same_trials(tmp_path: Path) -> None:
    state = state_of(tmp_path, {NAMES[4]: 1.2, NAMES[7]: 0.9})
    assert look(0.5)(state) == look(0.5)(state)


def test_the_budget_is_a_share_of_the_seconds_that_were_spent(tmp_path: Path) -> None:
    """100 forks of 2 s; one benchmark's least second look is 5 rounds of 2 forks: 20 s."""
    state = state_of(tmp_path, {NAMES[4]: 1.2, NAMES[7]: 1.1})
    looked_at = {
        share: {t.identity.name for t in look(share)(state)} for share in (0.09, 0.11, 0.2)
    }
    assert looked_at == {0.09: set(), 0.11: {NAMES[4]}, 0.2: {NAMES[4], NAMES[7]}}


@pytest.mark.parametrize("left", ["base", "head"])
def test_a_single_version_has_nothing_to_be_looked_at(tmp_path: Path, left: str) -> None:
    state = state_of(tmp_path, {NAMES[4]: 1.2})
    alone = RunState(state.trials, state.records, {left: state.merged[left]})
    assert look(0.5)(alone) == ()


def test_a_benchmark_that_failed_in_one_version_is_left_out(tmp_path: Path) -> None:
    state = state_of(tmp_path, {NAMES[4]: 1.2})
    records = [
        r for r in json.loads(state.merged["head"].read_text()) if r["benchmark"] != NAMES[4]
    ]
    state.merged["head"].write_text(json.dumps(records))
    assert look(0.5)(state) == ()


@pytest.mark.parametrize("change", ["unit", "lost fork"])
def test_what_will_not_be_compared_is_left_out(tmp_path: Path, change: str) -> None:
    state = state_of(tmp_path, {NAMES[4]: 1.2})
    records = json.loads(state.merged["head"].read_text())
    if change == "unit":
        records[4]["primaryMetric"]["scoreUnit"] = "us/op"
    else:
        records[4]["forks"] = ROUNDS + 1
    state.merged["head"].write_text(json.dumps(records))
    assert NAMES[4] not in {t.identity.name for t in look(0.5)(state)}


def test_nothing_usable_is_no_reason_to_end_the_run(tmp_path: Path) -> None:
    state = state_of(tmp_path, {})
    records = json.loads(state.merged["head"].read_text())
    for record in records:
        record["primaryMetric"]["rawData"] = [["NaN"] * 4] * ROUNDS
    state.merged["head"].write_text(json.dumps(records))
    assert look(0.5)(state) == ()
