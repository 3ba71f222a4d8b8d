"""Names of classes in a Java file: how to write them, and the imports that this takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from steady.harness.jmh.java.source import JavaFile

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of some bytes of a file; an insertion where start and end are equal."""

    start: int
    end: int
    text: str


@dataclass(slots=True)
class ImportedNames:
    """Which classes an edit uses, and how it writes them.

    Parameters
    ----------
    file : JavaFile
        The file that is edited.
    """

    file: JavaFile
    _missing: dict[str, None] = field(default_factory=dict)

    def write(self, package: str, name: str) -> str:
        """Return how a class is written here, and remember if it must be imported for that.

        A simple name that already means something else, or may do, is written in full instead.
        """
        full = f"{package}.{name}"
        if self.file.imported(name) == package or full in self._missing:
            return name
        if any(known == f"{package}.*" for known, _ in self.file.imports):
            return full if self._is_shadowed(name) else name
        if self.file.mentions(name):
            return full
        self._missing[full] = None
        return name

    def _is_shadowed(self, name: str) -> bool:
        """Whether another class of that name comes before one of a whole imported package."""
        declared = any(known.rpartition(".")[2] == name for known in self.file.types)
        beside = self.file.path.with_name(f"{name}.java").exists()
        return declared or beside or self.file.imported(name) is not None

    def import_edits(self) -> list[Edit]:
        """Return the insertions of the missing imports, each at its place in the order."""
        at: dict[int, list[str]] = {}
        for full in sorted(self._missing):
            position, before, after = self._place(full)
            at.setdefault(position, []).append(f"{before}import {full};{after}")
        return [Edit(position, position, "".join(texts)) for position, texts in at.items()]

    def _place(self, full: str) -> tuple[int, str, str]:
        """Return the position for an import, and what has to stand before and after it there."""
        line_end = line_end_of(self.file.data)
        for alike in self._alike(full):
            later = [node for known, node in alike if known > full]
            if later:
                return later[0].start_byte, "", line_end
            if alike:
                return (*self._after(alike[-1][1].end_byte), "")
        return self._after_header()

    def _alike(self, full: str) -> Iterator[list[tuple[str, Node]]]:
        """Yield the imports of the same package, then of those around it, then all."""
        package = full.rpartition(".")[0]
        while package:
            yield [(known, n) for known, n in self.file.imports if known.startswith(f"{package}.")]
            package = package.rpartition(".")[0]
        yield list(self.file.imports)

    def _after(self, end: int) -> tuple[int, str]:
        """Return the end of the line in which something ends, or `end` if more code follows."""
        newline = self.file.data.find(b"\n", end)
        stop = len(self.file.data) if newline < 0 else newline
        rest = self.file.data[end:stop].strip()
        if rest and not rest.startswith(b"//"):
            return end, line_end_of(self.file.data)
        if self.file.data[stop - 1 : stop] == b"\r":
            stop -= 1
        return stop, line_end_of(self.file.data)

    def _after_header(self) -> tuple[int, str, str]:
        """Return the place for the first import: below the package, or on top."""
        line_end = line_end_of(self.file.data)
        for node in self.file.root.named_children:
            if node.type == "package_declaration":
                position, before = self._after(node.end_byte)
                return position, before * 2, ""
        return self.file.root.start_byte, "", line_end


def line_end_of(data: bytes) -> str:
    """Return the line end of a file: that of its first line."""
    newline = data.find(b"\n")
    return "\r\n" if newline > 0 and data[newline - 1 : newline] == b"\r" else "\n"


def apply_edits(data: bytes, edits: list[Edit]) -> bytes:
    """Return `data` with the edits made; they must not overlap."""
    for edit in sorted(edits, key=lambda e: (e.start, e.end), reverse=True):
        data = data[: edit.start] + edit.text.encode("ascii") + data[edit.end :]
    return data
