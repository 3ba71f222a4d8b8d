"""Escaping of untrusted text, checked by a CommonMark parser; formatting of numbers."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from steady.text import numbers
from steady.text.escape import (
    code_span,
    command_data,
    command_property,
    log_text,
    plain,
    shorten,
    visible,
)

# Escaping of untrusted text, checked by a CommonMark parser with tables.


MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")
SIGNS = "`|\\<>!-*_[]()#@&~:, \n\t$a1.\u202e\u200b\x1b\r=+'\""
NASTY = st.text(st.sampled_from(SIGNS), max_size=40)
ANY = st.text(max_size=60) | NASTY


def cells(markdown: str) -> list[list[Token]]:
    """Return the inline tokens of each body cell of the only table."""
    tokens = MARKDOWN.parse(f"| a | b |\n|--|--|\n| {markdown} | end |\n")
    assert [t.type for t in tokens].count("tr_open") == 2
    inside = [tokens[i + 1].children or [] for i, t in enumerate(tokens) if t.type == "td_open"]
    assert len(inside) == 2
    assert inside[1][0].content == "end"
    return inside


@given(ANY)
@example("`")
@example("``a`")
@example("|")
@example("\\|")
@example("a\\")
@example(" ")
@example("\n::set-output name=x::y")
@example("<!-- steady:default -->")
@example("<script>alert(1)</script>")
@example("@everyone #12 https://evil.example")
def test_a_code_span_can_contain_any_text_in_a_table_cell(text: str) -> None:
    span = code_span(text)
    assert "<!--" not in span
    assert "-->" not in span
    assert span.replace("\u2060", "").isprintable()
    [cell, _] = cells(span)
    if not visible(text).strip(" "):
        assert [t.content for t in cell] == ["(no name)"]
        return
    [code] = cell
    assert code.type == "code_inline"
    assert code.content.replace("\u2060", "").strip(" ") == visible(text).strip(" ")


@given(ANY, ANY)
def test_two_code_spans_in_one_cell_stay_separate(one: str, other: str) -> None:
    [cell, _] = cells(f"{code_span(one)} and {code_span(other)}")
    assert {token.type for token in cell} <= {"code_inline", "text"}


@given(ANY)
@example("# heading")
@example("- item")
@example("1. item")
@example("---")
@example("> quote")
@example("[link](https://evil.example)")
@example("![image](https://evil.example/x.png)")
@example("<img src=x>")
@example("&lt;b&gt; &amp;")
@example("a **b** __c__ *d* _e_ ~~f~~ `g`")
@example("www.evil.example, https://evil.example, me@evil.example")
def test_plain_text_is_one_paragraph_or_cell_without_markup(text: str) -> None:
    [cell, _] = cells(plain(text) or "x")
    assert {t.type for t in cell} <= {"text", "text_special"}
    shown = visible(text).strip(" ")
    tokens = MARKDOWN.parse(plain(text))
    if not shown:
        assert tokens == []
        return
    assert [t.type for t in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    children = tokens[1].children or []
    assert {t.type for t in children} <= {"text", "text_special"}
    assert "".join(t.content for t in children).replace("\u2060", "") == shown.replace("\u2060", "")


def test_automatic_links_of_github_are_broken_up() -> None:
    links = "@octocat org/repo#12 #12 GH-12 http://x.example www.x.example a@b.example"
    for text in links.split():
        shown = plain(text).replace("\\", "")
        assert text not in shown
        assert not re.search(r"@\w|#\d|GH-\d|www\.|\w://", shown, re.IGNORECASE)


@given(st.text(), st.integers(5, 50))
def test_text_is_on_one_line_and_keeps_both_ends_if_shortened(text: str, limit: int) -> None:
    assert visible(text).isprintable()
    visible(text).encode()
    short = shorten(text, limit)
    assert len(short) <= limit
    assert text.startswith(short.split("…")[0]) or "…" in text
    assert (short == text) == (len(text) <= limit)


def unescape(text: str) -> str:
    """Parse a command's data like the runner (actions/runner, ``ActionCommand.cs``)."""
    codes = {"%2C": ",", "%3A": ":", "%0D": "\r", "%0A": "\n", "%25": "%"}
    for escaped, meant in codes.items():
        text = text.replace(escaped, meant)
    return text


@given(ANY)
def test_a_command_cannot_be_ended_or_extended(text: str) -> None:
    line = f"::error title={command_property(text)}::{command_data(text)}"
    assert len(line.splitlines()) == 1
    title, _, message = line.removeprefix("::error title=").partition("::")
    assert ":" not in title
    assert "," not in title
    assert unescape(title) == unescape(message) == visible(text)


@given(st.text(st.sampled_from(":#[ \n|ab\t")))
@example("  ::error::x")
@example("a ##[error]x")
@example(":::add-mask::x")
def test_no_line_of_a_log_is_a_command(text: str) -> None:
    for line in log_text(text).split("\n"):
        assert not line.lstrip().startswith("::")
        assert "##[" not in line


# Formatting of numbers.


def test_formatting_of_values_durations_and_lists() -> None:
    values = {
        0.0: "0",
        1.0: "1.000",
        999.96: "1,000.0",
        0.00012345: "0.0001234",
        0.000012345: "1.234e-05",
        123456789.4: "123,456,789",
        3e15: "3.000e+15",
        -12.5: "−12.50",
    }
    assert {number: numbers.value(number) for number in values} == values
    assert numbers.value(12.3, like=12345.6) == "12"
    assert numbers.value(12.3, like=0.5) == "12.3000"
    durations = {0.0: "0.0 s", 9.96: "10.0 s", 59.4: "59 s", 59.6: "1 min 00 s"}
    durations |= {3599.6: "1 h 00 min", 90_000: "25 h 00 min"}
    for seconds, text in durations.items():
        assert numbers.duration(seconds).replace("\u00a0", " ") == text
    assert numbers.listed(list("abcdef")) == "a, b, c, d, e and 1 more"
    assert numbers.listed(["a"]) == "a"
    names = [str(number) for number in range(2003)]
    assert numbers.listed(names, 3, separator="; ", last="; and ") == "0; 1; 2; and 2,000 more"


@given(st.floats(1e-300, 1e300))
def test_a_value_keeps_four_digits(number: float) -> None:
    assert float(numbers.value(number).replace(",", "")) == pytest.approx(number, rel=6e-4)


@given(st.floats(allow_nan=False))
def test_a_percentage_has_at_most_one_sign(fraction: float) -> None:
    text = numbers.percent(fraction, signed=True)
    assert sum(text.count(sign) for sign in "+−-") <= 1
    assert text in ("unbounded", "more than tenfold") or "e" not in text
