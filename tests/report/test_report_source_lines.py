"""Where benchmarks stand in the source: real sources of the demos, and planted traps."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from steady.harness.jmh.java.source import parser_of_java
from steady.model import Identity
from steady.report.findings import find_lines
from steady.source_folder import SourceLine

ROOT = Path(__file__).parents[2]
JMH_DEMO = ROOT / "examples/jmh-demo"
GO_DEMO = ROOT / "examples/go-demo"


def line_of(folder: Path, name: str) -> SourceLine | None:
    """Return the line of one benchmark."""
    identity = Identity(name)
    return find_lines(folder, [identity]).get(identity)


def write(path: Path, text: str) -> None:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_every_benchmark_of_the_jmh_demo_is_found() -> None:
    expected = {}
    for path in JMH_DEMO.glob("src/main/java/**/*.java"):
        name = path.relative_to(JMH_DEMO / "src/main/java").with_suffix("").as_posix()
        lines = path.read_text(encoding="utf-8").splitlines()
        awaited = False
        for number, line in enumerate(lines, 1):
            awaited = awaited or line.strip() == "@Benchmark"
            declared = re.match(r"\s+public \S+ (\w+)\(", line)
            if awaited and declared:
                identity = Identity(f"{name.replace('/', '.')}.{declared[1]}")
                expected[identity] = SourceLine(path.relative_to(JMH_DEMO).as_posix(), number)
                awaited = False
    assert len(expected) > 10
    assert find_lines(JMH_DEMO, expected) == expected


def test_every_benchmark_of_the_go_demo_is_found() -> None:
    module = re.search(r"^module (\S+)", (GO_DEMO / "go.mod").read_text(), re.MULTILINE)
    assert module is not None
    expected = {}
    built = GO_DEMO / "target"
    for path in (p for p in GO_DEMO.rglob("*_test.go") if built not in p.parents):
        folder = path.parent.relative_to(GO_DEMO).as_posix()
        package = module[1] if folder == "." else f"{module[1]}/{folder}"
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if declared := re.match(r"func (Benchmark\w+)\(", line):
                for end in ("", "/size=10/x.BenchmarkOther"):
                    identity = Identity(f"{package}.{declared[1]}{end}")
                    expected[identity] = SourceLine(path.relative_to(GO_DEMO).as_posix(), number)
    assert expected
    assert find_lines(GO_DEMO, expected) == expected


JAVA = """\
package a.b;

// public void run() {
/* class Inner { void run() { } } */
public class Bench extends Base {
    String text = "public void run() {";
    int other() { return new run().run(); }

