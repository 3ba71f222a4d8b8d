"""Packages of Go: which run the same code in base and head, and why others may not.

``go test -c -trimpath -buildvcs=false`` writes the same bytes for the same sources, whichever
folder it runs in, so equal binaries are the same code. Where binaries differ, all benchmarks of
the package may have changed.

A benchmark may also read files. steady compares those that it can find: the files in the binary's
folder, which is the folder that it runs in, and the folders ``testdata`` there and above it.
"""

from __future__ import annotations

import filecmp
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from steady.harness.go.configure.bench_pattern import split_name
from steady.harness.go.run.test_binaries import binaries
from steady.harness.go.samecode.build_info import BuildInfo, build_info, is_test_binary
from steady.harness.go.samecode.machine_code import same_machine_code
from steady.harness.runs import Runs
from steady.harness.trial import Held, Version
from steady.model import Identity
from steady.readers.fields import quoted
from steady.samecode.builds import Builds
from steady.samecode.decision import Decision, decided

TESTDATA = "testdata"
REMEDY = "build base and head with go test -c -trimpath -buildvcs=false"

_UNKNOWN = "its test binary does not say which package it tests"


@dataclass(frozen=True, slots=True)
class GoBuilds(Builds):
    """The test binaries of base and head.

    Parameters
    ----------
    versions : sequence of Version
        The versions.
    """

    versions: Sequence[Version]

    def decisions(self, held: Held) -> tuple[Decision, ...]:
        """Decide for each benchmark as for its package."""
        base, head = self.versions
        whys = differences(base.target, head.target)

        def why(identity: Identity) -> str:
            package, _ = split_name(identity.name)
            return whys.get(package, _UNKNOWN)

        return decided(held, why)


def go_builds(_: Runs, versions: Sequence[Version]) -> GoBuilds:
    """Return the test binaries of base and head."""
    return GoBuilds(versions)


def differences(base: Path, head: Path) -> dict[str, str]:
    """Say for each package why its benchmarks may not run the same code in base and head.

    Parameters
    ----------
    base, head : Path
        A test binary, or a folder of them, of each version.

    Returns
    -------
    dict of str to str
        By import path, sorted; empty texts for packages that run the same code. The path is empty
        for binaries that do not say what they test.
    """
    base_paths, head_paths = _by_package(binaries(base)), _by_package(binaries(head))
    roots = _folder(base), _folder(head)
    return {
        package: _difference(package, base_paths.get(package, []), head_paths.get(package, []))
        or _other_files((base_paths[package][0], head_paths[package][0]), roots)
        for package in sorted({*base_paths, *head_paths})
    }


def _difference(package: str, base: Sequence[Path], head: Sequence[Path]) -> str:
    """Say why the binaries of a package may not be the same program; empty if they are."""
    if not package:
        return _UNKNOWN
    for version, paths in (("base", base), ("head", head)):
        if not paths:
            return f"{version} has no test binary of its package"
        if len(paths) > 1:
            return f"{version} has several test binaries of its package"
    if _same_file(base[0], head[0]):
        return ""
    built = build_info(base[0]), build_info(head[0])
    contents = base[0].read_bytes(), head[0].read_bytes()
    same_go = built[0].go == built[1].go
    if same_go and same_machine_code(*contents, (built[0].text, built[1].text)):
        return ""
    return _why(*built)


def _folder(target: Path) -> Path:
    """Return the folder in which, or below which, the test binaries of a version lie."""
    return (target if target.is_dir() else target.parent).resolve()


def _by_package(paths: Sequence[Path]) -> dict[str, list[Path]]:
    held: dict[str, list[Path]] = defaultdict(list)
    for path in paths:
        held[build_info(path).package].append(path.resolve())
    return held


def _why(base: BuildInfo, head: BuildInfo) -> str:
    """Say why two binaries of a package differ, as far as that is known."""
    if base.go != head.go:
        return f"base was built by {quoted(base.go)}, head by {quoted(head.go)}"
    for name in sorted({*base.settings, *head.settings}):
        of_base, of_head = base.settings.get(name, ""), head.settings.get(name, "")
        if of_base != of_head:
            setting = quoted(name)
            return f"base was built with {setting} {quoted(of_base)}, head with {quoted(of_head)}"
    if "-trimpath" not in base.settings:
        return f"the test binaries differ, perhaps only by paths; {REMEDY}"
    for module in sorted({*base.modules, *head.modules}):
        if base.modules.get(module) != head.modules.get(module):
            return f"the test binaries differ, and so does the module {quoted(module)}"
    return "the test binaries differ: code of the package, or of what it imports"


def _other_files(pair: tuple[Path, Path], roots: tuple[Path, Path]) -> str:
    """Say which file that a benchmark can read differs; empty if none does."""
    try:
        base, head = (dict(_readable(path, root)) for path, root in zip(pair, roots, strict=True))
        for name in sorted({*base, *head}):
            if name not in base or name not in head:
                return f"the file {quoted(name)} is only in {'base' if name in base else 'head'}"
            if not _same_file(base[name], head[name]):
                return f"the file {quoted(name)} differs"
    except OSError as error:
        return f"a file that it may read cannot be read ({error.strerror})"
    return ""


def _readable(binary: Path, root: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files that count, with their paths seen from the binary's folder."""
    for path in binary.parent.iterdir():
        if not (is_test_binary(path) or path.is_dir()):
            yield path.name, path
    folder, up = binary.parent, ""
    while True:
        for path in _below(folder / TESTDATA):
            yield up + path.relative_to(folder).as_posix(), path
        if folder == root or root not in folder.parents:
            return
        folder, up = folder.parent, f"../{up}"


def _below(folder: Path) -> Iterator[Path]:
    """Yield all that a folder holds except folders; links to folders are not followed."""
    left = [folder] if os.path.lexists(folder) else []
    while left:
        path = left.pop()
        if path.is_dir() and not path.is_symlink():
            left += path.iterdir()
        else:
            yield path


def _same_file(base: Path, head: Path) -> bool:
    """Tell whether two files hold the same bytes; a special file equals only itself."""
    return base.resolve() == head.resolve() or filecmp.cmp(base, head, shallow=False)
