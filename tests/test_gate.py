from __future__ import annotations

import pytest

from steady.compare import Change, Comparison, Estimate, Ledger, Missing, Outcome
from steady.errors import InputError
from steady.judging import DEFAULT, parse_fail_on, reasons_to_fail
from steady.model import Identity

SLOW = Identity("B.slow")
GONE = Identity("B.gone")
ALL = parse_fail_on(DEFAULT)


def comparison(
    *,
    slower: bool = False,
    missing: bool = False,
    comparable: bool = True,
    outcome: Outcome = "unchanged",
) -> Comparison:
    side = Estimate(1.0, 0.9, 1.1, 3, 30)
    change = Change(SLOW, "ns/op", "lower", side, side, "regression" if slower else outcome, 0.03)
    gaps = (Missing(GONE, "head", "no result"),) if missing else ()
    return Comparison((change,), Ledger((SLOW,), missing=gaps), comparable=comparable)


def test_each_condition_is_seen_by_itself() -> None:
    assert reasons_to_fail(comparison(), ALL) == ()
    assert reasons_to_fail(comparison(slower=True), ALL) == ("regression",)
    assert reasons_to_fail(comparison(missing=True), ALL) == ("incomplete",)
    assert reasons_to_fail(comparison(comparable=False), ALL) == ("not-comparable",)


def test_what_cannot_be_told_fails_only_where_that_is_asked_for() -> None:
    unclear = comparison(outcome="unclear")
    assert reasons_to_fail(unclear, ALL) == ()
    assert reasons_to_fail(unclear, parse_fail_on("regression,unclear")) == ("unclear",)
    assert reasons_to_fail(comparison(), parse_fail_on("unclear")) == ()


def test_a_regression_does_not_hide_what_is_missing() -> None:
    both = comparison(slower=True, missing=True)
    assert reasons_to_fail(both, ALL) == ("regression", "incomplete")
    assert reasons_to_fail(both, parse_fail_on("incomplete")) == ("incomplete",)


def test_without_a_verdict_there_is_no_regression() -> None:
    forbidden = comparison(slower=True, comparable=False)
    assert reasons_to_fail(forbidden, parse_fail_on("regression")) == ()


def test_nothing_compared_is_not_green() -> None:
    assert reasons_to_fail(Comparison((), Ledger(())), ALL) == ("incomplete",)


def test_never_stands_alone() -> None:
    assert parse_fail_on(" never ") == frozenset()
    for text in ("never,regression", "", "red", ","):
        with pytest.raises(InputError, match="fail-on is"):
            parse_fail_on(text)
