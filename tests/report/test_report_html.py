"""The HTML page: self-contained, escaped, bounded, everything in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from steady.compare import Comparison, compare
from steady.errors import InputError
from steady.model import Benchmark, Identity, Level, Suite
from steady.optimize.plan import Plan
from steady.report.folder import write_report
from steady.report.forks_view import MOST_POINTS, MOST_POINTS_PER_FORK
from steady.report.html import html

MakeComparison = Callable[..., Comparison]
VOID = {"meta", "br", "wbr", "rect", "path", "polyline"}


class Page(HTMLParser):
    """Checks that tags nest, and collects what a test asks for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_everything_that_happened_is_on_the_page(eventful: Comparison, plan: Plan) -> None:
    page = Page(html(eventful, plan, title="Nightly"))
    text = re.sub(r"\s+", " ", page.text)
    for part in (
        "Nightly: regression",
        "2 of 4 benchmarks became slower, by up to 42.0 %",
        "2 regressions",
        "1 improvement ",
        "1 unchanged",
        "+42.0 % slower",
        "+40.0 % to +44.0 %",
        "99.0 to 101.0",
        "OutOfMemoryError | x",
        "gone: only in base; renamed to B.newName?",
        "Xeon 8370C",
        "only 2 of 3 forks of head left a result",
        "Planned run: 23 min 00 s instead of 40 min 00 s",
        "3 × (50 + 10)",
        "Rule moderated-t, confidence 99 %",
    ):
        assert part in text, part


def test_what_changed_stands_first(eventful: Comparison, plan: Plan) -> None:
    text = html(eventful, plan)
    headings = re.findall(r"<h2>(.*?)</h2>", text)
    assert headings == [
        "Changed", "Not compared", "Different surroundings", "Unchanged",
        "2 notes on single benchmarks", "Plan",
        "How this was decided",
    ]  # fmt: skip
    assert "4 of 8 benchmarks have no result to compare" in text.partition("<h2>")[0]


def test_what_is_cut_has_an_arrow_and_keeps_its_figures(make_comparison: MakeComparison) -> None:
    comparison = make_comparison(unchanged=20)
    wide = replace(comparison.changes[0], interval=(-0.5, 5.0))
    text = html(replace(comparison, changes=(wide, *comparison.changes[1:])))
    assert text.count('<path class="bar-same" d="M0 10v') == 1
    assert text.count('<path class="bar-same" d="M240 10v') == 1
    assert "−50.0 % to +500 %" in text.replace("\u00a0", " ")
    assert ">+5\u00a0%</text>" in text


def test_it_needs_nothing_else(eventful: Comparison, plan: Plan, full_suite: Suite) -> None:
    page = Page(html(eventful, plan, full=full_suite))
    assert not {"script", "link", "img", "iframe", "object", "base", "form"} & set(page.tags)
    names = {name for name, _ in page.attributes}
    assert not {name for name in names if name.startswith("on")} | ({"src", "href"} & names)
    assert "url(" not in html(eventful, plan)
    assert "prefers-color-scheme: dark" in html(eventful)


def test_hostile_text_is_text(hostile: Comparison) -> None:
    page = Page(html(hostile, title="</title><script>alert(1)</script>"))
    assert "img" not in page.tags
    assert "script" not in page.tags
    assert "<img src=x onerror=alert(1)>" in page.text
    assert "\u202e" not in page.text
    assert "<script>alert(1)</script>" in page.text


def test_every_fork_is_drawn_with_its_steady_state(plan: Plan, full_suite: Suite) -> None:
    text = html(plan=plan, full=full_suite)
    assert text.count("<polyline") == 6
    assert text.count('class="start"') == 2
    assert "full 2: <b>never steady</b>" in text
    assert "full 3: <b>stands apart</b>" in text
    longest = max(len(points.split()) for points in re.findall(r'points="([^"]*)"', text))
    assert longest == MOST_POINTS_PER_FORK


def test_steady_states_are_not_marked_in_results_they_do_not_belong_to(
    plan: Plan, full_suite: Suite
) -> None:
    others = Suite(tuple(b.with_measurements(b.measurements * 2) for b in full_suite.benchmarks))
    comparison = compare(others, others)
    text = html(comparison, plan, base=others, head=others)
    assert text.count("<polyline") == 12
    assert 'class="start"' not in text


def test_warmup_is_shaded() -> None:
    levels = (Level("fork"), Level("iteration"))
    suite = Suite((Benchmark(Identity("b"), "ns/op", np.ones((2, 11)), levels, warmup=5),))
    text = html(compare(suite, suite), base=suite)
    assert text.count('class="warmup"') == 2
    assert 'width="100.0" height="44"' in text


def test_the_page_is_bounded_and_says_what_is_not_drawn(make_comparison: MakeComparison) -> None:
    levels = (Level("fork"), Level("iteration"))
    values = np.random.default_rng(1).normal(100, 1, (50, 300))
    comparison = make_comparison(20, 0, 230)
    suite = Suite(tuple(Benchmark(c.identity, "ns/op", values, levels) for c in comparison.changes))
    text = html(comparison, base=suite)
    points = sum(len(p.split()) for p in re.findall(r'points="([^"]*)"', text))
    assert 0.9 * MOST_POINTS < points <= MOST_POINTS
    assert len(text) < 6_000_000
    assert "100 more benchmarks are not drawn" in text
    drawn = re.findall(r"<h3>\s*<code>(.*?)</code>", text)
    assert drawn[0].replace("<wbr>", "").endswith("method19")


def test_a_plan_alone_is_a_page(plan: Plan) -> None:
    text = html(plan=plan)
    assert "Benchmarks: plan" in text
    assert "Compared" not in text
    assert "&lt;b&gt;no&lt;/b&gt; steady state" in text


def test_nothing_is_no_page() -> None:
    with pytest.raises(InputError, match="nothing to report"):
        html()


def test_an_empty_comparison_is_a_page(make_comparison: MakeComparison) -> None:
    assert "Nothing was compared, so this is not a pass." in Page(html(make_comparison())).text


def test_without_a_verdict_nothing_is_called_a_regression(eventful: Comparison) -> None:
    assert "2 would-be regressions" in html(replace(eventful, comparable=False))


def test_the_same_comparison_gives_the_same_page(
    eventful: Comparison, plan: Plan, full_suite: Suite
) -> None:
    assert html(eventful, plan, full=full_suite) == html(eventful, plan, full=full_suite)


def test_the_folder_holds_everything(tmp_path: Path, eventful: Comparison, plan: Plan) -> None:
    paths = write_report(tmp_path / "out", eventful, plan)
    assert [path.name for path in paths] == [
        "comment.md", "summary.md", "report.html", "comparison.json",
    ]  # fmt: skip
    assert paths[0].read_text().startswith("<!-- steady:default -->\n")
    assert "<!-- steady" not in paths[1].read_text()
    assert json.loads(paths[3].read_text())["verdict"] == "regression"
    with pytest.raises(InputError, match="cannot be written"):
        write_report(paths[0], eventful)
