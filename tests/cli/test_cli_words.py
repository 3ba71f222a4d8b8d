"""Common first attempts are accepted as intended, or rejected with a suggested command."""

import errno
import json
import re
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest
from written_runs import record, series

from steady.cli.main import GREETING
from steady.options.parser import COMMANDS, corrected
from tests.cli.shell import Shell
from tests.looped import looped


def results(path: str, factor: float = 1.0, *, seed: int = 4) -> None:
    """Write JMH results of one benchmark."""
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(json.dumps([record("org.Bench.parse", series(seed, 4, 12, factor))]))


def two_results(*paths: str) -> None:
    """Write base and head results, with a slower head."""
    for seed, (path, factor) in enumerate(zip(paths, (1.0, 1.5), strict=True)):
        results(path, factor, seed=seed)


def test_steady_without_arguments_prints_one_screen(shell: Shell) -> None:
    ended = shell("")
    assert (ended.code, ended.out, ended.err) == (0, GREETING, "")
    named = [line.split()[1] for line in ended.lines]
    assert named == ["demo", "run", "compare"]
    assert set(named) <= set(COMMANDS)
    assert len(GREETING.splitlines()) <= 20
    assert max(map(len, GREETING.splitlines())) <= 100


def test_help_and_version_are_accepted_without_hyphens(shell: Shell) -> None:
    assert shell("help") == shell("--help")
    assert shell("help run") == shell("run --help")
    assert shell("version") == shell("--version")


@looped("command", ["run", "changed"])
def test_two_builds_need_no_options(command: str) -> None:
    named = ["--base", "old.jar", "--head", "new.jar"]
    assert corrected([command, "old.jar", "new.jar"]) == [command, *named]
    assert corrected([command, "--java", "j", "old.jar", "--jvm-arg=-X", "new.jar"]) == [
        *(command, "--java", "j", "--jvm-arg=-X"), *named,
    ]  # fmt: skip
    assert corrected([command, *named]) == [command, *named]


def test_one_build_is_accepted_for_a_full_run() -> None:
    for more in (["--full", "5x60"], ["--full=5x60"], ["--list"]):
        assert corrected(["run", *more, "."]) == ["run", *more, "--jar", "."]
    behind = ["--", "pytest", "benchmarks"]
    assert corrected(["run", "b", "--full", "1x5", *behind]) == [
        *("run", "--full", "1x5", "--jar", "b"), *behind,
    ]  # fmt: skip


NO_TWO_BUILDS = "write two builds, the older one first, as in `steady run base.jar head.jar`"
HERE = Path(__file__)


@looped(
    ("words", "sentence"),
    [
        ("hlep", "did you mean 'help'"),
        ("comprae", "unknown command 'comprae'; did you mean 'compare'?"),
        ("history lsit", "unknown command 'lsit'; did you mean 'list'?"),
        ("compare --mni-change 5%", "'--mni-change'; did you mean '--min-change'?"),
        ("compare --bsae=x", "unknown option '--bsae'; did you mean '--base'?"),
        ("--verison", "unknown option '--verison'; did you mean '--version'?"),
        ("compare --rule pared-t", "did you mean 'paired-t'?"),
        ("optimize x --detector kbkssd", "did you mean 'kb-kssd'?"),
        # A word without similar ones lists all choices.
        ("xyzzy", "expected: run, compare, demo, analyze"),
        ("compare --xyzzy", "unknown option '--xyzzy'\n"),
        # A prefix of an option is not accepted.
        ("compare old new --min 5%", "is not a complete option; write --min-change\n"),
        ("compare old new --min=5%", "is not a complete option; write --min-change\n"),
        ("compare old new --min-chang 5%", "is not a complete option; write --min-change\n"),
        ("history list --s kept", "write --store or --suite\n"),
        ("--vers", "write --version\n"),
        ("compare none.json", "none.json: does not exist"),
        ("run old.jar", NO_TWO_BUILDS),
        ("run a b c", NO_TWO_BUILDS),
        ("run old.jar new.jar --base x.jar", NO_TWO_BUILDS),
        *(
            (f"{command} {words}".strip(), sentence)
            for command in ("compare", "report")
            for words, sentence in [
                ("", "give two results, as in `steady compare OLD NEW`"),
                ("--base a", "`steady compare OLD NEW`; --head is missing"),
                ("a", "a: does not exist; name the folder of a `steady run` of base and head"),
                ("'a*'", "a*: is only one result; give two, the older one first"),
                (f"{HERE}", ": is only one result; give two, the older one first"),
                (f"{HERE.parent}", ": does not contain base.json and head.json"),
                ("a b c", "3 results were given; give two"),
                ("a b --head c", "as OLD NEW, or by --base and --head, but not both"),
            ]
        ),
    ],
)
def test_common_mistakes_get_suggestions(words: str, sentence: str, shell: Shell) -> None:
    ended = shell(words)
    assert (ended.code, ended.out) == (2, "")
    assert sentence in ended.err
    assert re.match(r"steady: (?!error)", ended.err)
    if "did you mean" in sentence:
        assert len(ended.err.splitlines()) == 2
        assert ended.err.splitlines()[1].startswith("Try `steady")


