"""Lines of Go's benchmarks in the sources: each function that exactly one test file declares.

Nothing is compiled and nothing is run: the folder may be a stranger's pull request. Links are not
followed, and only so much is read.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from steady.errors import InputError
from steady.model import Identity
from steady.source_folder import Limits, SourceFolder, SourceLine

# What is not closed ends with the file: nothing is looked at twice.
_NOISE = re.compile(
    r"\"(?:\\.|[^\"\\\n])*\"?|`[^`]*`?|'(?:\\.|[^'\\\n])*'?|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL
)


def go_source_lines(
    folder: Path, identities: Iterable[Identity], limits: Limits
) -> dict[Identity, SourceLine]:
    """Return the lines on which Go's benchmarks are declared, as far as they are known for sure.

    Raises
    ------
    InputError
        If the folder cannot be read.
    """
    tests = _TestFiles(SourceFolder(folder, limits))
    found = {one: tests.line(one.holder, one.method) for one in sorted(identities) if one.is_go}
    return {identity: line for identity, line in found.items() if line is not None}


class _TestFiles:
    """The test files of a folder, read when needed."""

    def __init__(self, folder: SourceFolder) -> None:
        self._folder = folder
        self._codes: dict[Path, str] = {}

    def line(self, package: str, function: str) -> SourceLine | None:
        """Return the line of a benchmark's function; None where it is not in exactly one file."""
        declared = re.compile(rf"(?m)^func\s+({function})\s*\(")
        lines = []
        for path in self._of_package(package):
            code = self._code(path)
            at = declared.search(code)
            if at is not None:
                relative = path.relative_to(self._folder.root).as_posix()
                lines.append(SourceLine(relative, code.count("\n", 0, at.start(1)) + 1))
        return lines[0] if len(lines) == 1 else None

    def _of_package(self, package: str) -> Sequence[Path]:
        """Return the files whose folder is the longest end of an import path.

        A module may lie in a folder of its own, then the one folder that ends so is meant.
        """
        for end in _ends(package):
            inside = [end] if end in self._by_folder else self._inside.get(end, ())
            if len(inside) == 1:
                return self._by_folder[inside[0]]
        return ()

    @cached_property
    def _inside(self) -> Mapping[str, Sequence[str]]:
        """Return the folders that end in each part of a path, without those that are that part."""
        folders: dict[str, list[str]] = {}
        for folder in self._by_folder:
            for end in _ends(folder)[1:-1]:
                folders.setdefault(end, []).append(folder)
        return folders

    @cached_property
    def _by_folder(self) -> Mapping[str, Sequence[Path]]:
        paths: dict[str, list[Path]] = {}
        for path in self._folder.paths("_test.go"):
            folder = path.parent.relative_to(self._folder.root).as_posix()
            paths.setdefault("" if folder == "." else folder, []).append(path)
        return paths

    def _code(self, path: Path) -> str:
        """Return a file's text with comments and literals blanked out, its lines in place."""
        if path not in self._codes:
            try:
                text = self._folder.read(path).decode("utf-8", "replace")
            except InputError:
                text = ""
            self._codes[path] = _NOISE.sub(_blank, text)
        return self._codes[path]


def _ends(path: str) -> list[str]:
    """Return a path, and what is left of it without its first folders, nothing at the end."""
    parts = path.split("/")
    return ["/".join(parts[start:]) for start in range(len(parts) + 1)]


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])
