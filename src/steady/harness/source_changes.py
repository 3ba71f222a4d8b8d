"""The changes of sources into which a plan is put."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from steady.optimize.suite_plan import Plan


@dataclass(frozen=True, slots=True)
class SourceChange:
    """What becomes of one source file.

    Parameters
    ----------
    path : Path
        The file.
    before, after : bytes
        All of it.
    """

    path: Path
    before: bytes
    after: bytes


@dataclass(frozen=True, slots=True)
class Rewriting:
    """What becomes of a folder of sources.

    Parameters
    ----------
    root : Path
        The folder.
    changes : tuple of SourceChange
        By path; files that stay as they are do not stand here.
    not_found : tuple of (str, str)
        Benchmarks whose source is not known for sure, and why; they keep their annotations.
    kept : tuple of (str, str)
        Benchmarks that were found and keep their annotations, and why.
    reduced : tuple of str
        Benchmarks whose annotations say what the plan says.
    """

    root: Path
    changes: tuple[SourceChange, ...]
    not_found: tuple[tuple[str, str], ...] = ()
    kept: tuple[tuple[str, str], ...] = ()
    reduced: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many benchmarks the plan holds, by their names in the sources."""
        return len(self.reduced) + len(self.kept) + len(self.not_found)

    def diff(self) -> str:
        """Return the changes as a unified diff, with paths relative to the folder.

        `git apply` and `patch -p1` take it. A file that is not UTF-8 is shown as Latin-1, which
        is to be read, not applied.
        """
        return "".join(_diff(change, self.root) for change in self.changes)


class Rewrite(Protocol):
    """The function that puts a plan into the benchmarks' sources."""

    def __call__(self, plan: Plan, source_root: str | Path, *, apply: bool) -> Rewriting:
        """Return what becomes of the files below a folder; with `apply`, change them.

        Parameters
        ----------
        plan : Plan
            What to run.
        source_root : path-like
            Folder of the sources, or of the whole project.
        apply : bool
            Whether to change the files.
        """


def _diff(change: SourceChange, root: Path) -> str:
    path = change.path.relative_to(root).as_posix()
    before, after = _lines(change.before), _lines(change.after)
    lines = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}", lineterm="\n")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _lines(data: bytes) -> list[str]:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines
