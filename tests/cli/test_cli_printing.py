"""Nothing that a command prints is a command to GitHub's runner, whatever benchmarks are called."""

from __future__ import annotations

import io
import json
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from action_scenario import command_in
from written_runs import record, series

from steady.cli import main
from steady.cli.printing import command, guarded, print_json
from steady.options.parser import COMMANDS

HOSTILE = (
    "##[error]a.B.get",
    "::error::a.B.get",
    "a.B.get\n::set-env name=PATH::x",
    "a.B.get\r::add-mask::x",
    "\u200b::stop-commands::x",
    "a.B.get#\u200b#[add-path]x",
    "a.B.get\u2028::debug::x",
)


def write(path: Path, forks: int, iterations: int, *, factor: float = 1.0, held: int = 7) -> None:
    """Write results of benchmarks that are called like commands, on a machine that is too."""
    records = [
        record(
            name,
            series(seed, forks, iterations, factor if seed else 1.0),
            vmName="##[warning]vm",
            params={"::error::n": "##[error]1"},
        )
        for seed, name in enumerate(HOSTILE[:held])
    ]
    path.write_text(json.dumps(records))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with results, a plan and settings."""
    monkeypatch.chdir(tmp_path)
    write(Path("full.json"), 5, 60)
    write(Path("two.json"), 5, 60, held=2)  # whose names JMH could run
    write(Path("base.json"), 4, 12)
    write(Path("head.json"), 3, 12, factor=1.5, held=6)
    write(Path("##[error]more.json"), 2, 12)
    Path("steady.yml").write_text(
        'accepted:\n  - benchmark: "##[error]*"\n    reason: "::error::"\n    until: 2020-01-01\n'
    )
    assert main(["optimize", "two.json", "--out", "plan"]) == 0
    return tmp_path


SIDES = ("--base", "base.json", "--head", "head.json")
STORE = ("--store", "kept")
KEPT = ("history", "record", "base.json", *STORE, "--commit", "1" * 40)
RUNS: dict[str, tuple[str, ...]] = {
    "analyze": ("analyze", "full.json"),
    "analyze --json": ("analyze", "full.json", "--json"),
    "optimize": ("optimize", "two.json", "--out", "##[error]plan"),
    "optimize, refused": ("optimize", "full.json", "--out", "x"),
    "plan": ("plan", "plan"),
    "plan --json": ("plan", "plan", "--json"),
    "merge": ("merge", "base.json", "base.json", "--out", "##[error]merged.json"),
    "compare": ("compare", *SIDES),
    "compare --plan": ("compare", *SIDES, "--plan", "plan"),
    "compare markdown": ("compare", *SIDES, "--output", "markdown"),
    "compare json": ("compare", *SIDES, "--output", "json"),
    "compare --out": ("compare", *SIDES, "--out", "##[error]comment"),
    "report": ("report", *SIDES, "--out", "##[error]report"),
    "history record": KEPT,
    "history list": ("history", "list", *STORE),
    "history baseline": ("history", "baseline", "--head", "##[error]x", "--out", "x", *STORE),
    "history list --json": ("history", "list", *STORE, "--json"),
    "history prune": ("history", "prune", *STORE),
    "settings check": ("settings", "check", "steady.yml"),
    "settings schema": ("settings", "schema"),
    "methods": ("methods",),
    "run": ("run", "--plan", "plan", "--jar", "##[error]absent.jar"),
    "changed": ("changed", "--base", "##[error]absent.jar", "--head", "::error::absent.jar"),
    "a mistake": ("compare", "--base", "::error::\n##[error]x", "--head", "head.json"),
    "another mistake": ("compare", "##[error]x", "--output", "::error::"),
}


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    """Run a command, and return what it printed."""
    capsys.readouterr()
    with suppress(SystemExit):  # argparse's own
        main(arguments)
    return capsys.readouterr()


@pytest.mark.usefixtures("folder")
def test_no_line_of_any_command_is_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    main(KEPT)
    found: dict[str, str] = {}
    for name, arguments in RUNS.items():
        for text in printed(capsys, *arguments):
            assert "Traceback" not in text
            lines = re.split(r"\r\n?|\n", text)
            found |= {f"{name}: {line!r}": got for line in lines if (got := command_in(line))}
    assert found == {}


def test_every_command_is_looked_at() -> None:
    # The demo shows what was recorded here, and nothing else.
    assert {arguments[0] for arguments in RUNS.values()} == set(COMMANDS) - {"demo"}


@pytest.mark.usefixtures("folder")
def test_json_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    text, _ = printed(capsys, *RUNS["compare json"])
    assert main([*RUNS["compare json"], "--out", "comparison.json"]) == 1
    assert json.loads(text) == json.loads(Path("comparison.json").read_text(encoding="utf-8"))
    text, _ = printed(capsys, *RUNS["analyze --json"])
    told = "\n".join(entry["identity"]["name"] for entry in json.loads(text)["benchmarks"])
    assert all(name in told for name in HOSTILE)


@pytest.mark.parametrize("value", [*HOSTILE, "\x7f\x85\u2029\U000e0001\ud800##[", "straße\u00a0µ"])
def test_any_json_says_the_same(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    for ascii_only in (True, False):
        given: Any = {value: [value, 1.5, None]}
        with guarded():
            print_json(json.dumps(given, ensure_ascii=ascii_only, indent=1))
        text = capsys.readouterr().out
        assert json.loads(text) == given
        assert not any(map(command_in, text.splitlines()))


class Terminal(io.StringIO):
    """A terminal that somebody sits in front of."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("runner", "line"), [("", "##[error]x\n"), ("true", "## [error]x\n")])
def test_a_terminal_is_left_alone_unless_it_is_a_runners(
    monkeypatch: pytest.MonkeyPatch, runner: str, line: str
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("GITHUB_ACTIONS", runner)
    with guarded():
        print("##[error]x")
        assert sys.stdout.isatty() == (not runner), "a log shows no progress that moves"
    assert terminal.getvalue() == line


def test_a_line_in_pieces_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with guarded():
        for piece in ("  ", ":", ":", "error", "::x\n#", "#", "[error]x"):
            print(piece, end="", flush=True)
        command("::group::ours")
    assert capsys.readouterr() == ("  : :error::x\n## [error]x", "::group::ours\n")


def test_json_is_the_same_in_pieces(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {name: [name, 1.5, {}] for name in (*HOSTILE, "plain", "\u00b5")}
    texts = []
    for size in (1, 7, 64, 2**20):
        monkeypatch.setattr("steady.cli.printing._PIECE", size)
        with guarded():
            print_json(json.dumps(given, ensure_ascii=False, indent=1) + "\n")
        texts.append(capsys.readouterr().out)
    assert json.loads(texts[0]) == given
    assert set(texts) == {texts[-1]}
    assert texts[-1].endswith("}\n")
    assert not any(map(command_in, texts[-1].splitlines()))
