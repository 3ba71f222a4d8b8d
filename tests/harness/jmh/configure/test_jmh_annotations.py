from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.emit import rewrite_annotations
from steady.errors import InputError, MissingToolError
from steady.harness.jmh.java.source import parser_of_java
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.suite_plan import BenchmarkPlan, Plan

PLANNED = ExecutionConfiguration(3, 5, 7, 1.0, 0.25)
JMH = "import org.openjdk.jmh.annotations.*;\nimport java.util.concurrent.TimeUnit;\n"
ALL_THREE = (
    "@Warmup(iterations = 5, time = 1)",
    "@Measurement(iterations = 7, time = 250, timeUnit = TimeUnit.MILLISECONDS)",
    "@Fork(3)",
)


def java(body: str, imports: str = JMH, before: str = "") -> str:
    """Return a source with one class."""
    return f"package p;\n{imports}{before}class B {{\n{body}\n}}\n"


ONE = java("@Benchmark void a() {}")


def planned(
    name: str, configuration: ExecutionConfiguration = PLANNED, mode: str = "avgt", **params: str
) -> BenchmarkPlan:
    identity = Identity(name, mode, tuple(params.items()))
    return BenchmarkPlan(identity, configuration, configuration, 1.0, 2.0, "reduced", "")


def plan_of(*benchmarks: BenchmarkPlan) -> Plan:
    return Plan(benchmarks, "uoptime")


def rewritten(folder: Path, source: str | bytes, *benchmarks: BenchmarkPlan) -> bytes:
    """Rewrite one file, check that a second time changes nothing, and return it."""
    path = folder / "B.java"
    path.write_bytes(source if isinstance(source, bytes) else source.encode())
    plan = plan_of(*(benchmarks or (planned("p.B.a"),)))
    rewriting = rewrite_annotations(plan, folder, apply=True)
    assert rewriting.not_found == ()
    after = path.read_bytes()
    assert rewrite_annotations(plan, folder, apply=True).changes == ()
    assert path.read_bytes() == after
    return after


def method(folder: Path, annotations: str, imports: str = JMH, **more: object) -> str:
    """Return what stands before the method after rewriting one with these annotations."""
    configuration = replace(PLANNED, **more)  # type: ignore[arg-type]
    source = f"package p;\n{imports}class B {{\n    {annotations}\n    public void a() {{}}\n}}\n"
    after = rewritten(folder, source, planned("p.B.a", configuration)).decode()
    head, _, rest = after.partition("class B {\n")
    assert head.startswith("package p;\n")
    own, _, tail = rest.partition("    public void a() {}\n}\n")
    assert tail == ""
    return "\n".join(line.strip() for line in own.splitlines())


def test_nothing_else_in_the_file_changes(tmp_path: Path) -> None:
    source = f"""/* header é */
package p;

{JMH}
  /** Javadoc with {{@code @Benchmark}}. */
@Fork(10) @Warmup(iterations = 99)
public   class B {{
\t/** Of the method. */
\t@Threads(2)
\t@Benchmark // hot
\t@OutputTimeUnit(TimeUnit.NANOSECONDS)
\tpublic void a()   {{ String s = \"\"\"
      @Benchmark
      \"\"\"; }}

\tpublic void a(int other) {{}}
}} // no newline at the end"""
    expected = source.replace(
        "\t@Benchmark // hot", "".join(f"\t{one}\n" for one in ALL_THREE) + "\t@Benchmark // hot"
    )
    plan = planned("p.B.a")
    plan = replace(plan, identity=replace(plan.identity, threads=2))
    assert rewritten(tmp_path, source, plan).decode() == expected


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_encoding_and_line_ends_stay(tmp_path: Path, encoding: str, line_end: str) -> None:
    lines = [
        "package p;",
        *JMH.splitlines(),
        "// é",
        "class B {",
        "\t@Benchmark public void a() {}",
    ]
    source = line_end.join([*lines, "}"]).encode(encoding)
    after = rewritten(tmp_path, source)
    added = "".join(f"{one}{line_end}\t" for one in ALL_THREE).encode()
    assert after == source.replace(b"@Benchmark", added + b"@Benchmark")


