from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from jmh_forks import benchmark_jar, jar

from steady.harness.jmh.run.jar import BenchmarkJar, with_declared
from steady.model import Benchmark, ExecutionConfiguration, Identity, Level, Suite

OWN = ExecutionConfiguration(1, 1, 1, 1.0, 1.0)


def test_the_jar_tells_what_results_do_not(tmp_path: Path) -> None:
    path = benchmark_jar(tmp_path / "benchmarks.jar")
    declared = BenchmarkJar(path).declared
    first, second = list(declared)[:2]
    levels = (Level("fork"), Level("iteration"))
    plain = [
        Benchmark(identity, "us/op", np.ones((2, 3)), levels)
        for identity in (first, second, Identity("not.in.the.Jar"))
    ]
    suite = Suite((plain[0], replace(plain[1], declared=OWN), plain[2]), harness="jmh")
    found = with_declared(suite, path)
    assert found[first].declared == declared[first]
    assert found[second].declared == OWN
    assert found.benchmarks[2].declared is None
    # Without JMH itself nobody knows its version, on which the defaults depend.
    bare = jar(tmp_path / "bare.jar", {"META-INF/BenchmarkList": ""})
    assert with_declared(suite, bare) is suite
