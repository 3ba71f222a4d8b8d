"""Names of classes in a Java file: how to write them, and the imports that this takes."""

from dataclasses import dataclass, field

from steady.harness.jmh.java.source import JavaFile


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
        if self.file.mentions(name) or not self.file.imports:
            return full
        self._missing[full] = None
        return name

    def _is_shadowed(self, name: str) -> bool:
        """Whether another class of that name comes before one of a whole imported package."""
        declared = any(known.rpartition(".")[2] == name for known in self.file.types)
        beside = self.file.path.with_name(f"{name}.java").exists()
        return declared or beside or self.file.imported(name) is not None

    def import_edits(self) -> list[Edit]:
        """Return the insertion of the missing imports, before those that are there."""
        if not self._missing:
            return []
        first = self.file.imports[0][1].start_byte
        line_end = line_end_of(self.file.data)
        lines = (f"import {full};{line_end}" for full in sorted(self._missing))
        return [Edit(first, first, "".join(lines))]


def line_end_of(data: bytes) -> str:
    """Return the line end of a file: that of its first line."""
    newline = data.find(b"\n")
    return "\r\n" if newline > 0 and data[newline - 1 : newline] == b"\r" else "\n"


def apply_edits(data: bytes, edits: list[Edit]) -> bytes:
    """Return `data` with the edits made; they must not overlap."""
    for edit in sorted(edits, key=lambda e: (e.start, e.end), reverse=True):
        data = data[: edit.start] + edit.text.encode("ascii") + data[edit.end :]
    return data
