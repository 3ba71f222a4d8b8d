"""Record the files that a Python process opens or looks for; loaded before all other modules.

It imports nothing of steady. ``file_watch.c`` records the accesses of native libraries. The record
is written to the file in ``STEADY_SEEN`` at exit. The environment's own ``sitecustomize`` is loaded
next.
"""

# It runs before modules such as `pathlib` may be loaded, and uses internals of Python.
# ruff: noqa: B010, PTH100, PTH109, PTH118, PTH120, PTH123, SLF001
import atexit
import contextlib
import importlib.machinery
import json
import os
import sys
from typing import Any

_OPENS = {"open": 0, "sqlite3.connect": 0, "ctypes.dlopen": 0, "import": 1}
_STARTS = {
    *("os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn", "os.system"),
    *("subprocess.Popen", "pty.spawn"),
}
_CHANGES = {
    "os.mkdir",
    "os.rename",
    "os.remove",
    "os.rmdir",
    "os.link",
    "os.symlink",
    "os.truncate",
}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_IMPORTER = "<frozen importlib._bootstrap_external>"
_DISTRIBUTIONS = ("/importlib/metadata/__init__.py", "/importlib_metadata/__init__.py")

_KINDS = {
    *("exists", "lexists", "isfile", "isdir", "islink", "is_file", "is_dir", "is_symlink"),
    *("realpath", "_joinrealpath", "resolve"),
}
_PATHS = (
    *("genericpath>", "posixpath>", "/genericpath.py", "/posixpath.py", "/pathlib.py"),
    *("/pathlib/__init__.py", "/pathlib/_local.py"),
)

_seen: dict[str, set[Any]] = {
    name: set() for name in ("opened", "kinds", "listed", "named", "written", "sought", "doubts")
}


def _note(kind: str, path: Any) -> None:
    if isinstance(path, (str, bytes, os.PathLike)):
        _seen[kind].add((os.getcwd(), os.fsdecode(path)))


def _note_listing(caller: str, path: Any) -> None:
    """Record the information about a folder that its reader receives."""
    if _names_only and caller.endswith(_names_only):
        _note("named", path)
    elif caller.endswith(_DISTRIBUTIONS):
        _seen["sought"].add((os.getcwd(), os.fsdecode(path), ""))
    elif caller != _IMPORTER:
        _note("listed", path)


def _note_start() -> None:
    """Record the start of a program, unless a harness uses it to describe the machine."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        if _asks and frame.f_code.co_filename.endswith(_asks):
            return
        frame = frame.f_back
    _seen["doubts"].add("starts another program")


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if event in _OPENS:
        _note("opened", args[_OPENS[event]])
        if event == "open" and isinstance(args[2], int) and args[2] & _WRITES:
            _note("written", args[0])
    elif event in ("os.listdir", "os.scandir"):
        if isinstance(args[0], int):
            _seen["doubts"].add("lists a folder by its file descriptor")
        else:
            _note_listing(sys._getframe(1).f_code.co_filename, args[0] or ".")
    elif event in _STARTS:
        _note_start()
    elif event.startswith("ctypes.dlsym"):
        _seen["doubts"].add("looks up C functions by name")
    elif event in _CHANGES:
        _note("written", args[0])
        _note("written", args[1])


def _asks_kind() -> bool:
    """Return whether the caller is a function of Python that reads only the type of a path."""
    caller = sys._getframe(2)
    frames = [one.f_code for one in (caller, caller.f_back) if one is not None]
    return any(code.co_name in _KINDS and code.co_filename.endswith(_PATHS) for code in frames)


class _Noting:
    """A function of ``os``; unlike a Python function it never becomes a method."""

    def __init__(self, real: Any) -> None:
        self.real = real
        for known in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
            if real in known:
                known.add(self)

    def __call__(self, path: Any, *args: Any, **named: Any) -> Any:
        if named.get("dir_fd") is not None:
            _seen["doubts"].add("looks for files relative to a file descriptor")
        _note("kinds" if _asks_kind() else "opened", path)
        return self.real(path, *args, **named)


def _find_spec(self: Any, name: str, target: Any = None) -> Any:
    _seen["sought"].add((os.getcwd(), self.path, name.rpartition(".")[2]))
    return _found(self, name, target)


def _is_library(line: str) -> bool:
    """Return whether a line of the process's memory map names a library, of any file name."""
    return "/" in line and ("x" in line.split(maxsplit=2)[1] or ".so" in line)


def _end() -> None:
    for entry in {*sys.path, *_first_path, *sys.path_importer_cache}:
        _note("opened", entry)
        for name in _first_modules:
            _seen["sought"].add((os.getcwd(), entry, name))
    for module in [*sys.modules.values()]:
        _note("opened", getattr(module, "__file__", None))
    loaded = set()
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
            loaded = {line[line.index("/") : -1] for line in file if _is_library(line)}
    except OSError:
        _seen["doubts"].add("has an unknown set of loaded libraries")
    noted = {**{kind: sorted(found) for kind, found in _seen.items()}, "loaded": sorted(loaded)}
    noted["modules"] = sorted(sys.modules)
    noted["python"] = [sys.executable, os.path.realpath(sys.executable)]
    with open(_file, "w", encoding="utf-8", errors="surrogateescape") as file:
        json.dump(noted, file)


_file = os.environ.pop("STEADY_SEEN", "")
_names_only = os.environ.pop("STEADY_SEEN_NAMES", "")
_asks = os.environ.pop("STEADY_SEEN_ASKS", "")
_own = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _own]
_paths = [one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one != _own]
os.environ["PYTHONPATH"] = os.pathsep.join(_paths)
sys.path_importer_cache.pop(_own, None)
if _file:
    _first_path, _first_modules = [*sys.path], [name for name in sys.modules if "." not in name]
    _found = importlib.machinery.FileFinder.find_spec
    setattr(importlib.machinery.FileFinder, "find_spec", _find_spec)
    for _name in ("stat", "lstat", "access", "readlink", "statvfs", "open"):
        setattr(os, _name, _Noting(getattr(os, _name)))
    with contextlib.suppress(ImportError):
        import _posixsubprocess

        _fork = _posixsubprocess.fork_exec

        def _fork_exec(*args: Any) -> Any:
            _note_start()
            return _fork(*args)

        _posixsubprocess.fork_exec = _fork_exec
    for _test in (os.path.exists, os.path.isfile, os.path.isdir, os.path.lexists):
        _seen["kinds"].clear()
        _test(os.path.join(_own, "absent"))
        if not _seen["kinds"]:
            _seen["doubts"].add("looks for files in a way that cannot be observed")
    atexit.register(_end)
    sys.addaudithook(_hook)
_next = importlib.machinery.PathFinder.find_spec("sitecustomize")
if _next is not None and _next.loader is not None:
    sys.modules["sitecustomize"] = _module = importlib._bootstrap.module_from_spec(_next)
    _next.loader.exec_module(_module)
