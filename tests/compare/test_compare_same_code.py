"""Benchmarks that run the same code: not measured and not missing, or a control."""

from __future__ import annotations

from dataclasses import replace

from steady.compare import Comparison, compare
from steady.judging import DEFAULT, parse_fail_on, reasons_to_fail
from steady.model import SameCode
from steady.optimize import Plan
from tests.compare.small_suites import make_plan, make_suite
from tests.looped import looped

A, B, C, D = make_suite(a=1.0, b=1.0, c=1.0, d=1.0)


def compared(same_code: SameCode, plan: Plan | None = None, **head: float) -> Comparison:
    base = replace(make_suite(**dict.fromkeys(head, 100.0)), same_code=same_code)  # type: ignore[arg-type]
    return compare(base, replace(make_suite(**head), same_code=same_code), plan=plan)  # type: ignore[arg-type]


def test_what_was_not_measured_is_not_missing() -> None:
    plan = make_plan("a", "b", "c", "d")
    assert set(plan) == {A, B, C, D}
    comparison = compared(SameCode((B, C, D)), plan, a=100.1)
    assert comparison.ledger.same_code == (B, C, D)
    assert comparison.ledger.compared == (A,)
    assert comparison.ledger.missing == ()
    assert comparison.ledger.complete
    assert set(comparison.ledger.identities) == {A, B, C, D}
    others = compared(SameCode((B, C)), plan, a=100.1)
    assert [missing.identity for missing in others.ledger.missing] == [D]


def test_both_sides_must_say_so() -> None:
    base = replace(make_suite(a=100.0), same_code=SameCode((B, C)))
    head = replace(make_suite(a=100.1), same_code=SameCode((C,)))
    assert compare(base, head).ledger.same_code == (C,)
    assert compare(base, make_suite(a=100.1)).ledger.same_code == ()


def test_what_has_a_result_is_compared() -> None:
    comparison = compared(SameCode((A, B)), a=100.1, b=100.1)
    assert comparison.ledger.same_code == ()
    assert comparison.ledger.compared == (A, B)


def test_no_verdict_counts_a_control() -> None:
    comparison = compared(SameCode((), (B,)), a=100.1, b=150.0)
    assert [change.identity for change in comparison.changes] == [A]
    assert [(c.identity, c.outcome) for c in comparison.controls] == [(B, "regression")]
    assert comparison.verdict == "unchanged"
    assert comparison.ledger.controls == (B,)
    assert comparison.metrics.changes == ()


@looped("measured", [{}, {"a": 100.1}])
def test_where_nothing_can_have_changed_that_is_the_verdict(measured: dict[str, float]) -> None:
    comparison = compared(SameCode((B, C), (A,)), None, **measured)
    assert comparison.verdict == "same code"
    assert reasons_to_fail(comparison, parse_fail_on(DEFAULT)) == ()
    assert comparison.remarks == ()


def test_nothing_at_all_is_still_incomplete() -> None:
    comparison = compared(SameCode())
    assert comparison.verdict == "incomplete"
