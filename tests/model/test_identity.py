from __future__ import annotations

from steady.model import Identity, nearest_benchmarks
from tests.looped import looped


def test_a_label_tells_apart_what_the_identity_tells_apart() -> None:
    plain = Identity("org.B.a")
    full = Identity("org.B.a", "thrpt", (("n", "10"), ("kind", "x y")), 4)
    assert plain.label == "org.B.a"
    assert full.label == "org.B.a [n=10, kind=x y] (thrpt, 4 threads)"


@looped(
    ("name", "holder", "method", "parameters"),
    [
        ("org.example.Bench.get", "org.example.Bench", "get", ""),
        ("parse", "", "parse", ""),
        ("github.com/go-chi/chi.BenchmarkMux", "github.com/go-chi/chi", "BenchmarkMux", ""),
        ("codec.BenchmarkDecode/ratio=1.5", "codec", "BenchmarkDecode", "ratio=1.5"),
        ("a/b.BenchmarkX/size=8", "a/b", "BenchmarkX", "size=8"),
        ("gopkg.in/yaml.v3.BenchmarkA/x.y/z", "gopkg.in/yaml.v3", "BenchmarkA", "x.y/z"),
        ("BenchmarkReadFile/x/a.Benchmark", "", "BenchmarkReadFile", "x/a.Benchmark"),
        ("org.example.BenchmarkSuite.run", "org.example.BenchmarkSuite", "run", ""),
        ("example.com/shop/yaml.v3", "", "example.com/shop/yaml.v3", ""),
        ("decode ratio=1.5", "", "decode ratio=1.5", ""),
        ("test_x.py::test_z", "test_x.py", "test_z", ""),
        ("b/test_x.py::TestY::test_z[1-a]", "b/test_x.py::TestY", "test_z", "1-a"),
        ("b.c/test_x.py::test_z[x/y [z]::é.]", "b.c/test_x.py", "test_z", "x/y [z]::é."),
        ("codec.BenchmarkX/test_x.py::test_z", "codec", "BenchmarkX", "test_x.py::test_z"),
        ("a.py::", "a", "py::", ""),
    ],
)
def test_a_name_is_cut_as_its_harness_writes_it(
    name: str, holder: str, method: str, parameters: str
) -> None:
    identity = Identity(name)
    assert (identity.holder, identity.method, identity.parameters) == (holder, method, parameters)
    assert name == identity.parts.qualifier + identity.parts.member


def test_parameters_of_jmh_stand_beside_the_name() -> None:
    assert Identity("org.B.a", params=(("n", "10"), ("kind", "x"))).parameters == "n=10, kind=x"


def test_a_short_name_keeps_the_last_part_of_its_holder() -> None:
    assert Identity("org.example.Bench.get").parts.short == "Bench.get"
    assert Identity("github.com/go-chi/chi.BenchmarkMux/1.5").parts.short == "chi.BenchmarkMux/1.5"
    assert Identity("parse").parts.short == "parse"
    assert Identity("a/b/test_x.py::T::test_z[1/2]").parts.short == "test_x.py::T::test_z[1/2]"


def test_the_nearest_benchmark_is_found_by_a_package_of_go() -> None:
    known = [Identity("github.com/go-chi/chi.BenchmarkMux/ratio=1.5"), Identity("other")]
    assert nearest_benchmarks("chi.BenchmarkMx/ratio=1.5", known) == [known[0].label]
