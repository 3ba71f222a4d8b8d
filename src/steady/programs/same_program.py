"""Decide whether two programs have an identical code path.

Equal bytes are not sufficient. A program also runs the libraries that the dynamic linker finds, and
it may read files that differ between base and head. So two programs run the same code if all of
these conditions hold, and anything else counts as a difference:

- Both files are equal.
- So are the libraries in folders relative to them (``$ORIGIN`` in RPATH or RUNPATH). System
  libraries are the same for both, since both run on one machine.
- Neither they nor those libraries call a function that finds, opens or runs a file. The system
  libraries that they load are known to open only files that the program names.

Assumption: programs make system calls through a library; direct ones are not detected.
"""

import filecmp
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from steady.harness.builds import Builds, Decision, decided
from steady.harness.fields import quoted
from steady.harness.runs import Runs
from steady.harness.trial import Held, Version
from steady.programs.elf import Elf
from steady.programs.program_kind import Place
from steady.programs.program_runs import ProgramRuns

_ORIGIN = re.compile(r"\$(?:ORIGIN|\{ORIGIN\})")
KNOWN = re.compile(
    r"(lib(c|m|pthread|dl|rt|gcc_s|stdc\+\+|c\+\+|c\+\+abi|atomic|gomp|benchmark|benchmark_main)"
    r"|ld-linux[\w-]*)\.so[.\w]*"
)
"""System libraries that open only files that the program names."""


@dataclass(frozen=True)
class ProgramBuilds(Builds):
    """The programs of base and head; the decision is the same for all their benchmarks.

    Parameters
    ----------
    places : sequence of Place
        Locations of base and head.
    """

    places: Sequence[Place]

    @property
    def nothing_differs(self) -> bool:
        """Whether both are proved to run the same code."""
        return not self._why

    def decisions(self, held: Held) -> tuple[Decision, ...]:
        """Return the decision on the program for each benchmark."""
        return decided(held, lambda _: self._why)

    @cached_property
    def _why(self) -> str:
        base, head = map(_program, self.places)
        if base is None or head is None:
            return "the program that runs is unknown"
        return difference(base, head)


def program_builds(runs: Runs, versions: Sequence[Version]) -> ProgramBuilds:
    """Return the programs of base and head."""
    if not isinstance(runs, ProgramRuns):
        raise TypeError(f"{runs.name} does not run as a program")
    return ProgramBuilds([runs.place(version) for version in versions])


def _program(place: Place) -> Path | None:
    """Return the program's file; None if a system program runs it, or may run it."""
    if not place.command:
        return place.target
    own = place.target / place.command[0]
    return own if "/" in place.command[0] and own.is_file() else None


def difference(base: Path, head: Path) -> str:
    """Return why two programs may not run the same code; empty if they do.

    Parameters
    ----------
    base, head : Path
        The programs.
    """
    try:
        return next(_differences(base, head), "")
    except OSError as error:
        return f"a file cannot be read ({error.strerror})"


def _differences(base: Path, head: Path) -> Iterator[str]:
    if base.resolve() == head.resolve():
        return
    if any(not folder.startswith("/") for folder in _library_path()):
        yield "LD_LIBRARY_PATH contains a relative path"
    left = [(base, head)]
    looked_into: dict[tuple[Path, Path], Elf] = {}
    while left:
        pair = left.pop()
        if pair in looked_into:
            continue
        own = Elf.of(pair[0].read_bytes())
        if not filecmp.cmp(*pair, shallow=False):
            yield f"{quoted(pair[1].name)} differs"
        if own is None or not (own.needed() or looked_into):
            yield f"{quoted(pair[0].name)} does not list the libraries that it loads"
            return
        looked_into[pair] = own
        yield from _doubts(pair[0].name, own)
        for folders in _beside(pair, own):
            libraries = [_libraries(folder) for folder in folders]
            for name in sorted(libraries[0].keys() ^ libraries[1].keys()):
                yield f"the library {quoted(name)} exists in one version only"
            both = sorted(libraries[0].keys() & libraries[1].keys())
            left += [(libraries[0][name], libraries[1][name]) for name in both]
    yield from _foreign({one.name for one, _ in looked_into}, looked_into.values())


def _foreign(private: Collection[str], files: Iterable[Elf]) -> Iterator[str]:
    """Yield the loaded system libraries that may read files."""
    for name in sorted({name for own in files for name in own.needed()} - set(private)):
        if not KNOWN.fullmatch(name):
            yield f"it loads the library {quoted(name)}, which may read files"


