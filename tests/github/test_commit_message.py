"""Messages of commits: what they say, what is refused, and how ours are known again."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.github.commit_content import (
    CommitMessage,
    marked_tree,
    person,
    signature,
    subject,
)
from tests.looped import looped

TREE = "0123456789abcdef0123456789abcdef01234567"


def accepted(check: object, text: str) -> bool:
    """Tell whether a check lets a text pass."""
    assert callable(check)
    try:
        return bool(check(text) == text)
    except ValueError:
        return False


def test_the_message_and_its_trailers() -> None:
    message = CommitMessage("A plan", ("Ada <a@example.org>",), signoff=True)
    assert message.text(TREE, "Bot <b@example.org>") == (
        f"A plan\n\nSteady-Plan: {TREE}\nCo-authored-by: Ada <a@example.org>\n"
        "Signed-off-by: Bot <b@example.org>\n"
    )
    assert message.text(TREE).count("\n") == 4


@given(st.text(), st.text(), st.text())
def test_nothing_that_is_accepted_adds_a_line_or_hides_the_marker(
    first: str, name: str, mail: str
) -> None:
    author = f"{name} <{mail}@b>"
    people = (author,) if accepted(person, author) else ()
    text = CommitMessage(first if accepted(subject, first) else "x", people).text(TREE)
    assert len(text.splitlines()) == 3 + len(people)
    assert marked_tree(text) == TREE


@pytest.mark.parametrize("people", [(), ("Ada <a@example.org>", "Grace H. <g@h>")])
def test_git_reads_the_trailers(people: tuple[str, ...]) -> None:
    text = CommitMessage("perf: plan", people).text(TREE, "Bot <b@example.org>")
    command = ["git", "interpret-trailers", "--parse"]
    read = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    assert read.stdout.splitlines() == text.splitlines()[2:]


@looped(
    "text",
    ["", "a\nb", "a\rb", "a\0b", "a\u2028b", "a\x1b[2Jb", "a\u202eb", "Steady-Plan: x", "a" * 201],
)
def test_a_subject_that_is_refused(text: str) -> None:
    assert not accepted(subject, text)


@looped("text", [
        "Ada", "<a@b>", " <a@b>", "Ada <a>", "Ada <a@b> ", "Ada <a@b@c>", "A\nB <a@b>",
        "A <B> <a@b>",
        "A <a b@c>",
    ])  # fmt: skip
def test_a_person_that_is_refused(text: str) -> None:
    assert not accepted(person, text)


def test_a_signature_is_checked() -> None:
    assert signature({"name": "Ada", "email": "a@b"}) == "Ada <a@b>"
    with pytest.raises(ValueError, match="Signed"):
        signature({"name": "Ada\nSigned-off-by: Eve", "email": "a@b"})


@looped(
    ("message", "tree"),
    [
        (f"x\n\nSteady-Plan: {TREE}", TREE),
        (f"x\n\nSteady-Plan: {TREE}\r\nSigned-off-by: a", TREE),
        (f"Squashed (#7)\n\n* plan\n\nSteady-Plan: {'a' * 40}\n\n* b\n\nSteady-Plan: {TREE}", TREE),
        (f"x\n\n> Steady-Plan: {TREE}", None),
        (f"x Steady-Plan: {TREE}", None),
        ("x\n\nSteady-Plan: 12", None),
        ("", None),
    ],
)
def test_the_marker_is_found_again(message: str, tree: str | None) -> None:
    assert marked_tree(message) == tree
