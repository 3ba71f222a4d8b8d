"""Settings files: their content, and all errors with line numbers."""

import re
import string
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.cli.settings import schema
from steady.errors import InputError
from steady.model import Identity
from steady.settings import RepoSettings, SettingsError, read_settings
from steady.settings.repo_settings import Acceptance, Ignore, Threshold, parse_accept
from steady.settings.settings_file import LARGEST, parse_settings
from tests.looped import looped

FOLDER = Path(__file__).parent
GOOD = (FOLDER / "good.yml").read_text(encoding="utf-8")


def test_a_file_with_all_fields_is_read() -> None:
    assert parse_settings(GOOD, source="s.yml") == RepoSettings(
        thresholds=(
            Threshold("*", 0.05, "s.yml:4"),
            Threshold("Codec.encode", 0.1, "s.yml:6"),
        ),
        ignore=(Ignore("Io*", "the disk decides", "s.yml:8"),),
        accepted=(
            Acceptance(
                "Codec.decode",
                "checks its input since issue 7",
                bound=0.125,
                expires=date(2027, 1, 31),
                author="Ada",
                source="s.yml:11",
            ),
            Acceptance(
                "Codec.encode",
                "no",
                "improvement",
                bound=1.5,
                expires=date(2027, 2, 28),
                source="s.yml:18",
            ),
        ),
        source="s.yml",
    )


def test_minimal_files_are_read() -> None:
    assert parse_settings("version: 1", source="s") == RepoSettings(source="s")
    nothing = "---\nversion: 1\nthresholds:\nignore: ~\naccepted: []\n...\n"
    assert parse_settings(nothing, source="s") == RepoSettings(source="s")
    assert parse_settings('{"version": 1}', source="s") == RepoSettings(source="s")


def test_the_last_matching_entry_is_used() -> None:
    found = parse_settings(GOOD)
    assert found.min_change(Identity("org.Codec.encode")) == 0.1
    assert found.min_change(Identity("org.Codec.decode")) == 0.05
    assert found.why_ignored(Identity("org.Io.read")) == "the disk decides"
    assert found.why_ignored(Identity("org.Codec.encode")) is None
    assert RepoSettings().min_change(Identity("x")) is None


def test_single_fields_are_read() -> None:
    assert parse_settings("version: 1").same_code == "skip"
    assert parse_settings("version: 1\nsame-code: skip").same_code == "skip"
    assert parse_settings("version: 1\nsame-code: run").same_code == "run"
    rates = {"5%": 0.05, "0.02": 0.02, '"2.5 %"': 0.025, "1e-3": 0.001, "": None, "~": None}
    for text, rate in rates.items():
        assert parse_settings(f"version: 1\nfalse-alarms: {text}").false_alarms == rate
    for text in ("0", "0%", "1", "100%", "5", "-1%", "often", "[5%]", "yes"):
        (told,) = mistakes(f"version: 1\nfalse-alarms: {text}")
        expected = "2: `false-alarms`: expected a percentage above 0 and below 100 such as 5%"
        assert told.startswith(expected)


def mistakes(text: str) -> list[str]:
    """Return the errors in a file with their lines."""
    with pytest.raises(SettingsError) as caught:
        parse_settings(text, source="s.yml")
    told = [f"{fault.line}: {fault.text}" for fault in caught.value.faults]
    assert str(caught.value).startswith(f"s.yml:{told[0]}")
    return told


def test_every_error_has_its_line() -> None:
    """In `mistakes.txt`, each file is followed by its errors."""
    for block in (FOLDER / "mistakes.txt").read_text(encoding="utf-8").split("\n=====\n"):
        text, _, told = block.rstrip("\n").partition("\n-----\n")
        assert mistakes(text) == told.split("\n"), text


@looped(
    ("text", "told"),
    [
        ("a\nb\x00", "2: contains a character that YAML forbids: remove it"),
        ("[" * 100_000, "1: is nested too deeply"),
        (
            "version: 1\nignore:\n" + "- {pattern: a, reason: b}\n" * 501,
            "2: `ignore`: expected a list of at most 500 entries, got a list of 501",
        ),
        (
            f"version: 1\nignore:\n- pattern: {'x' * 501}\n  reason: why",
            "3: `pattern`: expected a pattern of 1 to 500 characters, such as "
            f'"CodecBenchmark.*", got \'{"x" * 78}…',
        ),
    ],
)
def test_excessive_files_are_rejected(text: str, told: str) -> None:
    assert mistakes(text) == [told]


def test_all_errors_are_reported_up_to_a_limit() -> None:
    entries = "".join("- a\n" for _ in range(300))
    with pytest.raises(SettingsError) as caught:
        parse_settings(f"version: 1\nignore:\n{entries}", source="s")
    assert len(caught.value.faults) == 300
    assert str(caught.value).endswith("; 280 more mistakes")
    assert "\n" not in str(caught.value)