    @Benchmark @Fork(2) public <T extends Comparable<T>> List<T> run(
            Blackhole hole) throws IOException {
    }
    static class Inner {
        @Benchmark
        public int
        run() {
            return run();
        }
    }
}
"""


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.b.Bench.run", 9),
        ("a.b.Bench.Inner.run", 15),
        ("a.b.Bench.inherited", 5),
        ("a.b.Bench.Absent.run", None),
        ("a.b.Other.run", None),
        ("b.Bench.run", None),
        ("c.Bench.run", None),
        ("not a name", None),
        ("a.b.Bench.run(", None),
    ],
)
def test_java(tmp_path: Path, name: str, line: int | None) -> None:
    write(tmp_path / "module/src/jmh/java/a/b/Bench.java", JAVA)
    write(tmp_path / "target/generated/a/b/Bench.java", JAVA)
    write(tmp_path / ".gradle/a/b/Bench.java", JAVA)
    expected = line and SourceLine("module/src/jmh/java/a/b/Bench.java", line)
    assert line_of(tmp_path, name) == expected


def test_a_group_stands_at_its_first_method(tmp_path: Path) -> None:
    methods = "".join(f'@Group("pair") @Benchmark\npublic void {n}() {{}}\n' for n in "ab")
    write(tmp_path / "Bench.java", f"package p;\nclass Bench {{\n{methods}}}\n")
    assert line_of(tmp_path, "p.Bench.pair") == SourceLine("Bench.java", 4)


def test_without_the_parser_java_has_no_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "a/b/Bench.java", JAVA)
    write(tmp_path / "x_test.go", "package p\n\nfunc BenchmarkX(b *testing.B) {}\n")
    monkeypatch.setitem(sys.modules, "tree_sitter_java", None)
    parser_of_java.cache_clear()
    assert line_of(tmp_path, "a.b.Bench.run") is None
    assert line_of(tmp_path, "p.BenchmarkX") == SourceLine("x_test.go", 3)


def test_classes_may_be_nested_as_deeply_as_they_like(tmp_path: Path) -> None:
    write(tmp_path / "Bench.java", "class Bench {" * 5000 + "}" * 5000)
    assert line_of(tmp_path, "Bench.run") == SourceLine("Bench.java", 1)
    assert line_of(tmp_path, "Bench.Bench.Bench.run") == SourceLine("Bench.java", 1)
    assert line_of(tmp_path, f"{'Bench.' * 1000}run") is None


def test_two_modules_with_the_same_class_are_not_guessed_at(tmp_path: Path) -> None:
    for module in ("one", "two"):
        write(tmp_path / module / "a/b/Bench.java", JAVA)
    assert line_of(tmp_path, "a.b.Bench.run") is None


def test_a_go_function_belongs_to_its_package(tmp_path: Path) -> None:
    for folder in ("", "deep/", "deep/pkg/", "other/"):
        write(tmp_path / f"{folder}x_test.go", "package p\n\nfunc BenchmarkX(b *testing.B) {}\n")
    write(tmp_path / "deep/pkg/y_test.go", "package p\n/*\nfunc BenchmarkX(b) {}\n*/\n")
    found = line_of(tmp_path, "example.org/mod/deep/pkg.BenchmarkX/a.b-1")
    assert found == SourceLine("deep/pkg/x_test.go", 3)
    assert line_of(tmp_path, "example.org/mod.BenchmarkX") == SourceLine("x_test.go", 3)
    assert line_of(tmp_path, "example.org/mod.BenchmarkY") is None


def test_a_module_of_go_may_lie_in_a_folder_of_its_own(tmp_path: Path) -> None:
    for folder in ("services/stock/codec", "services/stock/text", "services/orders/text"):
        write(tmp_path / f"{folder}/x_test.go", "package p\n\nfunc BenchmarkX(b *testing.B) {}\n")
    found = line_of(tmp_path, "example.org/shop/codec.BenchmarkX")
    assert found == SourceLine("services/stock/codec/x_test.go", 3)
    assert line_of(tmp_path, "example.org/shop/text.BenchmarkX") is None, "two of them"


def test_links_are_not_followed_and_files_may_hold_anything(tmp_path: Path) -> None:
    write(tmp_path / "outside/a/b/Bench.java", JAVA)
    inside = tmp_path / "inside"
    (inside / "a/b").mkdir(parents=True)
    (inside / "linked").symlink_to(tmp_path / "outside")
    (inside / "a/b/Bench.java").symlink_to(tmp_path / "outside/a/b/Bench.java")
    (inside / "p_test.go").write_bytes(b"\xff\xfe\x00func BenchmarkX(")
    assert line_of(inside, "a.b.Bench.run") is None
    assert line_of(inside, "p.BenchmarkX") is None
    assert line_of(tmp_path / "absent", "a.b.Bench.run") is None


def test_identities_may_come_one_by_one(tmp_path: Path) -> None:
    write(tmp_path / "x_test.go", "package p\n\nfunc BenchmarkX(b *testing.B) {}\n")
    identity = Identity("BenchmarkX")
    assert find_lines(tmp_path, iter([identity])) == {identity: SourceLine("x_test.go", 3)}


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x_test.go")
    write(tmp_path / "y_test.go", "package p\n\nfunc BenchmarkX(b *testing.B) {}\n")
    search = (
        "import sys\n"
        "from steady.model import Identity\n"
        "from steady.report.findings import find_lines\n"
        "print(*find_lines(sys.argv[1], [Identity('BenchmarkX')]).values())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", search, str(tmp_path)],
        check=True, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stdout == "SourceLine(path='y_test.go', line=3)\n"


@pytest.mark.parametrize("piece", ["/*", '"""', "x run(", "{", "class Bench {", "'\\", "`", "run"])
def test_no_file_takes_long(tmp_path: Path, piece: str) -> None:
    text = "class Bench {" + piece * (98_000 // len(piece))
    write(tmp_path / "Bench.java", text)
    started = time.process_time()
    line_of(tmp_path, "Bench.run")
    assert time.process_time() - started < 5
