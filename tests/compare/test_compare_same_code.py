"""Benchmarks that run the same code: not measured and not missing, or a control."""

from __future__ import annotations

from dataclasses import replace

import pytest

from steady.compare import Comparison, compare
from steady.judging import DEFAULT, parse_fail_on, reasons_to_fail
from steady.model import Identity, SameCode
from steady.optimize import Plan
from tests.compare.small_suites import make_plan, make_suite
from tests.looped import looped


def compared(same_code: SameCode, plan: Plan | None = None, **head: float) -> Comparison:
    base = replace(make_suite(**dict.fromkeys(head, 100.0)), same_code=same_code)
    return compare(base, replace(make_suite(**head), same_code=same_code), plan=plan)


@pytest.fixture
def names() -> tuple[Identity, ...]:
    """Return how `make_suite` calls benchmarks."""
    return tuple(make_suite(a=1.0, b=1.0, c=1.0, d=1.0))


def test_what_was_not_measured_is_not_missing(names: tuple[Identity, ...]) -> None:
    a, b, c, d = names
    plan = make_plan("a", "b", "c", "d")
    assert set(plan) == set(names)
    comparison = compared(make_suite, SameCode((b, c, d)), plan, a=100.1)
    assert comparison.ledger.same_code == (b, c, d)
    assert comparison.ledger.compared == (a,)
    assert comparison.ledger.missing == ()
    assert comparison.ledger.complete
    assert set(comparison.ledger.identities) == set(names)
    others = compared(make_suite, SameCode((b, c)), plan, a=100.1)
    assert [missing.identity for missing in others.ledger.missing] == [d]


def test_both_sides_must_say_so(names: tuple[Identity, ...]) -> None:
    _, b, c, _ = names
    base = replace(make_suite(a=100.0), same_code=SameCode((b, c)))
    head = replace(make_suite(a=100.1), same_code=SameCode((c,)))
    assert compare(base, head).ledger.same_code == (c,)
    assert compare(base, make_suite(a=100.1)).ledger.same_code == ()


def test_what_has_a_result_is_compared(names: tuple[Identity, ...]) -> None:
    a, b, *_ = names
    comparison = compared(make_suite, SameCode((a, b)), a=100.1, b=100.1)
    assert comparison.ledger.same_code == ()
    assert comparison.ledger.compared == (a, b)


def test_no_verdict_counts_a_control(names: tuple[Identity, ...]) -> None:
    a, b, *_ = names
    comparison = compared(make_suite, SameCode((), (b,)), a=100.1, b=150.0)
    assert [change.identity for change in comparison.changes] == [a]
    assert [(c.identity, c.outcome) for c in comparison.controls] == [(b, "regression")]
    assert comparison.verdict == "unchanged"
    assert comparison.ledger.controls == (b,)
    assert comparison.metrics.changes == ()


@looped("measured", [{}, {"a": 100.1}])
def test_where_nothing_can_have_changed_that_is_the_verdict(
    measured: dict[str, float], names: tuple[Identity, ...]
) -> None:
    a, b, c, _ = names
    comparison = compared(make_suite, SameCode((b, c), (a,)), None, **measured)
    assert comparison.verdict == "same code"
    assert reasons_to_fail(comparison, parse_fail_on(DEFAULT)) == ()
    assert comparison.remarks == ()


def test_nothing_at_all_is_still_incomplete() -> None:
    comparison = compared(make_suite, SameCode())
    assert comparison.verdict == "incomplete"
