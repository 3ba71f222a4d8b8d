"""Pictures on the command line: files, contents, and rejected input."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import steady
from steady.cli.plot import file_name
from steady.model import ExecutionConfiguration
from steady.optimize import Plan, write_plan
from tests.cli.shell import Shell, plan_of, write_values
from tests.looped import looped

NAME = "org.example.Bench.parse"


def write_full(name: str = NAME, iterations: int = 60) -> None:
    values = 100 + np.random.default_rng(1).standard_normal((3, iterations))
    values[:, :8] += 50
    write_values("full.json", {name: values}, unit="ns/op")


def test_the_plot_shows_steady_states_and_planned_iterations(shell: Shell) -> None:
    write_full()
    one = ExecutionConfiguration(3, 10, 20, 1.0, 1.0)
    [entry] = plan_of((NAME,), one).benchmarks
    entry = replace(entry, full=ExecutionConfiguration(3, 0, 60, 1.0, 1.0))
    write_plan(Plan((entry,), "uoptime"), Path(".steady/plan.json"))
    for words, out in (("", f"plot-{NAME}.png"), ("--out pictures/a.SVG", "pictures/a.SVG")):
        ended = shell(f"plot full.json parse --plan .steady {words}")
        assert (ended.code, ended.out, ended.err) == (0, f"wrote {out}\n", "")
    assert Path(f"plot-{NAME}.png").read_bytes().startswith(b"\x89PNG")
    svg = Path("pictures/a.SVG").read_text()
    assert "planned: 10 to 29" in svg  # a comment precedes the letters
    assert "warm-up" in svg
    shell("plot full.json parse --plan .steady --detector sdm --out b.svg")
    assert Path("b.svg").read_text() != svg
    shell("plot full.json parse --plan .steady --out c.svg")
    assert Path("c.svg").read_text() == svg


def test_plotting_errors_are_one_sentence_without_a_file(shell: Shell) -> None:
    write_full()
    one = ExecutionConfiguration(3, 10, 20, 1.0, 1.0)
    write_plan(plan_of(("another",), one), Path(".steady/plan.json"))
    for words, problem in (
        ("absent.json parse", "absent.json: does not exist; "),
        ("full.json zork", "no benchmark is called 'zork'; "),
        ("full.json parse --out a.gif", "pictures are written as .png, .svg or .pdf, not .gif"),
        ("full.json parse --out a", "pictures are written as .png, .svg or .pdf, and the file's"),
        ("full.json parse --plan .steady", f".steady: does not contain {NAME}"),
        ("full.json parse --detector sdn", "argument --detector: invalid choice: 'sdn'"),
    ):
        before = sorted(Path().rglob("*"))
        ended = shell(f"plot {words}")
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.startswith(f"steady: {problem}")
        assert sorted(Path().rglob("*")) == before


def test_a_short_series_is_plotted_with_a_note(shell: Shell) -> None:
    write_full(iterations=8)
    ended = shell("plot full.json parse --out a.pdf")
    assert ended.code == 0
    assert ended.err.startswith(f"steady: {NAME}: warm-up not detected: ")
    assert Path("a.pdf").read_bytes().startswith(b"%PDF")


@looped(
    "name", ["../../etc/passwd", "a/b\\c:d", "-rf", "\x1b[31m\n", "漢字", "con", "x" * 500, ".."]
)
def test_names_cannot_escape_the_folder(name: str) -> None:
    suite = steady.Suite.of({name: [[1.0]]}, unit="s/op")
    made = file_name(suite.benchmarks[0], "png")
    assert Path(made).name == made
    assert made.startswith("plot")
    assert made.endswith(".png")
    assert made.isascii()
    assert len(made) < 120


def test_a_malicious_name_writes_one_file_in_the_folder(shell: Shell, tmp_path: Path) -> None:
    write_full("../../x $(touch y)")
    ended = shell("plot full.json *touch*")
    assert ended.code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "full.json", "plot-x-touch-y.png",
    ]  # fmt: skip


def test_without_matplotlib_the_error_names_the_package(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    for name in [name for name in sys.modules if name.startswith("steady.plots.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ended = shell("plot full.json parse")
    assert ended.code == 2
    assert "`pip install 'steady-action[plot]'`" in ended.err
