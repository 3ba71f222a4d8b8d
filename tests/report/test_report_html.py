"""The HTML page: self-contained, escaped and bounded; ``situations`` has its text."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import steady.report.html as html_module
from steady.compare import compare
from steady.errors import InputError
from steady.model import Benchmark, Identity, Suite
from steady.report import strips
from steady.report.content import ReportData
from steady.report.fork_pictures import MOST_POINTS_PER_FORK, POINTS
from steady.report.names import anchor
from steady.report.output_formats import write_report
from steady.report.provenance import Fact, Runs
from tests.report.from_comparison import html
from tests.report.made import LEVELS, counted, eventful, full_suite, hostile, plan
from tests.report.page import Page, assert_needs_nothing_else


def test_clipped_intervals_have_an_arrow_and_keep_their_numbers() -> None:
    comparison = counted(unchanged=20)
    wide = replace(comparison.changes[0], interval=(-0.5, 5.0))
    text = html(replace(comparison, changes=(wide, *comparison.changes[1:])))
    (arrows,) = re.findall(r'<path class="beyond-same" d="([^"]*)"', text)
    assert re.fullmatch(r"M0 1v14l-9 -7zM240 1v14l9 -7z", arrows)
    assert "−50.0 % to +500 %" in text.replace("\u00a0", " ")
    assert ">+5\u00a0%</text>" in text


def test_the_page_is_self_contained_and_only_its_script_can_run() -> None:
    text = html(eventful(), plan(), runs=Runs(full=full_suite()))
    assert_needs_nothing_else(text)


def test_every_benchmark_has_an_anchor() -> None:
    suite, comparison = full_suite(), eventful()
    text = html(comparison, plan(), runs=Runs(base=suite, head=suite))
    addresses = re.findall(r' id="([^"]*)"', text)
    assert len(addresses) == len(set(addresses))
    assert set(map(anchor, comparison.ledger.identities)) <= set(addresses)
    links = set(re.findall(r'href="#([^"]*)"', text))
    assert links <= set(addresses)
    assert f"{anchor(suite.benchmarks[0].identity)}-forks" in links
    alike = {anchor(Identity(name)) for name in ("a.b", "a_b", "a b", "<>", "\ud800")}
    assert len(alike) == 5
    assert all(re.fullmatch(r"[A-Za-z0-9-]+", one) for one in alike)


def test_unchanged_benchmarks_are_folded() -> None:
    text, unclear = html(counted(1, 1, 30, 3)), html(counted(unclear=30))
    assert '<section class="chapter">\n<h2>Changed</h2>' in text
    assert '<details class="chapter">\n<summary><h2>Unchanged</h2>' in text
    assert '<details class="chapter" open>\n<summary><h2>Unclear</h2>' in text
    assert "<summary><h2>Unclear</h2>" in unclear
    assert " open>" not in unclear
    assert "Nothing was compared, so this is not a pass" in html(counted())


def test_strips_show_forks_and_rounds() -> None:
    values = np.random.default_rng(1).normal(100, 1, (4, 20))
    sides = [
        Suite((Benchmark(Identity("b"), "ns/op", table, LEVELS, blocks=("1", "2", "3", "4")),))
        for table in (values, values * 1.2)
    ]
    text = html(compare(*sides), runs=Runs(base=sides[0], head=sides[1]))
    for kind in ("base", "head", "rounds"):
        (marks,) = re.findall(rf'<path class="marks of-{kind}" d="([^"]*)"', text)
        assert marks.count("M") == 4
    assert "median of each fork of base: " in text
    assert "change within each round: +20.0" in text
    assert "Vertical ticks: the change within each round" in text
    assert "upright marks" not in html(compare(*sides))


def test_hostile_text_is_escaped_on_the_page() -> None:
    fact = Fact("Commit", "abc<script>", "def\u202e")
    page = Page(html(hostile(), title="</title><script>alert(1)</script>", known=[fact]))
    assert "img" not in page.tags
    assert page.tags.count("script") == 1
    assert "\u202e" not in page.text
    for shown in (
        *("<img src=x onerror=alert(1)>", "<script>alert(1)</script>"),
        *("base: abc<script>", "head: def\\u202e"),
    ):
        assert shown in page.text


def lines(text: str) -> list[str]:
    """Return the paths of all individually drawn forks."""
    return re.findall(r'<path class="line [^"]*" d="([^"]*)"', text)


def points(text: str) -> float:
    """Return the number of points of the longest path."""
    return max(len(re.findall(r"-?\d+", path)) / 2 for path in lines(text))


def test_every_fork_is_drawn_with_its_measured_iterations() -> None:
    suite = full_suite()
    text = html(eventful(), plan(), runs=Runs(full=suite))
    assert "&lt;b&gt;no&lt;/b&gt; steady state" in text
    assert len(lines(text)) == 6
    assert "full 3: median" in text
    assert "measured: 10 iterations, from 51 on" in text
    assert points(text) == MOST_POINTS_PER_FORK
    # A plan's window is only framed in the results from which it was made.
    others = Suite(tuple(b.with_measurements(b.measurements * 2) for b in suite.benchmarks))
    text = html(compare(others, others), plan(), runs=Runs(base=others, head=others))
    assert len(lines(text)) == 12
    assert "measured: 10 iterations" not in text
    assert "measured: 400 iterations, from 1 on" in text


def test_warmup_is_shaded_and_the_measurement_is_framed() -> None:
    suite = Suite((Benchmark(Identity("b"), "ns/op", np.ones((2, 10)), LEVELS, warmup=5),))
    text = html(compare(suite, suite), runs=Runs(base=suite))
    (warmup,) = re.findall(r'<rect class="warmup" width="(\d+)" height="96"', text)
    assert warmup == "125"
    assert "measured: 5 iterations, from 6 on" in text
    assert '<path class="window" d="M125 0v96h125v-96"' in text


def test_the_page_is_bounded_and_counts_omitted_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_module, "MOST_CHARACTERS", 100_000)
    values = np.random.default_rng(1).normal(100, 1, (10, 100))
    comparison = counted(20, 0, 80)
    suite = Suite(tuple(Benchmark(c.identity, "ns/op", values, LEVELS) for c in comparison.changes))
    text = html(comparison, runs=Runs(base=suite))
    drawings = re.findall(r'<svg class="side".*?</svg>', text)
    assert 90_000 < sum(map(len, drawings)) <= 100_000
    assert points(text) == POINTS // 1_000
    assert f"{100 - len(drawings)} more benchmarks are not drawn" in text
    drawn = re.findall(r"<h3><code>(.*?)</code>", text)
    assert drawn[0].replace("<wbr>", "").endswith("method19")


def test_only_the_most_important_of_very_many_rows_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    comparison = counted(20, 0, 80)
    whole = html(comparison)
    assert whole.count('<svg class="strip"') == whole.count("<tr id=") == 100
    assert "rows have a picture" not in whole
    monkeypatch.setattr(strips, "MOST_STRIPS", 30)
    text = html(comparison)
    assert text.count('<svg class="strip"') == 30
    assert "Only the first 30 rows have a picture." in text
    assert "no scale" not in text
    plain = re.compile(r'<svg class="strip".*?</svg>|\n| Only the first 30 rows have a picture\.')
    assert plain.sub("", text) == plain.sub("", whole)
    last = text.rindex('<svg class="strip"')
    assert text.index("method0") < last < text.index("method99")


def test_the_folder_has_all_files(tmp_path: Path) -> None:
    paths = write_report(tmp_path / "out", ReportData(comparison=eventful(), plan=plan()))
    assert [path.name for path in paths] == [
        "comment.md", "summary.md", "report.html", "comparison.json",
    ]  # fmt: skip
    assert paths[0].read_text().startswith("<!-- steady:default -->\n")
    assert "<!-- steady" not in paths[1].read_text()
    assert json.loads(paths[3].read_text())["verdict"] == "regression"
    with pytest.raises(InputError, match="cannot be written"):
        write_report(paths[0], ReportData(comparison=eventful()))
