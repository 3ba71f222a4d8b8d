"""A patch that ``git apply`` takes."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import diff_bytes, unified_diff

_NO_END = b"\n\\ No newline at end of file\n"


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
    lines = [*diff_bytes(unified_diff, old, new, names[0], names[1])]
    ended = [line if line.endswith(b"\n") else line + _NO_END for line in lines]
    # A tab ends a name that holds spaces.
    for place, name in enumerate(names):
        ended[place] = (b"---", b"+++")[place] + b" " + name + (b"\t\n" if b" " in name else b"\n")
    return b"diff --git " + b" ".join(names) + b"\n" + b"".join(ended)


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
