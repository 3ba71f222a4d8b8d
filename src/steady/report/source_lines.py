"""Where a benchmark stands in the source: file and line, where that is known for sure.

Nothing is compiled and nothing is run: the folder may be a stranger's pull request. Links are not
followed, and only so much is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from steady.errors import InputError, MissingToolError
from steady.harness.jmh.java.project import JavaProject, NotFoundError
from steady.model import Identity
from steady.report.names import GO_NAME
from steady.source_folder import Limits, SourceFolder

_LIMITS = Limits(files=100_000, file_bytes=96 * 1024, all_bytes=8 * 1024 * 1024)
"""What is read for a report. The Java parser takes a second for 100 KB that are made to be slow."""

_JAVA_NAME = re.compile(r"\w+(?:\.\w+)+")
# What is not closed ends with the file: nothing is looked at twice.
_NOISE = re.compile(
    r"\"(?:\\.|[^\"\\\n])*\"?|`[^`]*`?|'(?:\\.|[^'\\\n])*'?|//[^\n]*|/\*.*?(?:\*/|\Z)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of a file.

    Parameters
    ----------
    path : str
        Relative to the folder that was searched, with ``/``.
    line : int
        Counted from 1.
    """

    path: str
    line: int


def find_lines(folder: str | Path, identities: Iterable[Identity]) -> dict[Identity, SourceLine]:
    """Return the lines on which benchmarks are declared.

    Parameters
    ----------
    folder : path-like
        The source, as it was checked out.
    identities : iterable of Identity
        Of JMH: ``package.Class.method``; of Go: ``import/path.BenchmarkFunction/sub``.

    Returns
    -------
    dict of Identity to SourceLine
        Those that are found in exactly one file; a method that its class inherits stands for the
        class. Empty where the folder cannot be read. Java's are missing where its parser is not
        installed.
    """
    wanted = list(identities)
    try:
        java = JavaProject(Path(folder), _LIMITS)
        go = _GoTests(SourceFolder(Path(folder), _LIMITS))
    except InputError:
        return {}
    names = {identity.name for identity in wanted}
    lines = {name: _java_line(java, name) or go.line(name) for name in sorted(names)}
    pairs = ((identity, lines[identity.name]) for identity in wanted)
    return {identity: line for identity, line in pairs if line is not None}


def _java_line(project: JavaProject, name: str) -> SourceLine | None:
    if not _JAVA_NAME.fullmatch(name):
        return None
    owner, _, method = name.rpartition(".")
    try:
        file, declared, _ = project.type(owner)
    except (NotFoundError, InputError, MissingToolError):
        return None
    methods = file.benchmark_methods(declared, method)
    own_name = (methods or [declared])[0].child_by_field_name("name")
    if own_name is None:
        return None
    path = file.path.relative_to(project.root).as_posix()
    return SourceLine(path, own_name.start_point[0] + 1)


class _GoTests:
    """The test files of a folder, read when needed."""

    def __init__(self, folder: SourceFolder) -> None:
        self._folder = folder
        self._codes: dict[Path, str] = {}

    def line(self, name: str) -> SourceLine | None:
        """Return the line of a benchmark's function; None where it is not in exactly one file."""
        match = GO_NAME.fullmatch(name)
        if match is None:
            return None
        declared = re.compile(rf"(?m)^func\s+({match['function']})\s*\(")
        lines = []
        for path in self._of_package(match["package"] or ""):
            code = self._code(path)
            at = declared.search(code)
            if at is not None:
                relative = path.relative_to(self._folder.root).as_posix()
                lines.append(SourceLine(relative, code.count("\n", 0, at.start(1)) + 1))
        return lines[0] if len(lines) == 1 else None

    def _of_package(self, package: str) -> Sequence[Path]:
        """Return the files whose folder is the longest end of an import path."""
        parts = package.split("/")
        ends = ("/".join(parts[start:]) for start in range(len(parts) + 1))
        return next((self._by_folder[end] for end in ends if end in self._by_folder), ())

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


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])
