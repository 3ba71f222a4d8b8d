"""Packages of Go: which run the same code in base and head, and why others may not.

``go test -c -trimpath -buildvcs=false`` writes the same bytes for the same sources, whichever
folder it runs in, so equal binaries are the same code. So are two with the same machine code, if
nothing that benchmarks run can see the rest: lines, names and the description of the build. Where
the code differs, all benchmarks of the package may have changed, and the functions say which are
near to it.

The same code may still do something else: by a library that the system loads, or a file that it
opens (`files`).
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from steady.harness.builds import UNKNOWN, Builds, Decision, Nearness, decided, nearness
from steady.harness.fields import quoted
from steady.harness.go.bench_pattern import split_name
from steady.harness.go.run.test_binaries import binaries
from steady.harness.go.samecode.build_info import BuildInfo, build_info
from steady.harness.go.samecode.changed_functions import ChangedFunctions
from steady.harness.go.samecode.files import (
    Trees,
    Words,
    same_file,
    why_files_count,
    why_libraries_count,
)
from steady.harness.go.samecode.functions import Functions
from steady.harness.go.samecode.machine_code import same_machine_code
from steady.harness.go.samecode.nearness import Way, ways_to_changes
from steady.harness.go.samecode.reach import Reach
from steady.harness.runs import Runs
from steady.harness.trial import Held, Version
from steady.model import Identity

REMEDY = "build base and head with go test -c -trimpath -buildvcs=false"

_UNKNOWN = "its test binary does not say which package it tests"
_DIFFER = "the test binaries differ"
_CODE = f"{_DIFFER}: code of the package, or of what it imports"
_NO_WAY = f"{_DIFFER}, but no call from it to a change is known"


@dataclass(frozen=True)
class GoBuilds(Builds):
    """The test binaries of base and head.

    Parameters
    ----------
    base, head : Path
        A test binary, or a folder of them, of each version.
    """

    base: Path
    head: Path

    def decisions(self, held: Held) -> tuple[Decision, ...]:
        """Decide for each benchmark as for its package."""
        return decided(held, self._why, self._near)

    @property
    def nothing_differs(self) -> bool:
        """Whether all packages run the same code."""
        return not any(self.whys.values())

    def is_same(self, binary: Path) -> bool:
        """Tell whether a binary runs the same code as that of the other version."""
        return self.whys.get(build_info(binary).package, _UNKNOWN) == ""

    def nearness(self, package: str, benchmark: str) -> Nearness:
        """Return what sorts the top-level benchmarks of a package, nearest to the change first."""
        way = self._ways(package).get(benchmark)
        return UNKNOWN if way is None else nearness(way.distance, way.share)

    @cached_property
    def whys(self) -> Mapping[str, str]:
        """Why the benchmarks of a package may not run the same code in base and head.

        By import path, sorted; empty texts for packages that run the same code. The path is empty
        for binaries that do not say what they test.
        """
        return {package: self._why_package(package) for package in sorted(self._paths)}

    @cached_property
    def _paths(self) -> Mapping[str, tuple[Sequence[Path], Sequence[Path]]]:
        """The binaries of each package in base and in head."""
        held: dict[str, tuple[list[Path], list[Path]]] = defaultdict(lambda: ([], []))
        for side, target in enumerate((self.base, self.head)):
            for path in binaries(target):
                held[build_info(path).package][side].append(path)
        return held

    @cached_property
    def _trees(self) -> Trees:
        base, head = (side if side.is_dir() else side.parent for side in (self.base, self.head))
        return Trees(base.resolve(), head.resolve())

    def _why(self, identity: Identity) -> str:
        package, _ = split_name(identity.name)
        why = self.whys.get(package, _UNKNOWN)
        if not why.startswith(_DIFFER):
            return why
        ways = self._ways(package)
        way = ways.get(identity.method)
        return (_NO_WAY if ways and why == _CODE else why) if way is None else way.why

    def _near(self, identity: Identity) -> tuple[int, float]:
        way = self._ways(identity.holder).get(identity.method)
        return (0, 0.0) if way is None else way[:2]

    @cached_property
    def _ways(self) -> Callable[[str], Mapping[str, Way]]:
        return cache(self._known_ways)

    def _known_ways(self, package: str) -> Mapping[str, Way]:
        base, head = self._paths.get(package, ((), ()))
        if not (len(base) == len(head) == 1 and self.whys[package]):
            return {}
        functions = Functions.of(base[0].read_bytes())
        reach = _reach(head[0])
        if functions is None or reach is None:
            return {}
        changes = ChangedFunctions(functions, reach.functions, reach.own, reach.is_own)
        return ways_to_changes(changes)

    def _why_package(self, package: str) -> str:
        base, head = self._paths[package]
        if not package:
            return _UNKNOWN
        for version, paths in (("base", base), ("head", head)):
            if not paths:
                return f"{version} has no test binary of its package"
            if len(paths) > 1:
                return f"{version} has several test binaries of its package"
        try:
            pair = base[0], head[0]
            return _why_program(*pair) or why_libraries_count(*pair) or self._why_files(*pair)
        except OSError as error:
            return f"a file that it may read cannot be read ({error.strerror})"

    def _why_files(self, base: Path, head: Path) -> str:
        if not self._trees.differing:
            return ""
        folders = [
            path.parent.resolve().relative_to(root).as_posix()
            for path, root in zip((base, head), (self._trees.base, self._trees.head), strict=True)
        ]
        reach = _reach(base)
        if reach is not None and not reach.opens:
            return ""
        if folders[0] != folders[1]:
            return "its test binary lies in another folder, and it may read files there"
        named = reach is not None and not reach.lists
        words = Words(reach.functions.elf) if reach is not None and named else None
        return why_files_count(self._trees, folders[0], words)


def go_builds(runs: Runs, versions: Sequence[Version]) -> GoBuilds:
    """Return the test binaries of base and head, as the harness looked into them before."""
    fresh = GoBuilds(*(version.target for version in versions))
    known = getattr(runs, "builds", None)
    return known if isinstance(known, GoBuilds) and known == fresh else fresh


def _why_program(base: Path, head: Path) -> str:
    """Say why two binaries of a package may not be the same program; empty if they are."""
    if same_file(base, head):
        return ""
    built = build_info(base), build_info(head)
    contents = base.read_bytes(), head.read_bytes()
    same_go = built[0].go == built[1].go
    texts = built[0].text, built[1].text
    if not same_go or not same_machine_code(*contents, texts, built[0].go):
        return _why_differ(*built)
    reach = _reach(base)
    if reach is None:
        return f"{_DIFFER}, perhaps only by lines, and it is not known who sees them"
    if reach.reveals:
        return f"{_DIFFER} by lines, names or versions, which {reach.reveals} shows"
    return ""


def _reach(binary: Path) -> Reach | None:
    functions = Functions.of(binary.read_bytes())
    built = build_info(binary)
    return None if functions is None else Reach(functions, tuple(built.modules), built.package)


def _why_differ(base: BuildInfo, head: BuildInfo) -> str:
    """Say why two binaries of a package differ, as far as that is known."""
    if base.go != head.go:
        return f"base was built by {quoted(base.go)}, head by {quoted(head.go)}"
    for name in sorted({*base.settings, *head.settings}):
        of_base, of_head = base.settings.get(name, ""), head.settings.get(name, "")
        if of_base != of_head:
            setting = quoted(name)
            return f"base was built with {setting} {quoted(of_base)}, head with {quoted(of_head)}"
    if "-trimpath" not in base.settings:
        return f"{_DIFFER}, perhaps only by paths; {REMEDY}"
    for module in sorted({*base.modules, *head.modules}):
        if base.modules.get(module) != head.modules.get(module):
            return f"{_DIFFER}, and so does the module {quoted(module)}"
    return _CODE
