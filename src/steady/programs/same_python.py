"""Decide whether a benchmark has an identical code path in two check-outs of a Python project.

A process behaves the same in both if all files and folders that it reads are the same. So one
process of base runs the benchmark for a short time. `python_start` records the paths that Python
opens, lists and searches, including missing ones, and `file_watch` those of native libraries. The
benchmark runs the same code if all of them are the same in head. Anything that may be unobserved
counts as a difference: programs that it starts, files that it writes, libraries that may open files
unrecorded. For files that the process may read later, its sources are searched: they must not name
a file that differs.

Assumptions: the behaviour does not depend on the time stamps of files, nor on a file whose name is
computed after the short time.
"""

import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from steady.harness.builds import Builds, Decision, decided
from steady.harness.fields import quoted
from steady.harness.runs import Runs
from steady.harness.trial import Held, Version
from steady.model import Identity
from steady.programs.file_watch import FileWatch
from steady.programs.process import Program, run_alone
from steady.programs.program_kind import Place
from steady.programs.program_runs import ProgramRuns
from steady.programs.two_trees import TwoTrees

_START = Path(__file__).with_name("python_start").resolve()
_PROCESS_SECONDS = 60.0
_ALL_SECONDS = 60.0
"""Benchmarks that are not analysed within this time are measured."""
_PYTHON = re.compile(r"(python|pypy)[\d.]*")
_STARTS_PYTHON = re.compile(rb"\x7fELF|#!(?!.*\benv\b).*python|#!/bin/sh\n'''exec' .*python")
_DYNAMIC = re.compile(
    rb"\b(import_module|__import__|find_spec|spec_from_file_location|exec_module|run_path|run_module"
    rb"|walk_packages|iter_modules|entry_points|dlopen|CDLL|load_library)\b"
)


@runtime_checkable
class Watchable(Protocol):
    """A kind of program that is written in Python."""

    scripts: tuple[str, ...]
    """Names of its own programs."""

    names_only: str
    """Path suffix of its module that reads only the file names of a folder."""

    asks: str
    """Path suffix of its module that starts programs to describe the machine."""

    def glimpse(self, place: Place, identity: Identity) -> Program:
        """Return the program that runs one benchmark for a short time without results."""

    def shared_process(self, identity: Identity) -> str:
        """Return the name of the process that a benchmark can share; see `Runs.shared_process`."""

    def loading(self, place: Place, identity: Identity) -> Program:
        """Return the program that only loads the benchmarks that share a process."""


_CODE = (".py", ".pyi", ".pyx", ".pth", ".so", ".c", ".cc", ".cpp", ".rs", ".toml", ".cfg")
"""Suffixes of files that are code or build settings."""


