"""Annotated sources compiled with JMH's annotation processor: its list equals the plan."""

import subprocess
from pathlib import Path

import pytest

from steady.harness.jmh.annotate.annotating import annotate
from steady.harness.jmh.configure.benchmark_list import BenchmarkListEntry
from steady.harness.jmh.run.jar import declared_by
from steady.plan.suite_plan import Plan
from tests.emit.conftest import BuildJar
from tests.harness.jmh.annotate.test_annotations import entry

BASE = """package p;

import org.openjdk.jmh.annotations.*;

@Warmup(iterations = 20)
@Fork(jvmArgs = "-ea")
public abstract class B {
    static final int MANY = 4;

    @Benchmark public void inherited() { }
}
"""
SOURCE = """package p;

import org.openjdk.jmh.annotations.*;

@State(Scope.Benchmark)
@Measurement(time = 10)
public class A extends B {
    @Benchmark @Group("pair") @GroupThreads(2)
    @Fork(1)
    public void get() { }

    @Fork(1)
    @Benchmark @Group("pair") public void put() { }

    @Benchmark
    @Warmup(iterations = MANY + 1, batchSize = 1)
    public void own() { }

    @State(Scope.Thread)
    public static class Inner extends B {
        @Benchmark public void more() { }
    }
}
"""
PLANS = (
    "A.pair 3 5 6 1", "A.own 2 5 7 0.1", "A.inherited 3 5 6 1", "A.Inner.inherited 3 5 6 1",
    "A.Inner.more 4 2 6 1",
)  # fmt: skip


@pytest.mark.needs("java", "mvn")
def test_annotations_compiled_by_jmh_equal_the_plan(build_jar: BuildJar, tmp_path: Path) -> None:
    sources, classes = tmp_path / "src", tmp_path / "classes"
    sources.mkdir()
    for name, text in (("A", SOURCE), ("B", BASE)):
        (sources / f"{name}.java").write_text(text)
    plan = Plan(tuple(map(entry, PLANS)), "uoptime")
    for path, content in annotate(plan, sources).files.items():
        path.write_bytes(content)
    classes.mkdir()
    command = ["javac", "-J-XX:TieredStopAtLevel=1", "-cp", str(build_jar("1.37"))]
    command += ["-d", str(classes), *map(str, sources.glob("*.java"))]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    listed = (classes / "META-INF" / "BenchmarkList").read_text()
    records = [BenchmarkListEntry.parse(line) for line in listed.splitlines()]
    says = {record.name: declared_by(record, "avgt", (1, 37)) for record in records}
    assert says == {one.identity.name: one.configuration for one in plan.benchmarks}
    assert {record.listed("jvm args") for record in records} == {("-ea",)}
