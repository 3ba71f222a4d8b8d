"""Comparison of the machine code of Go binaries, without line numbers and build information.

A comment that moves lines, or a new version of a module that is not linked, changes the bytes of a
binary but not its machine code. Two ELF binaries are the same program if all loaded sections are
equal and have equal addresses. The comparison ignores:

- names, lines and inlined calls in ``.gopclntab`` (`FunctionTables`);
- ``.go.buildinfo`` and the notes: versions of modules, identifiers of the build. The text of
  ``.go.buildinfo`` is also in ``.rodata``;
- the addresses of other sections in ``.dynamic``.

Before Go 1.26, ``.rodata`` and ``.data`` contain more of the tables. Such binaries may appear to
differ although they are the same program; then the benchmarks are measured unnecessarily.

Source: package cmd/link, runtime/symtab.go, runtime/runtime2.go (``_func``), internal/abi/symtab.go
and cmd/link/internal/ld/pcln.go of Go 1.18 to 1.26; the ELF specification, version 1.2.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from steady.programs.elf import Elf, Section

TABLES, MODULE = ".gopclntab", ".go.module"

_START = 32  # bytes of the header, up to the entry point
_IGNORED = frozenset({TABLES, MODULE, ".go.buildinfo", ".gosymtab"})
_NOTES = ".note."
_MOVABLE = frozenset(
    {".typelink", ".itablink", ".rela", ".rela.plt", ".hash", ".gnu.hash", ".dynstr", ".dynsym"}
) | {".gnu.version", ".gnu.version_r", ".interp"}
"""Sections that only the runtime or the dynamic linker reads, at start-up and at any address."""

_DYNAMIC = ".dynamic"
_TAG = struct.Struct("<QQ")
_ADDRESSES = frozenset({4, 5, 6, 7, 23, 0x6FFFFEF5, 0x6FFFFFF0, 0x6FFFFFFE})
"""Tags of the addresses of movable sections, such as ``DT_STRTAB``."""


def same_machine_code(base: bytes, head: bytes, described: tuple[str, str], go: str) -> bool:
    """Return whether two binaries are certainly the same program.

    Parameters
    ----------
    base, head : bytes
        The binaries.
    described : tuple of (str, str)
        The build information of each, which is ignored.
    go : str
        The version of Go that built both.

    Returns
    -------
    bool
        False also if a binary is damaged, is not a 64-bit little-endian ELF file, or was built by
        an unsupported version of Go.
    """
    texts = [text.encode() for text in described]
    files = Elf.of(base), Elf.of(head)
    if files[0] is None or files[1] is None:
        return False
    sections = _counted_sections(files[0]), _counted_sections(files[1])
    if not sections[0] or list(sections[0]) != list(sections[1]) or base[:_START] != head[:_START]:
        return False
    tables = [FunctionTables.of(file, go, _MOVABLE) for file in (files[0], files[1])]
    if tables[0] is None or tables[1] is None or not tables[0].same(tables[1]):
        return False
    return all(
        _equal(name, section, sections[1][name], texts) for name, section in sections[0].items()
    )


def _equal(name: str, base: Section, head: Section, texts: list[bytes]) -> bool:
    if base.size != head.size or (name not in _MOVABLE and base.address != head.address):
        return False
    if base.content == head.content:
        return True
    if name == _DYNAMIC:
        return _dynamic_tags(base.content) == _dynamic_tags(head.content)
    without = [
        section.content.replace(text, bytes(len(text))) if text else section.content
        for section, text in zip((base, head), texts, strict=True)
    ]
    return name == ".rodata" and without[0] == without[1]


def _dynamic_tags(dynamic: bytes) -> list[tuple[int, int]]:
    """Return the tags of the dynamic section, with 0 for addresses of movable sections."""
    pairs = _TAG.iter_unpack(dynamic[: len(dynamic) // _TAG.size * _TAG.size])
    return [(tag, 0 if tag in _ADDRESSES else value) for tag, value in pairs]


def _counted_sections(file: Elf) -> dict[str, Section]:
    return {
        name: section
        for name, section in file.sections.items()
        if section.loaded and name not in _IGNORED and not name.startswith(_NOTES)
    }


_FIRST, _LAST = 18, 26
"""Oldest and newest supported minor version of Go."""
_ONE_SECTION = 26
"""First minor version that stores all data of functions (``go:func.*``) in ``.gopclntab``."""
_VERSION = re.compile(r"go1\.(\d+)(?!\d)")
_HEADER = struct.Struct("<IHBBQQ8xQQQQQ")
_POINTER = 8

_ENTRY, _ARGUMENTS, _DEFERRED, _FRAME, _FILE, _LINE, _NUMBER = 0, 2, 3, 4, 5, 6, 7
"""Indices of words in a function's record. The last word has four bytes: kind, flags, an unused
byte, and the number of other data."""
_KIND = 0x0000FFFF
_INLINED, _TREE = 2, 3
"""Indices of the table by address, and of the other data, that describe inlined calls."""
_NO_TABLE, _NO_DATA = 0, 0xFFFFFFFF
_MAX_TABLES = 64
"""Upper bound for the number of tables of a function."""

_PARTS, _FIND, _DATA, _END = 20, 19, 40, 41
"""Indices of words in the module data; those before `_PARTS` are addresses in ``.gopclntab``."""

Words = npt.NDArray[np.uint32]


class _Parts(NamedTuple):
    """Consecutive tables, each of which ends at the beginning of the next referenced one."""

    content: bytes
    ends: Words

    @classmethod
    def of(cls, content: bytes, *starts: Words) -> _Parts:
        known = np.unique(np.concatenate([one.ravel() for one in starts]))
        return cls(content, np.append(known[known < len(content)], np.uint32(len(content))))

    def at(self, start: int) -> bytes:
        """Return the table at a position, without padding."""
        end = int(self.ends[np.searchsorted(self.ends, start, side="right")])
        return self.content[start:end].rstrip(b"\0")

    def same(self, other: _Parts, pairs: tuple[Words, Words], missing: int) -> bool:
        """Return whether the tables at pairs of positions are equal."""
        for ours, theirs in np.unique(np.stack([one.ravel() for one in pairs], 1), axis=0).tolist():
            if missing in (ours, theirs):
                if ours != theirs:
                    return False
            elif self.at(ours) != other.at(theirs):
                return False
        return True


@dataclass(frozen=True)
class FunctionTables:
    """The tables of functions that the runtime reads, without names and lines.

    Section ``.gopclntab`` holds names of files and functions, lines and the tree of inlined calls,
    which only stack traces show. It also holds tables that affect the execution: the size of each
    frame, which of its words are live pointers, safe points, and the addresses of deferred calls.

    Parameters
    ----------
    fixed : array of uint32, shape (functions, 4)
        Position, arguments, deferred calls, and kind with flags of each function.
    addressed, other : array of uint32, shape (functions, most)
        Positions of each function's tables by address, and of its other data.
    tables : _Parts
        The tables by address.
    data : _Parts, optional
        The other data; None if it is among the constants.
    module : tuple
        The rest of the module data; addresses in movable sections are relative to the section.
    """

    fixed: Words
    addressed: Words
    other: Words
    tables: _Parts
    data: _Parts | None
    module: tuple[object, ...]

    @classmethod
    def of(cls, elf: Elf, go: str, movable: Collection[str]) -> FunctionTables | None:
        """Read a binary; return None if its tables are unknown or damaged.

        Parameters
        ----------
        elf : Elf
            The binary.
        go : str
            The version of Go that built it.
        movable : collection of str
            Sections whose addresses are ignored.
        """
        version = _VERSION.match(go)
        if version is None or not _FIRST <= int(version[1]) <= _LAST or TABLES not in elf.sections:
            return None
        try:
            return _read(elf, int(version[1]), movable)
        except (struct.error, ValueError, IndexError):
            return None

    def same(self, other: FunctionTables) -> bool:
        """Return whether two binaries with the same code have the same tables."""
        if self.fixed.shape != other.fixed.shape or (self.fixed != other.fixed).any():
            return False
        tables = _same_width(self.addressed, other.addressed, _NO_TABLE)
        data = _same_width(self.other, other.other, _NO_DATA)
        if self.module != other.module or not self.tables.same(other.tables, tables, _NO_TABLE):
            return False
        if self.data is None or other.data is None:
            return self.data is other.data and bool((data[0] == data[1]).all())
        return self.data.same(other.data, data, _NO_DATA)


def _read(elf: Elf, minor: int, movable: Collection[str]) -> FunctionTables:
    section = elf.sections[TABLES]
    magic, pad, _, pointer, functions, _, _, _, _, tables, records = _HEADER.unpack_from(
        section.content
    )
    known = 0xFFFFFFF0 if minor < 20 else 0xFFFFFFF1
    if (magic, pad, pointer) != (known, 0, _POINTER) or tables > records:
        raise ValueError("another format")
    content = section.content[records:]
    words = np.frombuffer(content[: len(content) // 4 * 4], "<u4")
    places = words[1 : 2 * functions : 2].astype(np.int64)
    if len(places) != functions or (places % 4).any():
        raise ValueError("a record is misplaced")
    width = 10 if minor < 20 else 11
    found = words[(places // 4)[:, None] + np.arange(width)]
    behind, numbers = places // 4 + width, (found[:, _NUMBER], found[:, -1] >> 24)
    addressed = _columns(words, behind, numbers[0], _NO_TABLE)
    other = _columns(words, behind + numbers[0], numbers[1], _NO_DATA)
    frames, last = found[:, [_FRAME]], found[:, [-1]] & _KIND
    module: tuple[object, ...] = ()
    data = None
    if minor >= _ONE_SECTION:
        module, content = _module(elf, movable)
        data = _Parts.of(content, other)
    return FunctionTables(
        np.hstack((found[:, [_ENTRY, _ARGUMENTS, _DEFERRED]], last)),
        np.hstack((frames, np.delete(addressed, slice(_INLINED, _INLINED + 1), 1))),
        np.delete(other, slice(_TREE, _TREE + 1), 1),
        _Parts.of(section.content[tables:records], frames, found[:, [_FILE, _LINE]], addressed),
        data,
        module,
    )


def _columns(words: Words, begin: npt.NDArray[np.int64], numbers: Words, missing: int) -> Words:
    """Return the words after each record, one row for each function."""
    most = int(numbers.max(initial=0))
    if most > _MAX_TABLES:
        raise ValueError("too many tables")
    found = np.full((len(numbers), most), missing, np.uint32)
    for column in range(most):
        rows = numbers > column
        found[rows, column] = words[begin[rows] + column]
    return found


def _same_width(ours: Words, theirs: Words, missing: int) -> tuple[Words, Words]:
    """Return both arrays, padded to the same number of columns."""
    most = max(ours.shape[1], theirs.shape[1])
    wide = [
        np.pad(one, ((0, 0), (0, most - one.shape[1])), constant_values=missing)
        for one in (ours, theirs)
    ]
    return wide[0], wide[1]


def _module(elf: Elf, movable: Collection[str]) -> tuple[tuple[object, ...], bytes]:
    """Return the module data, and the data of functions that it refers to."""
    own, section = elf.bytes_of(MODULE), elf.sections[TABLES]
    words = np.frombuffer(own[: len(own) // 8 * 8], "<u8").tolist()
    end = section.address + section.size
    if (words[0], words[_END]) != (section.address, end):
        raise ValueError("another description of the module")
    begin, behind = words[_DATA], words[_FIND]
    if not section.address < begin <= behind <= end:
        raise ValueError("another order of the tables")
    content = section.content[begin - section.address : behind - section.address]
    places = [(name, elf.sections[name]) for name in movable if name in elf.sections]
    content_words = (_relative(word, places) for word in [*words[_PARTS:_DATA], *words[_END + 1 :]])
    return tuple(content_words), content


def _relative(word: int, movable: list[tuple[str, Section]]) -> object:
    """Return a word, relative to the section if it is an address in a movable section."""
    for name, section in movable:
        if section.address <= word < section.address + section.size:
            return name, word - section.address
    return word