def test_unreadable_files_are_reported(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.yml", tmp_path / "a\0b"):
        with pytest.raises(InputError, match=r"cannot be read .*; give a settings file such as"):
            read_settings(path)
    large = tmp_path / "large.yml"
    large.write_bytes(b"version: 1 #" + b"x" * (1 << 18))
    with pytest.raises(InputError, match="larger than a settings file may be: 262,144 bytes"):
        read_settings(large)
    other = tmp_path / "other.yml"
    other.write_bytes(b"version: 1\n# \xff")
    with pytest.raises(SettingsError, match=r"other\.yml:2: is not UTF-8 text"):
        read_settings(other)


def test_line_ends_and_byte_order_marks_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "s.yml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert read_settings(path) == parse_settings(GOOD, source=str(path))


NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]+", re.ASCII)
"""Text that is a number in YAML 1.2, but that PyYAML (YAML 1.1) writes without quotes."""
TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), min_size=1, max_size=20
).filter(lambda text: text.strip() == text and not NUMBER.fullmatch(text))
PERCENT = st.integers(1, 99).map(lambda n: (f"{n}%", n / 100))
FRACTION = st.floats(0.0001, 0.99).map(lambda x: (x, x))
SHARES = st.one_of(PERCENT, FRACTION)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(TEXT, SHARES, TEXT, st.dates(), TEXT), max_size=3), st.booleans())
def test_any_settings_survive_a_round_trip(
    entries: list[tuple[str, tuple[object, float], str, date, str]], flow: bool
) -> None:
    names = ("pattern", "bound", "reason", "expires", "author")
    written = [
        dict(zip(names, (pattern, share[0], reason, day.isoformat(), author), strict=True))
        for pattern, share, reason, day, author in entries
    ]
    data = {"version": 1, "accepted": written}
    text = yaml.safe_dump(data, allow_unicode=True, default_flow_style=flow, sort_keys=False)
    assert [replace(one, source="") for one in parse_settings(text).accepted] == [
        Acceptance(pattern, reason, bound=share[1], expires=day, author=author)
        for pattern, share, reason, day, author in entries
    ]


@settings(deadline=None, max_examples=200)
@given(
    st.one_of(
        st.text(max_size=80),
        st.text(string.printable, max_size=80),
        st.text("version: 1\n-*&!{}[]'\"\\u?|>%#@`,<~", max_size=60),
        st.text(string.printable, max_size=30).map(GOOD.__add__),
        st.tuples(st.integers(0, len(GOOD)), st.text(max_size=5)).map(
            lambda cut: GOOD[: cut[0]] + cut[1] + GOOD[cut[0] + len(cut[1]) :]
        ),
    )
)
def test_any_text_is_parsed_or_rejected(text: str) -> None:
    try:
        found = parse_settings(text, source="s")
    except SettingsError as error:
        faults = error.faults
    else:
        assert found.source == "s"
        return
    lines = sum(map(text.count, "\n\r\x85\u2028\u2029")) + 1
    assert faults
    assert all(1 <= fault.line <= lines for fault in faults)


def test_important_benchmarks_are_a_list_of_patterns() -> None:
    found = parse_settings('version: 1\nimportant: ["Codec.*", decode]\n')
    assert found.important == ("Codec.*", "decode")
    meant = [Identity(f"org.Codec.{name}") for name in ("encode", "decode")]
    assert all(map(found.is_important, meant))
    assert not found.is_important(Identity("org.Other.encode"))
    assert not parse_settings("version: 1\n").is_important(meant[0])
    for text in ("important: Codec", "important: [1]", 'important: [""]'):
        with pytest.raises(SettingsError, match="expected a list of at most 500 patterns"):
            parse_settings(f"version: 1\n{text}\n")


def test_benchmarks_that_need_their_own_process_are_a_list_of_patterns() -> None:
    found = parse_settings('version: 1\nalone: ["*test_io.py::*"]\n')
    assert found.is_alone(Identity("bench/test_io.py::test_read[x]"))
    assert not found.is_alone(Identity("bench/test_cpu.py::test_read[x]"))
    assert not parse_settings("version: 1\n").is_alone(Identity("a"))
    with pytest.raises(SettingsError, match="`alone`: expected a list of at most 500 patterns"):
        parse_settings("version: 1\nalone: test_io.py\n")


# The examples of docs/settings.md

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/settings.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_example_is_a_settings_file() -> None:
    example, editor = blocks("yaml")
    found = parse_settings(example)
    assert list(map(len, (found.thresholds, found.ignore, found.accepted))) == [3, 1, 1]
    assert parse_settings(editor).entries == ()


def test_the_documented_errors_are_printed() -> None:
    example, _ = blocks("yaml")
    wrong = example.replace("min-change: 5%", "min-change: 5").replace("12-31", "02-30")
    with pytest.raises(SettingsError) as caught:
        parse_settings(wrong)
    shown = [line for line in PAGE.splitlines() if line.startswith(".github/steady.yml:")]
    assert list(caught.value.lines) == shown
    assert len(shown) == 2


def test_documented_accept_commands_are_valid() -> None:
    commands = re.findall(r"^/steady accept (.*)$", PAGE, re.MULTILINE)
    commands += re.findall(
        r"`/steady accept (.*?)`", (ROOT / "README.md").read_text(encoding="utf-8")
    )
    assert len(commands) == 4
    assert all(parse_accept(command, "ada").reason for command in commands)


def test_every_key_and_limit_is_documented() -> None:
    whole = schema("settings")
    for name, described in whole["properties"].items():
        if name != "version":
            assert f"`{name}`" in PAGE
        if name not in ("version", "false-alarms", "important", "alone", "same-code"):
            listed, _ = described["anyOf"]
            entry = whole["$defs"][listed["items"]["$ref"].removeprefix("#/$defs/")]
            for key in entry["properties"]:
                assert f"`{key}`" in PAGE
            assert f"{listed['maxItems']} entries in each list" in PAGE
    assert f"{LARGEST:,} bytes" in PAGE
