"""What `--annotations` leaves alone, and why."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.emit import rewrite_annotations
from steady.harness.jmh.configure.rewriting import worst_case
from steady.harness.source_changes import Rewriting
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.suite_plan import BenchmarkPlan, Plan, Status
from steady.report.plan_view import annotation_lines

FULL = ExecutionConfiguration(5, 0, 60, 0.05, 0.05)
REDUCED = ExecutionConfiguration(5, 3, 5, 0.05, 0.05)
JMH = "package p;\nimport org.openjdk.jmh.annotations.*;\nimport java.util.concurrent.TimeUnit;\n"


def planned(
    name: str,
    status: Status = "reduced",
    mode: str = "avgt",
    threads: int = 1,
    configuration: ExecutionConfiguration | None = None,
    **params: str,
) -> BenchmarkPlan:
    one = configuration or (REDUCED if status == "reduced" else FULL)
    identity = Identity(name, mode, tuple(sorted(params.items())), threads)
    return BenchmarkPlan(identity, one, FULL, 1.0, 2.0, status, "")


def rewriting_of(folder: Path, source: str, *benchmarks: BenchmarkPlan) -> Rewriting:
    (folder / "B.java").write_text(JMH + source)
    return rewrite_annotations(Plan(benchmarks, "uoptime"), folder)


def only_reason(rewriting: Rewriting) -> str:
    """Return why nothing changes."""
    assert rewriting.changes == ()
    assert rewriting.reduced == ()
    return {reason for _, reason in rewriting.kept}.pop()


@pytest.mark.parametrize("status", ["full", "insufficient"])
def test_what_is_not_reduced_is_not_touched(tmp_path: Path, status: Status) -> None:
    source = "class B { @Warmup(iterations = 9) @Benchmark void a() {} @Benchmark void b() {} }"
    rewriting = rewriting_of(tmp_path, source, planned("p.B.a", status), planned("p.B.b"))
    assert rewriting.kept == (("p.B.a", "the plan keeps the full run"),)
    assert rewriting.reduced == ("p.B.b",)
    (change,) = rewriting.changes
    assert b"{ @Warmup(iterations = 9) @Benchmark void a() {} @Warmup(" in change.after


def test_one_annotation_for_a_reduced_and_a_full_run_is_not_written(tmp_path: Path) -> None:
    source = 'class B { @Param({"1", "2"}) int n; @Benchmark void a() {} }'
    plans = planned("p.B.a", n="1"), planned("p.B.a", "full", n="2")
    rewriting = rewriting_of(tmp_path, source, *plans)
    assert "keeps the full run of p.B.a [n=2]" in only_reason(rewriting)


def test_a_method_that_others_inherit_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "Far.java").write_text("package q;\nclass Far extends p.Near {}\n")
    (tmp_path / "Near.java").write_text("package p;\npublic class Near extends B {}\n")
    (tmp_path / "One.java").write_text("package p;\nclass One extends B {}\n")
    source = "abstract class B { @Benchmark void a() {} }"
    reason = only_reason(rewriting_of(tmp_path, source, planned("p.One.a")))
    assert reason == ("it shares its method with p.Near.a, q.Far.a, which the plan does not know")
    everyone = [planned(f"{name}.a") for name in ("p.One", "p.Near", "q.Far")]
    assert len(rewriting_of(tmp_path, source, *everyone).reduced) == 3
    everyone[1] = planned("p.Near.a", "full")
    kept = rewriting_of(tmp_path, source, *everyone).kept
    assert [name for name, _ in kept] == ["p.One.a", "p.Near.a", "q.Far.a"]


def test_modes_and_threads_that_the_plan_does_not_know(tmp_path: Path) -> None:
    source = (
        "@BenchmarkMode({Mode.AverageTime, Mode.Throughput}) class B { @Benchmark void a() {}\n"
        "@BenchmarkMode(Mode.AverageTime) @Threads(4) @Benchmark void b() {} }"
    )
    rewriting = rewriting_of(tmp_path, source, planned("p.B.a"), planned("p.B.b"))
    assert [reason for _, reason in rewriting.kept] == [
        "it is annotated with mode thrpt too, which the plan does not know",
        "it is annotated with 4 threads, and the plan is for another number",
    ]
    known = planned("p.B.a"), planned("p.B.a", mode="thrpt"), planned("p.B.b", threads=4)
    assert rewriting_of(tmp_path, source, *known).reduced == ("p.B.a", "p.B.b")


@pytest.mark.parametrize(
    "source",
    [
        "class B { @Fork(0) @Benchmark void a() {} }",
        "@Fork(value = 0) class B { @Benchmark void a() {} }",
    ],
)
def test_no_forks_stay_no_forks(tmp_path: Path, source: str) -> None:
    rewriting = rewriting_of(tmp_path, source, planned("p.B.a"))
    assert "@Fork(0)" in only_reason(rewriting)


def test_what_was_measured_as_another_operation_is_not_written(tmp_path: Path) -> None:
    source = "class B { @Measurement(iterations = 5, batchSize = 5000) @Benchmark void a() {} }"
    shot = replace(REDUCED, warmup_seconds=0.0, iteration_seconds=0.0)
    reason = only_reason(rewriting_of(tmp_path, source, planned("p.B.a", "reduced", "ss", 1, shot)))
    assert "measured with batch size 1 and is annotated with 5000" in reason
    same = replace(shot, warmup_batch_size=5000, batch_size=5000)
    (change,) = rewriting_of(tmp_path, source, planned("p.B.a", "reduced", "ss", 1, same)).changes
    assert b"@Measurement(iterations = 5, batchSize = 5000)" in change.after
    assert b"@Warmup(iterations = 3, batchSize = 5000)" in change.after


def test_nothing_that_is_declared_is_lost(tmp_path: Path) -> None:
    declared = (
        '@Fork(value = 2, warmups = 1, jvmArgsAppend = "-Xint", jvmArgs = {"-Xmx1g"}) '
        "@Warmup(iterations = 2, batchSize = 9) @Timeout(time = 3) @OperationsPerInvocation(8) "
        "@OutputTimeUnit(TimeUnit.NANOSECONDS)"
    )
    (change,) = rewriting_of(
        tmp_path, f"class B {{ {declared} @Benchmark void a() {{}} }}", planned("p.B.a")
    ).changes
    expected = declared.replace("value = 2", "value = 5").replace(
        "(iterations = 2, batchSize = 9)",
        "(iterations = 3, batchSize = 9, time = 50, timeUnit = TimeUnit.MILLISECONDS)",
    )
    assert expected.encode() in change.after


def test_many_of_one_reason_share_a_line() -> None:
    names = [f"p.B.{letter}" for letter in "abcdefg"]
    lines = list(annotation_lines([(name, "why") for name in names], 3, 10, 1))
    assert lines == [
        "p.B.a, p.B.b, p.B.c, p.B.d, p.B.e and 2 more keep their annotations: why",
        "annotations of 3 of 10 benchmarks say what the plan says, 1 source file changes",
    ]


CONFIGURATIONS = st.builds(
    ExecutionConfiguration,
    *(st.integers(0, 50) for _ in range(3)),
    *(st.floats(0, 10) for _ in range(2)),
    *(st.integers(1, 9) for _ in range(2)),
)


@given(st.lists(CONFIGURATIONS, min_size=1))
def test_nothing_gets_less_than_its_plan_and_nothing_gets_more_than_the_largest(
    several: list[ExecutionConfiguration],
) -> None:
    worst = worst_case(several)
    for field in fields(ExecutionConfiguration):
        values = [getattr(one, field.name) for one in several]
        assert getattr(worst, field.name) == sorted(values)[-1]


def test_one_configuration_stays_as_it_is() -> None:
    one = ExecutionConfiguration(3, 5, 7, 0.5, 0.25, 2, 4)
    assert worst_case([one, one]) == one
