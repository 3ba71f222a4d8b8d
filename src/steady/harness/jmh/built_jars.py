"""Jars of benchmarks in the current folder, where build tools leave them."""

from __future__ import annotations

import zipfile
from itertools import chain, islice
from pathlib import Path

from steady.files import ARCHIVE_DAMAGE
from steady.harness.jmh.configure.benchmark_list_file import LIST

_PLACES = (
    "*.jar",
    "target/*.jar",
    "build/libs/*.jar",
    "build/benchmarks/*/jars/*.jar",
    "target/scala-*/*.jar",
    "*/target/*.jar",
    "*/build/libs/*.jar",
)

_MOST = 50
"""Jars that are opened: a folder may hold thousands."""


def built_jars() -> list[Path]:
    """Return the jars that hold benchmarks."""
    jars = islice(chain.from_iterable(sorted(Path().glob(p)) for p in _PLACES), _MOST)
    return [jar for jar in jars if _holds_benchmarks(jar)]


def _holds_benchmarks(jar: Path) -> bool:
    try:
        with zipfile.ZipFile(jar) as archive:
            return LIST in archive.NameToInfo
    except (OSError, *ARCHIVE_DAMAGE):
        return False
