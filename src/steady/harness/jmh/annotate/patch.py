"""A patch for ``git apply``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Literal

_NO_END = b"\n\\ No newline at end of file\n"
_AGREEING = 3
"""Number of equal lines that end a difference."""
_LONGEST = 300
"""Maximum length of a difference, in old plus new lines; a longer one extends to the end."""

_Opcode = tuple[Literal["replace", "delete", "insert", "equal"], int, int, int, int]
"""As in `difflib`: the operation, and the ranges of the old and the new lines."""


def patch_of(files: Mapping[str, tuple[bytes, bytes]]) -> bytes:
    """Return a unified diff.

    Parameters
    ----------
    files : mapping of str to (bytes, bytes)
        Old and new content of each file, by its path relative to the repository's root.
    """
    return b"".join(_of_file(path, *texts) for path, texts in sorted(files.items()))


def _of_file(path: str, before: bytes, after: bytes) -> bytes:
    names = [_quoted(f"{side}/{path}") for side in "ab"]
    old, new = _lines(before), _lines(after)
    # A tab marks the end of a name that contains spaces.
    first, second = (name + (b"\t\n" if b" " in name else b"\n") for name in names)
    head = b"diff --git " + b" ".join(names) + b"\n--- " + first + b"+++ " + second
    return head + b"".join(_hunks(old, new))


def _hunks(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[bytes]:
    for group in _Differences(old, new).get_grouped_opcodes():
        first, last = group[0], group[-1]
        yield b"@@ -%s +%s @@\n" % (_span(first[1], last[2]), _span(first[3], last[4]))
        for tag, at, end, to, until in group:
            yield from _signed(b" " if tag == "equal" else b"-", old[at:end])
            if tag != "equal":
                yield from _signed(b"+", new[to:until])


def _signed(sign: bytes, lines: Sequence[bytes]) -> Iterator[bytes]:
    return (sign + line + (b"" if line.endswith(b"\n") else _NO_END) for line in lines)


def _span(start: int, end: int) -> bytes:
    """Return the range of a hunk; an empty range has the number of the line before it."""
    return b"%d,%d" % (start + (end > start), end - start)


class _Differences(SequenceMatcher[bytes]):
    """The differences of two similar texts, in linear time.

    `SequenceMatcher` takes quadratic time if there are many differences. Here each difference ends
    at the next equal lines, and `SequenceMatcher` compares only the lines of one difference.
    """

    def __init__(self, old: Sequence[bytes], new: Sequence[bytes]) -> None:
        super().__init__(a=(), b=())
        self._old, self._new = old, new

    def get_opcodes(self) -> list[_Opcode]:
        """Return the operations from the old to the new lines."""
        return [*_opcodes(self._old, self._new)]


def _opcodes(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[_Opcode]:
    at, to = 0, 0
    while at < len(old) or to < len(new):
        same = 0
        while at + same < min(len(old), len(new) - to + at) and old[at + same] == new[to + same]:
            same += 1
        if same:
            yield "equal", at, at + same, to, to + same
        at, to = at + same, to + same
        end = _agreement(old, new, at, to)
        if end is None:
            end = len(old), len(new)
            yield "replace", at, end[0], to, end[1]
        else:
            inside = SequenceMatcher(None, old[at : end[0]], new[to : end[1]])
            for tag, i, j, k, m in inside.get_opcodes():
                yield tag, at + i, at + j, to + k, to + m
        at, to = end


def _agreement(
    old: Sequence[bytes], new: Sequence[bytes], at: int, to: int
) -> tuple[int, int] | None:
    """Return the next positions at which both texts agree; None if they are too far away."""
    for size in range(_LONGEST):
        for i in range(max(0, size - len(new) + to), min(size, len(old) - at) + 1):
            here, there = at + i, to + size - i
            if old[here : here + _AGREEING] == new[there : there + _AGREEING]:
                return here, there
    return None


def _lines(text: bytes) -> list[bytes]:
    """Split into lines, each with its line feed."""
    lines = [line + b"\n" for line in text.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return [line for line in lines if line]


def _quoted(name: str) -> bytes:
    """Return a name in Git's form: quoted if it contains quotes or control characters."""
    data = name.encode("utf-8", "surrogateescape")
    if not any(byte < 0x20 or byte in b'"\\' or byte == 0x7F for byte in data):
        return data
    special = {0x22: b'\\"', 0x5C: b"\\\\"}
    quoted = (
        special.get(byte) or (bytes([byte]) if 0x20 <= byte < 0x7F else b"\\%03o" % byte)
        for byte in data
    )
    return b'"' + b"".join(quoted) + b'"'
