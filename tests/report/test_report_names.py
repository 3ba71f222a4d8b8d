"""Names short enough to read."""

from __future__ import annotations

from steady.model import Identity
from steady.report.names import Names


def of(*names: str) -> Names:
    return Names.of(Identity(name) for name in names)


def test_what_all_names_begin_with_is_left_out() -> None:
    names = of("org.example.json.Bench.a", "org.example.csv.Bench.b")
    assert names.prefix == "org.example."
    assert names.label(Identity("org.example.csv.Bench.b")) == "csv.Bench.b"


def test_class_and_method_are_always_shown() -> None:
    assert of("org.example.Bench.a", "org.example.Bench.b").prefix == "org.example."


def test_only_whole_packages_are_left_out() -> None:
    assert of("org.example.A.x", "org.examples.A.x").prefix == ""
    assert of("BenchmarkOne", "BenchmarkTwo").prefix == ""


def test_one_benchmark_keeps_its_name() -> None:
    assert of("org.example.Bench.a").prefix == ""
    assert of().prefix == ""


def test_details_are_kept_apart_from_the_name() -> None:
    names = of("org.example.Bench.a", "org.example.Bench.b")
    identity = Identity("org.example.Bench.a", "thrpt", (("n", "1"),), 2)
    assert names.split(identity) == ("Bench.a", "[n=1] (thrpt, 2 threads)")
    assert names.code(identity) == "`Bench.a [n=1] (thrpt, 2 threads)`"
