from __future__ import annotations

import json
from pathlib import Path

import pytest

from steady.errors import InputError
from steady.files import parse_json, read_json, write_text

SCHEMA = {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}


def test_a_file_is_replaced_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "file.txt"
    write_text(target, "one\n")
    write_text(target, "two µ\n")
    assert target.read_bytes() == "two µ\n".encode()
    assert [path.name for path in target.parent.iterdir()] == ["file.txt"]


def test_what_cannot_be_written_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="cannot be written"):
        write_text(tmp_path / "folder", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"line 1: is not complete JSON \(Expecting value\); expected a thing: do it"),
        ('{"a": 1', "line 1: is not complete JSON"),
        ('{"a": NaN}', "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", r"\$: \[\] is not of type 'object'"),
        ('{"a": "x"}', r"\$.a: 'x' is not of type 'integer'"),
        ("{}", r"\$: 'a' is a required property"),
    ],
)
def test_bad_json_is_one_sentence_with_its_place(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_json(text, SCHEMA, what="a thing", remedy="do it")


def test_reading_names_the_file(tmp_path: Path) -> None:
    binary = tmp_path / "binary.json"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"binary\.json: is not UTF-8 text"):
        read_json(binary, SCHEMA, what="a thing", remedy="do it")
    with pytest.raises(InputError, match=r"none\.json: cannot be read"):
        read_json(tmp_path / "none.json", SCHEMA, what="a thing", remedy="do it")


def test_half_a_character_is_written_so_that_json_reads_it_again(tmp_path: Path) -> None:
    names = ["caf\udce9", "\\\ud800 é", "😀"]
    path = write_text(tmp_path / "names.json", json.dumps(names, ensure_ascii=False))
    assert json.loads(path.read_text(encoding="utf-8")) == names
    assert b"caf\\udce9" in path.read_bytes()


def test_nothing_is_left_behind_where_writing_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_text(tmp_path / "file.txt", "text")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("depth", [500, 900, 100_000])
def test_what_is_nested_far_too_deeply_is_one_sentence(depth: int) -> None:
    recursive = {"$ref": "#/$defs/any", "$defs": {"any": {"items": {"$ref": "#/$defs/any"}}}}
    text = "[" * depth + "]" * depth
    for schema in (SCHEMA, {**recursive, "type": "object"}):
        with pytest.raises(InputError, match=r"expected a thing: make it anew"):
            parse_json(text, schema, what="a thing", remedy="make it anew")
