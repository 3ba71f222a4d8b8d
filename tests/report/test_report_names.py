"""Short names of benchmarks, and the terms of their harness."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

import steady
from steady.model import Identity, Suite
from steady.report.document import Name
from steady.report.names import ShortNames
from tests.looped import looped
from tests.report.from_comparison import comment, html, junit, terminal
from tests.report.page import Page


def of(*names: str) -> ShortNames:
    return ShortNames.of(Identity(name) for name in names)


CHI, YAML = "github.com/acme/shop", "example.com/shop/yaml.v3.BenchmarkA"


@looped(
    ("names", "prefix"),
    [
        (["org.example.json.Bench.a", "org.example.csv.Bench.b"], "org.example."),
        # Class and method are always shown.
        (["org.example.Bench.a", "org.example.Bench.b"], "org.example."),
        # Only whole packages are omitted.
        (["org.example.A.x", "org.examples.A.x"], ""),
        (["BenchmarkOne", "BenchmarkTwo"], ""),
        # One benchmark keeps its name.
        (["org.example.Bench.a"], ""),
        ([], ""),
        # Import paths are split at slashes; the last element of a package stays.
        (
            [f"{CHI}/text.BenchmarkA/long", f"{CHI}/text/v2.BenchmarkA/n=1.5", f"{CHI}.BenchmarkB"],
            "github.com/acme/",
        ),
        ([f"{YAML}/1.5/x.y", "example.com/shop/yaml.v3.BenchmarkB"], "example.com/shop/"),
        # The name of a package without results is shortened like the others.
        (["example.com/shop/text.BenchmarkA", "example.com/shop/broken"], "example.com/shop/"),
        # An argument is never shown alone, and names of sub-benchmarks are not shortened.
        (["BM_Price/99", "BM_Price/123456789"], ""),
        (["BenchmarkReadFile/a.b/c", "BenchmarkReadFile/a.b/d"], ""),
        (["BenchmarkReadFile/x/a.Benchmark", "BenchmarkReadFile/x/b.Benchmark"], ""),
        (["shop.BenchmarkReadFile/a.b.c", "shop.BenchmarkReadFile/a.b.d"], ""),
        # A Java method can have a name as in Go.
        (["org.example.Bench.BenchmarkA", "org.example.Bench.b"], "org.example."),
    ],
)
def test_the_common_prefix_is_omitted(names: list[str], prefix: str) -> None:
    found = of(*names)
    assert found.prefix == prefix
    for name in names:
        assert found.label(Identity(name)) == name.removeprefix(prefix)


def test_details_are_separate_from_the_name() -> None:
    names = of("org.example.Bench.a", "org.example.Bench.b")
    identity = Identity("org.example.Bench.a", "thrpt", (("n", "1"),), 2)
    (name,) = names.named(identity).names
    assert name == Name("Bench.a", "[n=1] (thrpt, 2 threads)")
    assert name.label == names.label(identity) == "Bench.a [n=1] (thrpt, 2 threads)"


def test_the_prefix_is_given_without_its_separator() -> None:
    for prefix, shown in (("org.example.", "org.example"), ("example.com/a/", "example.com/a")):
        assert (
            ShortNames(prefix).sentence == f"Names are shown without their common prefix {shown}."
        )


FOREIGN = re.compile(r"\b(?:forks?|jars?|jvms?|threads?)\b", re.IGNORECASE)


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


@looped("processes", [1, 4])
def test_reports_for_go_do_not_mention_forks_threads_or_jars(
    processes: int, tmp_path: Path
) -> None:
    base = go_results(tmp_path / "base.txt", 1.0, processes, 1)
    head = go_results(tmp_path / "head.txt", 1.5, processes, 2)
    found = steady.compare(base, head)
    for text in (comment(found), terminal(found), Page(html(found)).lines):
        assert FOREIGN.findall(text) == []
        assert "2 processors" in text
        assert re.search(r"1\.6\d\d(?:\s| → \d\.\d+\s)ms/op", text)


def test_mixed_suites_use_the_terms_of_jmh() -> None:
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
def test_go_benchmarks_are_recognized_by_their_names(name: str, is_go: bool) -> None:
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
