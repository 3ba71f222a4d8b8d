"""The workload of each benchmark, and its expected seconds."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from steady.engine.run_plan import remarks
from steady.engine.workload import (
    Workload,
    all_identities,
    configured,
    full_run,
    has_edited_seconds,
    interleaved,
    missing_benchmarks,
    planned,
    unplanned_run,
)
from steady.errors import InputError
from steady.model import ExecutionConfiguration, Identity
from steady.optimize import BenchmarkPlan, Plan
from steady.options.kinds import parse_counts
from tests.looped import looped

A, B, C = (Identity(f"org.Bench.{name}") for name in "abc")
SHOT = replace(A, mode="ss")
FULL = ExecutionConfiguration(5, 0, 60, 1.0, 1.0)
REDUCED = ExecutionConfiguration(3, 10, 5, 1.0, 1.0)
DECLARED = ExecutionConfiguration(2, 4, 6, 10.0, 10.0, 7, 5000)
HELD = {"base": {A: None, B: None}, "head": {A: None, C: None}}


def _plan(*identities: Identity, **entry: object) -> Plan:
    entries = (BenchmarkPlan(i, REDUCED, FULL, 48.0, 300.0, "reduced", "why") for i in identities)
    return Plan(tuple(replace(one, **entry) for one in entries), "uoptime")  # type: ignore[arg-type]


def test_a_plan_runs_in_the_versions_that_have_it() -> None:
    workloads = planned(_plan(A, B, Identity("org.Bench.gone")), HELD)
    assert [(w.identity, w.versions) for w in workloads] == [(A, ("base", "head")), (B, ("base",))]
    assert {w.configuration for w in workloads} == {REDUCED}
    assert missing_benchmarks(_plan(A, B), HELD) == {"head": (B,)}
    assert missing_benchmarks(_plan(A), HELD) == {}
    assert all_identities(HELD) == (A, B, C)
    with pytest.raises(InputError, match="the plan gives it 0 forks"):
        planned(_plan(A, configuration=replace(REDUCED, forks=0)), HELD)


def test_the_timeout_is_ten_times_the_estimate_and_a_minute() -> None:
    (workload,) = planned(_plan(A), HELD)
    assert (workload.fork_seconds, workload.timeout) == (16.0, 220.0)
    (impatient,) = planned(_plan(A), HELD, timeout=30.0)
    assert impatient.timeout == 30.0


def test_an_edited_plan_is_estimated_from_its_iterations() -> None:
    longer = _plan(A, configuration=replace(REDUCED, iterations=40))
    shorter = _plan(A, configuration=replace(REDUCED, warmup_seconds=0.1))
    edited = [has_edited_seconds(plan.benchmarks[0]) for plan in (_plan(A), longer, shorter)]
    assert edited == [False, True, False]
    (workload,) = planned(longer, HELD)
    assert (workload.fork_seconds, workload.timeout) == (0.5 + 10 + 40, 565.0)


def test_executions_of_a_command_may_be_short() -> None:
    """Formerly, a plan of executions of 0.1 s was taken for an edited one."""
    entry = _plan(A, seconds=3 * 15 * 0.1).benchmarks[0]
    assert [has_edited_seconds(entry, name) for name in ("command", "jmh", "go")] == [
        False,
        True,
        True,
    ]
    assert not has_edited_seconds(replace(entry, seconds=48.0), "go")


def test_a_pair_takes_the_recorded_seconds() -> None:
    (workload,) = planned(_plan(A, pair_seconds=93.0), HELD)
    assert workload.in_turn_seconds == pytest.approx(93.0 / 3)
    (in_pairs,) = interleaved([workload], "jmh")
    assert 2 * in_pairs.fork_seconds == pytest.approx(93.0 / 3)


@looped(("harness", "turning"), [("jmh", 0.03 * 8.0), ("go", 0.0)])
def test_interleaved_forks_take_the_sum_and_the_overhead_of_turns(
    harness: str, turning: float
) -> None:
    one = ExecutionConfiguration(3, 2, 4, 1.0, 1.0)
    both = Workload(Identity("a"), one, 6.5, 90.0, ("base", "head"))
    lone = Workload(Identity("b"), one, 6.5, 90.0, ("head",))
    shots = replace(one, iteration_seconds=0.0)
    single = Workload(Identity("c", "ss"), shots, 6.5, 90.0, ("base", "head"))
    first, second, third = interleaved([both, lone, single], harness)
    assert 2 * first.fork_seconds == pytest.approx(2 * 6.5 + turning)
    assert first.timeout == 90.0
    assert (second, third) == (lone, single)


def test_a_full_run_measures_its_warm_up_and_is_estimated_by_its_harness() -> None:
    configuration = full_run(5, 60, 0.1)
    assert configuration == ExecutionConfiguration(5, 0, 60, 0.1, 0.1)
    (workload,) = configured([A], configuration, HELD, harness="jmh")
    assert workload.fork_seconds == pytest.approx(0.5 + 60 * 0.1)
    assert workload.timeout == pytest.approx(125.0)
    # A start of 0.05 s; Go tries out how many operations fill an iteration.
    (of_go,) = configured([A], configuration, HELD, harness="go")
    assert of_go.fork_seconds == pytest.approx(0.05 + 60 * 0.16)


def test_a_single_shot_has_no_iteration_time_and_jmhs_timeout() -> None:
    held = {"base": {SHOT: None}}
    (workload,) = configured([SHOT], unplanned_run(5, 7), held)
    assert workload.configuration == ExecutionConfiguration(5, 7, 7, 0.0, 0.0)
    (untimed,) = configured([SHOT], full_run(5, 1, 1.0), held)
    assert untimed.timeout > 600
    (hurried,) = configured([SHOT], full_run(5, 1, 1.0), held, timeout=30.0)
    assert hurried.timeout == 30.0


@looped("identity", [SHOT, A])
@looped("configuration", [full_run(5, 60, 0.1), unplanned_run(5, 7)])
def test_unspecified_values_are_declared_ones(
    identity: Identity, configuration: ExecutionConfiguration
) -> None:
    (workload, plain) = configured(
        [identity, B], configuration, {"base": {identity: None}}, declared={identity: DECLARED}
    )
    sizes = (workload.configuration.warmup_batch_size, workload.configuration.batch_size)
    assert sizes == (7, 5000)
    assert workload.configuration.iterations == configuration.iterations
    assert plain.configuration == configuration


@looped(
    ("declared", "most", "expected"),
    [(0.1, 1.0, 0.1), (10.0, 1.0, 1.0), (10.0, 0.2, 0.2), (0.1, 0.05, 0.05), (0.0, 1.0, 1.0)],
)
def test_a_full_run_takes_at_most_the_requested_and_the_declared_time(
    declared: float, most: float, expected: float
) -> None:
    annotated = replace(DECLARED, warmup_seconds=5.0, iteration_seconds=declared)
    known = {A: annotated, SHOT: annotated}
    workload, plain, shot = configured(
        [A, B, SHOT], full_run(5, 60, most), HELD, declared=known, shorter=True
    )
    assert workload.configuration.warmup_seconds == expected
    assert workload.configuration.iteration_seconds == expected
    assert workload.fork_seconds == pytest.approx(0.5 + 60 * expected)
    assert plain.configuration == full_run(5, 60, most)
    assert shot.configuration.iteration_seconds == 0.0


def _run_of(declared: Mapping[str, ExecutionConfiguration]) -> list[str]:
    workloads = configured([A], full_run(5, 60, 0.1), {name: [A] for name in declared})
    told = {name: {A: configuration} for name, configuration in declared.items()}
    return [remark for _, remark in remarks(workloads, told)]


def test_deviations_from_declarations_are_reported() -> None:
    plain = ExecutionConfiguration(5, 5, 5, 10.0, 10.0)
    assert _run_of({"base": plain, "head": plain}) == []
    unlike = _run_of({"base": replace(plain, batch_size=5), "head": plain})
    assert unlike == ["base and head declare different batch sizes; both run with the same one"]
    (outdated,) = _run_of({"results": replace(plain, batch_size=5)})
    assert outdated.startswith(
        "the plan's batch size is not the one that the benchmark declares now"
    )
    (unforked,) = _run_of({"results": replace(plain, forks=0)})
    assert "@Fork(0)" in unforked


@looped("text", ["", "5", "5x", "0x5", "5x0", "5X6", "-1x5", "5x60x2", "٥x٦"])
def test_counts_must_be_counts(text: str) -> None:
    assert parse_counts("5x60") == (5, 60)
    with pytest.raises(ValueError, match="write 5x60"):
        parse_counts(text)
