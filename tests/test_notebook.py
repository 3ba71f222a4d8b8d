"""What a notebook shows of results, and how they get into other tools."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import steady
from steady.demo import recording
from steady.model import Benchmark, Identity, Level, Suite
from steady.text.shown import Line, Overview, Shown, Span
from tests.looped import looped

HOSTILE = "</td><script>alert(1)</script>\n\x1b[31m\u202e\"'&"


@pytest.fixture(scope="module")
def demo() -> Iterator[dict[str, Any]]:
    with recording() as recorded:
        suite = steady.load(recorded.full)
        pull = recorded.pull_request
        yield {
            "suite": suite,
            "benchmark": next(iter(suite.values())),
            "plan": steady.read_plan(recorded.plan),
            "comparison": steady.compare(steady.load(pull.base), steady.load(pull.head)),
        }


KINDS = ("suite", "benchmark", "plan", "comparison")


@pytest.mark.parametrize("kind", KINDS)
def test_it_fits_a_screen(kind: str, demo: dict[str, Any]) -> None:
    text = repr(demo[kind])
    lines = text.splitlines()
    assert 2 < len(lines) <= 18
    assert max(map(len, lines)) <= 160
    assert "array(" not in text


@pytest.mark.parametrize("kind", KINDS)
def test_html_is_well_formed_and_small(kind: str, demo: dict[str, Any]) -> None:
    html = demo[kind]._repr_html_()
    page = ElementTree.fromstring(f"<body>{html}</body>")
    assert len(html) < 40_000
    assert {e.tag.rpartition("}")[2] for e in page.iter()} <= {
        "body", "p", "table", "thead", "tbody", "tr", "th", "td",
        "svg", "line", "circle", "polyline",
    }  # fmt: skip
    rows = page.findall("table/tbody/tr")
    pictures = [row for row in rows if row[-1].find("{http://www.w3.org/2000/svg}svg") is not None]
    assert len(pictures) == len(rows) > 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_dict_is_plain(kind: str, demo: dict[str, Any]) -> None:
    table = demo[kind].to_dict()
    assert isinstance(table, dict)
    assert json.loads(json.dumps(table)) == table


def test_a_dict_names_the_verdict_and_every_change(demo: dict[str, Any]) -> None:
    comparison = demo["comparison"]
    table = comparison.to_dict()
    assert table["verdict"] == comparison.verdict
    found = [(row["benchmark"], row["outcome"], row["change"]) for row in table["changes"]]
    own = [(c.identity.label, c.outcome, c.ratio) for c in comparison.changes]
    assert found[: len(own)] == own
    entries = demo["plan"].to_dict()["benchmarks"]
    assert sum(entry["seconds"] for entry in entries) > 0


def test_a_thousand_benchmarks_are_still_a_screen() -> None:
    suite = Suite.of({f"org.B.m{n}": np.full((2, 3), 1.0) for n in range(1000)}, unit="ns/op")
    assert repr(suite).endswith("... and 985 more")
    assert len(repr(suite)) < 2000
    assert len(suite._repr_html_()) < 40_000


def test_what_is_not_there_is_no_mistake() -> None:
    values = np.array([[np.nan, np.nan], [1.0, np.nan]])
    levels = (Level("fork"), Level("iteration"))
    empty = Benchmark(Identity("a"), "ns/op", values, levels)
    for shown in (empty, Suite((empty,)), Suite(()), empty.with_measurements(values, warmup=2)):
        assert repr(shown)
        assert shown._repr_html_()


@looped("picture", [Span(0.1, -0.2, 0.3), Span(np.inf, np.nan, 1.0), Line([1, 2])])
def test_hostile_text_stays_text(picture: Span | Line) -> None:
    pictures: Any = [picture]
    overview = Overview(HOSTILE, (HOSTILE,), [(HOSTILE,)], pictures)
    ElementTree.fromstring(f"<body>{overview.html()}</body>")
    assert "<script" not in overview.html()
    for text in (overview.text(), overview.html()):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert len(overview.text().splitlines()) == 3


class TestPandas:
    def test_without_it_one_sentence_says_what_to_install(
        self, demo: dict[str, Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "pandas", None)
        with pytest.raises(steady.MissingToolError, match=r"pip install 'steady-action\[pandas\]'"):
            demo["suite"].to_pandas()

    @pytest.fixture
    def frames(self, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
        """Stand in for pandas, which few have; return the tables that it gets."""
        made: list[dict[str, Any]] = []
        module: Any = ModuleType("pandas")
        module.DataFrame = lambda table=None: made.append(dict(table or {}))
        module.concat = lambda found, ignore_index: (len(found), ignore_index)
        monkeypatch.setitem(sys.modules, "pandas", module)
        return made

    @pytest.mark.parametrize("kind", KINDS)
    def test_each_column_has_a_value_for_each_row(
        self, kind: str, demo: dict[str, Any], frames: list[dict[str, Any]]
    ) -> None:
        shown: Shown = demo[kind]
        assert shown.to_pandas() == (len(frames), True)
        for table in frames:
            lengths = {len(c) for c in table.values() if not isinstance(c, str)}
            assert len(lengths) == 1

    def test_measurements_are_a_row_for_each_value(
        self, demo: dict[str, Any], frames: list[dict[str, Any]]
    ) -> None:
        benchmark: Benchmark = demo["benchmark"]
        benchmark.to_pandas()
        [table] = frames
        for row in (0, 61, 299):
            place = int(table["fork"][row]), int(table["iteration"][row])
            assert table["value"][row] == benchmark.measurements[place]

    def test_real_pandas(self, demo: dict[str, Any]) -> None:
        pytest.importorskip("pandas")
        assert len(demo["suite"].to_pandas()) == sum(
            b.measurements.size for b in demo["suite"].values()
        )
        assert len(demo["comparison"].to_pandas()) >= len(demo["comparison"].changes)
