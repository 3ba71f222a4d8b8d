"""Files that differ between base and head, and whether benchmarks can open them.

A binary does not list the files that a benchmark opens. The files that it may open are:

- none, if its code reaches no call that opens files (`capabilities.Capabilities.opens`);
- all, if it may list folders, run other programs or call C code, or if it cannot be analyzed;
- otherwise, the files in ``testdata``, and those whose extension and whose parent folders' names
  all appear among the binary's constants. If a name has no extension, its longest run of letters
  is used instead.

Names that are built character by character are missed.
"""

from __future__ import annotations

import filecmp
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from steady.harness.fields import quoted
from steady.harness.go.run.test_binaries import is_test_binary
from steady.programs.elf import Elf

TESTDATA = "testdata"

_VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr"})
_TYPE_NAME = re.compile(rb"\w\.\w+")
_GO_TEXTS = (b" gp.goid=", b"test.gocoverdir", b"runtime.goexit", b"runtime.gosched")
_LETTERS = re.compile(r"[^\W\d_]+")
_ORIGIN = re.compile(r"\$(?:ORIGIN|\{ORIGIN\})")


@dataclass(frozen=True)
class FolderPair:
    """The folders of base and head that contain their binaries.

    Parameters
    ----------
    base, head : Path
        The two folders.
    """

    base: Path
    head: Path

    @cached_property
    def differing(self) -> Mapping[str, str]:
        """Difference of each file that differs, by path, sorted."""
        if self.base.resolve() == self.head.resolve():
            return {}
        base, head = (
            {p.relative_to(r).as_posix(): p for p in _below(r)} for r in (self.base, self.head)
        )
        how = {}
        for name in sorted({*base, *head}):
            if name not in base or name not in head:
                how[name] = f"is only in {'base' if name in base else 'head'}"
            elif not same_file(base[name], head[name]):
                how[name] = "differs"
        return how


def reason_by_files(folders: FolderPair, folder: str, constants: Constants | None) -> str:
    """Name a differing file that a benchmark may open, or return an empty string.

    Parameters
    ----------
    folders : FolderPair
        The files.
    folder : str
        Path of the binary's folder within base and within head; the benchmark's working directory.
    constants : Constants, optional
        Constants of the binary; None if it may open any file.

    Raises
    ------
    OSError
        If a file cannot be read.
    """
    for name, how in folders.differing.items():
        path = PurePosixPath(os.path.relpath(name, folder)).as_posix()
        if constants is None or path.startswith(f"{TESTDATA}/") or constants.may_name(path):
            return f"the file {quoted(path)} {how}"
    return ""


class Constants:
    """The constants of a binary, which may contain names of files.

    Parameters
    ----------
    elf : Elf
        The binary.
    """

    def __init__(self, elf: Elf) -> None:
        constants, strings = elf.bytes_of(".rodata"), elf.address_of("go:string.*")
        begin = 0 if strings is None else strings - elf.sections[".rodata"].address
        text = _TYPE_NAME.sub(b"", constants[:begin]) + constants[begin:]
        text += elf.bytes_of(".noptrdata", ".data")
        text = text.lower()
        for known in _GO_TEXTS:
            text = text.replace(known, b"")
        self._text = text

    def may_name(self, path: str) -> bool:
        """Return whether a program with these constants may open a path."""
        *parents, name = (part for part in path.split("/") if part != "..")
        clues = [_letters(part) for part in parents]
        stem, _, end = name.rpartition(".")
        clues.append(f".{end}" if stem and end else _letters(name))
        return all(clue.lower().encode("utf-8", "surrogateescape") in self._text for clue in clues)


def _letters(name: str) -> str:
    return max(_LETTERS.findall(name), key=len, default="")


def reason_by_libraries(base: Path, head: Path) -> str:
    """Name a differing library that the dynamic linker finds by a path relative to the binary.

    Parameters
    ----------
    base, head : Path
        Two binaries that load libraries of the same names from the same folders.

    Raises
    ------
    OSError
        If a file cannot be read.
    """
    of_base, of_head = dict(_libraries(base)), dict(_libraries(head))
    for name in sorted({*of_base, *of_head}):
        if name not in of_base or name not in of_head:
            return f"the library {quoted(name)} is only in {'base' if name in of_base else 'head'}"
        if not same_file(of_base[name], of_head[name]):
            return f"the library {quoted(name)} differs"
    return ""


def _libraries(binary: Path) -> Iterator[tuple[str, Path]]:
    """Yield the libraries that a binary may load from folders with a relative path."""
    left, seen = [binary], {binary.parent.resolve() / binary.name}
    by_environment = os.environ.get("LD_LIBRARY_PATH")
    everywhere = by_environment.split(":") if by_environment is not None else []
    while left:
        path = left.pop()
        elf = Elf.of(path.read_bytes())
        if elf is None:
            continue
        for text in (*elf.library_folders(), *everywhere):
            if Path(text).is_absolute():
                continue
            folder = binary.parent / _ORIGIN.sub(str(path.parent.resolve()), text)
            for library in sorted(folder.iterdir()) if folder.is_dir() else ():
                if library.is_file() and library.resolve() not in seen and _is_elf(library):
                    seen.add(library.resolve())
                    left.append(library)
                    yield f"{text}/{library.name}", library
        paths = (name for name in elf.needed() if "/" in name and not Path(name).is_absolute())
        yield from ((name, binary.parent / name) for name in paths)


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF" and not is_test_binary(path)


def _below(folder: Path) -> Iterator[Path]:
    """Yield all files below a folder, except test binaries and those of version control.

    Links to folders are not followed.
    """
    left = [folder]
    while left:
        for path in left.pop().iterdir():
            if path.is_dir() and not path.is_symlink():
                if path.name not in _VERSION_CONTROL:
                    left.append(path)
            elif not is_test_binary(path) and path.name not in _VERSION_CONTROL:
                yield path


def same_file(base: Path, head: Path) -> bool:
    """Return whether two files have the same content; a special file equals only itself."""
    return base.resolve() == head.resolve() or filecmp.cmp(base, head, shallow=False)
