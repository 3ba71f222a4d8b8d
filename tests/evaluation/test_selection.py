"""The table of what can be left out: its own oracle is tried on classes that javac compiles."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from evaluation._jmh_forks import class_logs
from evaluation.selection import javap
from steady.model import Identity

CODE = 'class A { String f(int n) { return "a" + n; } }'


def compiled(folder: Path, code: str, *options: str) -> bytes:
    (folder / "A.java").write_text(code)
    subprocess.run(["javac", *options, "A.java"], cwd=folder, check=True)
    return (folder / "A.class").read_bytes()


@pytest.mark.needs("java")
def test_the_audit_sees_code_and_constants_but_no_lines(tmp_path: Path) -> None:
    base = compiled(tmp_path, CODE)
    moved = compiled(tmp_path, f"// moved\n\n{CODE}")
    bare = compiled(tmp_path, CODE, "-g:none")
    other = compiled(tmp_path, CODE.replace('"a"', '"b"'))
    assert len({base, moved, bare, other}) == 4
    printed = javap([base, moved, bare, other])
    assert printed[0] == printed[1] == printed[2] != printed[3]


def test_logs_belong_to_the_benchmarks_that_jmh_announces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    announced = (
        "# Benchmark mode: Average time, time/op\n# Benchmark: a.B.one\n# Parameters: (n = 1)\n"
        "# Benchmark mode: Average time, time/op\n# Benchmark: a.B.one\n# Parameters: (n = 2)\n"
        "# Benchmark mode: Throughput, ops/time\n# Benchmark: a.B.two\n"
    )

    def run(_: object, cwd: str, **__: object) -> subprocess.CompletedProcess[str]:
        for number, text in enumerate(
            ("jmh.Main", "a.jmh_generated.B_one_x first", "a.jmh_generated.B_two_x second")
        ):
            (Path(cwd) / f"{number}.log").write_text(text)
        return subprocess.CompletedProcess([], 0, announced, "")

    monkeypatch.setattr(subprocess, "run", run)
    one, two = Identity("a.B.one", params=(("n", "1"),)), Identity("a.B.two", "thrpt")
    logs = class_logs(tmp_path / "b.jar", [one, two], [])
    assert {identity: log.split()[-1] for identity, log in logs.items()} == {
        one: "first",
        two: "second",
    }
