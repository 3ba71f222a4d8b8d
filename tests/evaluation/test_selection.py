"""The table of what can be left out: its own oracle is tried on classes that javac compiles."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from evaluation._jmh_forks import METHOD
from evaluation.selection import javap, main

CODE = 'class A { String f(int n) { return "a" + n; } }'

RICH = """class A<T extends Number> {
    int n;
    int first() { java.util.function.IntSupplier s = () -> 1; return s.getAsInt(); }
    int last() { return 2; }
}"""


def compiled(folder: Path, code: str, *options: str) -> bytes:
    (folder / "A.java").write_text(code)
    subprocess.run(["javac", *options, "A.java"], cwd=folder, check=True)
    return (folder / "A.class").read_bytes()


@pytest.mark.thorough
@pytest.mark.needs("java")
def test_the_audit_sees_code_and_constants_but_no_lines(tmp_path: Path) -> None:
    base = compiled(tmp_path, CODE)
    moved = compiled(tmp_path, f"// moved\n\n{CODE}")
    bare = compiled(tmp_path, CODE, "-g:none")
    other = compiled(tmp_path, CODE.replace('"a"', '"b"'))
    assert len({base, moved, bare, other}) == 4
    printed = javap([base, moved, bare, other])
    assert printed[0] == printed[1] == printed[2] != printed[3]
    assert printed[0].keys() == {"<init>:()V", "f:(I)Ljava/lang/String;", ""}


@pytest.mark.thorough
@pytest.mark.needs("java")
def test_the_audit_tells_methods_from_all_else_of_a_class(tmp_path: Path) -> None:
    base = compiled(tmp_path, RICH)
    edits = {
        "more()": ("int last", "int more() { Runnable r = () -> last(); return 1; } int last"),
        "a field": ("int n;", "int n, m;"),
        "which lambda": ("() -> 1", "() -> 2"),
        "an inner class": ("int last", "class Inner { } int last"),
    }
    heads = {name: compiled(tmp_path, RICH.replace(*edit)) for name, edit in edits.items()}
    one, *others = javap([base, *heads.values()])
    differing = {
        name: {part for part in {*one, *other} if one.get(part) != other.get(part)}
        for name, other in zip(heads, others, strict=True)
    }
    assert differing == {
        "more()": {"more:()I", "lambda$more$1:()V"},
        "a field": {""},
        "which lambda": {"lambda$first$0:()I"},
        "an inner class": set(),
    }


def test_the_methods_that_ran_are_read_from_the_log() -> None:
    log = "<tty_done/>\na/B.f:(I)V\njava.command=a b\na/B$C.<init>:()V\n# 1.2: (x) y\n"
    assert METHOD.findall(log) == ["a/B.f:(I)V", "a/B$C.<init>:()V"]


STUB = """package p; public class One_jmhTest {
    public int run() { return call(); }
    int call() { return CALL; }
}"""
RECORD = "JMH S 5 p.One S 13 p.One_jmhTest S 3 run S 11 AverageTime E A 1 1 1 " + 17 * "E "


def jar(path: Path, call: int) -> Path:
    folder = path.with_suffix("")
    folder.mkdir(parents=True)
    (folder / "One_jmhTest.java").write_text(STUB.replace("CALL", f"{call}"))
    command = ["javac", "-d", ".", "One_jmhTest.java"]
    subprocess.run(command, cwd=folder, check=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
        archive.writestr("META-INF/BenchmarkList", RECORD)
        archive.writestr("org/openjdk/jmh/Main.class", b"")
        archive.write(folder / "p" / "One_jmhTest.class", "p/One_jmhTest.class")
    return path


@pytest.mark.needs("javac")
def test_each_pair_is_counted_and_each_way_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    jars = [jar(tmp_path / "lib" / f"{call}.jar", call) for call in (0, 1)]
    assert main([*map(str, (jars[0], jars[1], jars[0], jars[0])), "--ways"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("lib: 0 to 1: 0 of 1 left out")
    assert lines[1] == "1: may run p.One_jmhTest.call, which changed"
    assert lines[-1].split("|")[1:5] == [" lib ", " 2 ", " 2 ", " 1 "]


def test_jars_come_in_pairs() -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["one.jar"])
