"""Which benchmarks lie in the current folder, built: what a proposed command can name."""

from __future__ import annotations

import zipfile
from itertools import chain, islice
from pathlib import Path

from steady.emit.benchmark_list_file import LIST
from steady.files import ARCHIVE_DAMAGE

_PLACES = (
    "*.jar",
    "target/*.jar",
    "build/libs/*.jar",
    "build/benchmarks/*/jars/*.jar",
    "target/scala-*/*.jar",
    "*/target/*.jar",
    "*/build/libs/*.jar",
)
"""Where build tools leave jars."""

_MOST = 50
"""Jars that are opened: a folder may hold thousands."""


def jars_here() -> list[Path]:
    """Return the jars that hold benchmarks of JMH, where build tools leave them."""
    jars = islice(chain.from_iterable(sorted(Path().glob(p)) for p in _PLACES), _MOST)
    return [jar for jar in jars if _holds_benchmarks(jar)]


def built_side(side: str) -> str:
    """Return what seems to be base or head here; empty if nothing tells.

    What has the word in its name does. Without such a name, the only jar is head: the version
    before needs a checkout of its own.
    """
    jars = [jar for jar in jars_here() if "original" not in jar.name]
    named = [jar for jar in jars if side in jar.stem]
    if named:
        return str(named[0])
    for folder in (Path(side), Path("target", side)):
        if next(folder.glob("*.test*"), None) is not None:
            return str(folder)
    others = [jar for jar in jars if "base" not in jar.stem]
    return str(others[0]) if side == "head" and len(others) == 1 else ""


def _holds_benchmarks(jar: Path) -> bool:
    try:
        with zipfile.ZipFile(jar) as archive:
            return LIST in archive.NameToInfo
    except (OSError, *ARCHIVE_DAMAGE):
        return False
