"""A reader of ELF files for the comparison of programs: sections, symbols, libraries.

Source: the ELF specification, version 1.2; ELF-64 object file format, version 1.5.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

_ELF_64_LITTLE = b"\x7fELF\x02\x01"
_MOST_READ = 2**30
_HEADER = struct.Struct("<40xQ10xHHH")
_SECTION = struct.Struct("<IIQQQQ24x")
_KIND = struct.Struct("<16xHH")
_TAG = struct.Struct("<QQ")
_LOADED = 0x2
_NO_BITS = 8
_EXECUTABLE, _AMD64 = 2, 62
_NEEDED, _RPATH, _RUNPATH = 1, 15, 29
_DELEGATES = (0x6FFFFEFB, 0x6FFFFEFC, 0x7FFFFFFD, 0x7FFFFFFF)
"""Tags of the dynamic section that name audit and filter libraries: DEPAUDIT, AUDIT, AUXILIARY and
FILTER."""
_OBJECT, _FUNCTION = 1, 2
_SYMBOL = np.dtype(
    [
        ("name", "<u4"),
        ("info", "u1"),
        ("other", "u1"),
        ("in", "<u2"),
        ("at", "<u8"),
        ("size", "<u8"),
    ]
)

Addresses = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Section:
    """A section: its address and size in memory, and its bytes in the file."""

    address: int
    size: int
    content: bytes
    loaded: bool


@dataclass(frozen=True)
class Elf:
    """A 64-bit little-endian ELF file.

    Parameters
    ----------
    content : bytes
        The file.
    sections : mapping of str to Section
        By name.
    """

    content: bytes
    sections: Mapping[str, Section]

    @classmethod
    def of(cls, content: bytes) -> Elf | None:
        """Read a file; return None if it is not ELF, or is damaged."""
        if not content.startswith(_ELF_64_LITTLE):
            return None
        try:
            return cls(content, _sections(content))
        except (struct.error, ValueError, OverflowError):
            return None

    @property
    def fixed_amd64(self) -> bool:
        """Whether it is amd64 code that is always loaded at the same addresses."""
        return _KIND.unpack_from(self.content) == (_EXECUTABLE, _AMD64)

    def bytes_of(self, *names: str) -> bytes:
        """Return the concatenated bytes of sections; missing sections are empty."""
        return b"".join(self.sections[name].content for name in names if name in self.sections)

    @cached_property
    def _symbols(self) -> tuple[npt.NDArray[np.void], bytes]:
        return self._table(".symtab"), self.bytes_of(".strtab")

    def _table(self, name: str) -> npt.NDArray[np.void]:
        table = self.bytes_of(name)
        return np.frombuffer(table[: len(table) // _SYMBOL.itemsize * _SYMBOL.itemsize], _SYMBOL)

    def functions(self) -> tuple[Addresses, Addresses, list[str]]:
        """Return addresses, sizes and names of the functions, by address; empty if stripped."""
        return self._symbols_of(_FUNCTION)

    def objects(self) -> tuple[Addresses, Addresses, list[str]]:
        """Return addresses, sizes and names of the data, by address; empty if stripped."""
        return self._symbols_of(_OBJECT)

    def _symbols_of(self, kind: int) -> tuple[Addresses, Addresses, list[str]]:
        table, names = self._symbols
        own = table[(table["info"] & 15 == kind) & (table["at"] > 0)]
        own = own[np.argsort(own["at"], kind="stable")]
        named = [_text(names, at) for at in own["name"].tolist()]
        return own["at"].astype(np.int64), own["size"].astype(np.int64), named

    def address_of(self, name: str) -> int | None:
        """Return the address of a symbol; None if there is no such symbol."""
        table, names = self._symbols
        at = names.find(b"\0" + name.encode() + b"\0") + 1
        found = table["at"][table["name"] == at]
        return int(found[0]) if at and len(found) else None

    def needed(self) -> tuple[str, ...]:
        """Return the names of the libraries that the dynamic linker loads."""
        return self._dynamic(_NEEDED)

    def library_folders(self) -> tuple[str, ...]:
        """Return its library search path (RPATH and RUNPATH), unexpanded."""
        return tuple(
            folder
            for text in (*self._dynamic(_RPATH), *self._dynamic(_RUNPATH))
            for folder in text.split(":")
        )

    def delegates(self) -> bool:
        """Return whether it names audit or filter libraries, which is rare."""
        return any(map(self._dynamic, _DELEGATES))

    def foreign(self) -> list[str]:
        """Return the names of the functions and data that it imports."""
        return self._dynamic_symbols(imported=True)

    def provided(self) -> list[str]:
        """Return the names of the functions and data that it exports."""
        return self._dynamic_symbols(imported=False)

    def _dynamic_symbols(self, *, imported: bool) -> list[str]:
        table, names = self._table(".dynsym"), self.bytes_of(".dynstr")
        own = table["name"][(table["in"] == 0) == imported]
        return [_text(names, at) for at in own.tolist() if at]

    def _dynamic(self, wanted: int) -> tuple[str, ...]:
        table, names = self.bytes_of(".dynamic"), self.bytes_of(".dynstr")
        pairs = _TAG.iter_unpack(table[: len(table) // _TAG.size * _TAG.size])
        return tuple(_text(names, value) for tag, value in pairs if tag == wanted)


def is_program_with(path: Path, marks: Iterable[bytes]) -> bool:
    """Return whether a file is an ELF program that contains one of the marks."""
    if not path.is_file() or not os.access(path, os.X_OK):
        return False
    with path.open("rb") as file:
        data = file.read(_MOST_READ) if file.read(4) == _ELF_64_LITTLE[:4] else b""
    return any(mark in data for mark in marks)


def _text(names: bytes, at: int) -> str:
    return names[at : names.find(b"\0", at)].decode("utf-8", "replace")


def _sections(binary: bytes) -> dict[str, Section]:
    start, size, number, names_at = _HEADER.unpack_from(binary)
    headers = [_SECTION.unpack_from(binary, start + i * size) for i in range(number)]
    names = _content(binary, headers[names_at][4:]) if names_at < number else b""
    found: dict[str, Section] = {}
    for name_at, kind, flags, address, offset, length in headers:
        name = names[name_at : names.find(b"\0", name_at)].decode("ascii")
        loaded = bool(flags & _LOADED)
        if name in found and (loaded or found[name].loaded):
            raise ValueError(f"two sections {name}")
        content = b"" if kind == _NO_BITS else _content(binary, (offset, length))
        found[name] = Section(address, length, content, loaded)
    return found


def _content(binary: bytes, where: tuple[int, ...]) -> bytes:
    offset, length = where
    if offset + length > len(binary):
        raise ValueError("a section ends beyond the file")
    return binary[offset : offset + length]
