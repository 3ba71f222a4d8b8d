"""ELF files, as far as it matters which libraries a program loads, and what it calls of them.

Source: the ELF specification, version 1.2; ELF-64 object file format, version 1.5; ld.so(8).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np

_ELF_64_LITTLE = b"\x7fELF\x02\x01"
_HEADER = struct.Struct("<40xQ10xHHH")
_SECTION = struct.Struct("<4xI16xQQI12xQ")
_SYMBOL = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("in", "<u2"), ("rest", "V16")]
)
_TAG = np.dtype([("tag", "<i8"), ("value", "<u8")])
_DYNAMIC, _DYNAMIC_SYMBOLS = 6, 11
_NEEDED, _RPATH, _RUNPATH = 1, 15, 29
_DELEGATES = (0x6FFFFEFB, 0x6FFFFEFC, 0x7FFFFFFD, 0x7FFFFFFF)


@dataclass(frozen=True, slots=True)
class Linked:
    """What an ELF file leaves to the system's linker.

    Parameters
    ----------
    needed : tuple of str
        Names of the libraries that are loaded with it.
    folders : tuple of str
        Where it has them looked for (RPATH and RUNPATH), as written.
    calls : tuple of str
        Names of functions and data that others must have.
    delegates : bool
        Whether it names libraries that audit or stand in for others, which is rare.
    """

    needed: tuple[str, ...]
    folders: tuple[str, ...]
    calls: tuple[str, ...]
    delegates: bool


def linked(content: bytes) -> Linked | None:
    """Read a file; None if it is no 64-bit little-endian ELF file, or is linked statically."""
    if not content.startswith(_ELF_64_LITTLE):
        return None
    try:
        return _linked(content)
    except (struct.error, ValueError, IndexError, OverflowError):
        return None


def _linked(content: bytes) -> Linked | None:
    start, size, number, _ = _HEADER.unpack_from(content)
    sections = [_SECTION.unpack_from(content, start + place * size) for place in range(number)]
    kinds = {kind: own for kind, *own in sections}
    if _DYNAMIC not in kinds or _DYNAMIC_SYMBOLS not in kinds:
        return None

    def table(kind: int, of: np.dtype[np.void]) -> tuple[np.ndarray, bytes]:
        begin, length, names, _ = kinds[kind]
        _, names_begin, names_length, _, _ = sections[names]
        rows = np.frombuffer(content, of, length // of.itemsize, begin)
        return rows, content[names_begin : names_begin + names_length]

    tags, names = table(_DYNAMIC, _TAG)
    by_tag = {
        wanted: tuple(_text(names, at) for at in tags["value"][tags["tag"] == wanted].tolist())
        for wanted in (_NEEDED, _RPATH, _RUNPATH)
    }
    symbols, names = table(_DYNAMIC_SYMBOLS, _SYMBOL)
    calls = symbols["name"][(symbols["in"] == 0) & (symbols["name"] > 0)].tolist()
    return Linked(
        by_tag[_NEEDED],
        tuple(one for text in (*by_tag[_RPATH], *by_tag[_RUNPATH]) for one in text.split(":")),
        tuple(_text(names, at) for at in calls),
        bool(np.isin(tags["tag"], _DELEGATES).any()),
    )


def _text(names: bytes, at: int) -> str:
    return names[at : names.index(b"\0", at)].decode("utf-8", "replace")
