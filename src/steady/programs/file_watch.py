"""The library ``file_watch.c``, by which a process of Python notes what its libraries open.

Where it cannot be built or loaded, a library that may open files is a doubt, if it is not one of a
few that are known to open none.
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
from steady.programs.opening import opens, opens_by_name
from steady.programs.same_program import KNOWN
from steady.programs.turn_session import NotInTurnError
from steady.programs.two_trees import TwoTrees

_SOURCE = Path(__file__).with_name("file_watch.c")
_KINDS = {"o": "opened", "k": "kinds", "w": "written", "l": "listed"}
_BEGIN, _UNSEEN, _SEARCHED = "b", "d", "t"

_TRUSTED = ("/numpy/", "/numpy.libs/", "/psutil/")
"""Libraries that open files of their own choice only outside of any check-out, as ``/proc``."""
_OF_PYTHON = re.compile(r".*/lib-dynload/[^/]+|.*/libpython3[\w.]*\.so[.\d]*")
_QUIET = re.compile(
    r"lib(z|lzma|bz2|zstd|lz4|ffi|expat|uuid|mpdec|crypt|crypto|util|quadmath|gfortran|readline"
    r"|n?cursesw?|tinfow?)\.so[.\d]*"
)
"""Libraries of the system that open nothing, or only the system's and the user's settings."""
_WATCHED = re.compile(r"lib(ssl|sqlite3|gdbm(_compat)?|db|tcl|tk|nsl)[-\d.]*\.so[.\d]*")
"""Those that open what a program names, which is seen, and plug-ins of the system."""
_BELOW = ("_sqlite3", "_ssl", "_dbm", "_gdbm", "_tkinter")
"""Python's own modules of libraries that open files."""
_OF_GO = (".note.go.buildid", ".go.buildinfo")
"""Sections of a library that asks the kernel itself, by no function that can be seen."""


@dataclass(frozen=True)
class FileWatch:
    """What notes the files of a process.

    Parameters
    ----------
    library : Path, optional
        The library; None if it cannot be built.
    functions : frozenset of str
        The functions of the system whose use it notes.
    """

    library: Path | None = None
    functions: frozenset[str] = field(default=frozenset())

    @classmethod
    def built(cls, folder: Path) -> FileWatch:
        """Build it in a folder."""
        try:
            library = built_library(folder.resolve(), _SOURCE, "files of libraries")
        except NotInTurnError:
            return cls()
        own = Elf.of(library.read_bytes())
        return cls() if own is None else cls(library, frozenset(own.provided()))

    def environment(self, log: Path) -> Mapping[str, str]:
        """Return the variables with which a process notes what it opens in a new file."""
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
        """Add to what Python has noted what its libraries have opened.

        Parameters
        ----------
        log : Path
            What the library has noted.
        seen : dict
            What ``python_start`` has noted; whether all libraries were seen is added as `watched`.
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
        """Say what may open files that are not seen."""
        for path in filter(trees.holds, seen["searched"]):
            yield f"files in {trees.named(path)} may be read by the system"
        functions = self.functions if seen["watched"] else None
        if functions is None:
            yield from (f"{one} may read files" for one in _BELOW if one in seen["modules"])
        yield from _libraries(seen["loaded"], seen["python"], functions, trees)


def _libraries(
    loaded: Iterable[str],
    python: Collection[str],
    watched: frozenset[str] | None,
    trees: TwoTrees,
) -> Iterator[str]:
    """Say which libraries may open files that nobody sees."""
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
    """Tell whether a library may open files without anybody's knowledge."""
    if watched is None:
        return any(map(opens, library.foreign()))
    if any(section in library.sections for section in _OF_GO):
        return True
    return any(name not in watched and opens_by_name(name) for name in library.foreign())