def test_in_the_middle_of_a_line_they_stay_there(tmp_path: Path) -> None:
    source = f"package p;\n{JMH}class B {{ @Benchmark public void a() {{}} }}\n"
    after = rewritten(tmp_path, source).decode()
    assert after == source.replace("@Benchmark", " ".join([*ALL_THREE, "@Benchmark"]))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("@Fork", "@Fork(3)"),
        ("@Fork()", "@Fork(3)"),
        ("@Fork(2)", "@Fork(3)"),
        ("@Fork( /* few */ 2 )", "@Fork( /* few */ 3 )"),
        ("@Fork(FORKS)", "@Fork(3)"),
        ('@Fork(value = 2, jvmArgs = {"-Xmx1g"})', '@Fork(value = 3, jvmArgs = {"-Xmx1g"})'),
        ('@Fork(jvmArgsAppend = "-Xint")', '@Fork(jvmArgsAppend = "-Xint", value = 3)'),
        ("@Fork(warmups = 1)", "@Fork(warmups = 1, value = 3)"),
        ("@org.openjdk.jmh.annotations.Fork(2)", "@org.openjdk.jmh.annotations.Fork(3)"),
        ("@Fork(3)", "@Fork(3)"),
    ],
)
def test_forks_in_every_form(tmp_path: Path, before: str, after: str) -> None:
    expected = "\n".join([*ALL_THREE[:2], f"@Benchmark {after}"])
    assert method(tmp_path, f"@Benchmark {before}") == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("@Warmup", "@Warmup(iterations = 5, time = 1)"),
        ("@Warmup(iterations=2)", "@Warmup(iterations=5, time = 1)"),
        (
            "@Warmup(iterations = 2, time = 10, timeUnit = TimeUnit.MILLISECONDS)",
            "@Warmup(iterations = 5, time = 1, timeUnit = TimeUnit.SECONDS)",
        ),
        (
            "@Warmup(time = 1_000, timeUnit = MILLISECONDS, iterations = 2)",
            "@Warmup(time = 1_000, timeUnit = MILLISECONDS, iterations = 5)",
        ),
        ("@Warmup(iterations = 2, time = 1)", "@Warmup(iterations = 5, time = 1)"),
        ("@Warmup(iterations = N, time = T)", "@Warmup(iterations = 5, time = 1)"),
        (
            "@Warmup(iterations = 2, batchSize = 9)",
            "@Warmup(iterations = 5, batchSize = 9, time = 1)",
        ),
        (
            "@Warmup(\n      iterations = 2, // few\n      time = 3\n    )",
            "@Warmup(\niterations = 5, // few\ntime = 1\n)",
        ),
    ],
)
def test_iterations_in_every_form(tmp_path: Path, before: str, after: str) -> None:
    expected = "\n".join([*ALL_THREE[1:], f"@Benchmark {after}"])
    assert method(tmp_path, f"@Benchmark {before}") == expected


def test_batch_sizes_are_said_where_they_are_not_one(tmp_path: Path) -> None:
    text = method(
        tmp_path, "@Measurement(batchSize = 10) @Benchmark", warmup_batch_size=2, batch_size=10
    )
    assert "@Warmup(iterations = 5, time = 1, batchSize = 2)" in text
    assert "(batchSize = 10, iterations = 7, time = 250, timeUnit = TimeUnit.MILLISECONDS)" in text


def test_batch_sizes_are_said_where_the_class_has_another(tmp_path: Path) -> None:
    source = java("@Benchmark void a() {}", before="@Warmup(batchSize = 9) ")
    assert b"@Warmup(iterations = 5, time = 1, batchSize = 9)" in rewritten(tmp_path, source)


def test_single_shot_mode_has_no_times(tmp_path: Path) -> None:
    once = replace(PLANNED, warmup_seconds=0.0, iteration_seconds=0.0)
    after = rewritten(tmp_path, ONE, planned("p.B.a", once, "ss")).decode()
    assert "@Warmup(iterations = 5)\n@Measurement(iterations = 7)\n@Fork(3)\n@Benchmark" in after


def test_plans_that_meet_in_one_method_give_the_largest(tmp_path: Path) -> None:
    source = java(
        "static abstract class Base {\n@Benchmark public void a() {}\n}\n"
        "static class One extends Base {}\n"
        'static class Two extends Base { @Param({"1", "2"}) int n; }'
    )
    plans = (
        planned("p.B.One.a", replace(PLANNED, forks=9, iterations=1)),
        planned("p.B.One.a", replace(PLANNED, warmup_iterations=0), "thrpt"),
        planned("p.B.Two.a", replace(PLANNED, iteration_seconds=2.0), n="1"),
        planned("p.B.Two.a", replace(PLANNED, warmup_iterations=11), n="2"),
    )
    after = rewritten(tmp_path, source, *plans).decode()
    assert after.count("@Fork") == 1
    assert (
        "Base {\n@Warmup(iterations = 11, time = 1)\n@Measurement(iterations = 7, time = 2)\n"
        "@Fork(9)\n@Benchmark public void a() {}\n"
    ) in after


