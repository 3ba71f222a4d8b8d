"""Java's argument files: any text arrives at the program as it is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.harness.jmh.configure.plan_rendering import argument_file

ODD = [
    *("", " a  b ", "it's", '"quoted" \\ back\\n', "#", "a#b", "@a", "-cp", "\\", "ends \\", '"'),
    *(
        "line\nend\r\n",
        "tab\tfeed\f\v",
        "$(touch canary) `touch canary` *?[a]{};|<>",
        "\x1f",
        "ü🙂",
    ),
    *("ü🙂", r"^\Qorg.Bench.get\E$"),
]


def test_what_is_plain_stays_readable() -> None:
    assert argument_file([r"^\Qp.B.a\E$", "n=x y", "\\ \"\n'"], "run me").decode() == (
        '# run me\n^\\Qp.B.a\\E$\n"n=x y"\n"\\\\ \\"\\n\'"\n'
    )


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))))
def test_each_argument_has_its_line(arguments: list[str]) -> None:
    lines = argument_file(arguments, "comment").decode().split("\n")
    assert len(lines) == len(arguments) + 2
    assert not any("\r" in line or "\f" in line for line in lines)


@pytest.mark.needs("java", "javac")
def test_java_reads_what_was_written(tmp_path: Path) -> None:
    source = Path(__file__).with_name("Echo.java")
    subprocess.run(["javac", "-d", str(tmp_path), str(source)], check=True)
    (tmp_path / "odd.args").write_bytes(argument_file(["Echo", *ODD], "a comment"))
    done = subprocess.run(
        ["java", "-cp", ".", "@odd.args", "@added", "-x"],
        cwd=tmp_path, env={"LC_ALL": "C.UTF-8"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    arrived = ["".join(chr(int(c)) for c in line.split()) for line in done.stdout.splitlines()]
    assert arrived == [*ODD, "@added", "-x"]
