"""Names short enough to read."""

from __future__ import annotations

from steady.model import Identity
from steady.report.document import Name
from steady.report.names import ShortNames


def of(*names: str) -> ShortNames:
    return ShortNames.of(Identity(name) for name in names)


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
    (name,) = names.named(identity).names
    assert name == Name("Bench.a", "[n=1] (thrpt, 2 threads)")
    assert name.label == names.label(identity) == "Bench.a [n=1] (thrpt, 2 threads)"


def test_import_paths_are_cut_at_their_slashes() -> None:
    names = of(
        "github.com/acme/shop/text.BenchmarkDistance/long",
        "github.com/acme/shop/text/v2.BenchmarkDistance/size=1.5",
        "github.com/acme/shop.BenchmarkBuy",
    )
    assert names.prefix == "github.com/acme/"
    assert names.label(Identity("github.com/acme/shop.BenchmarkBuy")) == "shop.BenchmarkBuy"


def test_of_one_package_its_last_element_is_kept() -> None:
    names = of("example.com/shop/yaml.v3.BenchmarkA/1.5/x.y", "example.com/shop/yaml.v3.BenchmarkB")
    assert names.prefix == "example.com/shop/"


def test_a_package_without_results_is_called_like_the_others() -> None:
    names = of("example.com/shop/text.BenchmarkA", "example.com/shop/broken")
    assert names.prefix == "example.com/shop/"
    assert names.label(Identity("example.com/shop/broken")) == "broken"


def test_an_argument_does_not_stand_alone() -> None:
    assert of("BM_Price/99", "BM_Price/123456789").prefix == ""


def test_no_name_of_a_sub_benchmark_is_cut() -> None:
    assert of("BenchmarkReadFile/a.b/c", "BenchmarkReadFile/a.b/d").prefix == ""
    assert of("BenchmarkReadFile/x/a.Benchmark", "BenchmarkReadFile/x/b.Benchmark").prefix == ""
    assert of("shop.BenchmarkReadFile/a.b.c", "shop.BenchmarkReadFile/a.b.d").prefix == ""


def test_a_java_method_may_be_called_as_in_go() -> None:
    assert of("org.example.Bench.BenchmarkA", "org.example.Bench.b").prefix == "org.example."


def test_the_prefix_is_said_without_its_separator() -> None:
    for prefix, shown in (("org.example.", "org.example"), ("example.com/a/", "example.com/a")):
        assert (
            ShortNames(prefix).sentence == f"All names begin with {shown}, which is left out here."
        )