@dataclass(frozen=True)
class PythonBuilds(Builds):
    """The check-outs of base and head.

    Parameters
    ----------
    kind : Watchable
        Kind of the program that runs in them.
    places : sequence of Place
        Locations of base and head.
    """

    kind: Watchable
    places: Sequence[Place]
    _until: float = field(default_factory=lambda: time.monotonic() + _ALL_SECONDS)
    _loaded: dict[str, str] = field(default_factory=dict)
    """What differs in the files that all benchmarks of a process load; empty if nothing does."""

    def decisions(self, held: Held) -> tuple[Decision, ...]:
        """Return a decision for each benchmark, from the files that it reads."""
        with tempfile.TemporaryDirectory() as folder:
            watch = FileWatch.built(Path(folder))
            return decided(held, lambda identity: self._why(identity, watch))

    @property
    def nothing_differs(self) -> bool:
        """Whether no file of code differs, neither Python nor native."""
        return not any(path.endswith(_CODE) for path in self._trees.differing)

    def _why(self, identity: Identity, watch: FileWatch) -> str:
        program, other = (self.kind.glimpse(place, identity) for place in self.places)
        obstacle = self._obstacle(program.command[0], other.command[0])
        if obstacle:
            return obstacle
        if time.monotonic() > self._until:
            return "the time for observing its file accesses was over"
        process = self.kind.shared_process(identity)
        if process and process not in self._loaded:
            loading = self.kind.loading(self.places[0], identity)
            seen = self._seen(loading, watch)
            self._loaded[process] = "" if seen is None else self._difference(seen, watch)
        if difference := self._loaded.get(process, ""):
            return difference
        seen = self._seen(program, watch)
        if seen is None:
            return "its file accesses are unknown because it did not finish"
        return self._difference(seen, watch)

    def _seen(self, program: Program, watch: FileWatch) -> dict[str, Any] | None:
        """Run a program, and return its file accesses; None if it did not finish."""
        with tempfile.TemporaryDirectory() as folder:
            file, log = (Path(folder).resolve() / name for name in ("seen.json", "opened"))
            paths = program.environment.get("PYTHONPATH") or os.environ.get("PYTHONPATH", "")
            more = {"PYTHONPATH": f"{_START}{os.pathsep}{paths}", "STEADY_SEEN": str(file)}
            more |= {"STEADY_SEEN_NAMES": self.kind.names_only, "STEADY_SEEN_ASKS": self.kind.asks}
            more |= watch.environment(log)
            watched = replace(program, environment={**program.environment, **more})
            ended = run_alone(watched, _PROCESS_SECONDS)
            if ended.code != 0 or not file.is_file():
                return None
            seen: dict[str, Any] = json.loads(
                file.read_text(encoding="utf-8", errors="surrogateescape")
            )
            watch.add(log, seen)
            return seen

    def _difference(self, seen: dict[str, Any], watch: FileWatch) -> str:
        try:
            return next(chain(self._differences(seen), watch.doubts(seen, self._trees)), "")
        except OSError as error:
            return f"a file cannot be read ({error.strerror})"

    @cached_property
    def _trees(self) -> TwoTrees:
        return TwoTrees(*(str(place.target) for place in self.places))

    def _obstacle(self, base: str, head: str) -> str:
        """Return why two programs cannot be analysed; empty if they can."""
        if self._trees.nested:
            return "base and head are the same folder, or one contains the other"
        found = shutil.which(base)
        begin = b""
        with suppress(OSError):
            begin = b"" if found is None else Path(found).read_bytes()[:200]
        name = Path(base).name
        known = _PYTHON.fullmatch(name) or name in self.kind.scripts
        if not (known and _STARTS_PYTHON.match(begin)):
            return f"it is unknown what {quoted(name)} runs"
        same = self._trees.mapped(base) == head and (base == head or self._trees.same(base))
        return "" if same else "head runs in another Python"

    def _differences(self, seen: dict[str, Any]) -> Iterator[str]:
        trees = self._trees
        yield from (f"it {doubt}" for doubt in seen["doubts"])
        written = (path for path in _paths(seen["written"]) if "__pycache__" not in path)
        yield from (f"it writes {trees.named(path)}" for path in written if trees.holds(path))
        opened = {*_paths(seen["opened"]), *seen["loaded"], *seen["python"]}
        listed, named, kinds = ({*_paths(seen[one])} for one in ("listed", "named", "kinds"))
        for path in sorted(opened | listed | named | kinds):
            if trees.elsewhere(path):
                yield f"it reads {quoted(path)}, which may be another file for head"
        linked = (path for folder, path in seen["opened"] if _by_link(folder, path))
        yield from (f"it reads {quoted(path)} through a symbolic link" for path in linked)
        # Python stores compiled code there, at first only in base, where the process ran.
        asked = sorted(p for p in kinds if trees.holds(p) and "__pycache__" not in Path(p).parts)
        yield from (f"{trees.named(path)} differs" for path in asked if not trees.same_kind(path))
        own = sorted({_source(path) for path in opened if trees.holds(path)})
        yield from (f"{trees.named(path)} differs" for path in own if not trees.same(path))
        for path in sorted(filter(trees.holds, listed | named)):
            if not trees.same_listing(path, sizes=path in listed):
                yield f"the files in {trees.named(path)} differ"
        places = ((*_paths([(folder, entry)]), name) for folder, entry, name in seen["sought"])
        for path, name in sorted(places):
            if trees.holds(path) and not trees.same_modules(path, name):
                yield f"the files of the module {quoted(name)} in {trees.named(path)} differ"
        yield from self._later(own)

    def _later(self, own: Iterable[str]) -> Iterator[str]:
        """Yield the differing files that the process may read after the observed time."""
        trees = self._trees
        found = (path for path in own if path.endswith(".py") and Path(path).is_file())
        sources = {path: trees.content(path) for path in found}
        for path in trees.differing:
            name = Path(path).name
            if path.endswith(".pth") or name == "pyvenv.cfg":
                yield f"{trees.named(path)} differs"
            top, stem = trees.module_of(path)
            if not path.endswith((".py", ".so", ".pyc")):
                top, stem = "", name
            word, first = (re.compile(rb"(?<!\w)" + re.escape(os.fsencode(one)) + rb"(?!\w)")
                           for one in (stem, top))  # fmt: skip
            for source, text in sources.items():
                if top and not (trees.module_of(source)[0] == top or first.search(text)):
                    continue
                if word.search(text) or (top and _DYNAMIC.search(text)):
                    yield f"{trees.named(source)} may use {trees.named(path)}, which differs"


def python_builds(runs: Runs, versions: Sequence[Version]) -> PythonBuilds:
    """Return the check-outs of base and head."""
    if not isinstance(runs, ProgramRuns) or not isinstance(runs.kind, Watchable):
        raise TypeError(f"{runs.name} does not run as a program of Python")
    places = [runs.place(version) for version in versions]
    return PythonBuilds(runs.kind, [replace(one, target=one.target.resolve()) for one in places])


def _paths(noted: Iterable[Sequence[str]]) -> Iterator[str]:
    for folder, path in noted:
        yield os.path.normpath(os.path.join(folder, path))  # noqa: PTH118 - text only


def _by_link(folder: str, path: str) -> bool:
    """Return whether ``..`` follows a symbolic link, so that the path cannot be normalized."""
    named = os.path.join(folder, path)  # noqa: PTH118 - text only
    return ".." in path and os.path.realpath(named) != os.path.realpath(os.path.normpath(named))


def _source(path: str) -> str:
    """Return the source of a compiled Python file, or the path itself if it is not one."""
    folder, name = os.path.split(path)
    if os.path.basename(folder) != "__pycache__":  # noqa: PTH119 - text only
        return path
    module = f"{name.partition('.')[0]}.py"
    return os.path.join(os.path.dirname(folder), module)  # noqa: PTH118, PTH120 - text only
