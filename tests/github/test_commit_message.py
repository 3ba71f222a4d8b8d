"""Commit messages: their text, their validation, and the recognition of steady's own."""

import subprocess

from hypothesis import given
from hypothesis import strategies as st

from steady.github.commit_content import commit_message, marked_tree, subject
from tests.looped import looped

TREE = "0123456789abcdef0123456789abcdef01234567"


def accepted(text: str) -> bool:
    """Return whether a text is a valid subject line."""
    try:
        return subject(text) == text
    except ValueError:
        return False


@given(st.text())
def test_accepted_subjects_are_one_line_and_keep_the_trailer(first: str) -> None:
    text = commit_message(first if accepted(first) else "x", TREE)
    assert len(text.splitlines()) == 3
    assert marked_tree(text) == TREE


def test_git_reads_the_trailer() -> None:
    text = commit_message("perf: plan", TREE)
    command = ["git", "interpret-trailers", "--parse"]
    read = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    assert read.stdout.splitlines() == [f"Steady-Plan: {TREE}"]


@looped(
    "text",
    ["", "a\nb", "a\rb", "a\0b", "a\u2028b", "a\x1b[2Jb", "a\u202eb", "Steady-Plan: x", "a" * 201],
)
def test_invalid_subjects_are_rejected(text: str) -> None:
    assert not accepted(text)


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
def test_the_tree_of_the_trailer_is_found(message: str, tree: str | None) -> None:
    assert marked_tree(message) == tree
