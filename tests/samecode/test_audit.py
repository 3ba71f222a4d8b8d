"""Decisions held against a run that left nothing out."""

from __future__ import annotations

from pathlib import Path

import pytest

from steady.errors import InputError
from steady.model import Identity
from steady.samecode.decision import Audit, Decision, Measured, audit_results, decided, summary

ONE, TWO, OTHER = Identity("a.one"), Identity("a.two"), Identity("a.other")
DECISIONS = (Decision(ONE), Decision(TWO), Decision(OTHER, "loads a.B, which changed"))


def test_what_is_the_same_should_not_have_changed() -> None:
    results = [
        Measured(ONE, "unchanged", "+0.1%"),
        Measured(TWO, "regression", "+9.0%"),
        Measured(OTHER, "improvement", "-50%"),
    ]
    assert audit_results(DECISIONS, results, Path("out")) == Audit(
        (
            "2 benchmarks with the same code: 1 regression, 1 unchanged",
            "a.two: regression, +9.0%",
        ),
        failed=True,
    )
    assert not audit_results(DECISIONS, results[:1], Path("out")).failed


def test_other_benchmarks_say_nothing() -> None:
    with pytest.raises(InputError, match="out: holds none of the benchmarks with the same code"):
        audit_results(DECISIONS, [Measured(OTHER, "unchanged", "0%")], Path("out"))


def test_only_what_both_versions_have_can_be_the_same() -> None:
    decisions = decided({"base": [ONE, TWO], "head": [TWO, OTHER]}, lambda _: "")
    assert [(one.identity, one.why) for one in decisions] == [
        (ONE, "only in base"),
        (TWO, ""),
        (OTHER, "only in head"),
    ]
    assert summary(decisions) == "1 of 3 benchmarks runs the same compiled code"
