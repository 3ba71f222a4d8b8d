"""``steady plot``: one benchmark as a picture."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from action_scenario import record, series

from steady.cli import main

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a full run, and with a run of base and head."""
    monkeypatch.chdir(tmp_path)
    names = ("org.Bench.parse", "org.Bench.print")
    for seed, (path, factor) in enumerate(
        (("full.json", 1.0), ("run/base.json", 1.0), ("run/head.json", 1.5))
    ):
        Path(path).parent.mkdir(exist_ok=True)
        records = [record(name, series(seed, 4, 40, factor)) for name in names]
        Path(path).write_text(json.dumps(records))
    return tmp_path


def plotted(capsys: Capture, *words: str) -> str:
    """Return the picture that a command writes."""
    assert main(["plot", *words]) == 0
    out = capsys.readouterr().out
    path = Path(out.removeprefix("wrote ").strip())
    text = path.read_text(encoding="utf-8")
    ElementTree.fromstring(text)
    return text


def refused(capsys: Capture, *words: str) -> str:
    assert main(["plot", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    return err


def test_a_full_run(capsys: Capture, folder: Path) -> None:
    text = plotted(capsys, "parse", "full.json")
    assert (folder / "Bench-parse.svg").is_file()
    assert 'class="detector"' in text
    assert 'class="strip"' not in text


def test_with_the_plan_of_that_run(capsys: Capture) -> None:
    assert main(["optimize", "full.json"]) == 0
    capsys.readouterr()
    text = plotted(capsys, "Bench.parse", "full.json", "--plan", ".steady")
    assert "made for the benchmark alone" not in text
    err = refused(capsys, "parse", "run/head.json", "--plan", ".steady")
    assert "the plan was made from other results" in err


@pytest.mark.parametrize("words", [("run",), ("run/base.json", "run/head.json")])
def test_what_changed(words: tuple[str, ...], capsys: Capture) -> None:
    text = plotted(capsys, "pa*", *words, "--out", "pictures/x.SVG")
    assert 'class="strip"' in text
    assert "Regression: " in text


def test_it_judges_as_compare_does(capsys: Capture) -> None:
    assert "Regression: " not in plotted(capsys, "parse", "run", "--min-change", "90%")
    Path(".github").mkdir()
    settings = "version: 1\nthresholds:\n  - {pattern: parse, min-change: 60%}\n"
    Path(".github/steady.yml").write_text(settings)
    assert "Unchanged: " in plotted(capsys, "parse", "run")
    assert "Regression: " in plotted(capsys, "print", "run")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("prase", "full.json"), "no benchmark is called 'prase'; the nearest: org.Bench.parse"),
        (("Bench.*", "full.json"), "'Bench.*' is the name of 2 benchmarks: give one's label: "),
        (("prase", "run"), "no benchmark is called 'prase'; the nearest: org.Bench.parse"),
        (("parse", "absent.json"), "absent.json: no results exist yet; run the benchmarks"),
        (("parse", "run/base.json", "absent.json"), "head has no results yet; measure both"),
        (("parse", "full.json", "--plan", "none"), "none: this plan does not exist yet"),
        (("parse", "full.json", "--out", "x.jpg"), "x.jpg: a picture is a .svg or a .png"),
        (("parse", "a", "b", "c"), "3 results were given; give two"),
    ],
)
def test_a_mistake_is_one_sentence(words: tuple[str, ...], sentence: str, capsys: Capture) -> None:
    assert sentence in refused(capsys, *words)


def test_a_png_without_its_package(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    err = refused(capsys, "parse", "full.json", "--out", "x.png")
    assert err == (
        "steady: a PNG needs resvg-py; install it with `pip install 'steady-action[png]'`, or "
        "write an SVG, which needs nothing\n"
    )


def test_a_png(capsys: Capture) -> None:
    pytest.importorskip("resvg_py")
    assert main(["plot", "parse", "run", "--out", "x.png"]) == 0
    assert Path("x.png").read_bytes().startswith(b"\x89PNG")
