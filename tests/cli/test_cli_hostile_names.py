"""Names that would command a terminal are shown on a real one, and command nothing."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a terminal of Unix")

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
"""What a terminal does when it is shown the text."""

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
LIVE = re.compile(r"\x1b\[\?25[lh]|\r?\x1b\[(?:1A|2K)")
"""What we write ourselves: colours, and in a live view the cursor."""


def on_a_terminal(*words: str, folder: Path) -> str:
    """Return what a command writes to a terminal."""
    import pty  # not on Windows

    ours, theirs = pty.openpty()
    environ = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "160"}
    environ.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "steady.cli", *words],
        stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=environ,
    )  # fmt: skip
    os.close(theirs)
    written = bytearray()
    try:
        while data := os.read(ours, 2**16):
            written += data
    except OSError:  # so Linux ends a terminal
        pass
    process.wait(60)
    os.close(ours)
    return written.decode()


def check(shown: str) -> None:
    """Raise AssertionError where a terminal is shown more than text and our own colours."""
    assert "Traceback" not in shown
    bare = LIVE.sub("", COLOUR.sub("", shown)).replace("\r\n", "\n")
    unseen = {c for c in bare if not c.isprintable() and c not in "\n\xa0"}
    assert unseen == set(), sorted(unseen)
    assert "\nverdict: unchanged" not in bare


def write_series(path: Path, factor: float) -> None:
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
    series = {"steady_series": 1, "unit": f"ns{DEEDS['colour']}/op", "levels": levels}
    series |= {"environment": environment, "benchmarks": benchmarks, "failures": failed}
    path.write_text(json.dumps(series))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_series(tmp_path / "base.json", 1.0)
    write_series(tmp_path / "head.json", 2.0)
    (tmp_path / f"x{DEEDS['clears']}.json").write_text("{")
    git = ("git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b.c")
    for words in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "first")):
        subprocess.run([*git, *words], check=True)
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "--base", "base.json", "--head", "head.json"),
        pytest.param(("analyze", "base.json"), marks=pytest.mark.thorough),
        ("optimize", "base.json", "--out", "plan"),
        ("compare", "--base", f"x{DEEDS['clears']}.json", "--head", "head.json"),
        pytest.param(("analyze", f"no such{DEEDS['title']}"), marks=pytest.mark.thorough),
        pytest.param(("analyze", "base.json", "--only", DEEDS["line"]), marks=pytest.mark.thorough),
        pytest.param(("run", "--base", DEEDS["title"], "--head", "b"), marks=pytest.mark.thorough),
        pytest.param(
            ("history", "list", "--store", f"no{DEEDS['title']}"), marks=pytest.mark.thorough
        ),
        pytest.param(
            ("history", "record", "base.json", "--store", f"at{DEEDS['clears']}"),
            marks=pytest.mark.thorough,
        ),
        pytest.param(("settings", f"x{DEEDS['clears']}.json"), marks=pytest.mark.thorough),
    ],
    ids=lambda words: words[0],
)
def test_nothing_but_text_and_our_colours(words: tuple[str, ...], folder: Path) -> None:
    shown = on_a_terminal(*words, folder=folder)
    assert shown.strip()
    check(shown)
