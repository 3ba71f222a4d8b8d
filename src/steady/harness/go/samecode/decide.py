"""Decisions for Go packages: the same code in base and head, or the reason why it may differ.

``go test -c -trimpath -buildvcs=false`` writes the same bytes for the same sources in any folder,
so equal binaries run the same code. Binaries with equal machine code also do, if the benchmarks
cannot read the rest: lines, names and the build information (`capabilities`). If the code differs,
all benchmarks of the package may have changed, and `nearest_changes` finds the nearest change to
each.

The same code may still behave differently, because of a library that the system loads or a file
that it opens (`surrounding_files`).
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from steady.harness.builds import UNKNOWN, Builds, Decision, Nearness, decided, nearness
from steady.harness.fields import quoted
from steady.harness.go.bench_pattern import split_name
from steady.harness.go.run.test_binaries import BuildInfo, binaries, build_info
from steady.harness.go.samecode.capabilities import Capabilities
from steady.harness.go.samecode.changed_functions import ChangedFunctions
from steady.harness.go.samecode.functions import Functions
from steady.harness.go.samecode.machine_code import same_machine_code
from steady.harness.go.samecode.surrounding_files import (
    Constants,
    FolderPair,
    reason_by_files,
    reason_by_libraries,
    same_file,
)
from steady.harness.runs import Runs
from steady.harness.trial import Held, Version
from steady.model import Identity
from steady.samecode.reachability import NearestChange, Reachability

REMEDY = "build base and head with go test -c -trimpath -buildvcs=false"

_UNKNOWN = "its test binary does not record its package"
_DIFFER = "the test binaries differ"
_CODE = f"{_DIFFER}: code of the package, or of its imports"
_NO_PATH = f"{_DIFFER}, but no call path from it to a change is known"


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
        """Return the decision for each benchmark: that for its package."""
        return decided(held, self._why, lambda identity: self._nearest_of(identity)[1:])

    @property
    def nothing_differs(self) -> bool:
        """Whether all packages run the same code."""
        return not any(self.reasons.values())

    def runs_same_code(self, binary: Path) -> bool:
        """Return whether a binary runs the same code as the other version's binary."""
        return self.reasons.get(build_info(binary).package, _UNKNOWN) == ""

    def nearness(self, package: str, benchmark: str) -> Nearness:
        """Return the sort key of a top-level benchmark: those nearest to a change come first."""
        found = self._nearest(package).get(benchmark)
        return UNKNOWN if found is None else nearness(found.distance, found.share)

    @cached_property
    def reasons(self) -> Mapping[str, str]:
        """The reason why the benchmarks of each package may not run the same code.

        Keys are import paths, sorted, or an empty string for binaries that do not record their
        package. The reason is empty for packages that run the same code.
        """
        return {package: self._package_reason(package) for package in sorted(self._paths)}

    @cached_property
    def _paths(self) -> Mapping[str, tuple[Sequence[Path], Sequence[Path]]]:
        """The binaries of each package in base and in head."""
        held: dict[str, tuple[list[Path], list[Path]]] = defaultdict(lambda: ([], []))
        for side, target in enumerate((self.base, self.head)):
            for path in binaries(target):
                held[build_info(path).package][side].append(path)
        return held

    @cached_property
    def _folders(self) -> FolderPair:
        base, head = (side if side.is_dir() else side.parent for side in (self.base, self.head))
        return FolderPair(base.resolve(), head.resolve())

    def _why(self, identity: Identity) -> str:
        package, _ = split_name(identity.name)
        why = self.reasons.get(package, _UNKNOWN)
        if not why.startswith(_DIFFER):
            return why
        if found := self._nearest_of(identity).why:
            return found
        return _NO_PATH if why == _CODE and self._nearest(package) else why

    def _nearest_of(self, identity: Identity) -> NearestChange:
        return self._nearest(identity.holder).get(identity.method, NearestChange())

    @cached_property
    def _nearest(self) -> Callable[[str], Mapping[str, NearestChange]]:
        return cache(self._find_nearest)

    def _find_nearest(self, package: str) -> Mapping[str, NearestChange]:
        base, head = self._paths.get(package, ((), ()))
        if not (len(base) == len(head) == 1 and self.reasons[package]):
            return {}
        functions = Functions.of(base[0].read_bytes())
        of_head = _capabilities(head[0])
        if functions is None or of_head is None:
            return {}
        changes = ChangedFunctions(functions, of_head.functions, of_head.own, of_head.is_own)
        return nearest_changes(changes)

    def _package_reason(self, package: str) -> str:
        base, head = self._paths[package]
        if not package:
            return _UNKNOWN
        for version, paths in (("base", base), ("head", head)):
            if not paths:
                return f"{version} has no test binary for its package"
            if len(paths) > 1:
                return f"{version} has several test binaries for its package"
        try:
            pair = base[0], head[0]
            return _program_reason(*pair) or reason_by_libraries(*pair) or self._files_reason(*pair)
        except OSError as error:
            return f"a file that it may read is unreadable ({error.strerror})"

    def _files_reason(self, base: Path, head: Path) -> str:
        if not self._folders.differing:
            return ""
        folders = [
            path.parent.resolve().relative_to(root).as_posix()
            for path, root in ((base, self._folders.base), (head, self._folders.head))
        ]
        capabilities = _capabilities(base)
        if capabilities is not None and not capabilities.opens:
            return ""
        if folders[0] != folders[1]:
            return "its test binary is in a different folder, and it may read files there"
        constants = None
        if capabilities is not None and not capabilities.lists:
            constants = Constants(capabilities.functions.elf)
        return reason_by_files(self._folders, folders[0], constants)


