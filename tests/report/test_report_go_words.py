"""Go has processes and processors: its reports speak of no forks, threads and jars."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import steady
from steady.compare import Comparison
from steady.model import Identity, Suite
from steady.report.junit import junit
from steady.report.names import ShortNames
from steady.report.terminal import terminal
from tests.looped import looped
from tests.report.from_comparison import comment, html

FOREIGN = re.compile(r"\b(?:forks?|jars?|jvms?|threads?)\b", re.IGNORECASE)
HIDDEN = re.compile(r"<style>.*?</style>|<script>.*?</script>|<svg.*?</svg>|<[^>]*>", re.DOTALL)


def go_results(path: Path, factor: float, processes: int, seed: int) -> Suite:
    generator = np.random.default_rng(seed)
    lines = []
    for _ in range(processes):
        lines.append("pkg: example.com/zip")
        for name, time in (("BenchmarkPack-2", 1.6e6), ("BenchmarkUnpack/n=10-2", 900.0)):
            scale = factor if "Pack" in name else 1.0
            values = time * scale * generator.lognormal(0, 0.01, 5)
            lines += [f"{name} 100 {value:.1f} ns/op" for value in values]
        lines.append("PASS")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return steady.load(path)


@pytest.fixture(params=[1, 4])
def comparison(tmp_path: Path, request: pytest.FixtureRequest) -> Comparison:
    base = go_results(tmp_path / "base.txt", 1.0, request.param, 1)
    head = go_results(tmp_path / "head.txt", 1.5, request.param, 2)
    return steady.compare(base, head)


def test_no_report_speaks_of_what_go_does_not_have(comparison: Comparison) -> None:
    page = HIDDEN.sub(" ", html(comparison))
    for text in (comment(comparison), terminal(comparison), page):
        assert FOREIGN.findall(text) == []
        assert "2 processors" in text


def test_results_are_in_units_that_people_say(comparison: Comparison) -> None:
    for text in (comment(comparison), terminal(comparison), html(comparison)):
        assert re.search(r"1\.6\d\d(?:&nbsp;|\s| → \d\.\d+\s)ms/op", text)


def test_mixed_suites_keep_the_words_of_jmh() -> None:
    names = ShortNames.of(
        [Identity("example.com/zip.BenchmarkPack"), Identity("org.example.Zip.pack")]
    )
    assert names.words("2 forks") == "2 forks"


@looped(
    ("name", "is_go"),
    [
        ("BenchmarkPack", True),
        ("example.com/my.zip/v2.BenchmarkPack/n=1.5/x", True),
        ("pkg.Benchmark_pack", True),
        ("org.example.BenchmarkPack.pack", False),
        ("org.example.Pack.benchmarkPack", False),
        ("Benchmarks.pack", False),
    ],
)
def test_go_s_benchmarks_are_known_by_their_names(name: str, is_go: bool) -> None:
    assert Identity(name).is_go is is_go
    assert Identity(name, threads=4).label.endswith("processors)" if is_go else "threads)")


def test_cases_of_a_benchmark_belong_to_its_function() -> None:
    names = [f"codec.BenchmarkDecode/ratio={ratio}" for ratio in (1.5, 2.5)]
    base, head = (
        Suite.of({name: [[way, way + 0.1], [way, way + 0.1]] for name in names}, unit="ns/op")
        for way in (10.0, 20.0)
    )
    found = steady.compare(base, head, rule="overlap")
    cases = ElementTree.fromstring(junit(found, ())).findall("testcase")
    assert [(case.get("classname"), case.get("name")) for case in cases] == [
        ("codec", name.removeprefix("codec.")) for name in names
    ]
    assert "`codec.`<br>`BenchmarkDecode/ratio=1.5`" in comment(found)