GROUP = '@Benchmark @Group("g") public void r() {}\n@Benchmark @Group("g") public void w() {}'


def test_a_group_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "B.java").write_text(java(GROUP))
    rewriting = rewrite_annotations(plan_of(planned("p.B.g")), tmp_path)
    assert rewriting.changes == ()
    ((name, reason),) = rewriting.not_found
    assert name == "p.B.g"
    assert "write them by hand" in reason


IMPORTS = "import org.openjdk.jmh.annotations."


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            f"package p;\n\n{IMPORTS}Benchmark; // used\n{IMPORTS}State;\n",
            "package p;\n\nimport java.util.concurrent.TimeUnit;\n"
            + "".join(f"{IMPORTS}{n};\n" for n in ("Fork", "Measurement", "Warmup"))
            + f"{IMPORTS}Benchmark; // used\n{IMPORTS}State;\n",
            id="all",
        ),
        pytest.param(
            f"package p;\nimport java.util.List;\n\n{IMPORTS}*;\n",
            "package p;\nimport java.util.concurrent.TimeUnit;\nimport java.util.List;\n\n"
            f"{IMPORTS}*;\n",
            id="one",
        ),
        pytest.param(
            f"package p;\nimport java.util.concurrent.*;{IMPORTS}*;\nimport static a.B.*;\n",
            f"package p;\nimport java.util.concurrent.*;{IMPORTS}*;\nimport static a.B.*;\n",
            id="none needed",
        ),
    ],
)
def test_missing_imports_come_first(tmp_path: Path, before: str, after: str) -> None:
    body = "class B {\n@org.openjdk.jmh.annotations.Benchmark void a() {}\n}\n"
    result = rewritten(tmp_path, before + body).decode()
    assert result.partition("class B")[0] == after
    assert "@Warmup(" in result
    assert "= TimeUnit.MILLISECONDS" in result


def test_without_any_import_names_are_written_in_full(tmp_path: Path) -> None:
    source = "package p;\nclass B {\n@org.openjdk.jmh.annotations.Benchmark void a() {}\n}\n"
    result = rewritten(tmp_path, source).decode()
    assert "@org.openjdk.jmh.annotations.Fork(3)" in result
    assert "import" not in result


@pytest.mark.parametrize(
    ("imports", "body", "written"),
    [
        ("import other.Fork;\n", "", ["@org.openjdk.jmh.annotations.Fork(3)"]),
        (f"{JMH}import other.Fork;\n", "", ["@org.openjdk.jmh.annotations.Fork(3)"]),
        (
            "",
            "Warmup mine; TimeUnit own;\n",
            [
                "@org.openjdk.jmh.annotations.Warmup(",
                "= java.util.concurrent.TimeUnit.MILLISECONDS",
            ],
        ),
    ],
    ids=["imported", "imported beside a package", "used"],
)
def test_names_that_mean_something_else_are_written_in_full(
    imports: str, body: str, written: list[str], tmp_path: Path
) -> None:
    source = java(f"{body}@Benchmark void a() {{}}", f"{imports}{IMPORTS}Benchmark;\n")
    after = rewritten(tmp_path, source).decode()
    assert all(one in after for one in written)
    assert after.count("Fork;") == 1


def test_a_class_beside_hides_one_of_a_whole_package(tmp_path: Path) -> None:
    (tmp_path / "Warmup.java").write_text("package p; class Warmup {}")
    source = java("@Benchmark void a() {}\nclass Measurement {}")
    after = rewritten(tmp_path, source).decode()
    assert "@org.openjdk.jmh.annotations.Warmup(" in after
    assert "@org.openjdk.jmh.annotations.Measurement(" in after
    assert "\n@Fork(3)\n" in after


def test_what_is_not_found_is_listed_and_the_rest_is_done(tmp_path: Path) -> None:
    (tmp_path / "B.java").write_text(ONE)
    (tmp_path / "K.kt").write_text("package p\nclass K {\n@Benchmark fun a() {}\n}\n")
    plan = plan_of(planned("p.B.a"), planned("p.B.b"), planned("p.K.a"))
    rewriting = rewrite_annotations(plan, tmp_path, apply=True)
    assert [name for name, _ in rewriting.not_found] == ["p.B.b", "p.K.a"]
    assert "@Fork(3)" in (tmp_path / "B.java").read_text()
    assert "Fork" not in (tmp_path / "K.kt").read_text()


