"""Names of JMH's annotations in a file, and the missing imports."""

from __future__ import annotations

from steady.harness.jmh.annotate.source import JMH, Import, SourceFile


class Imports:
    """The imports of a file, and the added ones.

    Parameters
    ----------
    file : SourceFile
        The file.
    taken : frozenset of str
        Simple names of the package's own types.
    """

    def __init__(self, file: SourceFile, taken: frozenset[str]) -> None:
        self._file = file
        self._taken = taken | {one.name.rpartition(".")[2] for one in file.types}
        self._plain = [one for one in file.imports if not one.static]
        self._new = set[str]()

    def jmh(self, name: str) -> str:
        """Return the name of a JMH annotation in this file; qualified if all others are."""
        full = f"{JMH}.{name}"
        if not any(one.name == JMH or one.name.startswith(f"{JMH}.") for one in self._plain):
            return full
        return self.name(full)

    def name(self, full: str) -> str:
        """Return the name of a type in this file; imported unless its simple name is taken."""
        package, _, simple = full.rpartition(".")
        imported = next((one.local for one in self._plain if one.name == full and one.local), "")
        if imported or self._file.imports_all_of(package):
            return imported or (full if self._is_taken(simple) else simple)
        if not self._plain or self._is_taken(simple):
            return full
        self._new.add(full)
        return simple

    def added(self) -> list[tuple[int, str]]:
        """Return the insertions of new imports, each with its place."""
        return [self._added(full) for full in sorted(self._new)]

    def _is_taken(self, simple: str) -> bool:
        return simple in self._taken or any(one.local == simple for one in self._plain)

    def _added(self, full: str) -> tuple[int, str]:
        """Insert an import alphabetically, among those with the longest common prefix."""
        shared = [_shared(full, one) for one in self._plain]
        near = [one for one, n in zip(self._plain, shared, strict=True) if n == max(shared)]
        statement = f"import {full}{';' if self._file.path.suffix == '.java' else ''}"
        text = self._file.text
        behind = next((one for one in near if one.name > full), None)
        if behind is not None:
            return behind.start, statement + line_ending(text, behind.start)
        end = text.find(b"\n", near[-1].end)
        end = len(text) if end < 0 else end - (text[end - 1 : end] == b"\r")
        return end, line_ending(text, near[-1].start) + statement


def _shared(full: str, other: Import) -> int:
    """Return the number of leading parts that a name shares with an import."""
    count = 0
    for one, another in zip(full.split("."), other.name.split("."), strict=False):
        if one != another:
            break
        count += 1
    return count


def line_ending(text: bytes, place: int) -> str:
    """Return the line ending at a place."""
    end = text.find(b"\n", place)
    return "\r\n" if end > 0 and text[end - 1 : end] == b"\r" else "\n"
