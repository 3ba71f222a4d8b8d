"""Every benchmark in exactly one place, whatever happened to it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from steady.compare import Ledger, Missing
from steady.compare.ledger_filling import fill_ledger
from steady.model import Benchmark, ExecutionConfiguration, Failure, Identity, Level, Suite
from tests.looped import looped

A, B, C = (Identity(name) for name in ("Bench.a", "Bench.b", "Bench.c"))


def result(identity: Identity, unit: str = "ns/op", value: float = 1.0) -> Benchmark:
    return Benchmark(identity, unit, np.full((1, 2), value), (Level("fork"), Level("iteration")))


def suite(*results: Benchmark | Identity, failed: tuple[Identity, ...] = ()) -> Suite:
    return Suite(
        tuple(r if isinstance(r, Benchmark) else result(r) for r in results),
        failures=tuple(Failure(identity, "out of memory") for identity in failed),
    )


def test_seen_on_both_sides_is_compared_in_the_order_of_head() -> None:
    ledger = fill_ledger(suite(A, B), suite(B, A), None)
    assert ledger == Ledger(compared=(B, A))
    assert ledger.complete


def test_only_in_base_is_gone_and_only_in_head_is_new() -> None:
    ledger = fill_ledger(suite(A, B), suite(B, Identity("Other.x")), None)
    assert (ledger.gone, ledger.new) == ((A,), (Identity("Other.x"),))
    assert not ledger.complete


def test_what_the_plan_expects_is_missing_not_gone() -> None:
    ledger = fill_ledger(suite(A, B), suite(A, Identity("Other.x")), (A, B, C, Identity("Other.x")))
    assert [(m.identity, m.side) for m in ledger.missing] == [
        (Identity("Other.x"), "base"),
        (B, "head"),
        (C, "both"),
    ]
    assert (ledger.gone, ledger.new) == ((), ())
    assert not ledger.complete


def test_failures_are_told_with_side_and_reason() -> None:
    ledger = fill_ledger(suite(A, failed=(B, C)), suite(A, B, failed=(C,)), (A, B, C))
    assert ledger.failed == (
        Missing(B, "base", "out of memory", "failed"),
        Missing(C, "both", "out of memory", "failed"),
    )


def test_a_failure_beside_a_result_is_a_failure() -> None:
    ledger = fill_ledger(suite(A), suite(A, failed=(A,)), None)
    assert ledger == Ledger((), failed=(Missing(A, "head", "out of memory", "failed"),))


def test_unplanned_are_compared_and_said() -> None:
    ledger = fill_ledger(suite(A, B), suite(A, B), (A,))
    assert (ledger.compared, ledger.unplanned) == ((A, B), (B,))
    assert fill_ledger(suite(A, B), suite(A, B), None).unplanned == ()


def test_another_unit_cannot_be_compared() -> None:
    ledger = fill_ledger(suite(A), suite(result(A, "ops/s")), None)
    assert ledger.incomparable == (
        Missing(A, "both", "measured in ns/op in base and in ops/s in head", "incomparable"),
    )
    assert not ledger.complete


def test_no_number_cannot_be_compared() -> None:
    nothing = result(A, value=float("nan"))
    assert fill_ledger(suite(nothing), suite(A), None).incomparable[0].side == "base"
    assert fill_ledger(suite(A), suite(nothing), None).incomparable[0].side == "head"
    assert fill_ledger(suite(nothing), suite(nothing), None).incomparable[0].side == "both"


NAMES = st.sampled_from([Identity(f"org.Bench.m{i}", threads=1 + i % 2) for i in range(8)])
SIDES = st.lists(NAMES, unique=True)


@given(SIDES, SIDES, SIDES, SIDES, st.none() | SIDES)
def test_nothing_is_lost_and_nothing_stands_twice(
    base: list[Identity],
    head: list[Identity],
    base_failed: list[Identity],
    head_failed: list[Identity],
    planned: list[Identity] | None,
) -> None:
    ledger = fill_ledger(
        suite(*base, failed=tuple(base_failed)), suite(*head, failed=tuple(head_failed)), planned
    )
    places = [
        *ledger.compared,
        *ledger.new,
        *ledger.gone,
        *(m.identity for m in (*ledger.failed, *ledger.missing, *ledger.incomparable)),
    ]
    assert len(places) == len(set(places))
    assert set(places) == {*base, *head, *base_failed, *head_failed, *(planned or ())}
    assert set(ledger.unplanned) <= set(ledger.compared)
    expected = {*base, *(planned or ()), *base_failed, *head_failed}
    assert ledger.complete == (expected <= set(ledger.compared))


def test_a_renamed_method_is_guessed_and_still_not_compared() -> None:
    old, new = Identity("org.ShapeBenchmark.totalArea"), Identity("org.ShapeBenchmark.sumOfAreas")
    ledger = fill_ledger(suite(A, old), suite(A, new), None)
    assert ledger.renamed == ((old, new),)
    assert (ledger.gone, ledger.new) == ((old,), (new,))


@looped(
    ("unit", "values", "comparable"),
    [
        ("ns/op", [0.0, 0.0], False),
        ("ns/op", [0.0, 5.0], False),
        ("ops/s", [0.0, 0.0], False),
        ("ops/s", [0.0, 5.0, 5.0], True),
        ("B/op", [0.0, 0.0], True),
    ],
)
def test_a_time_or_a_speed_of_zero_is_no_result(
    unit: str, values: list[float], comparable: bool
) -> None:
    """JMH's score of 0.0 was an improvement by 100 %."""
    levels = (Level("fork"), Level("iteration"))
    zero = Benchmark(A, unit, np.array([values]), levels)
    fine = result(A, unit)
    for base, head, side in ((fine, zero, "head"), (zero, fine, "base")):
        ledger = fill_ledger(suite(base), suite(head), None)
        assert ledger.complete == comparable
        if not comparable:
            assert ledger.incomparable == (
                Missing(
                    A,
                    side,  # type: ignore[arg-type]
                    f"results of 0 {unit} in {side}: nothing was timed",
                    "incomparable",
                ),
            )


def test_runs_of_unlike_configuration_are_not_set_side_by_side() -> None:
    """They ended in dozens of remarks, and "Improvement"."""
    full, short = (
        ExecutionConfiguration(1, warmup, 2, 1.0, seconds)
        for warmup, seconds in ((3, 1.0), (0, 0.1))
    )
    base, head = (
        suite(*(replace(result(i), configuration=c) for i in (A, B, C))) for c in (full, short)
    )
    ledger = fill_ledger(base, head, None)
    assert not ledger.complete
    assert ledger.compared == ()
    [reason] = {m.reason for m in ledger.incomparable}
    assert reason == (
        "base ran iterations of 1 s after 3 of 1 s as warm-up, "
        "head iterations of 0.1 s without warm-up"
    )
