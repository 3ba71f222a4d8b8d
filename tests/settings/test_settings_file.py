"""Settings files: what they hold, and every mistake with its line."""

from __future__ import annotations

import re
import string
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.compare.benchmark_change import Acceptance
from steady.errors import InputError
from steady.model import Identity
from steady.settings import RepoSettings, SettingsError, read_settings
from steady.settings.repo_settings import Ignore, Threshold
from steady.settings.settings_file import parse_settings
from tests.looped import looped

GOOD = """\
# What we know of our benchmarks.
version: 1
thresholds:
  - pattern: "*"
    min-change: 5%
  - {pattern: Codec.encode, min-change: 0.1}
ignore:
  - pattern: "Io*"
    reason: the disk decides
accepted:
  - pattern: Codec.decode
    bound: 12.5 %
    reason: >-
      checks its input
      since issue 7
    expires: 2027-01-31
    author: Ada
  - pattern: Codec.encode
    direction: improvement
    bound: 150%
    reason: no
    expires: "2027-02-28"
"""


@looped(("text", "choice"), [("run", "run"), ("skip", "skip")])
def test_what_runs_the_same_code_may_be_run(text: str, choice: str) -> None:
    assert parse_settings(f"version: 1\nsame-code: {text}").same_code == choice
    assert parse_settings("version: 1").same_code == "skip"


def test_all_that_a_file_may_hold() -> None:
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


def test_little_is_enough() -> None:
    assert parse_settings("version: 1", source="s") == RepoSettings(source="s")
    nothing = "---\nversion: 1\nthresholds:\nignore: ~\naccepted: []\n...\n"
    assert parse_settings(nothing, source="s") == RepoSettings(source="s")
    assert parse_settings('{"version": 1}', source="s") == RepoSettings(source="s")


def test_the_last_threshold_and_the_last_reason_count() -> None:
    found = parse_settings(GOOD)
    assert found.min_change(Identity("org.Codec.encode")) == 0.1
    assert found.min_change(Identity("org.Codec.decode")) == 0.05
    assert found.why_ignored(Identity("org.Io.read")) == "the disk decides"
    assert found.why_ignored(Identity("org.Codec.encode")) is None
    assert RepoSettings().min_change(Identity("x")) is None


MIN_CHANGE = (
    "`min-change`: expected a percentage below 100 such as 5%, or a fraction below 1 such as 0.05"
)


@looped(
    ("text", "rate"),
    [("5%", 0.05), ("0.02", 0.02), ('"2.5 %"', 0.025), ("1e-3", 0.001), ("", None), ("~", None)],
)
def test_the_rate_of_false_alarms(text: str, rate: float | None) -> None:
    assert parse_settings(f"version: 1\nfalse-alarms: {text}").false_alarms == rate


@looped("text", ["0", "0%", "1", "100%", "5", "-1%", "often", "[5%]", "yes"])
def test_a_rate_that_is_none_is_refused_with_its_line(text: str) -> None:
    expected = "s.yml:2: `false-alarms`: expected a percentage above 0 and below 100 such as 5%"
    with pytest.raises(SettingsError, match=re.escape(expected)):
        parse_settings(f"version: 1\nfalse-alarms: {text}", source="s.yml")


BOUND = (
    "`bound`: expected a percentage above 0 such as 20%, or a fraction below 1 such as 0.2, got "
)
PATTERN = '`pattern`: expected a pattern of 1 to 500 characters, such as "CodecBenchmark.*", got '
KEYS = (
    "expected `version`, `thresholds`, `ignore`, `accepted`, `false-alarms`, `important`, "
    "`same-code`"
)


def threshold(value: str) -> str:
    return f"version: 1\nthresholds:\n  - pattern: a\n    min-change: {value}\n"


def ignored(pattern: str, reason: str = "why") -> str:
    return f"version: 1\nignore:\n- pattern: {pattern}\n  reason: {reason}\n"


def accepted(**more: str) -> str:
    entry = {"pattern": "a", "bound": "20%", "reason": "why", "expires": "2027-01-31"} | more
    lines = (f"  {name}: {value}\n" for name, value in entry.items() if value != "left out")
    return "version: 1\naccepted:\n-\n" + "".join(lines)


