"""Completion, in real shells where they are installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence

import pytest

from steady.cli import main
from steady.cli.completion import all_commands, bash, fish
from steady.options.parser import COMMANDS

CASES: tuple[tuple[Sequence[str], set[str]], ...] = (
    (("com",), {"compare", "completion"}),
    (("compare", "--rule", "pai"), {"paired-t"}),
    (("compare", "--min-ch"), {"--min-change"}),
    (("--color", "nev"), {"never"}),
    (("run", "--base", "a.jar", "--st"), {"--stop", "--stop-metric", "--stop-threshold",
                                          "--stop-minimum"}),
    (("history", "ba"), {"baseline"}),
    (("history", "list", "--st"), {"--store"}),
    (("completion", "z"), {"zsh"}),
)  # fmt: skip


def needs(shell: str) -> str:
    """Return the path of a shell, or skip the test."""
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"{shell} is not installed")
    return path


def output(shell: str, *arguments: str, script: str = "") -> str:
    """Return what a shell prints."""
    done = subprocess.run(
        [needs(shell), *arguments], input=script, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_bash_completes() -> None:
    lines = [bash(all_commands())]
    for words, _ in CASES:
        line = " ".join(("steady", *words))
        lines.append(f"COMP_WORDS=({line}); COMP_CWORD={len(words)}; COMPREPLY=(); _steady")
        lines.append('echo "${COMPREPLY[*]}"')
    # As bash splits --rule=pai
    lines.append("COMP_WORDS=(steady compare --rule = pai); COMP_CWORD=4; COMPREPLY=(); _steady")
    lines.append('echo "${COMPREPLY[*]}"')
    # Where a file may stand, nothing is said, and bash completes files.
    lines.append("COMP_WORDS=(steady compare x); COMP_CWORD=2; COMPREPLY=(); _steady")
    lines.append('echo "${COMPREPLY[*]}"')
    answers = output("bash", script="\n".join(lines)).splitlines()
    expected = [*(completions for _, completions in CASES), {"paired-t"}, set()]
    assert [set(answer.split()) for answer in answers] == expected


def test_fish_completes() -> None:
    script = fish(all_commands())
    for words, expected in CASES:
        line = " ".join(("steady", *words))
        answer = output("fish", "--no-config", script=f"{script}\ncomplete -C '{line}'")
        assert {row.partition("\t")[0] for row in answer.splitlines()} == expected


def test_zsh_reads_it() -> None:
    script = "autoload -U compinit\ncompinit -D\n" + bash(all_commands(), "zsh")
    answer = output("zsh", "-f", script=f"{script}\nprint ${{_comps[steady]}}")
    assert "_bash_complete" in answer


def test_every_command_is_there_with_its_options() -> None:
    commands = all_commands()
    assert [command.words[0] for command in commands if len(command.words) == 1] == [*COMMANDS]
    assert ("history", "record") in [command.words for command in commands]
    assert all("--help" in command.options for command in commands)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_command_prints_the_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    commands = all_commands()
    script = fish(commands) if shell == "fish" else bash(commands, shell)
    assert capsys.readouterr().out == script