def test_the_nearest_benchmark_is_suggested(shell: Shell) -> None:
    two_results("a.json", "b.json")
    ended = shell("compare a.json b.json --only prase")
    assert ended.err.rstrip().endswith("of either run; the nearest: org.Bench.parse")


def test_options_of_run_are_grouped(shell: Shell) -> None:
    text = shell("run --help").out
    assert re.findall(r"(?m)^(\w[\w ]*):$", text) == [
        "positional arguments", "options", "basics", "plan", "expert", "exit codes",
    ]  # fmt: skip
    basics = text.partition("\nbasics:")[2].partition("\nplan:")[0]
    assert {"--base", "--head", "--out", "--time-budget"} <= set(re.findall(r"--[\w-]+", basics))
    assert "--stop" not in basics


def test_basic_options_and_commands_are_listed_first(shell: Shell) -> None:
    assert list(COMMANDS)[:3] == ["run", "compare", "demo"]
    assert re.findall(r"(?m)^    (\w+) ", shell("--help").out)[:3] == ["run", "compare", "demo"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
@pytest.mark.parametrize(
    "words", ["methods", pytest.param("demo --out demo", marks=pytest.mark.thorough)]
)
def test_a_full_disk_on_standard_output_is_one_sentence(words: str) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "steady.cli", *words.split()],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1] == (
        "steady: standard output: cannot be written (No space left on device); free some space, "
        "and repeat the command"
    )
    assert "Traceback" not in ended.stderr


@looped("error", [OSError(errno.ENOSPC, "full", "plan.json"), OSError(errno.EIO, "broken")])
def test_other_errors_on_standard_output_are_not_a_full_disk(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    monkeypatch.setattr("steady.cli.methods.run", Mock(side_effect=error))
    with pytest.raises(OSError, match=str(error.strerror)):
        shell("methods")


def test_two_results_are_files_folders_or_a_run_folder(shell: Shell) -> None:
    two_results("a.json", "b.json")
    ended = shell("compare a.json b.json")
    assert ended.code == 1
    assert "Bench.parse" in ended.out
    assert shell("compare --base a.json --head b.json") == ended
    assert shell("compare --fail-on never a.json b.json").code == 0
    two_results("old/x.json", "new/x.json")
    assert shell("compare old new").code == 1
    two_results("run/base.json", "run/head.json")
    assert shell("compare run").code == 1
    ended = shell("compare run run")
    assert ended.code == 2
    assert "contains results of base and of head; name one of them, such as" in ended.err


def test_standard_variables_control_colours(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COLUMNS", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    two_results("a.json", "b.json")
    plain = shell("compare a.json b.json").out
    assert "\x1b" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    colored = shell("compare a.json b.json").out
    assert "\x1b[" in colored
    # Colors change neither words nor line breaks.
    bare = re.sub(r"\x1b\[[0-9;]*m", "", colored)
    assert [line.rstrip() for line in bare.splitlines()] == plain.splitlines()
    monkeypatch.setenv("NO_COLOR", "1")
    assert shell("compare a.json b.json").out == plain
