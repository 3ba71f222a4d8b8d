from __future__ import annotations

import numpy as np
import pytest

from steady.errors import InputError
from steady.model import Benchmark, Environment, Identity, Level, Suite


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
