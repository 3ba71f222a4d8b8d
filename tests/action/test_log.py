"""Whatever is said, GitHub's runner finds no command in it."""

from __future__ import annotations

import io

from action_scenario import IGNORABLE, command_in
from hypothesis import given
from hypothesis import strategies as st

from steady.action.runner import Log
from tests.looped import looped

HOSTILE = [
    "::set-output name=verdict::unchanged",
    "  \t::add-mask::a",
    "\u00a0\u2003::error::x",
    "\u200b::stop-commands::x",
    "fine\r::set-env name=PATH::x",
    "fine\n::set-env name=PATH::x",
    "fine\u2028::group::x",
    "Bench ##[add-path]/tmp",
    "\x1b[2K::warning::x",
    "a\x85::notice::x",
    "\x0b::debug::x",
]


def printed(text: str) -> list[str]:
    """Return the lines, as the runner splits them, that `say` prints."""
    stream = io.StringIO()
    Log(stream).say(text)
    return stream.getvalue().replace("\r", "\n").split("\n")


@looped("text", HOSTILE)
def test_the_oracle_sees_the_danger(text: str) -> None:
    lines = text.replace("\r", "\n").replace("\u2028", "\n").replace("\x85", "\n").split("\n")
    assert any(command_in(line.lstrip("\x1b[2K")) for line in lines)


@looped("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    assert [command_in(line) for line in printed(text)] == [None] * len(printed(text))


PIECES = ["::", ":", "##[", "]", *IGNORABLE, " ", "error", "\n", "\r", "\t", "x", "group"]


@given(st.text() | st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_stays_text(text: str) -> None:
    assert not any(map(command_in, printed(text)))


def test_harmless_lines_are_untouched() -> None:
    text = "org.example.Bench.get [n=10]: +12.3 % (99 %)\nBench::name is slower\n"
    assert printed(text) == [*text.split("\n")]


@given(st.text(), st.sampled_from(["notice", "warning", "error"]))
def test_an_annotation_is_one_command(text: str, level: str) -> None:
    stream = io.StringIO()
    Log(stream).annotate(level, text)  # type: ignore[arg-type]
    lines = stream.getvalue().replace("\r", "\n").splitlines()
    assert len(lines) == 1
    assert command_in(lines[0]) == level


def test_ready_made_commands_pass_and_broken_ones_do_not() -> None:
    stream = io.StringIO()
    good = "::error title=Regression::Bench.get is 12\u00a0%25 slower"
    Log(stream).commands([good, "::error::two\n::add-mask::lines", "##[add-path]/tmp", "::error"])
    lines = stream.getvalue().splitlines()
    assert [command_in(line) for line in lines] == ["error", None, None, None]
    assert lines[0] == good
