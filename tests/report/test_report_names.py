"""Names short enough to read."""

from __future__ import annotations

from steady.model import Identity
from steady.report.document import Name
from steady.report.names import ShortNames
from tests.looped import looped


def of(*names: str) -> ShortNames:
    return ShortNames.of(Identity(name) for name in names)


CHI, YAML = "github.com/acme/shop", "example.com/shop/yaml.v3.BenchmarkA"


@looped(
    ("names", "prefix"),
    [
        (["org.example.json.Bench.a", "org.example.csv.Bench.b"], "org.example."),
        # Class and method are always shown.
        (["org.example.Bench.a", "org.example.Bench.b"], "org.example."),
        # Only whole packages are left out.
        (["org.example.A.x", "org.examples.A.x"], ""),
        (["BenchmarkOne", "BenchmarkTwo"], ""),
        # One benchmark keeps its name.
        (["org.example.Bench.a"], ""),
        ([], ""),
        # Import paths are cut at their slashes; of one package its last element is kept.
        (
            [f"{CHI}/text.BenchmarkA/long", f"{CHI}/text/v2.BenchmarkA/n=1.5", f"{CHI}.BenchmarkB"],
            "github.com/acme/",
        ),
        ([f"{YAML}/1.5/x.y", "example.com/shop/yaml.v3.BenchmarkB"], "example.com/shop/"),
        # A package without results is called like the others.
        (["example.com/shop/text.BenchmarkA", "example.com/shop/broken"], "example.com/shop/"),
        # An argument does not stand alone, and no name of a sub-benchmark is cut.
        (["BM_Price/99", "BM_Price/123456789"], ""),
        (["BenchmarkReadFile/a.b/c", "BenchmarkReadFile/a.b/d"], ""),
        (["BenchmarkReadFile/x/a.Benchmark", "BenchmarkReadFile/x/b.Benchmark"], ""),
        (["shop.BenchmarkReadFile/a.b.c", "shop.BenchmarkReadFile/a.b.d"], ""),
        # A method of Java may be called as in Go.
        (["org.example.Bench.BenchmarkA", "org.example.Bench.b"], "org.example."),
    ],
)
def test_what_all_names_begin_with_is_left_out(names: list[str], prefix: str) -> None:
    found = of(*names)
    assert found.prefix == prefix
    for name in names:
        assert found.label(Identity(name)) == name.removeprefix(prefix)


def test_details_are_kept_apart_from_the_name() -> None:
    names = of("org.example.Bench.a", "org.example.Bench.b")
    identity = Identity("org.example.Bench.a", "thrpt", (("n", "1"),), 2)
    (name,) = names.named(identity).names
    assert name == Name("Bench.a", "[n=1] (thrpt, 2 threads)")
    assert name.label == names.label(identity) == "Bench.a [n=1] (thrpt, 2 threads)"


def test_the_prefix_is_said_without_its_separator() -> None:
    for prefix, shown in (("org.example.", "org.example"), ("example.com/a/", "example.com/a")):
        assert (
            ShortNames(prefix).sentence == f"All names begin with {shown}, which is left out here."
        )
