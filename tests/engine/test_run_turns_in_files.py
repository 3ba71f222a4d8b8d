"""Interleaving and interim analyses of a run, and declarations of a jar, in result files."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from jmh_forks import benchmark_jar, fork, jar, record

from steady.engine import ForkResult, RunFacts, Trial
from steady.errors import InputError
from steady.harness.go.run.go_runs import GoRuns
from steady.harness.jmh.run.jar import BenchmarkJar, with_declared
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.model import Benchmark, ExecutionConfiguration, Identity, Level, Suite
from steady.readers import load

GET = Identity("org.Bench.get")
SUM = Identity("p.BenchmarkSum")


def merged_jmh(folder: Path, marks: list[bool], facts: RunFacts) -> Path:
    path = folder / "head.json"
    forks = [
        replace(fork(folder, number, GET, [1.0 + number, 2.0]), in_turn=mark)
        for number, mark in enumerate(marks)
    ]
    path.write_bytes(JmhRuns().merge(forks, facts))
    return path


def merged_go(folder: Path, marks: list[bool], facts: RunFacts) -> Path:
    path = folder / "head.txt"
    one = ExecutionConfiguration(1, 0, 1, 0.02, 0.02)
    forks = []
    for number, mark in enumerate(marks):
        own = folder / f"{number}.txt"
        own.write_text(f"pkg: p\nBenchmarkSum\t100\t{number}.5 ns/op\n")
        trial = Trial(number, number, "head", SUM, one, 1.0, 60.0)
        forks.append(ForkResult(trial, f"id:{number}", own, in_turn=mark))
    path.write_bytes(GoRuns().merge(forks, facts))
    return path


Merge = Callable[[Path, list[bool], RunFacts], Path]
BOTH = pytest.mark.parametrize(("merge", "identity"), [(merged_jmh, GET), (merged_go, SUM)])


def only(path: Path) -> Benchmark:
    [benchmark] = load(path).benchmarks
    return benchmark


@BOTH
def test_marks_are_read_back(merge: Merge, identity: Identity, tmp_path: Path) -> None:
    marks = [True, False, True]
    path = merge(tmp_path, marks, RunFacts({identity: 3}, looks={identity: (2, 3, 6)}))
    joined = tmp_path / f"joined{path.suffix}"  # as a shard
    harness = JmhRuns() if path.suffix == ".json" else GoRuns()
    joined.write_bytes(harness.join([path]))
    for file in (path, joined):
        assert only(file).in_turn == tuple(marks)
        assert only(file).looks == (2, 3, 6)
    path = merge(tmp_path, [False, False], RunFacts({identity: 2}))  # a run fork by fork
    assert "in_turn" not in path.read_text()
    assert "looks" not in path.read_text()
    assert (only(path).in_turn, only(path).looks) == ((), ())


def test_jmh_and_go_have_the_same_facts_in_a_list_and_in_the_line_of_a_process(
    tmp_path: Path,
) -> None:
    facts = RunFacts({GET: 2, SUM: 2}, looks={GET: (2, 4), SUM: (2, 4)})
    shared: dict[str, object] = {
        "version": 1,
        "forks": 2,
        "iterations": 2,
        "iteration_seconds": 0.01,
        "threads": 1,
    }
    shared["looks"] = [2, 4]
    [found] = json.loads(merged_jmh(tmp_path, [True, False], facts).read_text())
    # All forks of the record have in common what stands in the first item alone.
    assert found["steady"] == [{"block": "run:0", "in_turn": True, **shared}, {"block": "run:0"}]
    text = merged_go(tmp_path, [True, False], facts).read_text()
    lines = [line for line in text.splitlines() if line.startswith("#")]
    shared |= {"iterations": 1, "iteration_seconds": 0.02}
    assert [json.loads(line.removeprefix("# steady process ")) for line in lines] == [
        {"block": "id:0", "in_turn": True, **shared},
        {"block": "id:1", **shared},
    ]


def test_errors_in_jmhs_json_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    for key, value, message in (
        ("steady", [{}], "has facts about 1 forks for 2 forks; run `steady run` again"),
        ("steady", [{}, {"in_turn": 1}], r"Expected `bool`, got `int` - at `\$\.in_turn`"),
        ("steady", [{}, 1], "expected an object, found a number"),
        ("steady", {"block": "a"}, "expected a list, found an object"),
        ("steady", [{"looks": [3, 3]}, {}], "looks are not in ascending order"),
        ("steady", [{"looks": [0, 3]}, {}], "Expected `int` >= 1"),
        ("steady", [{"version": 2}, {}], "facts about forks of version 2; .* up to version 1"),
        ("steady", {"version": 2}, "facts about forks of version 2; .* up to version 1"),
        # As earlier releases wrote them.
        ("steadyTurns", [True], "has 1 steadyTurns for 2 forks; run `steady run` again"),
        ("steadyTurns", [True, 1], r"Expected `bool`, got `int` - at `\$\.in_turn`"),
        ("steadyTurns", True, "expected a list, found true or false"),
        ("steadyLooks", [3, 3], "looks are not in ascending order"),
        ("steadyLooks", [0, 3], "Expected `int` >= 1"),
        ("steadyLooks", [1.5], "Expected `int`, got `float`"),
        ("steadyLooks", 3, "Expected `array`, got `int`"),
    ):
        told: dict[str, object] = {"forks": 2, key: value}
        path.write_text(json.dumps([record(GET, [[1.0], [2.0]], **told)]))
        with pytest.raises(InputError, match=rf"\[0\].*{message}"):
            load(path)


def test_errors_in_gos_lines_are_reported(tmp_path: Path) -> None:
    path, line = tmp_path / "base.txt", "BenchmarkSum\t100\t1.5 ns/op\n"
    for noted, message in (
        ('{"in_turn": 1}', "Expected `bool`, got `int`"),
        ('{"looks": [5, 3]}', "looks are not in ascending order"),
        ('{"in_turn": tru', "has facts about forks that are not JSON; run `steady run` again"),
        ('{"version": 2}', "facts about forks of version 2; .* up to version 1"),
        ('{"iterations": 1, "batch_size": 0}', "benchtime '0x' is not a duration"),
        # As earlier releases wrote them.
        ("block=a:0 turns=yes", "Expected `bool`, got `str`"),
        ("block=a:0 looks=", "Expected `int`, got `str`"),
        ("block=a:0 looks=3,x", "Expected `int`, got `str`"),
        ("block=a:0 looks=0,3", "Expected `int` >= 1"),
        ("block=a:0 looks=5,3", "looks are not in ascending order"),
    ):
        path.write_text(f"# steady process {noted}\npkg: p\n{line}")
        with pytest.raises(InputError, match=f"line 1: .*{message}"):
            load(path)


@BOTH
def test_joined_files_keep_them(merge: Merge, identity: Identity, tmp_path: Path) -> None:
    """A fork without a mark was not interleaved, and all interim analyses are kept."""
    paths = []
    cases = (("a", [True, True], (2, 4)), ("b", [False], ()), ("c", [True], (1,)))
    for name, marks, looks in cases:
        folder = tmp_path / name
        folder.mkdir()
        facts = RunFacts({identity: len(marks)}, looks={identity: looks} if looks else {})
        path = merge(folder, marks, facts)
        text = path.read_text().replace("0.5", f"0.{ord(name)}").replace("2.0", f"2.{ord(name)}")
        path.write_text(text)  # files with the same measurements are refused
        paths.append(path)
    [benchmark] = load(paths).benchmarks
    assert benchmark.in_turn == (True, True, False, True)
    assert benchmark.looks == (1, 2, 4)


OWN = ExecutionConfiguration(1, 1, 1, 1.0, 1.0)


def test_the_jar_adds_declarations_to_results(tmp_path: Path) -> None:
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
