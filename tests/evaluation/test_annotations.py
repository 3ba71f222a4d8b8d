"""The evaluation of annotations: a small source, and a list of JMH's made by hand."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.annotations import measure, said, tokens
from steady.model import ExecutionConfiguration
from steady.plan.suite_plan import Plan
from tests.harness.jmh.configure.test_jmh_overlay import line
from tests.harness.planned import planned

SOURCE = b"""package p;
import org.openjdk.jmh.annotations.*;
public class A {
    @Benchmark public void one() { }
    @Benchmark public void two() { }
}
"""


def test_the_figures_of_a_small_project(tmp_path: Path) -> None:
    pytest.importorskip("tree_sitter")
    folder = tmp_path / "src"
    folder.mkdir()
    (folder / "A.java").write_bytes(SOURCE)
    figures = measure(folder, tmp_path / "work", "")
    assert (figures.sources, figures.benchmarks, figures.changed) == (1, 2, 1)
    assert (figures.same_outside, figures.stable, figures.compiled) == (1, True, "")
    assert (folder / "A.java").read_bytes() == SOURCE, "the project's own files stay"


def test_only_annotations_and_imports_are_not_compared() -> None:
    pytest.importorskip("tree_sitter")
    path = Path("A.java")
    before = [*tokens(path, SOURCE)]
    assert [*tokens(path, SOURCE.replace(b"@Benchmark", b"@Fork(3) @Benchmark"))] == before
    assert [*tokens(path, SOURCE.replace(b"void two", b"int two"))] != before


def test_records_of_the_list_that_are_as_planned() -> None:
    default = ExecutionConfiguration(5, 5, 5, 10.0, 10.0)  # JMH's own, of sources that say nothing
    one, two = planned("p.A.one", default), planned("p.A.two", replace(default, forks=4))
    listed = "\n".join(map(line, ("p.A.one", "p.A.two", "p.A.unplanned")))
    assert said(listed, Plan((one, two), "uoptime")) == (
        "compiled; JMH lists 1 of 3 records as planned"
    )