def test_only_what_is_asked_for_is_written_and_the_files_mode_stays(tmp_path: Path) -> None:
    path = tmp_path / "B.java"
    path.write_text(ONE)
    path.chmod(0o600)
    before = path.read_bytes(), path.stat().st_mtime_ns
    assert rewrite_annotations(plan_of(planned("p.B.a")), tmp_path).changes != ()
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    rewrite_annotations(plan_of(planned("p.B.a")), tmp_path, apply=True)
    assert path.read_bytes() != before[0]
    assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["B.java"]


def test_all_files_are_checked_before_the_first_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "BC":
        text = f"package p;\n{JMH}class {name} {{\n@Benchmark void a() {{}}\n}}\n"
        (tmp_path / f"{name}.java").write_text(text)
    before = (tmp_path / "B.java").read_bytes()
    # A superuser may write everything, so the answer of the system is given here.
    monkeypatch.setattr("os.access", lambda path, _: Path(path).name != "C.java")
    with pytest.raises(InputError, match=r"C\.java: cannot be written; no file was changed"):
        rewrite_annotations(plan_of(planned("p.B.a"), planned("p.C.a")), tmp_path, apply=True)
    assert (tmp_path / "B.java").read_bytes() == before


@pytest.mark.needs("git")
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_git_applies_the_diff(tmp_path: Path, line_end: str) -> None:
    source = f"package p;\n{JMH}// é\nclass B {{\n\n@Benchmark void a() {{}} }} // end"
    for name in ("deep/B.java", "C.java"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        text = source.replace("class B", f"class {path.stem}").replace("\n", line_end)
        path.write_bytes(text.encode())
    plan = plan_of(planned("p.B.a"), planned("p.C.a"))
    patch = rewrite_annotations(plan, tmp_path).diff()
    assert patch.startswith("--- a/C.java\n+++ b/C.java\n@@ ")
    assert "--- a/deep/B.java\n+++ b/deep/B.java\n" in patch
    subprocess.run(["git", "apply", "-"], input=patch.encode(), cwd=tmp_path, check=True)
    again = rewrite_annotations(plan, tmp_path)
    assert again.changes == ()
    assert again.diff() == ""


def test_without_the_parser_the_remedy_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "B.java").write_text(ONE)
    monkeypatch.setitem(sys.modules, "tree_sitter_java", None)
    parser_of_java.cache_clear()
    with pytest.raises(MissingToolError, match=r"pip install 'steady-action\[annotations\]'"):
        rewrite_annotations(plan_of(planned("p.B.a")), tmp_path)


CONFIGURATIONS = st.builds(
    ExecutionConfiguration,
    st.integers(0, 9),
    st.integers(0, 99),
    st.integers(1, 99),
    st.sampled_from([0.0, 0.1, 1.0, 2.5]),
    st.sampled_from([1e-6, 0.1, 1.0, 60.0]),
    st.integers(1, 3),
    st.integers(1, 3),
)
FORMS = [
    "@Fork",
    "@Fork(2)",
    "@Fork(value = 1, jvmArgs = {})",
    "@Warmup(iterations = 1)",
    "@Warmup(time = 100, timeUnit = TimeUnit.MILLISECONDS)",
    "@Measurement(batchSize = SIZE, iterations = X)",
    "@Warmup(batchSize = 2, iterations = X)",
    "@org.openjdk.jmh.annotations.Measurement()",
]


@settings(deadline=None, max_examples=100)
@given(st.lists(CONFIGURATIONS, min_size=1, max_size=2), st.data())
def test_any_plan_over_any_form_is_stable_and_parses(
    tmp_path_factory: pytest.TempPathFactory,
    configurations: list[ExecutionConfiguration],
    data: st.DataObject,
) -> None:
    names = ("Warmup", "Measurement", "Fork")
    configurations = [replace(one, batch_size=1) for one in configurations]
    forms = [["", *(form for form in FORMS if name in form)] for name in names]
    own = " ".join(data.draw(st.sampled_from(one)) for one in forms)
    values = ", ".join(f'"{n}"' for n in range(len(configurations)))
    state = f"@Param({{{values}}}) int n;"
    source = f"package p;\n{JMH}class B {{\n{state}\n  {own} @Benchmark public void a() {{}}\n}}\n"
    plans = [planned("p.B.a", c, n=str(i)) for i, c in enumerate(configurations)]
    folder = tmp_path_factory.mktemp("sources")
    after = rewritten(folder, source, *plans).decode()
    for name in names:
        assert after.count(f"{name}(") == 1
