import errno
import json
import os
from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, Struct

from steady.errors import InputError
from steady.files import (
    decode_json,
    json_text,
    parse_json,
    read_json,
    write_error_reason,
    write_text,
)
from tests.looped import looped


class Thing(Struct, forbid_unknown_fields=True):
    a: Annotated[int, Meta(ge=0, le=2**31)]
    b: float | str | None = None
    c: tuple[Annotated[str, Meta(min_length=1)], ...] = ()
    d: Literal["x", "y"] = "x"


def test_files_are_written_atomically(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "deep" / "file.txt"
    write_text(target, "one\n")
    write_text(target, "two µ\n")
    assert target.read_bytes() == "two µ\n".encode()
    with pytest.raises(InputError, match="cannot be written"):
        write_text(target.parent, "text")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_text(target, "text")
    assert list(tmp_path.rglob("*")) == [target.parent, target]


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="this system has no such device")
def test_devices_are_not_replaced() -> None:
    """Root could replace it by a regular file."""
    with pytest.raises(InputError, match=r"^/dev/full: cannot be written .*; free some space"):
        write_text("/dev/full", "x" * 10_000)
    assert Path("/dev/full").is_char_device()
    assert write_text("/dev/null", "x") == Path("/dev/null")
    assert Path("/dev/null").is_char_device()


def test_a_full_disk_has_its_own_message() -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert write_error_reason(full).endswith("; free some space, and repeat the command")
    locked = PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    assert write_error_reason(locked).endswith("; choose a folder that you may write to")


@looped(
    ("text", "message"),
    [
        ("", r"line 1: is not complete JSON \(Expecting value\); expected a thing: do it"),
        ('{"a": 1', "line 1: is not complete JSON"),
        ('{"a": NaN}', "is not JSON"),
        ('{"a": 1, "b": 1e999}', "contains 1e999, a number too large to be used; expected a thing"),
        ('{"a": 1, "b": 1' + "0" * 400 + "}", r"\$\.b: contains a number too large to be used"),
        ('{"a": 1' + "0" * 5000 + "}", "contains a whole number with thousands of digits"),
        ('{"a": 1' + "0" * 400 + "}", r"\$\.a: expected a whole number of at most 2147483648"),
        ("[" * 100_000, "is not JSON"),
        ("[]", r"\$: expected an object, found a list"),
        ('{"a": "x"}', r"\$\.a: expected a whole number, found a text"),
        ('{"a": 1.5}', r"\$\.a: expected a whole number, found a number"),
        ('{"a": -1}', r"\$\.a: expected a whole number of at least 0"),
        ('{"a": 1, "b": []}', r"\$\.b: expected a number or a text or null, found a list"),
        ('{"a": 1, "c": ["x", ""]}', r"\$\.c\[1\]: expected a text with a length of at least 1"),
        ('{"a": 1, "d": "z"}', r"\$\.d: contains a value that is not allowed here: 'z'"),
        ('{"a": 1, "e\\n": 1}', r"\$: contains an unknown field, `e `; expected a thing"),
        ("{}", r"\$: lacks the field `a`"),
    ],
)
def test_bad_json_is_one_sentence_with_its_place(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_json(text, Thing, what="a thing", remedy="do it")


def test_errors_name_the_file(tmp_path: Path) -> None:
    binary = tmp_path / "binary.json"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"binary\.json: is not UTF-8 text"):
        read_json(binary, Thing, what="a thing", remedy="do it")
    with pytest.raises(InputError, match=r"none\.json: cannot be read"):
        read_json(tmp_path / "none.json", Thing, what="a thing", remedy="do it")


def test_lone_surrogates_survive_a_round_trip(tmp_path: Path) -> None:
    names = ["caf\udce9", "\\\ud800 é", "😀"]
    path = write_text(tmp_path / "names.json", json.dumps(names, ensure_ascii=False))
    assert json.loads(path.read_text(encoding="utf-8")) == names
    assert b"caf\\udce9" in path.read_bytes()


def test_excessive_nesting_is_one_sentence() -> None:
    for depth in (500, 900, 100_000):
        for text in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
            with pytest.raises(InputError, match=r"expected a thing: make it anew"):
                parse_json(text, Thing, what="a thing", remedy="make it anew")


def test_integers_may_have_a_decimal_point() -> None:
    assert parse_json('{"a": 5.0, "b": 2.0}', Thing, what="", remedy="") == Thing(5, 2.0)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)  # fmt: skip


@given(values, st.sampled_from([1, 2]))
def test_json_is_written_and_read_as_by_the_standard_library(value: object, indent: int) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False) + "\n"
    assert json_text(value, indent=indent) == text
    assert decode_json(text) == decode_json(text, lenient=True) == value
    assert decode_json(json.dumps(value)) == value


def test_lenient_parsing_accepts_nan_and_control_characters() -> None:
    assert decode_json('["a\tb", Infinity]', lenient=True) == ["a\tb", float("inf")]
    for text in ('["a\tb"]', "[Infinity]"):
        with pytest.raises(ValueError, match=r"Infinity|control character"):
            decode_json(text)
    with pytest.raises(ValueError, match="1e999, a number too large to be used"):
        decode_json("[1e999]", lenient=True)
