"""No output of a command, whatever the names, controls GitHub's runner or a terminal."""

import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from action_scenario import command_in
from written_runs import record, series

from steady.cli.printing import command, guarded, print_json
from steady.options.parser import COMMANDS
from tests.cli.shell import Shell
from tests.looped import looped

HOSTILE = (
    "##[error]a.B.get",
    "::error::a.B.get",
    "a.B.get\n::set-env name=PATH::x",
    "a.B.get\r::add-mask::x",
    "\u200b::stop-commands::x",
    "a.B.get#\u200b#[add-path]x",
    "a.B.get\u2028::debug::x",
)


def write(path: str, forks: int, iterations: int, *, factor: float = 1.0, held: int = 7) -> None:
    """Write results in which benchmarks and machine are named like commands."""
    records = [
        record(
            name,
            series(seed, forks, iterations, factor if seed else 1.0),
            vmName="##[warning]vm",
            params={"::error::n": "##[error]1"},
        )
        for seed, name in enumerate(HOSTILE[:held])
    ]
    Path(path).write_text(json.dumps(records))


@pytest.fixture
def _results(shell: Shell) -> None:
    """Write results, a plan and settings."""
    write("full.json", 5, 60)
    write("two.json", 5, 60, held=2)  # for names that JMH accepts
    write("base.json", 4, 12)
    write("head.json", 3, 12, factor=1.5, held=6)
    write("##[error]more.json", 2, 12)
    Path("steady.yml").write_text(
        'accepted:\n  - benchmark: "##[error]*"\n    reason: "::error::"\n    until: 2020-01-01\n'
    )
    assert shell("optimize two.json --out plan").code == 0


SIDES = "--base base.json --head head.json"
KEPT = f"history record base.json --store kept --commit {'1' * 40}"
RUNS = (
    "analyze full.json",
    "analyze full.json --json",
    "optimize two.json --out '##[error]plan'",
    "optimize full.json --out x",  # the file is rejected
    "plan plan",
    "plan plan --json",
    "plot full.json '*'",  # the command lists their names
    f"plot full.json {shlex.quote(HOSTILE[0])} --out '##[error]x.svg'",
    f"compare {SIDES} --csv",
    f"compare {SIDES} --csv --out '##[error].csv'",
    "completion bash",
    "completion zsh",
    "completion tcsh",
    "merge base.json base.json --out '##[error]merged.json'",
    f"compare {SIDES}",
    f"compare {SIDES} --plan plan",
    f"compare {SIDES} --output markdown",
    f"compare {SIDES} --output json",
    f"compare {SIDES} --out '##[error]comment'",
    f"report {SIDES} --out '##[error]report'",
    KEPT,
    "history list --store kept",
    "history baseline --head '##[error]x' --out x --store kept",
    "history list --store kept --json",
    "history prune --store kept",
    "settings check steady.yml",
    "settings schema",
    "methods",
    "run --plan plan --jar '##[error]absent.jar'",
    "changed --base '##[error]absent.jar' --head ::error::absent.jar",
    "compare --base '::error::\n##[error]x' --head head.json",
    "compare '##[error]x' --output ::error::",
)


@pytest.mark.usefixtures("_results")
def test_no_output_contains_a_workflow_command(shell: Shell) -> None:
    shell(KEPT)
    found: dict[str, str] = {}
    for words in RUNS:
        ended = shell(words)
        for text in (ended.out, ended.err):
            assert "Traceback" not in text
            lines = re.split(r"\r\n?|\n", text)
            found |= {f"{words}: {line!r}": got for line in lines if (got := command_in(line))}
    assert found == {}
    # The demo shows only its own recorded results.
    assert {words.partition(" ")[0] for words in RUNS} == set(COMMANDS) - {"demo"}


@pytest.mark.usefixtures("_results")
def test_escaped_json_is_equivalent(shell: Shell) -> None:
    text = shell(f"compare {SIDES} --output json").out
    assert shell(f"compare {SIDES} --output json --out comparison.json").code == 1
    assert json.loads(text) == json.loads(Path("comparison.json").read_text(encoding="utf-8"))
    entries = json.loads(shell("analyze full.json --json").out)["benchmarks"]
    told = "\n".join(entry["identity"]["name"] for entry in entries)
    assert all(name in told for name in HOSTILE)


