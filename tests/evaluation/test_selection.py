"""The table of what can be left out: its own oracle is tried on classes that javac compiles."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from evaluation._jmh_forks import METHOD
from evaluation.selection import javap

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
