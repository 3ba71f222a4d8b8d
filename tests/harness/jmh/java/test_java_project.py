from __future__ import annotations

from pathlib import Path

import pytest

from steady.errors import InputError
from steady.harness.jmh.java.project import JavaProject, NotFoundError

JMH = "import org.openjdk.jmh.annotations.*;\n"


def project(root: Path, files: dict[str, str]) -> JavaProject:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return JavaProject(root)


def found(sources: JavaProject, benchmark: str) -> str:
    """Return the method as `file:line`."""
    file, node = sources.method(benchmark)
    return f"{file.path.relative_to(sources.root).as_posix()}:{node.start_point[0] + 1}"


def test_only_the_method_with_the_annotation_counts(tmp_path: Path) -> None:
    sources = project(
        tmp_path,
        {
            "src/p/B.java": "package p;\n"
            + JMH
            + """public class B {
  // @Benchmark public void a() {}
  /* @Benchmark public void a() {} */
  String text = "@Benchmark public void a() {}";
  String block = \"\"\"
    @Benchmark public void a() {}
    \"\"\";
  public void a(int helper) {}
  @Benchmark
  public void a() { new Object() { @Benchmark public void b() {} }; }
  @Deprecated public void c() {}
}
"""
        },
    )
    assert found(sources, "p.B.a") == "src/p/B.java:11"
    for name in ("p.B.b", "p.B.c", "p.B.d"):
        with pytest.raises(NotFoundError, match=r"no method of p\.B or its superclasses"):
            sources.method(name)


@pytest.mark.parametrize(
    ("imports", "annotation", "counts"),
    [
        (JMH, "@Benchmark", True),
        ("import org.openjdk.jmh.annotations.Benchmark;", "@Benchmark", True),
        ("", "@org.openjdk.jmh.annotations.Benchmark", True),
        ("", "@ org . openjdk.jmh. annotations .Benchmark", True),
        ("import com.google.caliper.Benchmark;", "@Benchmark", False),
        ("", "@com.google.caliper.Benchmark", False),
        (JMH, "@Benchmarks", False),
    ],
)
def test_which_annotation_is_meant(
    tmp_path: Path, imports: str, annotation: str, counts: bool
) -> None:
    text = f"package p; {imports} class B {{ {annotation} public void a() {{}} }}"
    sources = project(tmp_path, {"B.java": text})
    if counts:
        assert found(sources, "p.B.a") == "B.java:" + str(text.count("\n", 0, 60) + 1)
    else:
        with pytest.raises(NotFoundError):
            sources.method("p.B.a")


def test_nested_classes_of_every_kind(tmp_path: Path) -> None:
    text = f"""package a.b;
{JMH}
public class Outer {{
  public static class Inner {{
    interface Between {{
      class Deep$1 {{
        @Benchmark public void m() {{}} }} }}
    enum E {{ A, B; @Benchmark public void m() {{}} }}
    record R(int x) {{ @Benchmark public void m() {{}} }}
  }}
}}
class Beside {{ @Benchmark public void m() {{}} }}
"""
    sources = project(tmp_path, {"x/Outer.java": text})
    assert found(sources, "a.b.Outer.Inner.Between.Deep$1.m") == "x/Outer.java:8"
    assert found(sources, "a.b.Outer.Inner.E.m") == "x/Outer.java:9"
    assert found(sources, "a.b.Outer.Inner.R.m") == "x/Outer.java:10"
    with pytest.raises(NotFoundError, match=r"no source of a\.b\.Beside is below"):
        sources.method("a.b.Beside.m")


def test_inherited_methods_are_found_where_they_stand(tmp_path: Path) -> None:
    base = JMH + "public abstract class Base<T> { @Benchmark public void m() {} }"
    sources = project(
        tmp_path,
        {
            "p/Base.java": f"package p; {base}",
            "q/Base.java": f"package q;\n{base}",
            "r/Base.java": f"package r;\n\n{base}",
            "p/Same.java": "package p; class Same extends Base<int[]> {}",
            "p/Imported.java": "package p; import q.Base; class Imported extends Base<String> {}",
            "s/Wildcard.java": "package s; import java.util.*; import q.*;\n"
            "class Wildcard extends Base {}",
            "s/Full.java": "package s; class Full extends r.Base<String> {}",
            "s/Far.java": "package s; class Far extends Full {}",
            "s/Outer.java": "package s; import q.Base;\n"
            f"{JMH}class Outer {{ static class Base {{\n@Benchmark public void m() {{}} }}\n"
            "static class In extends Base {} static class By extends Outer.Base {} }",
            "s/Alien.java": "package s; class Alien extends java.util.ArrayList<String> {}",
            "s/Loop.java": "package s; class Loop extends Loop {}",
        },
    )
    assert found(sources, "p.Same.m") == "p/Base.java:2"
    assert found(sources, "p.Imported.m") == "q/Base.java:3"
    assert found(sources, "s.Wildcard.m") == "q/Base.java:3"
    assert found(sources, "s.Full.m") == "r/Base.java:4"
    assert found(sources, "s.Far.m") == "r/Base.java:4"
    assert found(sources, "s.Outer.In.m") == "s/Outer.java:4"
    assert found(sources, "s.Outer.By.m") == "s/Outer.java:4"
    for name in ("s.Alien.m", "s.Loop.m"):
        with pytest.raises(NotFoundError):
            sources.method(name)


def test_a_group_is_told_from_a_benchmark(tmp_path: Path) -> None:
    text = f"""package p;
{JMH}
class B {{
  @Benchmark @Group("pair") public void reader() {{}}
  @Group(value = "pair") @Benchmark public void writer() {{}}
  @Benchmark @Group("other") public void pair() {{}}
  @Benchmark @Group(NAME) public void constant() {{}}
}}
"""
    sources = project(tmp_path, {"B.java": text})
    with pytest.raises(NotFoundError, match="it is a group"):
        sources.method("p.B.pair")
    assert found(sources, "p.B.other") == "B.java:7"
    with pytest.raises(NotFoundError):
        sources.method("p.B.constant")


B = f"package p; {JMH} class B {{ @Benchmark public void a() {{}} }}"


def test_two_sources_of_one_class_are_not_guessed_between(tmp_path: Path) -> None:
    sources = project(tmp_path, {"one/p/B.java": B, "two/p/B.java": B})
    with pytest.raises(NotFoundError, match=r"p\.B stands in .*one.* and in .*two"):
        sources.method("p.B.a")


def test_what_tools_wrote_and_links_are_passed_over(tmp_path: Path) -> None:
    names = ["target/B.java", "build/B.java", ".cache/B.java", "src/B.java"]
    sources = project(tmp_path, dict.fromkeys(names, B))
    (tmp_path / "src" / "link").symlink_to(tmp_path / "target")
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "B.java").symlink_to(tmp_path / "src" / "B.java")
    assert found(sources, "p.B.a") == "src/B.java:2"


@pytest.mark.parametrize(
    "content",
    [B[:-1].encode(), B[:-1].encode() + b" int x = ; }", B.encode("utf-16")],
    ids=["cut", "wrong", "utf-16"],
)
def test_sources_that_are_not_understood_are_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "B.java").write_bytes(content)
    with pytest.raises(NotFoundError, match=r"syntax that is not understood|no source"):
        JavaProject(tmp_path).method("p.B.a")


def test_a_folder_is_needed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder"):
        JavaProject(tmp_path / "none")
