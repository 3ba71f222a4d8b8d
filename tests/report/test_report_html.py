"""The HTML page: self-contained, escaped, bounded, everything in it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import steady.report.html as html_module
from steady.compare import Comparison, compare
from steady.errors import InputError
from steady.model import Benchmark, Identity, Level, Suite
from steady.optimize.suite_plan import Plan
from steady.report import strips
from steady.report.fork_pictures import MOST_POINTS_PER_FORK, POINTS
from steady.report.names import anchor
from steady.report.provenance import Fact, Runs
from steady.report.report_files import write_report
from tests.report.from_comparison import html

MakeComparison = Callable[..., Comparison]
VOID = {"meta", "br", "wbr"}


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
        "Nightly: 2 of 4 benchmarks became slower, by up to 42.0 %",
        "2 regressions",
        "1 improvement ",
        "1 unchanged",
        "+42.0 % slower",
        "+40.0 % to +44.0 %",
        "99.0 to 101.0",
        "OutOfMemoryError | x",
        "removed or renamed: only in base; renamed to B.newName?",
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
    assert "4 have no result to compare" in text.partition("<h2>")[0]


def test_what_is_cut_has_an_arrow_and_keeps_its_figures(make_comparison: MakeComparison) -> None:
    comparison = make_comparison(unchanged=20)
    wide = replace(comparison.changes[0], interval=(-0.5, 5.0))
    text = html(replace(comparison, changes=(wide, *comparison.changes[1:])))
    (arrows,) = re.findall(r'<path class="beyond-same" d="([^"]*)"', text)
    assert re.fullmatch(r"M0 1v14l-9 -7zM240 1v14l9 -7z", arrows)
    assert "−50.0 % to +500 %" in text.replace("\u00a0", " ")
    assert ">+5\u00a0%</text>" in text


def test_it_needs_nothing_else(eventful: Comparison, plan: Plan, full_suite: Suite) -> None:
    page = Page(html(eventful, plan, runs=Runs(full=full_suite)))
    assert not {"link", "img", "iframe", "object", "base", "form"} & set(page.tags)
    names = {name for name, _ in page.attributes}
    assert not {name for name in names if name.startswith("on")} | ({"src"} & names)
    links = [value or "" for name, value in page.attributes if name == "href"]
    assert links
    assert all(link.startswith("#") for link in links)
    assert "url(" not in html(eventful, plan)
    assert "prefers-color-scheme: dark" in html(eventful)


def test_its_one_script_is_the_only_one_that_may_run(eventful: Comparison) -> None:
    text = html(eventful)
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    directives = policy.split("; ")
    assert "default-src 'none'" in directives
    assert f"script-src 'sha256-{digest}'" in directives
    assert "unsafe-eval" not in policy
    assert "innerHTML" not in script


def test_every_benchmark_has_an_address(
    eventful: Comparison, plan: Plan, full_suite: Suite
) -> None:
    text = html(eventful, plan, runs=Runs(base=full_suite, head=full_suite))
    addresses = re.findall(r' id="([^"]*)"', text)
    assert len(addresses) == len(set(addresses))
    named = [*eventful.ledger.identities]
    assert {anchor(identity) for identity in named} <= set(addresses)
    links = set(re.findall(r'href="#([^"]*)"', text))
    assert links <= set(addresses)
    assert f"{anchor(full_suite.benchmarks[0].identity)}-forks" in links


def test_names_that_differ_little_have_addresses_of_their_own(
    make_comparison: MakeComparison,
) -> None:
    names = [Identity("a.b"), Identity("a_b"), Identity("a b"), Identity("<>"), Identity("\ud800")]
    assert len({anchor(identity) for identity in names}) == 5
    assert all(re.fullmatch(r"[A-Za-z0-9-]+", anchor(identity)) for identity in names)


def test_what_did_not_change_is_folded(make_comparison: MakeComparison) -> None:
    text = html(make_comparison(1, 1, 30, 3))
    assert '<section class="chapter">\n<h2>Changed</h2>' in text
    assert '<details class="chapter">\n<summary><h2>Unchanged</h2>' in text
    assert '<details class="chapter" open>\n<summary><h2>Unclear</h2>' in text
    assert "<summary><h2>Unclear</h2>" in html(make_comparison(0, 0, 0, 30))
    assert " open>" not in html(make_comparison(0, 0, 0, 30))


def test_strips_show_forks_and_rounds() -> None:
    levels = (Level("fork"), Level("iteration"))
    values = np.random.default_rng(1).normal(100, 1, (4, 20))
    sides = [
        Suite((Benchmark(Identity("b"), "ns/op", table, levels, blocks=("1", "2", "3", "4")),))
        for table in (values, values * 1.2)
    ]
    text = html(compare(*sides), runs=Runs(base=sides[0], head=sides[1]))
    for kind in ("base", "head", "rounds"):
        (marks,) = re.findall(rf'<path class="marks of-{kind}" d="([^"]*)"', text)
        assert marks.count("M") == 4
    assert "median of each fork of base: " in text
    assert "head against base within each round: +20.0" in text
    assert "upright marks the change within each round" in text
    assert "upright marks" not in html(compare(*sides))


def test_the_head_of_the_page_says_what_was_measured_where(eventful: Comparison) -> None:
    hostile = Fact("Commit", "abc<script>", "def\u202e")
    text = Page(html(eventful, known=[hostile])).text
    assert "base: abc<script>" in text
    assert "head: def\\u202e" in text


def test_hostile_text_is_text(hostile: Comparison) -> None:
    page = Page(html(hostile, title="</title><script>alert(1)</script>"))
    assert "img" not in page.tags
    assert page.tags.count("script") == 1
    assert "<img src=x onerror=alert(1)>" in page.text
    assert "\u202e" not in page.text
    assert "<script>alert(1)</script>" in page.text


def lines(text: str) -> list[str]:
    """Return the paths of all forks that are drawn one by one."""
    return re.findall(r'<path class="line [^"]*" d="([^"]*)"', text)


def test_every_fork_is_drawn_with_what_is_measured_of_it(
    eventful: Comparison, plan: Plan, full_suite: Suite
) -> None:
    text = html(eventful, plan, runs=Runs(full=full_suite))
    assert "&lt;b&gt;no&lt;/b&gt; steady state" in text
    assert len(lines(text)) == 6
    assert "full 3: median" in text
    assert "measured: 10 iterations, from 51 on" in text
    longest = max(len(re.findall(r"-?\d+", path)) / 2 for path in lines(text))
    assert longest == MOST_POINTS_PER_FORK


def test_a_plan_frames_nothing_in_results_that_it_was_not_made_from(
    plan: Plan, full_suite: Suite
) -> None:
    others = Suite(tuple(b.with_measurements(b.measurements * 2) for b in full_suite.benchmarks))
    comparison = compare(others, others)
    text = html(comparison, plan, runs=Runs(base=others, head=others))
    assert len(lines(text)) == 12
    assert "measured: 10 iterations" not in text
    assert "measured: 400 iterations, from 1 on" in text


def test_warmup_is_shaded_and_what_is_measured_is_framed() -> None:
    levels = (Level("fork"), Level("iteration"))
    suite = Suite((Benchmark(Identity("b"), "ns/op", np.ones((2, 10)), levels, warmup=5),))
    text = html(compare(suite, suite), runs=Runs(base=suite))
    (warmup,) = re.findall(r'<rect class="warmup" width="(\d+)" height="96"', text)
    assert warmup == "125"
    assert "measured: 5 iterations, from 6 on" in text
    assert '<path class="window" d="M125 0v96h125v-96"' in text


def test_the_page_is_bounded_and_says_what_is_not_drawn(
    make_comparison: MakeComparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html_module, "MOST_CHARACTERS", 100_000)
    levels = (Level("fork"), Level("iteration"))
    values = np.random.default_rng(1).normal(100, 1, (10, 100))
    comparison = make_comparison(20, 0, 80)
    suite = Suite(tuple(Benchmark(c.identity, "ns/op", values, levels) for c in comparison.changes))
    text = html(comparison, runs=Runs(base=suite))
    drawings = re.findall(r'<svg class="side".*?</svg>', text)
    assert 90_000 < sum(map(len, drawings)) <= 100_000
    longest = max(len(re.findall(r"-?\d+", path)) / 2 for path in lines(text))
    assert longest == POINTS // 1_000
    assert f"{100 - len(drawings)} more benchmarks are not drawn" in text
    drawn = re.findall(r"<h3><code>(.*?)</code>", text)
    assert drawn[0].replace("<wbr>", "").endswith("method19")


def test_a_page_of_very_many_rows_draws_the_most_important_ones(
    make_comparison: MakeComparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    comparison = make_comparison(20, 0, 80)
    whole = html(comparison)
    assert whole.count('<svg class="strip"') == 100
    assert "rows have a picture" not in whole
    monkeypatch.setattr(strips, "MOST_STRIPS", 30)
    text = html(comparison)
    assert text.count('<svg class="strip"') == 30
    assert "Only the first 30 rows have a picture." in text
    assert text.count("<tr id=") == whole.count("<tr id=")
    assert "no scale" not in text
    plain = re.compile(r'<svg class="strip".*?</svg>|\n| Only the first 30 rows have a picture\.')
    assert plain.sub("", text) == plain.sub("", whole)
    last = text.rindex('<svg class="strip"')
    assert text.index("method0") < last < text.index("method99")


def test_an_empty_comparison_is_a_page(make_comparison: MakeComparison) -> None:
    assert "Nothing was compared, so this is not a pass" in Page(html(make_comparison())).text


def test_without_a_verdict_nothing_is_called_a_regression(eventful: Comparison) -> None:
    assert "2 would-be regressions" in html(replace(eventful, comparable=False))


def test_the_same_comparison_gives_the_same_page(
    eventful: Comparison, plan: Plan, full_suite: Suite
) -> None:
    pages = {html(eventful, plan, Runs(full=full_suite)) for _ in range(2)}
    assert len(pages) == 1


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
