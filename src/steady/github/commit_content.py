"""The content of steady's commits: the message, and the difference from an existing tree."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from steady.github.git_data import EXECUTABLE_MODE, FILE_MODE, GitData, TreeEntry, blob_sha

TRAILER = "Steady-Plan"
"""Git trailer whose value is the hash of the commit's tree, so a commit that was amended by hand is
not mistaken for steady's."""

LONGEST_SUBJECT = 200

_TRAILER = re.compile(rf"^{TRAILER}: ([0-9a-f]{{40,64}})[ \t\r]*$", re.MULTILINE)


def subject(text: str) -> str:
    """Return a commit message's subject line after checking it.

    Raises
    ------
    ValueError
        If it is not a single line of at most `LONGEST_SUBJECT` printable characters, or if it
        contains the name of steady's trailer.
    """
    if not text or len(text) > LONGEST_SUBJECT or not text.isprintable() or TRAILER in text:
        raise ValueError(text)
    return text


def commit_message(subject: str, tree: str) -> str:
    """Return the message of a commit with the tree `tree`."""
    return f"{subject}\n\n{TRAILER}: {tree}\n"


def marked_tree(message: str) -> str | None:
    """Return the tree of the last trailer in a message, or None if it has no trailer."""
    trees = _TRAILER.findall(message)
    return trees[-1] if trees else None


@dataclass(frozen=True, slots=True)
class Change:
    """The desired state of a repository's files.

    Parameters
    ----------
    files : mapping of str to bytes
        Files to write: content by path, relative to the repository's root, with ``/``.
    outdated : tuple of str
        Paths of files that an earlier plan may have written, to be deleted unless they are among
        `files`. The last component may be a pattern.
    proof : str
        Path of a file that only steady writes. If the tree lacks it, no file is outdated.
    ours : mapping of str to bytes
        Beginning of steady's own version of a file, by path. A file with a different beginning was
        written by a user and is kept.
    before : mapping of str to bytes
        Original content of the user's own files among `files`. If the tree has different content by
        now, the file is kept.
    """

    files: Mapping[str, bytes]
    outdated: tuple[str, ...] = ()
    proof: str = ""
    ours: Mapping[str, bytes] = field(default_factory=dict)
    before: Mapping[str, bytes] = field(default_factory=dict)

    def without_modified(self, git: GitData, tree: str) -> Change:
        """Return the change without the user's files that were modified after `before` was read."""
        present = git.files(tree, self.before)
        modified = {
            path
            for path, before in self.before.items()
            if not _is_one_of(present.get(path), before, self.files[path])
        }
        return replace(self, files={p: text for p, text in self.files.items() if p not in modified})


@dataclass(frozen=True, slots=True)
class Difference:
    """The updates that apply a change to a tree.

    Parameters
    ----------
    written : mapping of str to bytes
        Files to write: content by path.
    removed : tuple of str
        Paths of files to delete.
    programs : frozenset of str
        Paths in `written` that keep their executable mode.
    """

    written: Mapping[str, bytes]
    removed: tuple[str, ...]
    programs: frozenset[str] = frozenset()

    @property
    def is_empty(self) -> bool:
        """Whether there are no updates."""
        return not self.written and not self.removed


def difference(git: GitData, tree: str, change: Change) -> Difference:
    """Compare a change with a tree of the repository."""
    present = git.files(tree, [*change.files, *filter(None, [change.proof])])
    modes = {path: _mode(present.get(path), path in change.before) for path in change.files}
    written = {
        path: content
        for path, content in change.files.items()
        if present.get(path) != TreeEntry(blob_sha(content), modes[path])
        and not _is_foreign(git, present.get(path), change.ours.get(path))
    }
    earlier = change.outdated if change.proof in present else ()
    removed = tuple(p for one in earlier for p in git.matching(tree, one) if p not in change.files)
    programs = frozenset(path for path in written if modes[path] == EXECUTABLE_MODE)
    return Difference(written, removed, programs)


def _mode(entry: TreeEntry | None, is_users: bool) -> str:
    """Return the mode for a file; a user's executable file stays executable."""
    is_program = is_users and entry is not None and entry.mode == EXECUTABLE_MODE
    return EXECUTABLE_MODE if is_program else FILE_MODE


def _is_one_of(entry: TreeEntry | None, *contents: bytes) -> bool:
    """Return whether an entry is a regular file with one of these contents."""
    if entry is None or entry.mode not in (FILE_MODE, EXECUTABLE_MODE):
        return False
    return entry.sha in map(blob_sha, contents)


def _is_foreign(git: GitData, entry: TreeEntry | None, beginning: bytes | None) -> bool:
    """Return whether an existing file lacks the beginning of steady's own version."""
    if entry is None or beginning is None:
        return False
    return not git.content(entry.sha).startswith(beginning)