@looped(
    ("text", "faults"),
    [
        ("", [(1, "is empty: expected `version: 1` and settings")]),
        ("# nothing\n", [(1, "is empty: expected `version: 1` and settings")]),
        ("- a", [(1, "expected settings of steady, version 1, got a list of 1")]),
        ("a word", [(1, "expected settings of steady, version 1, got 'a word'")]),
        ("ignore:", [(1, "the file lacks `version`: add it")]),
        ("\nversion: 2", [(2, "`version`: expected 1, got 2")]),
        ("version: true", [(1, "`version`: expected 1, got True")]),
        ("version: '1'", [(1, "`version`: expected 1, got '1'")]),
        ("version: 1\nversion: 1", [(2, "'version' is in line 1 already: keep one")]),
        ("version: 1\n\nignored: []", [(3, f"unknown 'ignored': {KEYS}")]),
        ("version: 1\n7: x\n<<: y", [(2, f"unknown '7': {KEYS}"), (3, f"unknown '<<': {KEYS}")]),
        (
            "version: 1\nignore: 3",
            [(2, "`ignore`: expected a list of at most 500 entries, got 3")],
        ),
        (
            "version: 1\nignore:\n" + "- {pattern: a, reason: b}\n" * 501,
            [(2, "`ignore`: expected a list of at most 500 entries, got a list of 501")],
        ),
        (
            "version: 1\nignore:\n- a",
            [(3, "expected an entry with `pattern` and `reason`, got 'a'")],
        ),
        (
            "version: 1\nignore:\n- pattern: a\n- reason: b",
            [
                (3, "entry 1 of `ignore` lacks `reason`: add it"),
                (4, "entry 2 of `ignore` lacks `pattern`: add it"),
            ],
        ),
        (ignored("''"), [(3, PATTERN + "''")]),
        (ignored("7"), [(3, PATTERN + "7")]),
        (ignored(""), [(3, PATTERN + "nothing")]),
        (ignored("[a, b]"), [(3, PATTERN + "a list of 2")]),
        (ignored("{a: b}"), [(3, PATTERN + "a mapping")]),
        (ignored("x" * 501), [(3, PATTERN + "'" + "x" * 78 + "…")]),
        (ignored("*"), [(3, "a text that begins with * must stand in quotes")]),
        (ignored("*.Codec*"), [(3, "a text that begins with * must stand in quotes")]),
        (ignored("*Codec"), [(3, "a text that begins with * must stand in quotes")]),
        (ignored("&a b"), [(3, "a text that begins with & must stand in quotes")]),
        (ignored("!Codec"), [(3, "a text that begins with ! must stand in quotes")]),
        (ignored("a", "' '"), [(4, "`reason`: expected a text of 1 to 500 characters, got ' '")]),
        (ignored("a", "2026"), [(4, "`reason`: expected a text of 1 to 500 characters, got 2026")]),
        (
            ignored("a\n  because: b"),
            [(4, "unknown 'because': expected `pattern`, `metric`, `reason`")],
        ),
        *(
            (threshold(value), [(4, f"{MIN_CHANGE}, got {shown}")])
            for value, shown in (
                ("5", "5; write `min-change: 5%`"),
                ("-0.1", "-0.1"),
                ("100%", "'100%'"),
                ("-5%", "'-5%'"),
                ("5 percent", "'5 percent'"),
                (".nan", "'.nan'"),
                ("true", "True"),
                ("", "nothing"),
            )
        ),
        (accepted(bound="left out"), [(4, "entry 1 of `accepted` lacks `bound`: add it")]),
        (accepted(bound="0"), [(5, BOUND + "0")]),
        (accepted(bound="0.0%"), [(5, BOUND + "'0.0%'")]),
        (accepted(bound="20"), [(5, BOUND + "20; write `bound: 20%`")]),
        (accepted(bound="1e400"), [(5, BOUND + "inf")]),
        (
            accepted(direction="slower"),
            [(8, "`direction`: expected regression or improvement, got 'slower'")],
        ),
        *(
            (
                accepted(expires=value),
                [(7, f"`expires`: expected a date such as 2026-12-31, got {shown}")],
            )
            for value, shown in (
                ("2027-02-29", "'2027-02-29'"),
                ("31.1.2027", "'31.1.2027'"),
                ("2027", "2027"),
                ("20270131", "20270131"),
                ("never", "'never'"),
                ('"2027-01-31\\n"', "'2027-01-31\\n'"),
            )
        ),
        (
            accepted(author="''"),
            [(8, "`author`: expected a name of at most 100 characters, got ''")],
        ),
        (
            "version: 1\nignore: [",
            [(2, "is not YAML (expected the node content, but found '<stream end>')")],
        ),
        (
            "version: 1\n\tignore: 2",
            [(2, "is not YAML (found character '\\t' that cannot start any token)")],
        ),
        ("version: 1: 2", [(1, "is not YAML (mapping values are not allowed here)")]),
        ("a\nb\x00", [(2, "holds a character that YAML forbids: remove it")]),
        ('version: "\\UFFFFFFFF"', [(1, "is not YAML: look for a \\ escape that does not exist")]),
        (
            'version: 1\nx: "\\ud800"',
            [(2, "holds half of a surrogate pair: write the character itself")],
        ),
        ("version: 1\n---\nversion: 1", [(2, "a second document begins: expected one")]),
        ("? [a]\n: b", [(1, "expected a key, as `name: value`")]),
        ("[" * 100_000, [(1, "is nested too deeply")]),
        (
            "version: 1\nx: !!python/name:os.system y",
            [(2, "a text that begins with ! must stand in quotes")],
        ),
    ],
)
def test_every_mistake_with_its_line(text: str, faults: list[tuple[int, str]]) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_settings(text, source="s.yml")
    assert [(fault.line, fault.text) for fault in caught.value.faults] == faults
    first_line, first = faults[0]
    assert str(caught.value).startswith(f"s.yml:{first_line}: {first}")


def test_all_mistakes_are_told_at_once_and_not_too_many() -> None:
    entries = "".join("- a\n" for _ in range(300))
    with pytest.raises(SettingsError) as caught:
        parse_settings(f"version: 1\nignore:\n{entries}", source="s")
    assert len(caught.value.faults) == 300
    assert str(caught.value).endswith("; 280 more mistakes")
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
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


def test_line_ends_and_byte_order_mark_of_other_systems(tmp_path: Path) -> None:
    path = tmp_path / "s.yml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert read_settings(path) == parse_settings(GOOD, source=str(path))


NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]+", re.ASCII)
"""A number to YAML 1.2, and to us; to the library that writes this test's files, an older one, text
that needs no quotes."""
TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), min_size=1, max_size=20
).filter(lambda text: text.strip() == text and not NUMBER.fullmatch(text))
PERCENT = st.integers(1, 99).map(lambda n: (f"{n}%", n / 100))
FRACTION = st.floats(0.0001, 0.99).map(lambda x: (x, x))
SHARES = st.one_of(PERCENT, FRACTION)


@st.composite
def files(draw: st.DrawFn) -> tuple[dict[str, Any], RepoSettings]:
    """Return what a file holds, and what it means, lines left out."""
    data: dict[str, Any] = {"version": 1, "thresholds": [], "ignore": [], "accepted": []}
    thresholds, ignore, accepted = [], [], []
    for pattern, (written, value) in draw(st.lists(st.tuples(TEXT, SHARES), max_size=3)):
        data["thresholds"].append({"pattern": pattern, "min-change": written})
        thresholds.append(Threshold(pattern, value))
    for pattern, reason in draw(st.lists(st.tuples(TEXT, TEXT), max_size=3)):
        data["ignore"].append({"pattern": pattern, "reason": reason})
        ignore.append(Ignore(pattern, reason))
    for pattern, (written, value), reason, day, author in draw(
        st.lists(st.tuples(TEXT, SHARES, TEXT, st.dates(), TEXT), max_size=3)
    ):
        data["accepted"].append(
            {
                "pattern": pattern,
                "bound": written,
                "reason": reason,
                "expires": day.isoformat(),
                "author": author,
            }
        )
        accepted.append(Acceptance(pattern, reason, bound=value, expires=day, author=author))
    return data, RepoSettings(tuple(thresholds), tuple(ignore), tuple(accepted))


def without_places(found: RepoSettings) -> RepoSettings:
    return RepoSettings(
        tuple(replace(entry, source="") for entry in found.thresholds),
        tuple(replace(entry, source="") for entry in found.ignore),
        tuple(replace(entry, source="") for entry in found.accepted),
    )


@settings(deadline=None, max_examples=60)
@given(files(), st.booleans())
def test_what_is_written_is_what_is_read(
    file: tuple[dict[str, Any], RepoSettings], flow: bool
) -> None:
    data, meant = file
    text = yaml.safe_dump(data, allow_unicode=True, default_flow_style=flow, sort_keys=False)
    assert without_places(parse_settings(text)) == meant


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
def test_no_text_breaks_the_reader(text: str) -> None:
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
