"""The comparison of the machine code of Go binaries, without line numbers and build information.

A comment that moves lines, or another version of a module of which nothing is linked, changes the
bytes of a binary but not its machine code. Two ELF binaries are the same program if all sections
that are loaded are equal, at equal addresses. These sections do not count:

- names, lines and inlined calls in ``.gopclntab`` (`function_tables`);
- ``.go.buildinfo`` and the notes: versions of modules, identifiers of the build. The text of the
  first one is in ``.rodata``, too;
- the addresses of other sections in ``.dynamic``.

Before Go 1.26, more of the tables lies in ``.rodata`` and ``.data``. Such binaries then differ
although they are the same program, which only costs time.

Source: package cmd/link of Go 1.26; the ELF specification, version 1.2.
"""

import struct

from steady.harness.go.samecode.function_tables import MODULE, TABLES, FunctionTables
from steady.programs.elf import Elf, Section

_START = 32  # bytes of the header with the kind of the file and its entry point
_IGNORED = frozenset({TABLES, MODULE, ".go.buildinfo", ".gosymtab"})
_NOTES = ".note."
_MOVABLE = frozenset(
    {".typelink", ".itablink", ".rela", ".rela.plt", ".hash", ".gnu.hash", ".dynstr", ".dynsym"}
) | {".gnu.version", ".gnu.version_r", ".interp"}
"""Sections that only the start of the runtime or the system's linker reads, at any address."""


_DYNAMIC = ".dynamic"
_TAG = struct.Struct("<QQ")
_ADDRESSES = frozenset(
    {4, 5, 6, 7, 23, 0x6FFFFEF5, 0x6FFFFFF0, 0x6FFFFFFE}  # as DT_STRTAB, of movable sections
)


def same_machine_code(base: bytes, head: bytes, described: tuple[str, str], go: str) -> bool:
    """Return whether two binaries are certainly the same program.

    Parameters
    ----------
    base, head : bytes
        The binaries.
    described : tuple of (str, str)
        The build information of each, which does not count.
    go : str
        The version of Go that built both.

    Returns
    -------
    bool
        False as well if they are not 64-bit little-endian ELF files, damaged, or of a version of
        Go with unknown tables.
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
    """Return the tags of the dynamic section, with zero for addresses of movable sections."""
    pairs = _TAG.iter_unpack(dynamic[: len(dynamic) // _TAG.size * _TAG.size])
    return [(tag, 0 if tag in _ADDRESSES else value) for tag, value in pairs]


def _counted_sections(file: Elf) -> dict[str, Section]:
    return {
        name: section
        for name, section in file.sections.items()
        if section.loaded and name not in _IGNORED and not name.startswith(_NOTES)
    }
