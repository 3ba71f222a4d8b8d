"""Two folders with two versions of the same files."""

# Paths remain as a process named them; `pathlib` would change some.
# ruff: noqa: PTH112, PTH113, PTH114, PTH119

import os
import re
from functools import cache, cached_property
from pathlib import Path

from steady.harness.fields import quoted

_join = os.path.join

_SKIPPED = {"__pycache__", ".git"}
"""Names of folders that are not compared: their content is generated from sources, or is recorded
when a process reads it."""

_OWN_LINES = re.compile(rb"(?m)^(\.\./|[^,\n]*(direct_url\.json|__pycache__/)).*\n?")
"""Lines of a list of installed files that depend on the folder, or name generated files."""


class TwoTrees:
    """The folders of base and head; paths are those of base.

    Files also count as the same if they differ only in the path of their own folder.

    Parameters
    ----------
    base, head : str
        Absolute paths without symbolic links.
    """

    def __init__(self, base: str, head: str) -> None:
        self._base, self._head = base, head
        common = os.path.commonpath([base, head])
        self.nested = common in (base, head)
        self._branch = (
            base if self.nested else _join(common, Path(base).relative_to(common).parts[0])
        )
        self._name = re.compile(rf"(?<!\w){re.escape(os.path.basename(base))}(?!\w)")
        self._listing = cache(_listing)
        self.same = cache(self._same)
        self.module_of = cache(self._module_of)

    def holds(self, path: str) -> bool:
        """Return whether a path is in base."""
        return path == self._base or path.startswith(self._base + os.sep)

    def elsewhere(self, path: str) -> bool:
        """Return whether an existing path outside of base may be another path for head.

        This is the case if it begins like the path of base, or contains the name of its folder.
        Parent folders of base are excluded.
        """
        if self.holds(path) or (self._base + os.sep).startswith(path.rstrip(os.sep) + os.sep):
            return False
        if self._name.search(path):
            return True
        other = _join(self._head, os.path.relpath(path, self._base))
        within = path.startswith(self._branch + os.sep)
        return within and (os.path.lexists(path) or os.path.lexists(other))

    def mapped(self, path: str) -> str:
        """Return the corresponding path in head."""
        return self._head + path[len(self._base) :] if self.holds(path) else path

    def named(self, path: str) -> str:
        """Return a path for messages."""
        return quoted(os.path.relpath(path, self._base))

    def _same(self, path: str) -> bool:
        """Return whether a path is the same in both, as a link, a folder or a file."""
        other = self.mapped(path)
        if not self.same_kind(path):
            return False
        is_one = os.path.realpath(path) == os.path.realpath(other)
        return is_one or not os.path.isfile(path) or self.content(path) == self.content(other)

    def same_kind(self, path: str) -> bool:
        """Return whether a path has the same type and link target in both."""
        other = self.mapped(path)
        kinds = [(os.path.isdir(p), os.path.isfile(p), os.path.lexists(p)) for p in (path, other)]
        return kinds[0] == kinds[1] and self.mapped(os.path.realpath(path)) == os.path.realpath(
            other
        )

    def content(self, path: str) -> bytes:
        """Return the content of a file, with the path of its own folder replaced."""
        own = self._base if self.holds(path) else self._head
        text = re.sub(re.escape(os.fsencode(own)) + rb"(?![\w.-])", b"\0", Path(path).read_bytes())
        return _OWN_LINES.sub(b"", text) if path.endswith(".dist-info/RECORD") else text

    def same_listing(self, folder: str, *, sizes: bool) -> bool:
        """Return whether a folder has the same file names, types and optionally sizes in both."""
        base, head = self._listing(folder), self._listing(self.mapped(folder))
        return base == head if sizes else {one[:2] for one in base} == {one[:2] for one in head}

    def same_modules(self, folder: str, name: str) -> bool:
        """Return whether Python finds the same files of a module in a folder of both.

        Without a name, this compares the installed distributions.
        """
        return self._modules(folder, name) == self._modules(self.mapped(folder), name)

    def _modules(self, folder: str, name: str) -> frozenset[str]:
        beside = {one for one, _, _ in self._listing(folder)}
        if not name:
            return frozenset(one for one in beside if one.endswith(("-info", ".egg", ".egg-link")))
        within = (one for one, _, _ in self._listing(_join(folder, name)))
        found = {one for one in beside if one == name or one.startswith(f"{name}.")}
        return frozenset(found | {one for one in within if one.startswith("__init__.")})

    @cached_property
    def differing(self) -> tuple[str, ...]:
        """The files that differ or exist in one version only."""
        base, head = _files(self._base), _files(self._head)
        return tuple(
            _join(self._base, one)
            for one in sorted(base | head)
            if one not in base or one not in head or not self.same(_join(self._base, one))
        )

    def _module_of(self, path: str) -> tuple[str, str]:
        """Return the top-level package of a file, and its module name."""
        folder, name = os.path.split(path)
        stem = name.partition(".")[0]
        if stem == "__init__":
            stem = os.path.basename(folder)
        top = stem
        while any(
            os.path.isfile(_join(one, "__init__.py")) for one in (folder, self.mapped(folder))
        ):
            folder, top = os.path.split(folder)
        return top, stem


def _listing(folder: str) -> frozenset[tuple[str, bool, int]]:
    """Return names, types and sizes; empty if it is not a folder."""
    try:
        with os.scandir(folder) as found:
            return frozenset(
                (one.name, one.is_dir(), 0 if one.is_dir() else one.stat().st_size)
                for one in found
                if one.name not in _SKIPPED
            )
    except OSError:
        return frozenset()


def _files(root: str) -> frozenset[str]:
    """Return the relative paths of all files and links below a folder."""
    found = set()
    for folder, inner, names in os.walk(root):
        inner[:] = [one for one in inner if one not in _SKIPPED]
        linked = (one for one in inner if os.path.islink(_join(folder, one)))
        found |= {os.path.relpath(_join(folder, one), root) for one in (*names, *linked)}
    return frozenset(found)
