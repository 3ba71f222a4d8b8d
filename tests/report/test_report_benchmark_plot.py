"""One benchmark as a picture in a file of its own."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType
from xml.etree import ElementTree

import numpy as np
import pytest

from steady.compare import Acceptance, compare
from steady.errors import InputError, MissingToolError
from steady.model import Benchmark, ExecutionConfiguration, Identity, Level, Suite
from steady.optimize.suite_plan import Plan
from steady.report.benchmark_plot import Plot, plot_change, plot_run
from steady.report.picture_file import WIDTH, png_writer, wrapped

SVG = "{http://www.w3.org/2000/svg}"
LEVELS = (Level("fork"), Level("iteration"))
ONE = Identity("org.example.codec.Codec.decode")


def suite(factor: float = 1.0, *, forks: int = 6, name: Identity = ONE) -> Suite:
    """Return a run of two benchmarks whose forks took turns; the first is `factor` times slower."""
    values = np.random.default_rng(1).normal(1000, 5, (2, forks, 40))
    values[0] *= factor
    rounds = tuple(map(str, range(forks)))
    names = (name, Identity("org.example.codec.Codec.encode"))
    configuration = ExecutionConfiguration(forks, 0, 40, 0.1, 0.1)
    return Suite(
        tuple(
            Benchmark(one, "ns/op", table, LEVELS, configuration=configuration, blocks=rounds)
            for one, table in zip(names, values, strict=True)
        ),
        harness="jmh",
    )


def texts(svg: str) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def sentence(plot: Plot) -> str:
    return re.sub(r"\s+", " ", " ".join(texts(plot.svg())))


def change(factor: float = 1.3) -> Plot:
    base, head = suite(), suite(factor)
    return plot_change(compare(base, head), ONE, base, head)


class TestFile:
    @pytest.fixture(params=["run", "change"])
    def plot(self, request: pytest.FixtureRequest, full_suite: Suite) -> Plot:
        if request.param == "change":
            return change()
        return plot_run(full_suite, full_suite.benchmarks[0].identity)

    def test_it_needs_nothing_else(self, plot: Plot) -> None:
        svg = plot.svg()
        root = ElementTree.fromstring(svg)
        assert root.tag == f"{SVG}svg"
        assert root.find(f"{SVG}title") is not None
        for forbidden in ("var(", "url(", "@import", "<script", "href", "@font-face"):
            assert forbidden not in svg

    def test_everything_has_its_place_on_the_sheet(self, plot: Plot) -> None:
        root = ElementTree.fromstring(plot.svg())
        *_, width, height = map(float, root.attrib["viewBox"].split())
        assert width == WIDTH
        y = 0.0
        for placed in root.findall(f"{SVG}svg"):
            left, top, wide, high = (float(placed.attrib[n]) for n in ("x", "y", "width", "height"))
            assert top >= y
            y = top + high
            assert left + wide <= width
        assert y < height
        assert all(float(text.attrib["y"]) < height for text in root.findall(f"{SVG}text"))

    def test_it_is_dark_only_where_its_reader_prefers_that(self, plot: Plot) -> None:
        light, _, dark = plot.svg().partition("@media (prefers-color-scheme: dark)")
        assert ".paper { fill: #fff; }" in light
        assert "#15171a" not in light
        assert ".paper { fill: #15171a; }" in dark
        assert "@media" not in plot.svg(dark=False)

    def test_the_same_results_give_the_same_file(self, plot: Plot) -> None:
        assert plot.svg() == plot.svg()


class TestRun:
    def test_a_plan_is_made_for_the_benchmark_alone(self) -> None:
        plot = plot_run(suite(), ONE)
        said = sentence(plot)
        assert said.startswith("org.example.codec.Codec.decode The plan: 5 × (")
        assert "No plan was given, so this one is made for the benchmark alone." in said
        assert plot.svg().count('class="side"') == 1
        assert "kb-kssd" in texts(plot.svg())

    @pytest.mark.thorough
    def test_the_plan_that_is_given_is_drawn(self, plan: Plan, full_suite: Suite) -> None:
        plot = plot_run(full_suite, full_suite.benchmarks[0].identity, plan)
        said = sentence(plot)
        assert "The plan: 3 × (50 warm-up + 10) instead of 3 × 400" in said
        assert "fork 2 is never steady; fork 3 stands apart" in said
        assert "made for the benchmark alone" not in said
        assert "measured: 10 iterations, from 51 on" in plot.svg()

    def test_a_plan_of_other_results_is_refused(self, plan: Plan) -> None:
        with pytest.raises(InputError, match="the plan was made from other results; give"):
            plot_run(suite(), ONE, plan)

    def test_without_a_plan_forks_are_drawn_all_the_same(self) -> None:
        unknown = Suite((Benchmark(ONE, "ns/op", np.ones((3, 20)), LEVELS),))
        said = sentence(plot_run(unknown, ONE))
        assert "No plan can be made: " in said
        assert "Full run: 3 forks × 20 iterations" in said

    def test_nothing_to_draw_is_a_mistake(self) -> None:
        empty = Suite((Benchmark(ONE, "ns/op", np.empty((0, 0)), LEVELS),))
        with pytest.raises(InputError, match="has no values to draw"):
            plot_run(empty, ONE)


class TestChange:
    def test_it_says_what_the_report_says(self) -> None:
        plot = change()
        said = sentence(plot)
        assert "Regression: +30.0 % (slower), interval +30.0 % to +30.0 %" in said
        assert "Base 999.6 ns/op, head 1,299" in said
        assert "upright marks the change within each round" in said
        svg = plot.svg()
        assert svg.count('class="marks of-') == 3
        assert 'class="lead tone-worse"' in svg
        assert svg.count('class="side"') == 2

    @pytest.mark.parametrize(
        ("factor", "words"), [(0.7, "Improvement: −30.0 % (faster)"), (1.0, "Unchanged: 0.0 %")]
    )
    def test_each_outcome_has_its_word(self, factor: float, words: str) -> None:
        assert words in sentence(change(factor))

    def test_what_is_accepted_is_called_so(self) -> None:
        base, head = suite(), suite(1.3)
        comparison = compare(base, head)
        one = replace(comparison.changes[0], accepted=Acceptance("*", "because"))
        comparison = replace(comparison, changes=(one, *comparison.changes[1:]))
        plot = plot_change(comparison, ONE, base, head)
        assert "Regression, accepted: +30.0 %" in sentence(plot)
        assert "tone-open" in plot.svg()

    def test_what_was_not_compared_says_why(self) -> None:
        base, head = suite(), Suite(suite().benchmarks[1:])
        with pytest.raises(
            InputError, match=r"decode was not compared: removed or renamed: only in base$"
        ):
            plot_change(compare(base, head), ONE, base, head)

    def test_hostile_names_are_text(self) -> None:
        hostile = Identity("</text><script>alert(1)</script>\x1b[31m\u202e\uffff\ud800" + "x" * 500)
        base, head = (suite(factor, name=hostile) for factor in (1.0, 1.3))
        svg = plot_change(compare(base, head), hostile, base, head).svg()
        root = ElementTree.fromstring(svg)
        assert not list(root.iter(f"{SVG}script"))
        assert not re.search("[\x1b\u202e\uffff\ud800]", svg)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a b", ["a b"]),
        ("one two three", ["one two", "three"]),
        ("x" * 25, ["x" * 10, "x" * 10, "x" * 5]),
        ("org.Some_name", ["org.Some_", "name"]),
    ],
)
def test_lines_break_where_words_end(text: str, lines: Sequence[str]) -> None:
    assert list(wrapped(text, 10)) == lines


class TestPng:
    def test_without_the_package_one_sentence_says_what_to_install(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "resvg_py", None)
        with pytest.raises(MissingToolError, match=r"pip install 'steady-action\[png\]'"):
            png_writer()

    def test_without_a_font_it_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        module = ModuleType("resvg_py")
        module.svg_to_bytes = lambda **_: b"nothing"  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "resvg_py", module)
        with pytest.raises(MissingToolError, match="a PNG needs a font"):
            png_writer()

    def test_the_real_one(self) -> None:
        pytest.importorskip("resvg_py")
        png = png_writer()(change().svg(dark=False))
        assert png.startswith(b"\x89PNG\r\n\x1a\n")
        assert int.from_bytes(png[16:20]) == 2 * 700
        assert len(png) > 20_000
