"""Benchmarks, suites of them, and what tells them apart."""

from __future__ import annotations

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


def test_measurements_are_copied_and_frozen() -> None:
    values = np.ones((2, 3))
    benchmark = bench(values)
    values[0, 0] = 7.0
    assert benchmark.measurements[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        benchmark.measurements[0, 0] = 7.0


def test_measured_leaves_out_what_ran_as_warmup() -> None:
    assert bench([[9, 1, 2], [9, 3, 4]], warmup=1).measured.tolist() == [[1, 2], [3, 4]]


def test_seconds_per_operation_in_both_directions() -> None:
    assert bench([[2.0]], unit="us/op").seconds_per_operation[0, 0] == pytest.approx(2e-6)
    assert bench([[4.0]], unit="ops/ms").seconds_per_operation[0, 0] == pytest.approx(2.5e-4)


def test_one_level_for_each_axis() -> None:
    with pytest.raises(InputError, match=r"org\.B\.a: 1 axes of measurements for 2 levels"):
        bench([1.0, 2.0])
    with pytest.raises(InputError, match="0 axes of measurements for 0 levels"):
        Benchmark(Identity("org.B.a"), "ns/op", np.array(1.0), ())


def test_warmup_cannot_be_longer_than_the_series() -> None:
    with pytest.raises(InputError, match="4 warm-up iterations of 3"):
        bench([[1, 2, 3]], warmup=4)


def test_an_array_that_nobody_can_change_is_not_copied() -> None:
    values = np.array([[1.0, 2.0]])
    copied = Benchmark(Identity("a"), "s/op", values, LEVELS)
    assert not np.shares_memory(copied.measurements, values)
    assert replace(copied, unit="ms/op").measurements is copied.measurements
    view = values[:]
    view.flags.writeable = False  # what it looks at can still change
    assert not np.shares_memory(replace(copied, measurements=view).measurements, values)


def one(identity: Identity, cpu: str = "") -> Benchmark:
    return Benchmark(identity, "ns/op", np.ones(3), (Level("iteration"),), 0, None,
                     Environment(cpu=cpu))  # fmt: skip


SMALL = Identity("org.B.a", params=(("n", "1"),))
LARGE = Identity("org.B.a", params=(("n", "9"),))
OTHER = Identity("org.B.b")


def test_a_benchmark_is_found_by_identity_label_and_unique_name() -> None:
    suite = Suite((one(SMALL), one(LARGE), one(OTHER)))
    assert suite[LARGE].identity == LARGE
    assert suite["org.B.a [n=9]"].identity == LARGE
    assert suite["org.B.b"].identity == OTHER
    assert list(suite) == [SMALL, LARGE, OTHER]


def test_an_ambiguous_or_unknown_name_says_so() -> None:
    suite = Suite((one(SMALL), one(LARGE)))
    with pytest.raises(KeyError, match="is the name of 2 benchmarks"):
        suite["org.B.a"]
    with pytest.raises(KeyError, match="no benchmark is called 'x'"):
        suite["x"]


def test_what_patterns_of_the_settings_find_is_found() -> None:
    suite = Suite((one(SMALL), one(LARGE), one(OTHER)))
    assert suite["b"].identity == suite["B.b"].identity == suite["*b"].identity == OTHER
    assert suite["B.a [n=9]"].identity == suite["a [n=9]"].identity == LARGE
    assert suite.__contains__("b")
    assert not suite.__contains__("c")
    with pytest.raises(KeyError, match=r"2 benchmarks: .*: org\.B\.a \[n=1\], org\.B\.a \[n=9\]"):
        suite["a"]


def test_the_nearest_names_are_listed() -> None:
    suite = Suite(tuple(one(Identity(f"org.Json.{name}")) for name in ("parse", "print", "walk")))
    with pytest.raises(KeyError, match=r"called 'prase'; the nearest: org\.Json\.parse"):
        suite["prase"]
    with pytest.raises(KeyError, match=r"called 'zzz'; the names are org\.Json\.parse, org\.Json"):
        suite["zzz"]
    with pytest.raises(KeyError, match=r"called 'zzz'; none is there"):
        Suite(())["zzz"]


def test_no_benchmark_stands_twice() -> None:
    with pytest.raises(InputError, match=r"org\.B\.b stands twice"):
        Suite((one(OTHER), one(SMALL), one(OTHER)))


def test_environments_are_listed_once() -> None:
    suite = Suite((one(SMALL, "x"), one(LARGE, "y"), one(OTHER, "x")))
    assert [environment.cpu for environment in suite.environments] == ["x", "y"]


def test_arrays_become_a_suite_with_named_levels_and_costs() -> None:
    suite = Suite.of({"a": np.ones((3, 20))}, unit="ops/s", iteration_seconds=2.0,
                     startup_seconds=0.7)  # fmt: skip
    benchmark = suite["a"]
    assert [level.name for level in benchmark.levels] == ["fork", "iteration"]
    assert benchmark.levels[0].startup_seconds == 0.7
    assert benchmark.configuration is not None
    assert (benchmark.configuration.forks, benchmark.configuration.iterations) == (3, 20)
    assert benchmark.direction == "higher"


def test_any_number_of_levels() -> None:
    suite = Suite.of({"go": np.ones((3, 3, 5, 5))}, unit="ns/op")
    assert [level.name for level in suite["go"].levels] == [
        "level 1", "level 2", "level 3", "iteration"]  # fmt: skip
    assert suite["go"].forks.shape == (45, 5)
    assert suite["go"].configuration is None


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


def test_the_unit_tells_the_direction() -> None:
    for unit in ("ns/op", "us/op", "s/op", "min/op", "B/op", "allocs/op", "", "/"):
        assert direction_of(unit) == "lower"
    for unit in ("ops/s", "ops/us", "ops/day", "MB/s"):
        assert direction_of(unit) == "higher"


@looped("time", ["ns", "us", "ms", "s", "min", "hr", "day"])
def test_every_time_unit_of_jmh_has_its_seconds_in_both_directions(time: str) -> None:
    assert seconds_factor(f"{time}/op") == SECONDS_PER_UNIT[time]
    assert seconds_factor(f"ops/{time}") == SECONDS_PER_UNIT[time]


def test_throughput_of_several_threads_is_turned_into_the_time_of_one() -> None:
    # 4 threads that do 8 operations a second together need half a second for each.
    assert (1.0 / 8.0) * seconds_factor("ops/s", threads=4) == 0.5
    assert seconds_factor("s/op", threads=4) == 1.0


def test_units_without_a_time_have_no_seconds() -> None:
    assert np.isnan(seconds_factor("MB/s"))
    assert np.isnan(seconds_factor("B/op"))


def test_throughput_is_turned_round_and_zero_becomes_infinite() -> None:
    assert as_times(np.array([2.0, 0.0]), "higher").tolist() == [0.5, np.inf]
    assert as_times(np.array([2.0, 0.0]), "lower").tolist() == [2.0, 0.0]
