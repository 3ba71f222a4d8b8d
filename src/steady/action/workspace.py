"""Paths given by workflows, restricted to the workspace."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping
from pathlib import Path

from steady.errors import InputError


class Workspace:
    """The folder shared by GitHub's runner and the container.

    A pull request can contain arbitrary symbolic links, so paths are checked after resolution.

    Parameters
    ----------
    root : Path
        Path of the folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Workspace:
        """Return the workspace given by the environment; by default, the current folder."""
        return cls(Path(environ.get("GITHUB_WORKSPACE") or Path.cwd()))

    def files(self, patterns: tuple[str, ...], name: str) -> list[Path]:
        """Return the files that match `patterns`, without duplicates, sorted within each pattern.

        Raises
        ------
        InputError
            If a pattern matches no file, or one outside the workspace.
        """
        paths = [path for pattern in patterns for path in self._expand(pattern, name)]
        return list(dict.fromkeys(paths))

    def file(self, path: str, name: str) -> Path:
        """Return the file at `path`.

        Raises
        ------
        InputError
            If it does not exist, or is outside the workspace.
        """
        target = self._inside(path, name)
        if not target.is_file():
            raise InputError(f"input `{name}`: {path!r} is not a file in the workspace{_HINT}")
        return self._shown(target)

    def sources(self, path: str, name: str) -> Path:
        """Return a file or folder to read from.

        Raises
        ------
        InputError
            If it does not exist, or is outside the workspace.
        """
        target = self._inside(path, name)
        if not target.exists():
            raise InputError(f"input `{name}`: {path!r} does not exist in the workspace{_HINT}")
        return self._shown(target)

    def has(self, path: str) -> bool:
        """Return whether there is a file at `path`."""
        try:
            return (self.root / path).is_file()
        except OSError:
            return False

    def folder(self, path: str, name: str) -> Path:
        """Return a folder to write to; it may not exist yet.

        Raises
        ------
        InputError
            If it is not below the workspace, is Git's own, or contains a link to the outside.
        """
        target = self._inside(path, name)
        parts = target.relative_to(self.root).parts
        if not parts or ".git" in parts:
            raise InputError(
                f"input `{name}`: {path!r} cannot be the output folder; name a separate folder "
                "in the workspace"
            )
        if target.exists() and not target.is_dir():
            raise InputError(f"input `{name}`: {path!r} is a file; name a folder")
        for entry in target.rglob("*"):
            self._inside(str(entry), name)
        return self._shown(target)

    def relative(self, path: Path) -> str:
        """Return `path` relative to the workspace, as in workflows."""
        return path.resolve().relative_to(self.root).as_posix()

    def checkout(self, path: Path) -> Path:
        """Return the root of the checkout that contains `path`: the workspace, or a subfolder."""
        target = path.resolve()
        inside = [p for p in (target, *target.parents) if self.root in p.parents]
        return next((folder for folder in inside if (folder / ".git").exists()), self.root)

    def hand_over(self, folder: Path) -> None:
        """Change the owner of `folder` and its contents to the workspace's owner.

        The container runs as root, but the job's other steps do not, and must be able to read,
        replace and delete its files.
        """
        if not hasattr(os, "geteuid") or os.geteuid() != 0:  # Windows has no root user
            return
        owner = self.root.stat()
        target = folder.resolve()
        above = [p for p in target.parents if p != self.root and self.root in p.parents]
        for path in (*above, target, *target.rglob("*")):
            os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)

    def _expand(self, pattern: str, name: str) -> list[Path]:
        if self.has(pattern):
            matches = [pattern]
        else:
            # Path.glob rejects absolute patterns and ".."; both get a clear error message.
            matches = sorted(glob.glob(pattern, root_dir=self.root, recursive=True))  # noqa: PTH207
        paths = [self._inside(match, name) for match in matches]
        files = [self._shown(path) for path in paths if path.is_file()]
        if files:
            return files
        hint = _HINT
        if any(path.is_dir() for path in paths):
            hint = f", but a folder: write {pattern.rstrip('/')}/*.json"
        raise InputError(f"input `{name}`: {pattern!r} matches no file in the workspace{hint}")

    def _inside(self, path: str, name: str) -> Path:
        """Return the resolved `path`, which must be inside the workspace."""
        try:
            target = (self.root / path).resolve()
        except (OSError, RuntimeError, ValueError):
            raise InputError(f"input `{name}`: {path!r} does not exist") from None
        if not target.is_relative_to(self.root):
            raise InputError(
                f"input `{name}`: {path!r} is outside the workspace; name a path inside it"
            )
        return target

    def _shown(self, path: Path) -> Path:
        """Return `path` relative to the current folder if possible, for reports."""
        here = Path.cwd()
        return path.relative_to(here) if path.is_relative_to(here) else path


_HINT = "; paths are relative to the workspace, the only folder that the container can access"
