"""What people type at first is taken as they mean it, or answered by what to type."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from steady.cli import main
from steady.options.parser import COMMANDS, forgiven
from tests.looped import looped

BENCHMARK = "NumericBenchmark.editDistance"


def printed(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """Return what a command prints, on both streams."""
    try:
        ended = main(words)
    except SystemExit as end:
        ended = int(end.code or 0)
    assert ended == code
    captured = capsys.readouterr()
    return captured.out + captured.err


def test_help_and_version_are_words_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "help") == printed(capsys, "--help")
    assert printed(capsys, "help", "run") == printed(capsys, "run", "--help")
    assert printed(capsys, "version") == printed(capsys, "--version")
    assert "did you mean 'help'" in printed(capsys, "hlep", code=2)


@looped("command", ["run", "changed"])
def test_two_builds_need_no_options(command: str) -> None:
    named = ["--base", "old.jar", "--head", "new.jar"]
    assert forgiven([command, "old.jar", "new.jar"]) == [command, *named]
    assert forgiven([command, "--java", "j", "old.jar", "--jvm-arg=-X", "new.jar"]) == [
        *(command, "--java", "j", "--jvm-arg=-X"), *named,
    ]  # fmt: skip
    assert forgiven([command, *named]) == [command, *named]


@pytest.mark.parametrize(
    "words", [["old.jar"], ["a", "b", "c"], ["old.jar", "new.jar", "--base", "x.jar"]]
)
def test_another_number_of_builds_is_answered(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    said = printed(capsys, "run", *words, code=2)
    assert "write two builds, the older one first, as in `steady run base.jar head.jar`" in said


def test_the_options_of_a_run_stand_in_groups(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "run", "--help")
    assert re.findall(r"(?m)^(\w[\w ]*):$", text) == [
        "positional arguments", "options", "basics", "plan", "expert", "exit codes",
    ]  # fmt: skip
    basics = text.partition("\nbasics:")[2].partition("\nplan:")[0]
    assert {"--base", "--head", "--out", "--time-budget"} <= set(re.findall(r"--[\w-]+", basics))
    assert "--stop" not in basics


def test_what_a_newcomer_needs_is_listed_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(COMMANDS)[:3] == ["run", "compare", "demo"]
    text = printed(capsys, "--help")
    assert re.findall(r"(?m)^    (\w+) ", text)[:3] == ["run", "compare", "demo"]


@pytest.mark.parametrize(
    "words", [["nothing"], ["run", "--nothing"], ["compare"], ["compare", "nowhere"], ["report"]]
)
def test_every_error_begins_alike(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert re.match(r"steady: (?!error)", printed(capsys, *words, code=2))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
@pytest.mark.parametrize(
    "words", ["methods", pytest.param("demo --out {}", marks=pytest.mark.thorough)]
)
def test_a_full_disk_behind_standard_output_is_one_sentence(words: str, tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "steady.cli", *words.format(tmp_path).split()],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1] == (
        "steady: standard output: cannot be written (No space left on device); free some space, "
        "and repeat the command"
    )
    assert "Traceback" not in ended.stderr
