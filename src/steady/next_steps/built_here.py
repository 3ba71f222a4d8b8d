"""Benchmarks that lie built in the current folder: what a proposed command can name."""

from __future__ import annotations

from pathlib import Path

from steady.harness import HARNESSES


def files_here() -> list[Path]:
    """Return the files that hold benchmarks, where build tools leave them."""
    return [path for path in _built_here() if not path.is_dir()]


def built_side(side: str) -> str:
    """Return what seems to be base or head here; empty if nothing tells.

    What has the word in its name does. Without such a name, the only file is head: the version
    before needs a checkout of its own.
    """
    built = [path for path in _built_here() if "original" not in path.name]
    named = [path for path in built if side in path.stem]
    if named:
        return str(named[0])
    others = [path for path in built if "base" not in path.stem and not path.is_dir()]
    return str(others[0]) if side == "head" and len(others) == 1 else ""


def _built_here() -> list[Path]:
    parts = (entry.value.building.built for entry in HARNESSES.values())
    return [path for built in parts if built is not None for path in built()]