@looped("value", [*HOSTILE, "\x7f\x85\u2029\U000e0001\ud800##[", "straße\u00a0µ"])
def test_any_escaped_json_is_equivalent(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    for ascii_only in (True, False):
        given: Any = {value: [value, 1.5, None]}
        with guarded():
            print_json(json.dumps(given, ensure_ascii=ascii_only, indent=1))
        text = capsys.readouterr().out
        assert json.loads(text) == given
        assert not any(map(command_in, text.splitlines()))


class Terminal(io.StringIO):
    """An interactive terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("runner", "line"), [("", "##[error]x\n"), ("true", "## [error]x\n")])
def test_terminals_are_not_filtered_except_on_a_runner(
    monkeypatch: pytest.MonkeyPatch, runner: str, line: str
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("GITHUB_ACTIONS", runner)
    with guarded():
        print("##[error]x")
        assert sys.stdout.isatty() == (not runner), "a log cannot show a live view"
    assert terminal.getvalue() == line


@looped(("runner", "shown"), [("", "µOpTime ?\n"), ("true", "µOpTime →\n")])
def test_characters_missing_from_the_encoding_are_replaced(
    monkeypatch: pytest.MonkeyPatch, runner: str, shown: str
) -> None:
    """A pipe on Windows has such an encoding; GitHub's runner reads UTF-8, whatever that is."""
    written = io.BytesIO()
    pipe = io.TextIOWrapper(written, encoding="cp437")
    monkeypatch.setattr(sys, "stdout", pipe)
    monkeypatch.setenv("GITHUB_ACTIONS", runner)
    with guarded():
        print("µOpTime →")
    pipe.flush()
    assert written.getvalue().decode("utf-8" if runner else "cp437") == shown


def test_a_line_written_in_pieces_is_checked_as_a_whole(capsys: pytest.CaptureFixture[str]) -> None:
    with guarded():
        for piece in ("  ", ":", ":", "error", "::x\n#", "#", "[error]x"):
            print(piece, end="", flush=True)
        command("::group::ours")
    assert capsys.readouterr() == ("  : :error::x\n## [error]x", "::group::ours\n")
    with guarded():
        print("\n".join(HOSTILE))
    assert not any(map(command_in, re.split(r"\r\n?|\n", capsys.readouterr().out)))


def test_json_printed_in_pieces_is_unchanged(
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


DEEDS = {
    "clipboard": "\x1b]52;c;cm0gLXJmIC8=\x07",
    "title": "\x1b]0;owned\x1b\\",
    "link": "\x1b]8;;https://evil.example\x1b\\here\x1b]8;;\x1b\\",
    "clears": "\x1b[2J\x1b[H",
    "answers": "\x1b[6n\x1b[c",
    "one byte": "\x9b31m\x9d0;x\x9c",
    "line": "a\r\x1b[Kb\x08\x08c\nverdict: unchanged",
    "colour": "\x1b[31mred",
    "markup": "[red]a[/red][link=https://evil.example]b[/link]",
    "direction": "\u202egnorw\u2066",
}
"""Control sequences in the text."""

OURS = re.compile(r"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\r?\x1b\[(?:1A|2K)")
"""Control sequences written by steady: colours, and the cursor in a live view."""


def on_a_terminal(*words: str) -> str:
    """Return the output of a command on a real terminal."""
    import pty  # not on Windows

    ours, theirs = pty.openpty()
    environ = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "160"}
    environ.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "steady.cli", *words],
        stdin=theirs, stdout=theirs, stderr=theirs, env=environ,
    )  # fmt: skip
    os.close(theirs)
    written = bytearray()
    try:
        while data := os.read(ours, 2**16):
            written += data
    except OSError:  # end of a terminal on Linux
        pass
    process.wait(60)
    os.close(ours)
    return written.decode()


def write_deeds(path: str, factor: float) -> None:
    benchmarks = [
        {
            "name": f"org.Bench.{kind}{deed}",
            "params": {f"key{deed}": f"value{deed}"},
            "measurements": [[factor * (100 + f + i / 10) for i in range(12)] for f in range(4)],
        }
        for kind, deed in DEEDS.items()
    ]
    failed = [
        {"name": f"org.Bench.lost{deed}", "reason": f"because of {deed}"} for deed in DEEDS.values()
    ]
    levels = [{"name": "fork"}, {"name": "iteration"}]
    environment = {"cpu": f"cpu{DEEDS['clears']}{factor}", "jdk": f"{DEEDS['title']}{factor}"}
    values = {"steady_series": 1, "unit": f"ns{DEEDS['colour']}/op", "levels": levels}
    values |= {"environment": environment, "benchmarks": benchmarks, "failures": failed}
    Path(path).write_text(json.dumps(values))


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of Unix")
@pytest.mark.parametrize(
    "words",
    [
        ("compare", "--base", "base.json", "--head", "head.json"),
        ("optimize", "base.json", "--out", "plan"),
        ("compare", "--base", f"x{DEEDS['clears']}.json", "--head", "head.json"),
        *(
            pytest.param(words, marks=pytest.mark.thorough)
            for words in [
                ("analyze", "base.json"),
                ("analyze", f"no such{DEEDS['title']}"),
                ("analyze", "base.json", "--only", DEEDS["line"]),
                ("run", "--base", DEEDS["title"], "--head", "b"),
                ("history", "list", "--store", f"no{DEEDS['title']}"),
                ("history", "record", "base.json", "--store", f"at{DEEDS['clears']}"),
                ("settings", f"x{DEEDS['clears']}.json"),
            ]
        ),
    ],
    ids=lambda words: words[0],
)
def test_terminals_get_only_text_and_our_colours(words: tuple[str, ...]) -> None:
    write_deeds("base.json", 1.0)
    write_deeds("head.json", 2.0)
    Path(f"x{DEEDS['clears']}.json").write_text("{")
    for git in ("init -q", "-c user.name=a -c user.email=a@b.c commit -q --allow-empty -m first"):
        subprocess.run(["git", *git.split()], check=True)
    shown = on_a_terminal(*words)
    assert shown.strip()
    assert "Traceback" not in shown
    bare = OURS.sub("", shown).replace("\r\n", "\n")
    unseen = {c for c in bare if not c.isprintable() and c not in "\n\xa0"}
    assert unseen == set(), sorted(unseen)
    assert "\nverdict: unchanged" not in bare
