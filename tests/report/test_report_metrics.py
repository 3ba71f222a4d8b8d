"""Allocation in a report: one line where nothing changed, and rows of its own where it did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from steady.compare import Acceptance, Change, Comparison, Estimate, Outcome
from steady.compare.comparison import MetricComparison
from steady.model import Identity
from steady.report.change_rows import metric_sentence
from steady.report.findings import findings
from steady.report.terminal import terminal
from steady.report.verdict import verdict_words
from steady.text.numbers import NO_BREAK
from tests.report.from_comparison import comment, html, summary

MakeComparison = Callable[..., Comparison]
ALLOCATION = "gc.alloc.rate.norm"


def metric(
    number: int, outcome: Outcome, base: float = 64.0, head: float = 64.0, name: str = ALLOCATION
) -> Change:
    before, after = (Estimate(float(value), value, value, 5, 25) for value in (base, head))
    identity = Identity(f"org.example.bench.Bench.method{number}")
    return Change(identity, "B/op", "lower", before, after, outcome, 0.01, metric=name)


def of(comparison: Comparison, *changes: Change, **more: object) -> Comparison:
    return replace(comparison, metrics=MetricComparison(changes, **more))  # type: ignore[arg-type]


def test_where_nothing_changed_there_is_one_line(make_comparison: MakeComparison) -> None:
    plain = make_comparison(unchanged=3)
    found = of(plain, *(metric(i, "unchanged") for i in range(3)))
    line = "Allocation: unchanged in 3 of 3."
    assert metric_sentence(found) == line
    assert comment(found).replace(f"{line}", "").split() == comment(plain).split()
    assert line in terminal(found)
    assert line in html(found)
    assert verdict_words(found) == verdict_words(plain)


def test_without_metrics_nothing_is_said(make_comparison: MakeComparison) -> None:
    assert metric_sentence(make_comparison(unchanged=3)) == ""


def test_what_changed_has_rows_and_stands_in_the_heading(make_comparison: MakeComparison) -> None:
    found = of(
        make_comparison(unchanged=4),
        metric(0, "regression", 64, 96),
        metric(1, "regression", 0, 32),
        metric(2, "improvement", 96, 48),
        metric(3, "unchanged"),
    )
    assert verdict_words(found).first == "2 benchmarks allocate more"
    assert metric_sentence(found) == (
        "Allocation: worse in 2, better in 1 (by up to 50.0 %), unchanged in 1."
    ).replace("50.0 %", f"50.0{NO_BREAK}%")
    for text in (terminal(found), html(found)):
        assert "Allocation regressions" in text
        assert "Allocation improvements" in text
        assert ALLOCATION in text
        assert text.index("Allocation regressions") < text.index("Allocation improvements")
    for text in (comment(found), summary(found)):
        assert "### 🔴 2 benchmarks allocate more\n" in text
        rows = [
            line
            for line in text.replace(NO_BREAK, " ").splitlines()
            if line[:3] in ("| 🔴", "| 🟢")
        ]
        assert rows == [
            f"| 🔴 +32 B/op worse | `Bench.method1` {ALLOCATION} | 0 → 32 B/op |",
            f"| 🔴 +50.0 % worse | `Bench.method0` {ALLOCATION} | 64 → 96 B/op |",
            f"| 🟢 −50.0 % better | `Bench.method2` {ALLOCATION} | 96 → 48 B/op |",
        ]
    text = terminal(found, width=200).replace(NO_BREAK, " ")
    assert "+32 B/op (worse)" in text
    assert "0 B/op" in text
    assert "32 B/op" in text


def test_what_cannot_be_told_is_counted(make_comparison: MakeComparison) -> None:
    plain = make_comparison(unchanged=3)
    noisy = of(plain, metric(0, "unchanged"), metric(1, "unclear"), metric(2, "unclear"))
    assert metric_sentence(noisy) == (
        "Allocation: unchanged in 1 of 3, too different between forks to tell in 2."
    )
    few = of(plain, replace(metric(0, "unclear"), lacking="too few forks"))
    assert metric_sentence(few) == "Allocation: too few forks to tell in 1."


def test_benchmarks_are_counted_and_not_their_metrics(make_comparison: MakeComparison) -> None:
    both = [metric(n, "unchanged", name=name) for n in (0, 1) for name in ("B/op", "allocs/op")]
    found = of(make_comparison(unchanged=2), *both)
    assert metric_sentence(found) == "Allocation: unchanged in 2 of 2."
    found = of(make_comparison(unchanged=2), *both, metric(0, "unchanged", name="rows/op"))
    assert metric_sentence(found) == "Metrics: unchanged in 2 of 2."


def test_what_was_asked_for_is_listed_whatever_became_of_it(
    make_comparison: MakeComparison,
) -> None:
    rows = metric(0, "unchanged"), metric(1, "unchanged", name="B/op")
    count = metric(0, "unclear", 3, 5, name="gc.count")
    found = of(make_comparison(unchanged=2), *rows, shown=(count,), asked=("gc.count", "B/op"))
    text = comment(found)
    assert "2 further results, as asked" in text
    assert "gc.count" in text
    assert ALLOCATION not in text
    everything = of(make_comparison(unchanged=2), *rows, shown=(count,), asked=("all",))
    assert "3 further results, as asked" in comment(everything)


def test_an_accepted_change_names_its_metric(make_comparison: MakeComparison) -> None:
    entry = Acceptance("*", "keeps a copy", bound=1.0, metric=ALLOCATION)
    accepted = replace(metric(0, "regression", 64, 96), accepted=entry)
    found = of(make_comparison(unchanged=1), accepted)
    assert verdict_words(found).first == "No change found in 1 benchmark"
    assert metric_sentence(found) == "Allocation: 1 change is accepted."
    text = comment(found)
    assert "keeps a copy" in text
    assert ALLOCATION in text


def test_findings_say_from_what_to_what(make_comparison: MakeComparison) -> None:
    found = of(
        make_comparison(unchanged=2),
        metric(0, "regression", 0, 32),
        metric(1, "improvement", 64, 48),
    )
    said = [(one.level, one.message.replace(NO_BREAK, " ")) for one in findings(found)]
    assert said == [
        ("warning", f"Bench.method0: {ALLOCATION} from 0 B/op to 32 B/op"),
        ("notice", f"Bench.method1: {ALLOCATION} from 64 B/op to 48 B/op (−25.0 %)"),
    ]


@pytest.mark.parametrize("name", ["<img src=x>", "|`@everyone`|", "::error::"])
def test_a_metric_s_name_is_a_stranger_s_text(name: str, make_comparison: MakeComparison) -> None:
    found = of(make_comparison(unchanged=1), metric(0, "regression", 64, 96, name=name))
    assert "<img" not in comment(found).replace("\\<", "")
    assert "| `@everyone` |" not in comment(found)
    assert "<img src=x>" not in html(found)
    assert not any(line.startswith("::") for line in terminal(found).splitlines())


def test_where_no_verdict_is_allowed_none_is_given(make_comparison: MakeComparison) -> None:
    found = of(make_comparison(unchanged=1), metric(0, "regression", 64, 96))
    forbidden = replace(found, comparable=False)
    assert metric_sentence(forbidden) == ""
    assert "alloca" not in verdict_words(forbidden).first
