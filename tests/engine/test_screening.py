"""Screening: short pairs of forks only determine which benchmarks are measured."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from simulated_suite import BEGAN, SimulatedHarness, recorded_series, run_within

from steady.engine.screening import (
    ITERATIONS,
    NOTABLE,
    SECONDS,
    UNCONFIRMED,
    Screened,
    Shift,
    screening_configuration,
    screening_trials,
)
from steady.engine.workload import Workload
from steady.model import Benchmark, ExecutionConfiguration, Identity, NotRun
from steady.readers import load
from tests.jmh_records import jmh_record

A, B, C, D = (Identity(f"org.Bench.{name}") for name in "abcd")


def test_a_shift_counts_as_far_as_both_estimates_agree() -> None:
    assert Shift(0.3, 0.2).difference == 0.2
    assert Shift(-0.1, -0.4).difference == 0.1
    assert Shift(0.3, -0.2).difference == 0.0
    assert Shift(0.0, 0.2).difference == 0.0


def result(tmp_path: Path, values: list[float], mode: str = "avgt") -> Benchmark:
    unit = "ops/us" if mode == "thrpt" else "us/op"
    path = tmp_path / "one.json"
    path.write_text(json.dumps([jmh_record(A.name, [values], mode=mode, unit=unit)]))
    (benchmark,) = load(path).values()
    return benchmark


def test_the_shift_of_two_results(tmp_path: Path) -> None:
    base = result(tmp_path, [4.0, 2.0, 3.0])
    head = result(tmp_path, [4.4, 2.1, 6.0, 9.0])
    shift = Shift.between(base, head)
    assert shift is not None
    assert shift.fastest == pytest.approx(math.log(2.1 / 2.0))
    assert shift.typical == pytest.approx(math.log(4.4 / 4.0))
    ours = result(tmp_path, [1 / 4, 1 / 2, 1 / 3], "thrpt")
    theirs = result(tmp_path, [1 / 4.4, 1 / 2.1, 1 / 6, 1 / 9], "thrpt")
    same = Shift.between(ours, theirs)
    assert same is not None, "a smaller throughput is slower"
    assert (same.fastest, same.typical) == pytest.approx((shift.fastest, shift.typical))
    assert Shift.between(base, result(tmp_path, [1.0, 0.0])) is None


def test_notable_differences_come_first_and_the_largest_one_at_the_beginning() -> None:
    shifts = {A: Shift(0.01, 0.01), B: Shift(0.2, 0.3), C: None, D: Shift(-0.4, -0.3)}
    screened = Screened(shifts)
    assert screened.notable == pytest.approx(0.4), "twice the lower median of .01, .2 and .3"
    assert screened.first([A, B, C, D]) == (C, A, B, D), "a failing one is measured"
    more = {Identity(f"org.Other.x{k}"): Shift(0.01, -0.01) for k in range(9)}
    screened = Screened(shifts | more)
    assert screened.notable == NOTABLE
    assert screened.first([A, B, C, D]) == (C, D, B, A)
    entry = screened.not_run(A)
    assert entry.excluded is not None
    assert entry.excluded == math.ceil(100 * screened.excluded) / 100
    assert entry.reason.startswith("screening shows no sign of a change above ")
    assert screened.not_run(B) == NotRun(B, UNCONFIRMED)
    new = Identity("org.Other.new")
    assert screened.not_run(new) == NotRun(new, "the time budget was too short")


@pytest.mark.parametrize("seed", range(3))
def test_screening_misses_the_stated_share_of_the_excluded_change(seed: int) -> None:
    """The literal definition: the change is added to both estimates of new pairs."""
    draw = np.random.default_rng(seed)

    def shifts(many: int) -> list[Shift]:
        return [Shift(*draw.normal(0, (0.03, 0.08))) for _ in range(many)]

    screened = Screened({Identity(f"org.B.x{k}"): one for k, one in enumerate(shifts(400))})
    change = math.log1p(screened.excluded)
    new = [Shift(one.fastest + change, one.typical + change) for one in shifts(4000)]
    missed = sum(one.difference < screened.notable for one in new) / len(new)
    assert missed == pytest.approx(0.1, abs=0.03)


def test_screening_forks_run_a_short_configuration() -> None:
    declared = ExecutionConfiguration(5, 10, 20, 2.0, 3.0, batch_size=7)
    short = screening_configuration(declared, "avgt")
    each = SECONDS / ITERATIONS
    assert short == replace(
        declared,
        forks=1,
        warmup_iterations=ITERATIONS,
        iterations=ITERATIONS,
        warmup_seconds=each,
        iteration_seconds=each,
    )
    single = screening_configuration(declared, "ss")
    assert (single.iterations, single.iteration_seconds) == (1, 3.0)


def test_pairs_are_numbered_downwards_and_alternate_in_order() -> None:
    configuration = ExecutionConfiguration(5, 5, 5, 1.0, 1.0)
    both = ("base", "head")
    workloads = [Workload(i, configuration, 4.0, 90.0, both) for i in (A, B)]
    trials = screening_trials(workloads, lambda one: one.configuration.iteration_seconds)
    assert [trial.number for trial in trials] == [-1, -2, -3, -4]
    assert [trial.version for trial in trials] == ["base", "head", "head", "base"]
    assert all(trial.screening and trial.timeout == 15.0 for trial in trials)


SUITE = 60


def test_screening_is_not_part_of_the_results(tmp_path: Path) -> None:
    series = recorded_series(SUITE)
    harness = SimulatedHarness(series)
    ran = run_within(tmp_path, harness, 240.0, screens=True)
    lines = [json.loads(line) for line in (tmp_path / "journal.jsonl").read_text().splitlines()]
    screened = {line["benchmark"] for line in lines if line["kind"] == "screening"}
    assert screened == {identity.label for identity in series}, "all fit into the time"
    assert min(ran.state.records) >= 0
    measured = {t.identity for t in ran.state.trials if t.number in ran.state.records}
    for version in ("base", "head"):
        suite = load(ran.state.merged[version])
        assert set(suite) == measured
        left_out = {entry.identity: entry for entry in suite.not_run}
        assert set(left_out) == set(series) - measured
        for entry in left_out.values():
            assert (entry.excluded is None) == (entry.reason == UNCONFIRMED)
    assert ran.slower == set()


def test_screening_finds_several_times_as_many_changes(tmp_path: Path) -> None:
    series = recorded_series(SUITE)
    changed = list(series)[5::12]
    found = []
    for screens in (False, True):
        harness = SimulatedHarness(series, dict.fromkeys(changed, 1.3))
        ran = run_within(tmp_path / str(screens), harness, 240.0, screens=screens)
        assert ran.slower <= set(changed)
        assert harness.now - BEGAN >= 0.8 * 240.0
        found.append(len(ran.slower))
    assert found[1] >= 4
    assert found[1] >= 2 * found[0]


def test_pairs_at_once_measure_more_benchmarks_in_the_same_time(tmp_path: Path) -> None:
    series = recorded_series(SUITE)
    looked = []
    for pairs in (1, 2):
        harness = SimulatedHarness(series)
        ran = run_within(tmp_path / str(pairs), harness, 240.0, screens=True, pairs=pairs)
        looked.append(len(ran.looked_at - set(ran.state.not_begun)))
        assert set(harness.simultaneous) <= set(range(1, pairs + 1))
        together = [r for r in ran.state.records.values() if len(r.others) == 1]
        assert len(together) == len(ran.state.records), "each is kept with its own pair only"
        spent = sum(record.seconds for record in ran.state.records.values())
        assert spent <= 240.0
    assert looked[1] >= 1.5 * looked[0]


def test_a_resumed_run_screens_only_what_is_left(tmp_path: Path) -> None:
    series = recorded_series(SUITE)
    harness = SimulatedHarness(series, stops_at=20)
    stopped = run_within(tmp_path, harness, 240.0, screens=True)
    assert stopped.state.interrupted
    assert not stopped.state.records
    again = run_within(tmp_path, harness, 240.0, screens=True, resume=True)
    lines = [json.loads(line) for line in (tmp_path / "journal.jsonl").read_text().splitlines()]
    screened = [line["benchmark"] for line in lines if line["kind"] == "screening"]
    assert len(screened) == 2 * len(set(screened)) == 2 * SUITE
    assert again.state.records
