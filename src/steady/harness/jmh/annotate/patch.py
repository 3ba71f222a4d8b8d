"""A patch that ``git apply`` takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Literal

_NO_END = b"\n\\ No newline at end of file\n"
_AGREEING = 3
"""Lines that have to agree behind a difference."""
_LONGEST = 300
"""Lines of a difference, old and new together, whose end is searched for."""

_Opcode = tuple[Literal["replace", "delete", "insert", "equal"], int, int, int, int]
"""As `difflib` has it: what is done, and from where to where in the old and the new lines."""


def patch_of(files: Mapping[str, tuple[bytes, bytes]]) -> bytes:
    """Return a unified diff.

    Parameters
    ----------
    files : mapping of str to (bytes, bytes)
        What each file holds, and shall hold, by its path from the repository's root.
    """
    return b"".join(_of_file(path, *texts) for path, texts in sorted(files.items()))


def _of_file(path: str, before: bytes, after: bytes) -> bytes:
    names = [_quoted(f"{side}/{path}") for side in "ab"]
    old, new = _lines(before), _lines(after)
    # A tab ends a name that holds spaces.
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
    """Return a hunk's place; one without lines is named by the line before it."""
    return b"%d,%d" % (start + (end > start), end - start)


class _Differences(SequenceMatcher[bytes]):
    """The differences of two texts that are alike, in a time that grows with their lines.

    That of `SequenceMatcher` grows with their square where there are many differences. Here each
    difference ends where the texts next agree, and `SequenceMatcher` divides only what lies within.
    """

    def __init__(self, old: Sequence[bytes], new: Sequence[bytes]) -> None:
        super().__init__(a=(), b=())
        self._old, self._new = old, new

    def get_opcodes(self) -> list[_Opcode]:
        """Return what leads from the old lines to the new ones."""
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
    """Return the nearest lines where both texts agree again; None where that is too far."""
    for size in range(_LONGEST):
        for i in range(max(0, size - len(new) + to), min(size, len(old) - at) + 1):
            here, there = at + i, to + size - i
            if old[here : here + _AGREEING] == new[there : there + _AGREEING]:
                return here, there
    return None


def _lines(text: bytes) -> list[bytes]:
    """Return lines with their ends; only a line feed ends one."""
    lines = [line + b"\n" for line in text.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return [line for line in lines if line]


def _quoted(name: str) -> bytes:
    """Return a name as Git writes it: in quotes where it holds one, or control characters."""
    data = name.encode("utf-8", "surrogateescape")
    if not any(byte < 0x20 or byte in b'"\\' or byte == 0x7F for byte in data):
        return data
    special = {0x22: b'\\"', 0x5C: b"\\\\"}
    quoted = (
        special.get(byte) or (bytes([byte]) if 0x20 <= byte < 0x7F else b"\\%03o" % byte)
        for byte in data
    )
    return b'"' + b"".join(quoted) + b'"'
