"""Plans for Go: names, patterns, and commands, which the real Go runs."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.emit import emit
from steady.errors import InputError
from steady.harness.go.bench_pattern import exact_pattern, split_name
from steady.model import ExecutionConfiguration, Identity
from steady.plan.suite_plan import BenchmarkPlan, Plan
from steady.readers import load
from tests.harness.planned import planned_as
from tests.looped import looped

SMALL = ExecutionConfiguration(2, 1, 2, 0.001, 0.001)
COUNTED = ExecutionConfiguration(3, 0, 2, 0.0, 0.0, 5, 5)
MODULE = Path(__file__).parents[3] / "readers" / "recorded" / "go" / "module"
PLAIN = "recorded.Recorded.work/plain.Benchmark"


def planned(
    name: str, configuration: ExecutionConfiguration = SMALL, threads: int = 1
) -> BenchmarkPlan:
    return planned_as(Identity(name, threads=threads), configuration)


def plan_of(*benchmarks: BenchmarkPlan) -> Plan:
    return Plan(benchmarks, "uoptime", harness="go")


@looped(
    ("name", "package", "benchmark"),
    [
        ("BenchmarkX", "", "BenchmarkX"),
        ("p.BenchmarkX", "p", "BenchmarkX"),
        ("example.com/a.v2.BenchmarkX/b=1.5", "example.com/a.v2", "BenchmarkX/b=1.5"),
        ("a/Benchmarks.BenchmarkX/a.BenchmarkY", "a/Benchmarks", "BenchmarkX/a.BenchmarkY"),
        ("BenchmarkX/a.BenchmarkY", "", "BenchmarkX/a.BenchmarkY"),
        ("p.Benchmark_x", "p", "Benchmark_x"),
    ],
)
def test_names_are_split(name: str, package: str, benchmark: str) -> None:
    assert split_name(name) == (package, benchmark)


def test_names_of_other_harnesses() -> None:
    for name in ("", "org.Bench.get", "p.Benchmarks", ".BenchmarkX"):
        with pytest.raises(ValueError, match="is not the name of a Go benchmark"):
            split_name(name)


def parts_of(pattern: str) -> list[str]:
    """Split a pattern like testing.splitRegexp, without alternatives outside of brackets."""
    parts, part, square, curly, i = [], "", 0, 0, 0
    while i < len(pattern):
        character = pattern[i]
        square = max(square + (character == "[") - (character == "]"), 0)
        if square == 0:
            curly += (character == "(") - (character == ")")
        if character == "\\":
            part += character
            i += 1
        elif character == "/" and square == curly == 0:
            parts.append(part)
            part = ""
            i += 1
            continue
        else:
            assert character != "|" or square or curly
        part += pattern[i]
        i += 1
    return [*parts, part]


@given(st.lists(st.text("a.[](){}|\\^$*+?ü#", max_size=4), min_size=1, max_size=3))
def test_any_name_has_one_part_per_element(elements: list[str]) -> None:
    name = "/".join(["BenchmarkX", *elements])
    parts = parts_of(exact_pattern(name))
    assert len(parts) == len(elements) + 1
    for part, element in zip(parts, ["BenchmarkX", *elements], strict=True):
        assert re.fullmatch(part, element)
        assert not re.fullmatch(part, element + "a")


@looped(
    ("benchmark", "problem"),
    [
        (planned("org.Bench.get"), "not the name of a Go benchmark"),
        (planned("BenchmarkX"), "its package is unknown"),
        (planned("-p.BenchmarkX"), "white space or control characters"),
        (planned("p.BenchmarkX/a b"), "white space or control characters"),
        (planned("p.BenchmarkX/\udc80"), "not Unicode text"),
        (planned("p.BenchmarkX", threads=0), "0 processors"),
        (planned("p.BenchmarkX", ExecutionConfiguration(0, 0, 1, 1.0, 1.0)), "forks cannot be 0"),
        (planned("p.BenchmarkX", ExecutionConfiguration(1, 1, 1, 2.0, 1.0)), "differ in length"),
    ],
)
def test_unsupported_configurations_are_reported_in_one_sentence(
    benchmark: BenchmarkPlan, problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        emit(plan_of(benchmark), "unused")


def test_a_jar_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="leave it out"):
        emit(plan_of(planned("p.BenchmarkX")), tmp_path, benchmark_list=b"")


def test_each_benchmark_has_its_command(tmp_path: Path) -> None:
    emitted = emit(
        plan_of(planned("p.BenchmarkA"), planned("p/q.BenchmarkB/x.y[1]|c", COUNTED, 4)), tmp_path
    )
    assert emitted.files == (tmp_path / "go-test.txt",)
    expected = Path(__file__).with_name("go-test.txt").read_text(encoding="utf-8")
    assert emitted.files[0].read_text() == expected


HOSTILE = ["$(touch canary)", "`touch${IFS}canary`", "';touch${IFS}canary;'", "#x", "\\"]


def test_hostile_names_are_only_text(tmp_path: Path) -> None:
    names = [f"BenchmarkX/{name.replace(' ', '_')}" for name in HOSTILE]
    emit(plan_of(*(planned(f"p.{name}") for name in names)), tmp_path)
    lines = (tmp_path / "go-test.txt").read_text(encoding="utf-8").splitlines()
    commands = [shlex.split(line) for line in lines if line and not line.startswith("#")]
    assert [one[3] for one in commands] == [f"-bench={exact_pattern(name)}" for name in names]
    assert {len(one) for one in commands} == {9}


@pytest.mark.needs("go")
def test_real_go_runs_every_benchmark_as_planned(tmp_path: Path) -> None:
    odd = ("Nested/a_b/c[d](e)|f", "Nested/x=1.5#01", "Nested/#00", r"Nested/ü\x01")
    names = [f"{PLAIN}{name}" for name in ("Work", "Printing", "Nested/size-8", *odd)]
    names.append("recorded.Recorded.work/failing.BenchmarkReadsTestdata")
    benchmarks = [planned(name, threads=2) for name in names]
    emit(plan_of(*benchmarks), tmp_path)
    done = subprocess.run(
        ["sh", "-e", str(tmp_path / "go-test.txt")],
        cwd=MODULE, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (tmp_path / "results.txt").write_text(done.stdout, encoding="utf-8")
    suite = load(tmp_path / "results.txt")
    assert set(suite) == {benchmark.identity for benchmark in benchmarks}
    assert {benchmark.measurements.shape for benchmark in suite.values()} == {(1, 3)}
    assert suite.failures == ()
