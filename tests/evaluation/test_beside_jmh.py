"""What steady said and left out, held against stock JMH and against javap."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from evaluation import beside_jmh, selection
from evaluation._jmh_forks import METHOD
from evaluation.beside_jmh import cases
from evaluation.selection import javap
from steady.compare.benchmark_change import Outcome
from steady.compare.comparison_files import ChangeEntry, EstimateEntry
from steady.model import Identity

# What steady said, held against what a stand-in for stock JMH measures.


JAVA = f"""#!{sys.executable}
import json, os, sys
words = sys.argv[1:]
jar = words[words.index("-jar") + 1]
value = {{"base.jar": 100.0, "head.jar": 120.0}}[jar]
file = words[words.index("-rff") + 1]
fork = int(file.rpartition("-")[2].split(".")[0])
scores = [value * (1 + fork / 1000 + one / 10_000) for one in range(3)]
json.dump([{{"primaryMetric": {{"rawData": [scores]}}}}], open(file, "w"))
open(file[: -len("part")] + "on", "w").write(f"{{jar}} {{sorted(os.sched_getaffinity(0))}}")
open("words", "a").write(" ".join(words) + "\\n")
"""


def entry(
    name: str,
    outcome: Outcome,
    interval: tuple[float, float],
    excluded: float | None = None,
    mode: str = "avgt",
) -> ChangeEntry:
    side = EstimateEntry(1.0, 0.9, 1.1, 3, 10)
    identity = Identity(name, mode, params=(("n", "1"),))
    return ChangeEntry(
        *(identity, "ns/op", "lower", side, side, outcome, 0.1, interval, (), None, None, excluded),
        lacking="",
        refused=(),
    )


def test_what_steady_said_is_held_against_stock_jmh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = (
        entry("a.Right", "regression", (0.15, 0.3), excluded=0.3),
        entry("a.WrongSign", "improvement", (-0.3, -0.1)),
        entry("a.Hidden", "unclear", (-0.1, 0.1), excluded=0.05),
        entry("a.Shot", "regression", (0.1, 0.2), mode="ss"),
    )
    monkeypatch.setattr(beside_jmh, "compared", lambda results: said)
    monkeypatch.chdir(tmp_path)
    java = tmp_path / "java"
    java.write_text(JAVA)
    java.chmod(0o755)
    words = ["measure", "run", "base.jar", "head.jar", "truth", "--forks", "2"]
    for _ in range(2):  # the second time everything is there
        beside_jmh.main([*words, "--iterations", "3", "--seconds", "0.5", f"--java={java}"])
    ran = Path("words").read_text().splitlines()
    assert len(ran) == 3 * 2 * 2
    beside_jmh.main([*words[:4], "elsewhere", "--only", "Hidden", f"--java={java}"])
    assert len(list(Path("elsewhere").glob("a.Hidden*.json"))) == 10
    assert ran[0].startswith(
        "-jar base.jar ^a\\.Right$ -p n=1 -bm avgt -t 1 -f 1 -foe true -wi 3 -i 3 -w 500ms -r 500ms"
    )
    assert [line.split()[1] for line in ran[:4]] == ["base.jar", "head.jar", "head.jar", "base.jar"]

    if shutil.which("taskset") and {0, 1} <= os.sched_getaffinity(0):
        beside_jmh.main(
            [*words[:4], "beside", "--only", "Hidden", f"--java={java}", "--side-by-side"]
        )
        places = {path.read_text() for path in Path("beside").glob("*.on")}
        assert places == {f"{jar}.jar [{n}]" for jar in ("base", "head") for n in (0, 1)}

    found = {case.change.identity.name: case for case in cases(Path("run"), Path("truth"))}
    assert "a.Shot" not in found
    assert found["a.Right"].ratio == pytest.approx(1.2)
    right = {name: case.right(nearest=True) for name, case in found.items()}
    assert right["a.Right"] == {"sign": True, "interval": True}
    assert right["a.WrongSign"] == {"sign": False, "interval": False}
    assert right["a.Hidden"] == {"interval": False, "excluded": False}

    beside_jmh.main(["table", "run:truth"])
    shown = capsys.readouterr().out
    assert "| sign | 1 of 2 | 1 of 2 |" in " ".join(shown.split())
    assert "| excluded | 0 of 1 | 0 of 1 |" in " ".join(shown.split())


# The table of what can be left out: its own oracle is tried on classes that javac compiles.


CODE = """class A<T extends Number> {
    int n;
    int first() { java.util.function.IntSupplier s = () -> 1; return s.getAsInt(); }
    String text(int n) { return "a" + n; }
    int last() { return 2; }
}"""
EDITS: tuple[tuple[str, str, set[str]], ...] = (
    ("class A", "// moved\n\nclass A", set()),
    ('"a"', '"b"', {"text:(I)Ljava/lang/String;"}),
    ("int n;", "int n, m;", {""}),
    ("() -> 1", "() -> 2", {"lambda$first$0:()I"}),
    ("int last", "class Inner { } int last", set()),
    (
        "int last",
        "int more() { Runnable r = () -> last(); return 1; } int last",
        {"more:()I", "lambda$more$1:()V"},
    ),
)
"""What is edited, and the parts of the class that differ then: methods, or all else."""


@pytest.mark.thorough
@pytest.mark.needs("java")
def test_the_audit_tells_methods_and_constants_from_lines_and_all_else(tmp_path: Path) -> None:
    def compiled(code: str, *options: str) -> bytes:
        (tmp_path / "A.java").write_text(code)
        subprocess.run(["javac", *options, "A.java"], cwd=tmp_path, check=True)
        return (tmp_path / "A.class").read_bytes()

    classes = [compiled(CODE), *(compiled(CODE.replace(old, new)) for old, new, _ in EDITS)]
    classes.append(compiled(CODE, "-g:none"))
    assert len(set(classes)) == len(classes)
    one, *others, bare = javap(classes)
    assert one == bare
    for (_, new, parts), other in zip(EDITS, others, strict=True):
        assert {part for part in {*one, *other} if one.get(part) != other.get(part)} == parts, new


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
    assert selection.main([*map(str, (jars[0], jars[1], jars[0], jars[0])), "--ways"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("lib: 0 to 1: 0 of 1 left out")
    assert lines[1] == "1: may run p.One_jmhTest.call, which changed"
    assert lines[-1].split("|")[1:5] == [" lib ", " 2 ", " 2 ", " 1 "]


def test_jars_come_in_pairs() -> None:
    with pytest.raises(SystemExit, match="2"):
        selection.main(["one.jar"])
