"""HTML, data frames and plots of all five kinds of results, and CSV."""

import csv
import io
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steady
from docs.surface_python import python_names
from steady.compare.benchmark_change import COLUMNS, row_of
from steady.compare.comparison import MetricComparison
from steady.model import Benchmark, Level, Suite
from steady.tables import LONGEST_CELL, MOST_ROWS, csv_text
from tests.looped import looped
from tests.tables.results import (
    HOSTILE,
    comparison_of,
    plan_of,
    similarity_of,
    state_of,
    suite_of,
)

KINDS: Mapping[type, Callable[[Sequence[str]], Any]] = {
    steady.Suite: suite_of,
    steady.SteadyState: state_of,
    steady.Similarity: similarity_of,
    steady.Plan: plan_of,
    steady.Comparison: comparison_of,
}
ONE_ROW = (steady.SteadyState, steady.Similarity)


class Page(HTMLParser):
    """Elements and texts of HTML, which must be well-formed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.append(tag)
        assert {name for name, _ in attrs} <= {"class", "style"}
        if tag in ("td", "th", "p"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1] in ("td", "th", "p"):
            self.cells[-1] += data


@looped("kind", KINDS)
def test_each_result_has_a_table_a_data_frame_and_a_plot(kind: type) -> None:
    assert {"_repr_html_", "to_pandas", "plot"} <= set(vars(kind))
    lines = set(python_names())
    assert f"steady.{kind.__name__}.to_pandas" in lines
    assert f"steady.{kind.__name__}.plot(*, ax=None)" in lines


@looped("kind", KINDS)
def test_hostile_names_are_escaped_in_well_formed_html(kind: type) -> None:
    text = KINDS[kind](HOSTILE)._repr_html_()
    page = Page(text)
    assert set(page.tags) <= {"div", "p", "table", "thead", "tbody", "tr", "th", "td"}
    assert all(c.isprintable() or c in "\n\xa0" for c in text)
    assert all(len(cell) <= LONGEST_CELL for cell in page.cells)
    assert any("<script>" in cell for cell in page.cells)
    assert "mathjax_ignore" in text


@looped("kind", KINDS)
def test_large_tables_are_truncated_and_count_the_rest(kind: type) -> None:
    text = KINDS[kind]([f"org.example.Bench.m{i}" for i in range(10_000)])._repr_html_()
    assert len(text) < 40_000
    assert text.count("<tr>") == 1 + MOST_ROWS
    assert f"and {10_000 - MOST_ROWS:,} more" in text


@looped("kind", KINDS)
def test_an_empty_result_is_a_sentence_and_a_frame_with_the_same_columns(kind: type) -> None:
    empty, some = KINDS[kind](()), KINDS[kind](["a", "b"])
    page = Page(empty._repr_html_())
    assert page.tags == ["div", "p"]
    assert page.cells[0]
    frame, full = empty.to_pandas(), some.to_pandas()
    assert len(frame) == (1 if kind in ONE_ROW else 0)
    own = [name for name in full.columns if not name.startswith(("params.", "measures."))]
    assert list(frame.columns) == own
    if kind is not steady.Suite:  # its categories are its own texts
        assert [frame[name].dtype for name in own] == [full[name].dtype for name in own]


@looped("kind", KINDS)
def test_the_docstring_names_every_column(kind: type) -> None:
    made = KINDS[kind](["a", "b"])
    said = set(re.findall(r"``([\w.]+)``", made.to_pandas.__doc__))
    names = {re.sub(r"\b(params|measures)\..*", r"\1.", name) for name in made.to_pandas().columns}
    if kind is steady.Comparison:  # whose docstring refers to `to_dict`
        names -= {"benchmark", "outcome", "accepted", "base_forks", "head_forks"}
    assert names <= said


# The content of the frames, compared with loops.


def literal_rows(suite: Suite) -> list[dict[str, Any]]:
    """Return a row for each value, by a loop."""
    parameters = {name: None for b in suite.benchmarks for name, _ in b.identity.params}
    rows = []
    for benchmark in suite.benchmarks:
        identity, own = benchmark.identity, dict(benchmark.identity.params)
        values = benchmark.measurements.reshape(-1, benchmark.measurements.shape[-1])
        for (fork, iteration), value in np.ndenumerate(values):
            if not math.isnan(value):
                rows.append(
                    {
                        "benchmark": identity.label,
                        "name": identity.name,
                        "mode": identity.mode,
                        **{f"params.{name}": own.get(name) for name in parameters},
                        "threads": identity.threads,
                        "fork": fork,
                        "iteration": iteration,
                        "warmup": iteration < benchmark.warmup,
                        "value": value,
                        "unit": benchmark.unit,
                    }
                )
    return rows


def mixed_suite() -> Suite:
    """Return benchmarks of one, two and three levels, with gaps, parameters, modes and threads."""
    random = np.random.default_rng(5)
    deep = random.random((2, 3, 4))
    deep[1, 2, 2:] = np.nan
    levels = (Level("run"), Level("fork"), Level("iteration"))
    identity = steady.Identity("a.B.deep", "thrpt", (("size", "10"), ("value", "x")), 4)
    sized = steady.Identity("a.B.two", params=(("size", "7"),))
    return Suite(
        (
            Benchmark(identity, "ops/s", deep, levels),
            Benchmark(steady.Identity("a.B.flat"), "ms/op", random.random(5), levels[2:]),
            Benchmark(steady.Identity("a.B.no"), "ns/op", np.full((2, 2), np.nan), levels[1:]),
            Benchmark(sized, "ns/op", random.random((3, 6)), levels[1:], warmup=2),
        )
    )


@looped("suite", [mixed_suite(), suite_of(["a", "b", "a b"]), suite_of(HOSTILE)])
def test_a_suite_has_a_row_for_each_value(suite: Suite) -> None:
    frame = suite.to_pandas()
    rows = literal_rows(suite)
    assert list(frame.columns) == list(rows[0])
    for name in frame.columns:
        found = [None if pandas.isna(value) else value for value in frame[name].tolist()]
        assert found == [row[name] for row in rows], name


def test_a_large_suite_takes_few_bytes_a_row() -> None:
    names = [f"org.example.with.a.long.name.Bench.method{i}" for i in range(1000)]
    frame = Suite.of(dict.fromkeys(names, np.ones((5, 60))), unit="ns/op").to_pandas()
    assert len(frame) == 300_000
    assert {str(frame[name].dtype) for name in ("benchmark", "name", "mode", "unit")} == {
        "category"
    }
    assert frame.memory_usage(deep=True).sum() < 30 * len(frame)


def test_equal_labels_are_one_category() -> None:
    one = steady.Identity("a", params=(("x", "1, y=2"),))
    other = steady.Identity("a", params=(("x", "1"), ("y", "2")))
    assert one.label == other.label
    benchmarks = [Benchmark(i, "ns/op", np.ones(2), (Level("iteration"),)) for i in (one, other)]
    frame = Suite(tuple(benchmarks)).to_pandas()
    assert frame["benchmark"].tolist() == [one.label] * 4
    assert frame["params.y"].isna().tolist() == [True, True, False, False]


def none_for_nan(frame: pandas.DataFrame) -> list[dict[str, Any]]:
    rows = frame.to_dict("records")
    return [{str(k): None if pandas.isna(v) else v for k, v in row.items()} for row in rows]


def test_frames_of_a_plan_and_a_comparison_equal_their_dicts() -> None:
    plan = plan_of(["a", "b", "c"])
    assert none_for_nan(plan.to_pandas()) == plan.to_dict()["benchmarks"]
    comparison = comparison_of([f"b{i}" for i in range(12)])
    assert none_for_nan(comparison.to_pandas()) == comparison.to_dict()["changes"]
    assert [*COLUMNS] == [*row_of(comparison.changes[0])]
    assert math.isinf(comparison.changes[0].ratio)
    assert math.isnan(comparison.to_pandas()["change"][0])


def test_secondary_metrics_have_rows_after_the_benchmarks() -> None:
    own, others = comparison_of(["a", "b"]), comparison_of(["m", "n"])
    metrics = MetricComparison(others.changes[1:])
    whole = steady.Comparison(own.changes, own.ledger, metrics=metrics)
    assert whole.to_pandas()["benchmark"].tolist() == ["a", "b", "n"]


def test_a_steady_state_and_a_similarity_are_one_row() -> None:
    [row] = steady.detect([9.0] * 5 + [1.0, 1.1] * 20).to_pandas().to_dict("records")
    assert (row["method"], row["steady"], row["start"]) == ("kb-kssd", True, 5.0)
    never = steady.SteadyState(None, "sdm", reason="no").to_pandas()
    assert not never["steady"][0]
    assert never["start"].isna().all()
    forks = 1 + 0.01 * np.random.default_rng(1).standard_normal((5, 60))
    forks[3] *= 1.2
    found = steady.similarity(forks, tolerance=0.05)
    [row] = found.to_pandas().to_dict("records")
    assert row["odd_forks"] == (3,)
    assert row["measures.kolmogorov-smirnov"] == found.measures["kolmogorov-smirnov"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_error_without_an_extra_names_it(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [
        name for name in sys.modules if name.startswith(("steady.tables", "steady.plots"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = KINDS[kind](["a"])
    with pytest.raises(steady.MissingToolError, match=r"pip install 'steady-action\[tables\]'"):
        result.to_pandas()
    given = {steady.Suite: ("a",), steady.SteadyState: ([1.0],), steady.Similarity: ([[1.0]],)}
    with pytest.raises(steady.MissingToolError, match=r"pip install 'steady-action\[plot\]'"):
        result.plot(*given.get(kind, ()))
    assert "<p>" in result._repr_html_()


# CSV


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\t=1", "\r=1", "＝1"])
def test_csv_text_is_not_a_formula_and_numbers_are_unchanged(text: str) -> None:
    written = csv_text(["a", "b"], [{"a": text, "b": -1.5}])
    [_, [shown, number]] = csv.reader(io.StringIO(written, newline=""))
    assert shown[0] in "'\\"
    assert number == "-1.5"


@given(st.lists(st.text(st.characters(categories=["L", "N", "P"]), max_size=8), min_size=1))
def test_csv_round_trip_of_printable_text(texts: list[str]) -> None:
    written = csv_text(["a", "x"], [{"a": text, "x": None} for text in texts])
    assert written.endswith("\r\n")
    assert written.count("\r\n") == 1 + len(texts)
    header, *rows = csv.reader(io.StringIO(written, newline=""), strict=True)
    assert header == ["a", "x"]
    assert [(row[0].removeprefix("'"), row[1]) for row in rows] == [
        (text.removeprefix("'"), "") for text in texts
    ]


def test_csv_of_a_comparison_equals_its_frame() -> None:
    comparison = comparison_of([f"b{i}" for i in range(12)])
    rows = list(csv.DictReader(io.StringIO(comparison.to_csv(), newline="")))
    assert [*rows[0]] == list(comparison.to_pandas().columns)
    for row, own in zip(rows, comparison.to_dict()["changes"], strict=True):
        assert row == {name: "" if v is None else str(v) for name, v in own.items()}
