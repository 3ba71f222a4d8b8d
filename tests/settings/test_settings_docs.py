"""docs/settings.md says what is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from steady.cli.settings import schema
from steady.settings import SettingsError
from steady.settings.accept_line import parse_accept
from steady.settings.settings_file import LARGEST, parse_settings

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def test_the_example_is_a_settings_file() -> None:
    example, editor = blocks("yaml")
    found = parse_settings(example)
    assert list(map(len, (found.thresholds, found.ignore, found.accepted))) == [3, 1, 1]
    assert parse_settings(editor).entries == ()


def test_the_mistakes_are_told_as_shown() -> None:
    example, _ = blocks("yaml")
    wrong = example.replace("min-change: 5%", "min-change: 5").replace("12-31", "02-30")
    with pytest.raises(SettingsError) as caught:
        parse_settings(wrong)
    shown = [line for line in TEXT.splitlines() if line.startswith(".github/steady.yml:")]
    assert list(caught.value.lines) == shown
    assert len(shown) == 2


def test_every_accept_can_be_read() -> None:
    commands = re.findall(r"^/steady accept (.*)$", TEXT, re.MULTILINE)
    commands += re.findall(r"`/steady accept (.*?)`", README)
    assert len(commands) == 4
    assert all(parse_accept(command, "ada").reason for command in commands)


def test_every_key_and_limit_is_named() -> None:
    whole = schema("settings")
    for name, described in whole["properties"].items():
        if name != "version":
            assert f"`{name}`" in TEXT
        if name not in ("version", "false-alarms", "important", "same-code"):
            listed, _ = described["anyOf"]
            entry = whole["$defs"][listed["items"]["$ref"].removeprefix("#/$defs/")]
            for key in entry["properties"]:
                assert f"`{key}`" in TEXT
            assert f"{listed['maxItems']} entries in each list" in TEXT
    assert f"{LARGEST:,} bytes" in TEXT
