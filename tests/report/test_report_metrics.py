"""Metrics in a report; ``situations`` has the reports of changed allocation."""

from dataclasses import replace

import pytest

from steady.compare import Comparison
from steady.compare.summary import Summary
from steady.report.sentences import metric_sentence
from steady.report.verdict import verdict_words
from steady.text.numbers import NO_BREAK
from tests.looped import looped
from tests.report.from_comparison import comment, html, terminal
from tests.report.made import counted
from tests.report.situations import metric, with_metrics

SAME = counted(unchanged=3)
FEW = replace(metric(0, "unclear"), lacking="too few forks")
BOTH = [metric(n, "unchanged", name=name) for n in (0, 1) for name in ("B/op", "allocs/op")]
WORSE = with_metrics(SAME, metric(0, "regression", 64, 96))


@looped(
    ("found", "sentence"),
    [
        (SAME, ""),
        (
            with_metrics(SAME, *(metric(i, "unchanged") for i in range(3))),
            "Allocation: unchanged in 3 of 3.",
        ),
        (
            with_metrics(SAME, metric(0, "unchanged"), *(metric(n, "unclear") for n in (1, 2))),
            "Allocation: unchanged in 1 of 3, unclear in 2 (forks differ too much).",
        ),
        (with_metrics(SAME, FEW), "Allocation: unclear in 1 (too few forks)."),
        # The sentence counts benchmarks, not metrics.
        (with_metrics(SAME, *BOTH), "Allocation: unchanged in 2 of 2."),
        (
            with_metrics(SAME, *BOTH, metric(0, "unchanged", name="rows/op")),
            "Metrics: unchanged in 2 of 2.",
        ),
        (WORSE, f"Allocation: worse in 1 (by up to 50.0{NO_BREAK}%)."),
        # There is no verdict if environments are not comparable.
        (replace(WORSE, comparable=False), ""),
    ],
)
def test_outcomes_of_metrics_are_one_sentence(found: Comparison, sentence: str) -> None:
    assert metric_sentence(Summary.of(found)) == sentence
    if found.comparable and "worse" not in sentence:
        assert "alloca" not in verdict_words(Summary.of(found)).first
        # No other part of the report mentions them.
        without = comment(replace(found, metrics=SAME.metrics))
        assert comment(found).replace(sentence, "").split() == without.split()
        assert sentence in terminal(found)
        assert sentence in html(found)


def test_requested_metrics_are_listed_whatever_their_outcome() -> None:
    rows = metric(0, "unchanged"), metric(1, "unchanged", name="B/op")
    count = metric(0, "unclear", 3, 5, name="gc.count")
    text = comment(with_metrics(SAME, *rows, shown=(count,), asked=("gc.count", "B/op")))
    assert "2 secondary metrics, as requested" in text
    assert "gc.count" in text
    assert "gc.alloc.rate.norm" not in text
    everything = with_metrics(SAME, *rows, shown=(count,), asked=("all",))
    assert "3 secondary metrics, as requested" in comment(everything)


@pytest.mark.parametrize("name", ["<img src=x>", "|`@everyone`|", "::error::"])
def test_a_metric_s_name_is_untrusted_text(name: str) -> None:
    found = with_metrics(SAME, metric(0, "regression", 64, 96, name=name))
    assert "<img" not in comment(found).replace("\\<", "")
    assert "| `@everyone` |" not in comment(found)
    assert "<img src=x>" not in html(found)
    assert not any(line.startswith("::") for line in terminal(found).splitlines())
