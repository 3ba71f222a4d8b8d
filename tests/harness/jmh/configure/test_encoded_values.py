from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from steady.harness.jmh.configure.benchmark_list import decode, encode
from tests.looped import looped


@looped(
    ("text", "armoured"),
    [
        ("1", "xAA====="),
        ("2", "yAA====="),
        ("c", "jBA====="),
        ("a,b", "hBALAIGA"),
        ("é x", "pDAIAgHA"),
        ("", ""),
    ],
)
def test_what_jmh_1_37_wrote(text: str, armoured: str) -> None:
    assert encode(text) == armoured
    assert decode(armoured) == text


@given(st.text(st.characters(exclude_categories=[])))
def test_every_text_comes_back(text: str) -> None:
    assert decode(encode(text)) == text


@given(st.text("ABCabc012+/= ,", max_size=20))
def test_only_armoured_text_is_taken_for_it(text: str) -> None:
    decoded = decode(text)
    assert decoded is None or encode(decoded) == text


@looped("text", ["1", "100", "ABCDEFG", "ABCDEFG=", "========", "xAA=====x"])
def test_plain_values_are_not_armoured(text: str) -> None:
    assert decode(text) is None
