"""Names of branches, held against Git's own opinion."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.action.input_fields import DESTINATION, Destination
from steady.history.git_command import is_branch_name
from tests.looped import looped


def git_takes(name: str) -> bool:
    """Tell whether Git takes a branch of this name."""
    command = ["git", "check-ref-format", "--branch", name]
    return subprocess.run(command, capture_output=True).returncode == 0


@looped("name", [
        "main", "a/b.c", "steady-plans", "x@y", "é", "a]b", "{", "-f", "a.", "a/", "/a", "a//b",
        "a/.b",
        ".a", "a.lock", "a.lock/b", "a..b", "a@{b", "a b", "a~b", "a^b", "a:b", "a?b", "a*b", "a[b",
        "a\\b",
    ])  # fmt: skip
def test_gits_opinion(name: str) -> None:
    assert is_branch_name(name) == git_takes(name)


@settings(max_examples=40)
@given(st.text(alphabet="ab/.@{-~lock:", min_size=1, max_size=8))
def test_what_is_taken_git_takes_too(name: str) -> None:
    if is_branch_name(name):
        assert git_takes(name)


@looped("name", ["", "@", "a\nb", "a\0b", "a\u202eb", "a\u2028b", "a" * 201])
def test_what_is_refused_beside(name: str) -> None:
    assert not is_branch_name(name)


@looped(
    ("text", "expected"),
    [
        ("false", None),
        ("False", None),
        ("pull-request", Destination()),
        ("branch:bench/plans", Destination("bench/plans")),
    ],
)
def test_destinations(text: str, expected: Destination | None) -> None:
    assert DESTINATION.parse(text) == expected


@looped("text", ["", "true", "main", "branch:", "branch:branch:x", "branch: x"])
def test_no_destinations(text: str) -> None:
    with pytest.raises(ValueError):
        DESTINATION.parse(text)
