"""What reports say of benchmarks that run the same code in base and in head."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from steady.compare import Change, Comparison, Ledger
from steady.model import Identity
from steady.report.terminal import terminal
from tests.report.from_comparison import comment, html

MakeChange = Callable[..., Change]

SKIPPED = tuple(Identity(f"org.demo.Bench.skipped{number}") for number in range(12))


def comparison_of(changes: tuple[Change, ...], controls: tuple[Change, ...]) -> Comparison:
    measured = tuple(change.identity for change in (*changes, *controls))
    ledger = Ledger(
        measured, same_code=SKIPPED, controls=tuple(change.identity for change in controls)
    )
    return Comparison(changes, ledger, controls=controls, options={"min_change": 0.03})


def said(comparison: Comparison) -> list[str]:
    """Return what comment, terminal and page say, each on one line."""
    texts = comment(comparison), terminal(comparison), html(comparison)
    return [" ".join(text.split()) for text in texts]


def test_every_report_counts_what_was_not_measured(make_change: MakeChange) -> None:
    changes = (make_change("a", 0.1, "regression"), make_change("b", 0.001, "unchanged"))
    controls = (make_change("c", 0.001, "unchanged"), make_change("d", 0.001, "unclear"))
    for text in said(comparison_of(changes, controls)):
        assert "14 of 16 benchmarks run the same code, and 12 of them were not" in text
        assert "As a check, 2 benchmarks with unchanged code were measured: no false alarm." in text


def test_where_nothing_can_have_changed_the_heading_says_so(make_change: MakeChange) -> None:
    comparison = comparison_of((), (make_change("c", 0.001, "unchanged"),))
    for text in said(comparison):
        assert "Nothing changed: 13 benchmarks run the same code" in text
        assert "Nothing was compared" not in text


def test_a_false_alarm_is_a_warning(make_change: MakeChange) -> None:
    changes = (make_change("a", 0.001, "unchanged"),)
    comparison = comparison_of(changes, (make_change("c", 0.1, "regression"),))
    assert comparison.verdict == "unchanged"
    for text in said(comparison):
        assert "As a check, 1 benchmark with unchanged code was measured: 1 false alarm." in text
        assert "1 control seems to have changed" in text
        assert "may be false alarms too" in text


def test_without_a_list_nothing_is_said(make_change: MakeChange) -> None:
    comparison = comparison_of((make_change("a", 0.001, "unchanged"),), ())
    bare = replace(comparison, ledger=Ledger(comparison.ledger.compared))
    for text in said(bare):
        assert "same code" not in text
        assert "control" not in text.replace("controls", "")
