"""Benchmarks, suites and identities."""

from dataclasses import replace

import numpy as np
import pytest

from steady.errors import InputError
from steady.model import (
    Benchmark,
    Environment,
    Identity,
    Level,
    Suite,
    as_times,
    direction_of,
    nearest_benchmarks,
    seconds_factor,
)
from steady.model.units import SECONDS_PER_UNIT
from tests.looped import looped

LEVELS = (Level("fork", 0.5), Level("iteration"))


def bench(values: object, *, unit: str = "ns/op", warmup: int = 0) -> Benchmark:
    return Benchmark(Identity("org.B.a"), unit, np.array(values), LEVELS, warmup=warmup)


def test_measurements_are_copied_read_only_and_exclude_the_warm_up() -> None:
    values = np.ones((2, 3))
    benchmark = bench(values)
    values[0, 0] = 7.0
    assert benchmark.measurements[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        benchmark.measurements[0, 0] = 7.0
    assert bench([[9, 1, 2], [9, 3, 4]], warmup=1).measured.tolist() == [[1, 2], [3, 4]]
    assert bench([[2.0]], unit="us/op").seconds_per_operation[0, 0] == pytest.approx(2e-6)
    assert bench([[4.0]], unit="ops/ms").seconds_per_operation[0, 0] == pytest.approx(2.5e-4)


def test_levels_match_axes_and_the_warm_up_fits() -> None:
    with pytest.raises(InputError, match=r"org\.B\.a: 1 axes of measurements for 2 levels"):
        bench([1.0, 2.0])
    with pytest.raises(InputError, match="0 axes of measurements for 0 levels"):
        Benchmark(Identity("org.B.a"), "ns/op", np.array(1.0), ())
    with pytest.raises(InputError, match="4 warm-up iterations of 3"):
        bench([[1, 2, 3]], warmup=4)


def test_complete_and_in_range_equal_a_loop() -> None:
    odd = [0.0, -1.0, np.nan, np.inf, 1e-101, 1e-100, 1e100, 1e101]
    tables = [[], [1.0], *([1.0, value] for value in odd), *([value, 1.0] for value in odd)]
    for values in tables:
        benchmark = bench(np.array([values]))
        sizes = [abs(value) for value in values if np.isfinite(value) and value]
        assert benchmark.in_range == all(1e-100 <= size <= 1e100 for size in sizes), values
        complete = all(0 < value < np.inf for value in values)
        assert benchmark.complete == (bool(values) and complete), values


def test_a_read_only_array_is_not_copied() -> None:
    values = np.array([[1.0, 2.0]])
    copied = Benchmark(Identity("a"), "s/op", values, LEVELS)
    assert not np.shares_memory(copied.measurements, values)
    assert replace(copied, unit="ms/op").measurements is copied.measurements
    view = values[:]
    view.flags.writeable = False  # the viewed data can still change
    assert not np.shares_memory(replace(copied, measurements=view).measurements, values)


def one(identity: Identity, cpu: str = "") -> Benchmark:
    return Benchmark(identity, "ns/op", np.ones(3), (Level("iteration"),), 0, None,
                     Environment(cpu=cpu))  # fmt: skip


SMALL = Identity("org.B.a", params=(("n", "1"),))
LARGE = Identity("org.B.a", params=(("n", "9"),))
OTHER = Identity("org.B.b")


def test_a_benchmark_is_found_by_identity_label_name_and_pattern() -> None:
    suite = Suite((one(SMALL, "x"), one(LARGE, "y"), one(OTHER, "x")))
    assert list(suite) == [SMALL, LARGE, OTHER]
    assert [environment.cpu for environment in suite.environments] == ["x", "y"]
    found: dict[Identity | str, Identity] = {LARGE: LARGE, "org.B.a [n=9]": LARGE}
    found |= dict.fromkeys(("B.a [n=9]", "a [n=9]"), LARGE)
    found |= dict.fromkeys(("org.B.b", "b", "B.b", "*b"), OTHER)
    assert {asked: suite[asked].identity for asked in found} == found
    assert suite.__contains__("b")
    assert not suite.__contains__("c")
    json = Suite(tuple(one(Identity(f"org.Json.{name}")) for name in ("parse", "print", "walk")))
    for among, name, message in (
        (suite, "org.B.a", "matches 2 benchmarks"),
        (suite, "a", r"2 benchmarks; .*: org\.B\.a \[n=1\], org\.B\.a \[n=9\]"),
        (suite, "x", "no benchmark is called 'x'"),
        (json, "prase", r"called 'prase'; the nearest: org\.Json\.parse"),
        (json, "zzz", r"called 'zzz'; the names are org\.Json\.parse, org\.Json"),
        (Suite(()), "zzz", r"called 'zzz'; there are none"),
    ):
        with pytest.raises(KeyError, match=message):
            among[name]
    with pytest.raises(InputError, match=r"org\.B\.b appears twice"):
        Suite((one(OTHER), one(SMALL), one(OTHER)))


def test_arrays_become_a_suite_with_named_levels_and_costs() -> None:
    values = {"a": np.ones((3, 20))}
    suite = Suite.of(values, unit="ops/s", iteration_seconds=2.0, startup_seconds=0.7)
    benchmark = suite["a"]
    assert [level.name for level in benchmark.levels] == ["fork", "iteration"]
    assert benchmark.levels[0].startup_seconds == 0.7
    assert benchmark.configuration is not None
    assert (benchmark.configuration.forks, benchmark.configuration.iterations) == (3, 20)
    assert benchmark.direction == "higher"
    go = Suite.of({"go": np.ones((3, 3, 5, 5))}, unit="ns/op")["go"]
    names = ["level 1", "level 2", "level 3", "iteration"]
    assert [level.name for level in go.levels] == names
    assert go.forks.shape == (45, 5)
    assert go.configuration is None


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
def test_a_name_is_split_as_its_harness_writes_it(
    name: str, holder: str, method: str, parameters: str
) -> None:
    identity = Identity(name)
    assert (identity.holder, identity.method, identity.parameters) == (holder, method, parameters)
    assert name == identity.parts.qualifier + identity.parts.member


def test_short_names() -> None:
    jmh = Identity("org.B.a", "thrpt", (("n", "10"), ("kind", "x y")), 4)
    assert Identity("org.B.a").label == "org.B.a"
    assert jmh.label == "org.B.a [n=10, kind=x y] (thrpt, 4 threads)"
    assert jmh.parameters == "n=10, kind=x y"
    short = {
        "org.example.Bench.get": "Bench.get",
        "github.com/go-chi/chi.BenchmarkMux/1.5": "chi.BenchmarkMux/1.5",
        "parse": "parse",
        "a/b/test_x.py::T::test_z[1/2]": "test_x.py::T::test_z[1/2]",
    }
    assert {name: Identity(name).parts.short for name in short} == short
    known = [Identity("github.com/go-chi/chi.BenchmarkMux/ratio=1.5"), Identity("other")]
    assert nearest_benchmarks("chi.BenchmarkMx/ratio=1.5", known) == [known[0].label]


def test_the_unit_determines_the_direction() -> None:
    for unit in ("ns/op", "us/op", "s/op", "min/op", "B/op", "allocs/op", "", "/"):
        assert direction_of(unit) == "lower"
    for unit in ("ops/s", "ops/us", "ops/day", "MB/s"):
        assert direction_of(unit) == "higher"


def test_every_time_unit_of_jmh_has_its_seconds_in_both_directions() -> None:
    for time in ("ns", "us", "ms", "s", "min", "hr", "day"):
        assert seconds_factor(f"{time}/op") == SECONDS_PER_UNIT[time]
        assert seconds_factor(f"ops/{time}") == SECONDS_PER_UNIT[time]
    # 4 threads with 8 operations per second together take half a second per operation.
    assert (1.0 / 8.0) * seconds_factor("ops/s", threads=4) == 0.5
    assert seconds_factor("s/op", threads=4) == 1.0
    assert np.isnan(seconds_factor("MB/s"))
    assert np.isnan(seconds_factor("B/op"))
    # Throughput is inverted, and zero becomes infinite.
    assert as_times(np.array([2.0, 0.0]), "higher").tolist() == [0.5, np.inf]
    assert as_times(np.array([2.0, 0.0]), "lower").tolist() == [2.0, 0.0]
