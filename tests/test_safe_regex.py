"""Untrusted regular expressions are searched within time limits."""

import re
import sys
import time

import pytest

from steady import safe_regex
from steady.errors import InputError
from steady.harness.only import Only
from steady.safe_regex import is_found
from tests.looped import looped

NAMES = ("org.Codec.decode", "org.Codec.encode", "aab", "abab", "a" * 30, "x" * 2_000, "Straße", "")
EXPRESSIONS = (
    *("Codec", "decode$", "^org.*code", "(?i)CODEC", "a*a*b", "a?a?a?b", r"\(x\)", "[)*]"),
    *("(a+)+$", r"(ab)\1", r"(?=.*Codec)(?!.*encode)", "(?:a|ab)*b$", "(?x) ( a | b ) + $"),
    *("(?P<q>a)(?P=q)", "(?<=Codec[.])en", "(a|a)" * 20, r"(\w)+ß", "(x+x+)+$", "(?>a+)b"),
)


@looped("text", EXPRESSIONS)
def test_searches_match_those_of_re(text: str) -> None:
    assert [is_found(text, name) for name in NAMES] == [
        bool(re.search(text, name)) for name in NAMES
    ]


@looped(
    ("text", "name"),
    [
        ("(a+)+$", "a" * 60 + "b"),
        (r"(?:a|aa)+\Z", "a" * 90 + "b"),
        ("(?x)(?: a | a )   +$", "a" * 60 + "b"),
        ("a?" * 40 + "a" * 40 + "b", "a" * 60),
        ("(a|a)" * 40 + "b", "a" * 60),
        ("a*" * 12 + "b", "a" * 200),
    ],
)
def test_a_timeout_is_one_sentence(text: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safe_regex, "SECONDS", 0.2)
    begin = time.monotonic()
    with pytest.raises(InputError, match=r"takes too long .*; write it without repetitions inside"):
        is_found(text, name)
    assert time.monotonic() - begin < 10.0
    assert is_found(text, "b" * 3) == bool(re.search(text, "b" * 3)), "the next one is answered"


def test_the_idle_process_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process must not run during measurements."""
    monkeypatch.setattr(safe_regex, "_IDLE", 0.1)
    for _ in range(2):
        assert is_found("(a+)+$", "aaa")
        process = safe_regex._searcher()._process
        assert process.poll() is None
        process.wait(10.0)


def test_embedded_python_searches_in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    safe_regex._end()
    monkeypatch.setattr(sys, "executable", "")
    assert is_found("(a+)+$", "aaa")
    assert not safe_regex._searcher.cache_info().currsize


@looped("text", ["a{99999999999}", "(" * 20_000 + ")" * 20_000, "["])
def test_invalid_expressions_are_one_sentence(text: str) -> None:
    with pytest.raises(InputError, match="is not a regular expression: "):
        Only(text)
