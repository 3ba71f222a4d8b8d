"""The machine code of Go binaries, apart from line numbers and the description of the build.

A comment that moves lines, or another version of a module of which nothing is linked, changes the
bytes of a binary but not its machine code. Two ELF binaries are the same program if all sections
that are loaded are equal, at equal addresses. These sections do not count:

- ``.gopclntab`` with ``.go.module``, which points into it: the tables from addresses to lines;
- ``.go.buildinfo`` and the notes: versions of modules, identifiers of the build. The text of the
  first one is in ``.rodata``, too;
- in ``.dynamic``, where other sections are.

Before Go 1.26, more of the tables is in ``.rodata`` and ``.data``. Such binaries are then found to
differ although they are the same program, which only costs time.

Source: package cmd/link of Go 1.26; the ELF specification, version 1.2.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

_ELF_64_LITTLE = b"\x7fELF\x02\x01"
_HEADER = struct.Struct("<40xQ10xHHH")
_SECTION = struct.Struct("<IIQQQQ24x")
_LOADED = 0x2
_NO_BITS = 8
_START = 32  # bytes of the header that say what kind of file it is, and where it begins
_IGNORED = frozenset({".gopclntab", ".go.module", ".go.buildinfo", ".gosymtab"})
_NOTES = ".note."
_MOVABLE = frozenset(
    {".typelink", ".itablink", ".rela", ".rela.plt", ".hash", ".gnu.hash", ".dynstr", ".dynsym"}
) | {".gnu.version", ".gnu.version_r", ".interp"}
"""Sections that only the runtime's start or the system's linker looks for, wherever they are."""


_DYNAMIC = ".dynamic"
_TAG = struct.Struct("<QQ")
_ADDRESSES = frozenset(
    {4, 5, 6, 7, 23, 0x6FFFFEF5, 0x6FFFFFF0, 0x6FFFFFFE}  # as DT_STRTAB, of movable sections
)


@dataclass(frozen=True, slots=True)
class _Section:
    """A loaded section: where it is, how large it is, and what it holds."""

    address: int
    size: int
    content: bytes


def same_machine_code(base: bytes, head: bytes, described: tuple[str, str]) -> bool:
    """Tell whether two binaries are certainly the same program.

    Parameters
    ----------
    base, head : bytes
        The binaries.
    described : tuple of (str, str)
        How each describes its build, which does not count.

    Returns
    -------
    bool
        False as well if they are not 64-bit little-endian ELF files, or damaged.
    """
    texts = [text.encode() for text in described]
    try:
        sections = _loaded(base), _loaded(head)
    except (struct.error, ValueError, OverflowError):
        return False
    if not sections[0] or list(sections[0]) != list(sections[1]) or base[:_START] != head[:_START]:
        return False
    return all(
        _equal(name, section, sections[1][name], texts) for name, section in sections[0].items()
    )


def _equal(name: str, base: _Section, head: _Section, texts: list[bytes]) -> bool:
    if base.size != head.size or (name not in _MOVABLE and base.address != head.address):
        return False
    if base.content == head.content:
        return True
    if name == _DYNAMIC:
        return _settings(base.content) == _settings(head.content)
    without = [
        section.content.replace(text, bytes(len(text))) if text else section.content
        for section, text in zip((base, head), texts, strict=True)
    ]
    return name == ".rodata" and without[0] == without[1]


def _settings(dynamic: bytes) -> list[tuple[int, int]]:
    """Return the tags of the dynamic section, with zero for where movable sections are."""
    pairs = _TAG.iter_unpack(dynamic[: len(dynamic) // _TAG.size * _TAG.size])
    return [(tag, 0 if tag in _ADDRESSES else value) for tag, value in pairs]


def _loaded(binary: bytes) -> dict[str, _Section]:
    """Return the loaded sections that count, by name; none if it is not such an ELF file."""
    if not binary.startswith(_ELF_64_LITTLE):
        return {}
    start, size, number, names_at = _HEADER.unpack_from(binary)
    headers = [_SECTION.unpack_from(binary, start + i * size) for i in range(number)]
    names = _content(binary, headers[names_at][4:]) if names_at < number else b""
    found = {}
    for name_at, kind, flags, address, offset, length in headers:
        name = names[name_at : names.find(b"\0", name_at)].decode("ascii")
        if flags & _LOADED and name not in _IGNORED and not name.startswith(_NOTES):
            content = b"" if kind == _NO_BITS else _content(binary, (offset, length))
            if name in found:
                raise ValueError(f"two sections {name}")
            found[name] = _Section(address, length, content)
    return found


def _content(binary: bytes, where: tuple[int, ...]) -> bytes:
    offset, length = where
    if offset + length > len(binary):
        raise ValueError("a section ends beyond the file")
    return binary[offset : offset + length]
