"""Decisions about the benchmarks of base and head, counted."""

from __future__ import annotations

from steady.model import Identity
from steady.samecode.decision import decided, summary

ONE, TWO, OTHER = Identity("a.one"), Identity("a.two"), Identity("a.other")


def test_only_what_both_versions_have_can_be_the_same() -> None:
    decisions = decided({"base": [ONE, TWO], "head": [TWO, OTHER]}, lambda _: "")
    assert [(one.identity, one.why) for one in decisions] == [
        (ONE, "only in base"),
        (TWO, ""),
        (OTHER, "only in head"),
    ]
    assert summary(decisions) == "1 of 3 benchmarks runs the same code"
