"""Record the files that the native libraries of a Python process open, by ``file_watch.c``.

Without that library, each native library that may open files counts as a possible difference,
except a few that are known to open none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steady.harness.fields import quoted
from steady.programs.clock_turns import built_library
from steady.programs.elf import Elf
from steady.programs.process import NotInTurnError
from steady.programs.same_program import KNOWN, opens, opens_by_name
from steady.programs.two_trees import TwoTrees

_SOURCE = Path(__file__).with_name("file_watch.c")
_KINDS = {"o": "opened", "k": "kinds", "w": "written", "l": "listed"}
_BEGIN, _UNSEEN, _SEARCHED = "b", "d", "t"

_TRUSTED = ("/numpy/", "/numpy.libs/", "/psutil/")
"""Libraries whose own file accesses are all outside of any check-out, such as ``/proc``."""
_OF_PYTHON = re.compile(r".*/lib-dynload/[^/]+|.*/libpython3[\w.]*\.so[.\d]*")
_QUIET = re.compile(
    r"lib(z|lzma|bz2|zstd|lz4|ffi|expat|uuid|mpdec|crypt|crypto|util|quadmath|gfortran|readline"
    r"|n?cursesw?|tinfow?)\.so[.\d]*"
)
"""System libraries that open no files, or only settings of the system and the user."""
_WATCHED = re.compile(r"lib(ssl|sqlite3|gdbm(_compat)?|db|tcl|tk|nsl)[-\d.]*\.so[.\d]*")
"""System libraries that open only files named by the program, which are recorded, and plug-ins."""
_BELOW = ("_sqlite3", "_ssl", "_dbm", "_gdbm", "_tkinter")
"""Modules of Python's standard library that wrap libraries which open files."""
_OF_GO = (".note.go.buildid", ".go.buildinfo")
"""Sections of Go libraries, which make system calls directly, unobserved."""


@dataclass(frozen=True)
class FileWatch:
    """A recorder of the files that a process opens.

    Parameters
    ----------
    library : Path, optional
        The library; None if it cannot be built.
    functions : frozenset of str
        The system functions whose calls it records.
    """

    library: Path | None = None
    functions: frozenset[str] = field(default=frozenset())

    @classmethod
    def built(cls, folder: Path) -> FileWatch:
        """Build the library in a folder."""
        try:
            library = built_library(folder.resolve(), _SOURCE, "files of libraries")
        except NotInTurnError:
            return cls()
        own = Elf.of(library.read_bytes())
        return cls() if own is None else cls(library, frozenset(own.provided()))

    def environment(self, log: Path) -> Mapping[str, str]:
        """Return the variables that make a process record its file accesses in `log`."""
        if self.library is None:
            return {}
        log.touch()
        others = os.environ.get("LD_PRELOAD", "")
        return {
            "LD_PRELOAD": f"{self.library} {others}".strip(),
            "STEADY_WATCH": str(log),
            "STEADY_WATCH_OTHERS": others,
        }

    def add(self, log: Path, seen: dict[str, Any]) -> None:
        """Add the accesses of native libraries to those that Python recorded.

        Parameters
        ----------
        log : Path
            Record of the library.
        seen : dict
            Record of ``python_start``. Receives `watched`: whether the library was loaded.
        """
        text = log.read_bytes() if self.library is not None and log.is_file() else b""
        records = [os.fsdecode(one) for one in text.split(b"\0") if one]
        seen["watched"] = _BEGIN in records
        seen["searched"] = []
        seen["loaded"] = [one for one in seen["loaded"] if one != str(self.library)]
        for record in records:
            kind, path = record[0], record[1:]
            if kind == _UNSEEN:
                seen["doubts"].append(path)
            elif kind == _SEARCHED:
                seen["searched"].append(path)
            elif kind in _KINDS:
                seen[_KINDS[kind]].append(("/", path))

    def doubts(self, seen: Mapping[str, Any], trees: TwoTrees) -> Iterator[str]:
        """Yield reasons to assume unrecorded file accesses."""
        for path in filter(trees.holds, seen["searched"]):
            yield f"files in {trees.named(path)} may be read by the system"
        functions = self.functions if seen["watched"] else None
        if functions is None:
            yield from (f"{one} may read files" for one in _BELOW if one in seen["modules"])
        yield from _libraries(seen["loaded"], seen["python"], functions, trees)


def _libraries(
    loaded: Iterable[str], python: Collection[str], watched: frozenset[str] | None, trees: TwoTrees
) -> Iterator[str]:
    """Yield the libraries that may open files unrecorded."""
    for path in loaded:
        if path in python or _OF_PYTHON.fullmatch(path) or any(one in path for one in _TRUSTED):
            continue
        name = Path(path).name
        is_own = trees.holds(path) or "-packages/" in path
        if not is_own and (KNOWN.fullmatch(name) or _QUIET.fullmatch(name)):
            continue
        if not is_own and watched is not None and _WATCHED.fullmatch(name):
            continue
        own = Elf.of(Path(path).read_bytes())
        if own is None or _opens_unseen(own, watched):
            yield f"{quoted(name)} may read files that differ"


def _opens_unseen(library: Elf, watched: frozenset[str] | None) -> bool:
    """Return whether a library may open files unrecorded."""
    if watched is None:
        return any(map(opens, library.foreign()))
    if any(section in library.sections for section in _OF_GO):
        return True
    return any(name not in watched and opens_by_name(name) for name in library.foreign())