def go_builds(runs: Runs, versions: Sequence[Version]) -> GoBuilds:
    """Return the test binaries of base and head; reuse those that the harness has analyzed."""
    fresh = GoBuilds(*(version.target for version in versions))
    known = getattr(runs, "builds", None)
    return known if isinstance(known, GoBuilds) and known == fresh else fresh


def _program_reason(base: Path, head: Path) -> str:
    """Return the reason why two binaries may not be the same program; empty if they are."""
    if same_file(base, head):
        return ""
    built = build_info(base), build_info(head)
    contents = base.read_bytes(), head.read_bytes()
    same_go = built[0].go == built[1].go
    texts = built[0].text, built[1].text
    if not same_go or not same_machine_code(*contents, texts, built[0].go):
        return _build_reason(*built)
    capabilities = _capabilities(base)
    if capabilities is None:
        return f"{_DIFFER}, perhaps only in line numbers, which code may read"
    if capabilities.reveals:
        return (
            f"{_DIFFER} in line numbers, names or versions, which {capabilities.reveals} can read"
        )
    return ""


def _capabilities(binary: Path) -> Capabilities | None:
    functions = Functions.of(binary.read_bytes())
    if functions is None:
        return None
    built = build_info(binary)
    return Capabilities(functions, tuple(built.modules), built.package)


def _build_reason(base: BuildInfo, head: BuildInfo) -> str:
    """Return the reason why two binaries differ, according to their build information."""
    if base.go != head.go:
        return f"base was built by {quoted(base.go)}, head by {quoted(head.go)}"
    for name in sorted({*base.settings, *head.settings}):
        of_base, of_head = base.settings.get(name, ""), head.settings.get(name, "")
        if of_base != of_head:
            setting = quoted(name)
            return f"base was built with {setting} {quoted(of_base)}, head with {quoted(of_head)}"
    if "-trimpath" not in base.settings:
        return f"{_DIFFER}, perhaps only in paths; {REMEDY}"
    for module in sorted({*base.modules, *head.modules}):
        if base.modules.get(module) != head.modules.get(module):
            return f"{_DIFFER}, and so does the module {quoted(module)}"
    return _CODE


_BENCHMARK = re.compile(r"\.(Benchmark(?![a-z])\w*)(?:\.|$)")


def nearest_changes(changes: ChangedFunctions) -> dict[str, NearestChange]:
    """Return the nearest change to each top-level benchmark of head, along calls between functions.

    The result only determines the order of benchmarks and the reasons in reports, never whether a
    benchmark is skipped. Calls through Go's standard library and through interfaces are not
    followed, so a path may be missed, or a shorter one may exist.

    Parameters
    ----------
    changes : ChangedFunctions
        The differences between base and head.

    Returns
    -------
    dict of str to NearestChange
        Keys are names of functions, such as ``BenchmarkWords``. Benchmarks without a known path to
        a change are omitted.
    """
    head, own, reasons = changes.head, np.array(changes.own, bool), changes.reasons()
    functions: dict[str, list[int]] = {}
    for number in np.flatnonzero(own).tolist():
        if match := _BENCHMARK.search(head.names[number]):
            functions.setdefault(match[1], []).append(number)
    reachability = Reachability(head.call_graph(own), list(functions.values()))
    paths = reachability.paths(reasons)
    sizes = head.sizes.tolist()
    shares = reachability.changed_shares(
        np.flatnonzero(own).tolist(), sizes.__getitem__, reasons.__contains__
    )
    found = {}
    for benchmark, (name, starts) in enumerate(functions.items()):
        known = [path for start in starts if (path := paths.path(start, benchmark))]
        if known:
            nearest = min(known, key=lambda path: (len(path), path[-1]))
            share = float(shares[benchmark])
            found[name] = NearestChange(reasons[nearest[-1]], len(nearest), share)
    return found
