"""Shell completion: the suggestions of a shell with the script."""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from steady.cli.completion import script
from steady.options.parser import COMMANDS
from steady.steadystate import METHODS
from tests.cli.shell import Shell

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")

Offered = Callable[[str], list[str]]


@pytest.fixture
def offered(tmp_path: Path) -> Offered:
    """Return bash's completions of the last word of a line."""
    path = tmp_path / "completion.bash"
    path.write_text(script("bash"), encoding="utf-8")

    def complete(line: str) -> list[str]:
        words = [*shlex.split(line), *([""] if line.endswith(" ") else [])]
        asked = (
            f"source {shlex.quote(str(path))}\n"
            "function_of=$(complete -p steady | sed -E 's/.*-F ([^ ]+).*/\\1/')\n"
            f"COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}\n"
            f"COMP_LINE={shlex.quote(line)}; COMP_POINT={len(line)}\n"
            f"$function_of steady {shlex.quote(words[-1])} {shlex.quote(words[-2])}\n"
            'printf "%s\\n" "${COMPREPLY[@]}"\n'
        )
        done = subprocess.run(
            ["bash", "--norc", "-c", asked],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        return sorted(filter(None, (word.strip() for word in done.stdout.splitlines())))

    return complete


def test_bash_completes_commands_options_names_and_files(offered: Offered, tmp_path: Path) -> None:
    (tmp_path / "results.json").touch()
    (tmp_path / "reports").mkdir()
    assert offered("steady opt") == ["optimize"]
    assert offered("steady ") == sorted(COMMANDS)
    assert offered("steady history ba") == ["baseline"]
    assert offered("steady optimize --det") == ["--detect", "--detector"]
    assert offered("steady analyze --detector ") == sorted(METHODS)
    assert offered("steady completion ") == ["bash", "tcsh", "zsh"]
    assert offered("steady compare --output c") == ["csv"]
    for line in ("steady optimize res", "steady compare a.json res", "steady run --plan res"):
        assert offered(line) == ["results.json"], line
    assert "reports" in " ".join(offered("steady report rep"))


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "tcsh"])
def test_each_shell_accepts_its_script(shell_name: str, shell: Shell, tmp_path: Path) -> None:
    ended = shell(f"completion {shell_name}")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == script(shell_name) == script(shell_name)
    assert "optimize" in ended.out
    if shutil.which(shell_name):
        (tmp_path / "script").write_text(ended.out)
        subprocess.run([shell_name, "-n", "script"], cwd=tmp_path, check=True)


def test_an_unknown_shell_and_a_missing_package_are_one_sentence(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = shell("completion fish")
    assert ended.code == 2
    assert "choose from bash, zsh, tcsh" in ended.err
    monkeypatch.setitem(sys.modules, "shtab", None)
    ended = shell("completion bash")
    assert (ended.code, ended.out) == (2, "")
    assert "`pip install 'steady-action[completion]'`" in ended.err