def _doubts(name: str, own: Elf) -> Iterator[str]:
    """Yield the properties of a file that are not analysed."""
    odd = [one for one in own.library_folders() if not _ORIGIN.sub("/", one).startswith("/")]
    odd += [one for one in own.library_folders() if "$" in _ORIGIN.sub("", one)]
    odd += [one for one in own.needed() if "/" in one or "$" in one or ".so" not in one]
    if odd or own.delegates():
        yield f"{quoted(name)} has an unknown search path for its libraries"
    function = next(filter(opens, own.foreign()), None)
    if function is not None:
        yield f"{quoted(name)} may read files that differ (it calls {quoted(function)})"


def _beside(pair: tuple[Path, Path], own: Elf) -> Iterator[tuple[Path, Path]]:
    """Yield the library folders relative to two files."""
    for folder in filter(_ORIGIN.search, own.library_folders()):
        for of in (Path.absolute, Path.resolve):
            base, head = (str(of(one).parent) for one in pair)
            parts = _ORIGIN.split(folder)
            yield Path(base.join(parts)), Path(head.join(parts))


def _libraries(folder: Path) -> dict[str, Path]:
    """Return the libraries in a folder and its subfolders, such as those for one processor."""
    found = folder.rglob("*.so*") if folder.is_dir() else iter(())
    return {one.relative_to(folder).as_posix(): one for one in found if one.is_file()}


def _library_path() -> list[str]:
    """Return the folders that the dynamic linker searches first."""
    text = os.environ.get("LD_LIBRARY_PATH", "")
    return re.split("[:;]", text) if text else []


_NAMED = re.compile(
    r"_{0,2}(f?open(at|dir|at2)?|creat|freopen|p?open|(shm|mq|sem)_open|dlm?open|catopen|fs(open|pick))"
    r"(64)?(_2)?(at)?(_nocancel)?"
    r"|_IO_(file_f?open|fopen|popen|proc_open)\w*|(name_to|open_by)_handle_at|open_tree"
    r"|_{0,2}[lf]?x?stat(at|x|fs|vfs)?(64)?|_{0,2}f?access(at)?|euidaccess|eaccess"
    r"|_{0,2}(readlink(at)?|realpath)(_chk)?|canonicalize_file_name|[lf]?(get|set|list|remove)xattr|f?pathconf"
    r"|scandir(at)?(64)?|n?ftw(64)?|fts(64)?_open|glob(64)?|wordexp|ftok"
    r"|system|__libc_system|f?exec\w+|_{0,2}vfork|(posix|pidfd)_spawnp?|syscall|uselib"
    r"|posix_spawn_file_actions_add(open|chdir(_np)?)|chdir|chroot|pivot_root|acct"
    r"|u?mount2?|mount_setattr|move_mount|swapo(n|ff)|quotactl|bindtextdomain|_{0,2}setmntent"
    r"|inotify_add_watch|fanotify_mark|utmpx?name|updwtmpx?|ruserpass"
    r"|rename(at2?)?|remove|rmdir|(sym)?link(at)?|unlink(at)?|mk(dir|fifo|nod)(at)?|_{0,2}xmknod(at)?"
    r"|truncate(64)?|l?chmod|fchmodat|l?chown|fchownat|l?utimes?|futimesat|utimensat|__nss_files_fopen"
    r"|mk(os|s|d)?temps?(64)?|tempnam|__mktemp|fattach|fdetach|revoke|chflags|__open_catalog|__shm_get_name"
)
"""Functions that access a file by its name, or start a program.

`tests/programs/test_opening.py` checks these names against all functions of the C library.
"""
_STREAMS = re.compile(r"basic_filebuf|basic_[io]?fstream|10filesystem|__basic_file")
"""Parts of names in the C++ library, which calls the functions above."""
_PLACE = re.compile(
    r"dladdr1?|dlv?sym|dl_iterate_phdr|getauxval|program_invocation(_short)?_name|__progname(_full)?"
)
"""Functions that return the location of the program, or a function by its name."""
_BY_NUMBER = re.compile(r"_{0,2}f(x?stat|statv?fs)(64)?|f(get|set|list|remove)xattr|fpathconf")
"""Functions that act on a file that is already open."""


def opens(function: str) -> bool:
    """Return whether a program that calls this function may find, open or run a file with it."""
    named = any(one.fullmatch(function) for one in (_NAMED, _PLACE))
    return named or _STREAMS.search(function) is not None


def opens_by_name(function: str) -> bool:
    """Return whether the function itself accesses a file by its name."""
    return _NAMED.fullmatch(function) is not None and not _BY_NUMBER.fullmatch(function)
