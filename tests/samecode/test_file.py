"""The file ``same-code.json``: read, joined, and refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from steady.errors import InputError
from steady.model import Identity
from steady.samecode import file
from steady.samecode.file import SameCodeFile, joined_same_code, read_same_code


def test_the_lists_of_several_parts_become_one() -> None:
    one, two, three = Identity("a.one"), Identity("a.two"), Identity("a.three")
    parts = [SameCodeFile(1, (one,), (two,)), None, SameCodeFile(1, (three, one))]
    assert joined_same_code(parts) == SameCodeFile(1, (one, three), (two,))
    assert joined_same_code([None, None]) is None


def test_a_file_of_somebody_else_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "same-code.json"
    assert read_same_code(tmp_path) is None
    for content in (b"", b"[1]", b'{"other": 1}', b"\xff", b"not JSON", b"[" * 10_000):
        path.write_bytes(content)
        assert read_same_code(tmp_path) is None
    path.write_text("\ufeff" + SameCodeFile(1, (Identity("a.one"),)).text(), encoding="utf-8")
    assert read_same_code(tmp_path) == SameCodeFile(1, (Identity("a.one"),))


def test_its_size_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "same-code.json").write_text(SameCodeFile(1, ()).text())
    monkeypatch.setattr(file, "_SIZE_LIMIT", 8)
    with pytest.raises(InputError, match=r"same-code\.json: holds more than .* MiB"):
        read_same_code(tmp_path)
