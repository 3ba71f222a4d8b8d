"""Harnesses of other packages, which name theirs by an entry point of Python."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

from steady.errors import InputError
from steady.harness.contract import Harness

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "steady.harnesses"
"""The group of entry points; the name of each is that of its harness."""


def installed(taken: Container[str]) -> Iterator[Harness]:
    """Yield the harnesses that installed packages bring, by their names.

    Parameters
    ----------
    taken : container of str
        Names that none of them may have.

    Raises
    ------
    InputError
        If one cannot be imported, is something else, or has the name of another.
    """
    from importlib.metadata import entry_points  # as slow as the rest of a start

    seen: dict[str, str] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda one: (one.name, one.value)):
        package = _package(point)
        if point.name in taken:
            raise _wrong(point, f"has the name {point.name!r}, which is steady's own")
        other = seen.setdefault(point.name, package)
        if other != package:
            raise _wrong(point, f"has the name {point.name!r}, and so has that of {other}")
        yield _loaded(point)


def _loaded(point: EntryPoint) -> Harness:
    try:
        harness = point.load()
    except Exception as error:  # whatever a stranger's module does
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise _wrong(point, f"cannot be imported from {point.value} ({reason})") from None
    if not isinstance(harness, Harness):
        raise _wrong(point, f"at {point.value} is not a steady.harness.Harness")
    if harness.name != point.name:
        raise _wrong(point, f"is called {harness.name!r}, and its entry point {point.name!r}")
    return harness


def _package(point: EntryPoint) -> str:
    return "an unknown package" if point.dist is None else point.dist.name


def _wrong(point: EntryPoint, problem: str) -> InputError:
    package = _package(point)
    return InputError(f"the harness of package {package} {problem}; update or remove {package}")
