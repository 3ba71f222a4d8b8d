"""The source files of a folder, up to limits of size."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from steady import safe_open
from steady.errors import InputError
from steady.harness.jmh.annotate import java, kotlin
from steady.harness.jmh.annotate.source import SourceFile

_READERS = {".java": java.read, ".kt": kotlin.read}
_BUILT = frozenset({"target", "build", "out", "bin"})
"""Output folders beside a build file."""
_BUILD_FILES = frozenset({"pom.xml", "build.gradle", "build.gradle.kts"})

MOST_FILES = 20_000
LARGEST_FILE = 2 * 2**20
"""Bytes."""
LARGEST_FOLDER = 128 * 2**20
"""Bytes of all files together."""


@dataclass(frozen=True, slots=True)
class Folder:
    """The source files below a path.

    Parameters
    ----------
    root : Path
        The root of the patch's paths: that of the Git repository, or else the folder.
    files : tuple of SourceFile
        The parsed files.
    left : tuple of str
        The other files, each with the reason.
    """

    root: Path
    files: tuple[SourceFile, ...]
    left: tuple[str, ...] = ()

    def shown(self, path: Path) -> str:
        """Return a path in the patch's form."""
        return path.relative_to(self.root).as_posix()


def read_file(path: Path, text: bytes) -> SourceFile:
    """Parse a source file of Java or Kotlin."""
    return _READERS[path.suffix](path, text)


def require_source(source: Path) -> None:
    """Check that a path of sources exists.

    Raises
    ------
    InputError
        If there is no such path.
    """
    if not source.exists():
        raise InputError(
            "does not exist; give the folder of the benchmarks' sources", source=source
        )


def read_folder(source: Path) -> Folder:
    """Read the source files of Java and Kotlin below a path, or the one at it.

    Links are not followed, and nothing is executed.

    Raises
    ------
    InputError
        If there is no such path, or it has no sources, or too many.
    MissingToolError
        If the parser is not installed.
    """
    require_source(source)
    top = Path(os.path.realpath(source))
    home = top if top.is_dir() else top.parent
    paths = [*_paths(top)] if top.is_dir() else [top]
    if not paths or paths[0].suffix not in _READERS:
        raise InputError(
            "contains no .java or .kt file; give the folder of the benchmarks' sources",
            source=source,
        )
    if len(paths) > MOST_FILES:
        raise InputError(
            f"holds more than {MOST_FILES:,} source files; give the folder of the benchmarks only",
            source=source,
        )
    root = next((p for p in (home, *home.parents) if (p / ".git").exists()), home)
    files, left, size = list[SourceFile](), list[str](), 0
    for path in paths:
        text = safe_open.read_untrusted(path, LARGEST_FILE, home)
        size += len(text)
        if size > LARGEST_FOLDER:
            raise InputError(
                f"holds more than {LARGEST_FOLDER // 2**20} MiB of sources; give the folder of the "
                "benchmarks only",
                source=source,
            )
        if len(text) > LARGEST_FILE:
            left.append(
                f"{path.relative_to(root).as_posix()}: larger than {LARGEST_FILE >> 20} MiB"
            )
        else:
            files.append(read_file(path, text))
    return Folder(root, tuple(files), tuple(left))


def _paths(top: Path) -> Iterator[Path]:
    """Yield the source files below a folder, sorted, without links and build outputs."""
    for here, folders, names in os.walk(top):
        skipped = _BUILT if _BUILD_FILES.intersection(names) else frozenset()
        folders[:] = sorted(n for n in folders if not n.startswith(".") and n not in skipped)
        for name in sorted(names):
            path = Path(here, name)
            if path.suffix in _READERS and stat.S_ISREG(path.lstat().st_mode):
                yield path
