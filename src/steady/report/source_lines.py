"""Where a benchmark stands in the source: file and line, as far as that can be told for sure.

Nothing is compiled and nothing is run: the folder may be a stranger's pull request. Links are not
followed, and only so much is read.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG

from steady.model import Identity
from steady.report.names import GO_NAME

_MOST_FILES = 100_000
_MOST_BYTES = 32 * 1024 * 1024
_LARGEST_FILE = 512 * 1024
_LONGEST_PARAMETERS = 500

_NO_SOURCE = frozenset({"build", "node_modules", "out", "target", "testdata", "vendor"})

_JAVA_NAME = re.compile(r"\w+(?:\.\w+)+")
# What is not closed ends with the file: nothing is looked at twice.
_NOISE = re.compile(
    r'"""(?:\\.|[^\\])*?(?:"""|\Z)|"(?:\\.|[^"\\\n])*"?|`[^`]*`?|'
    r"'(?:\\.|[^'\\\n])*'?|//[^\n]*|/\*.*?(?:\*/|\Z)",
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
        class. Empty where the folder cannot be read.
    """
    sources = _Sources(Path(folder))
    wanted = list(identities)
    names = {identity.name for identity in wanted}
    lines = {name: _java(sources, name) or _go(sources, name) for name in sorted(names)}
    found = ((identity, lines[identity.name]) for identity in wanted)
    return {identity: line for identity, line in found if line is not None}


class _Sources:
    """The files of a folder by name, read when needed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._texts: dict[str, str] = {}
        self._left = _MOST_BYTES
        self.java: Mapping[str, list[str]]
        self.go: list[str]
        java: dict[str, list[str]] = defaultdict(list)
        self.java, self.go = java, []
        for path in _files(root):
            name = path.rpartition("/")[2]
            if name.endswith(".java"):
                java[name.removesuffix(".java")].append(path)
            elif name.endswith("_test.go"):
                self.go.append(path)

    def code(self, path: str) -> str:
        """Return a file's text with comments and literals blanked out, its lines in place."""
        if path not in self._texts:
            self._texts[path] = _NOISE.sub(_blank, self._read(self._root / path))
        return self._texts[path]

    def _read(self, path: Path) -> str:
        try:
            found = path.stat()
            # To open a pipe would wait for whoever writes to it.
            if not S_ISREG(found.st_mode) or found.st_size > min(self._left, _LARGEST_FILE):
                return ""
            self._left -= found.st_size
            return path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""


def _files(root: Path) -> Iterator[str]:
    """Yield files below `root`, sorted, without what is hidden, built or linked."""
    seen = 0
    for place, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _NO_SOURCE)
        seen += len(names)
        if seen > _MOST_FILES:
            return
        for name in sorted(names):
            path = Path(place, name)
            if name.endswith((".java", "_test.go")) and not path.is_symlink():
                yield path.relative_to(root).as_posix()


def _java(sources: _Sources, name: str) -> SourceLine | None:
    if not _JAVA_NAME.fullmatch(name):
        return None
    *parts, method = name.split(".")
    # Of a nested class, the outermost names the file.
    for end in range(len(parts), 0, -1):
        tail = "/".join(parts[:end]) + ".java"
        paths = [p for p in sources.java.get(parts[end - 1], ()) if f"/{p}".endswith(f"/{tail}")]
        if paths:
            found = [
                _java_line(sources.code(path), path, parts[end - 1 :], method) for path in paths
            ]
            return found[0] if len(found) == 1 else None
    return None


def _java_line(code: str, path: str, classes: list[str], method: str) -> SourceLine | None:
    begin, end, declared = 0, len(code), None
    for name in classes:
        match = re.compile(rf"\b(?:class|interface|record|enum)\s+({name})\b").search(
            code, begin, end
        )
        if match is None:
            return None
        declared = match.start(1)
        begin, end = _body(code, match.end(), end)
    wanted = re.compile(
        rf"[\w>\]]\s+({method})\s*\([^;{{}}]{{0,{_LONGEST_PARAMETERS}}}\)[^;{{}}()]*\{{"
    )
    for match in wanted.finditer(code, begin, end):
        if not re.search(r"\bnew$", code[max(begin, match.start() - 3) : match.start() + 1]):
            declared = match.start(1)
            break
    return None if declared is None else SourceLine(path, code.count("\n", 0, declared) + 1)


def _body(code: str, start: int, end: int) -> tuple[int, int]:
    """Return where the braces that open after `start` begin and end."""
    depth = 0
    begin = start
    for match in re.compile(r"[{}]").finditer(code, start, end):
        if match[0] == "{":
            begin = match.end() if depth == 0 else begin
            depth += 1
        else:
            depth -= 1
            if depth <= 0:
                return begin, match.start()
    return begin, end


def _go(sources: _Sources, name: str) -> SourceLine | None:
    match = GO_NAME.fullmatch(name)
    if match is None:
        return None
    declared = re.compile(rf"(?m)^func\s+({match['function']})\s*\(")
    found = []
    for path in _of_package(sources.go, match["package"] or ""):
        code = sources.code(path)
        at = declared.search(code)
        if at is not None:
            found.append(SourceLine(path, code.count("\n", 0, at.start(1)) + 1))
    return found[0] if len(found) == 1 else None


def _of_package(paths: Iterable[str], package: str) -> list[str]:
    """Return the files whose folder is the longest end of an import path."""
    best: list[str] = []
    length = -1
    for path in paths:
        folder = path.rpartition("/")[0]
        if folder and not f"/{package}".endswith(f"/{folder}"):
            continue
        if len(folder) > length:
            best, length = [], len(folder)
        if len(folder) == length:
            best.append(path)
    return best


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])
