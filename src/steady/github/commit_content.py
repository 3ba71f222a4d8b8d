"""The content of a commit that steady makes: its message, and how its files differ from a tree."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from steady.github.git_data import FILE_MODE, PROGRAM_MODE, GitData, TreeEntry, blob_sha

TRAILER = "Steady-Plan"
"""Its value is the hash of the commit's tree, so that a commit changed by hand is another's."""

LONGEST_SUBJECT = 200

_TRAILER = re.compile(rf"^{TRAILER}: ([0-9a-f]{{40,64}})[ \t\r]*$", re.MULTILINE)


def subject(text: str) -> str:
    """Check a message's first line.

    Raises
    ------
    ValueError
        If it is not one line of at most `LONGEST_SUBJECT` characters that can be seen, or if it
        looks like a trailer of ours.
    """
    if not text or len(text) > LONGEST_SUBJECT or not text.isprintable() or TRAILER in text:
        raise ValueError(text)
    return text


def commit_message(subject: str, tree: str) -> str:
    """Return the message of a commit of `tree`."""
    return f"{subject}\n\n{TRAILER}: {tree}\n"


def marked_tree(message: str) -> str | None:
    """Return the tree that the last marker in a message names; None where there is no marker."""
    trees = _TRAILER.findall(message)
    return trees[-1] if trees else None


@dataclass(frozen=True, slots=True)
class Change:
    """What should become of a repository.

    Parameters
    ----------
    files : mapping of str to bytes
        Files that should be there: content by path, from the repository's root, with ``/``.
    outdated : tuple of str
        Paths of files that an earlier plan may have left; the last name may be a pattern. Those
        that are also among `files` stay.
    proof : str
        Path of a file that only steady writes; without it in the tree, nothing is outdated.
    ours : mapping of str to bytes
        How steady's own version of a file begins, by path. Where the tree has another one, which a
        user wrote, it stays.
    before : mapping of str to bytes
        What those of the `files` held that are not steady's own; where a tree holds something
        else, they stay as they are there.
    """

    files: Mapping[str, bytes]
    outdated: tuple[str, ...] = ()
    proof: str = ""
    ours: Mapping[str, bytes] = field(default_factory=dict)
    before: Mapping[str, bytes] = field(default_factory=dict)

    def fitting(self, git: GitData, tree: str) -> Change:
        """Return the change without the files that a tree holds in another version."""
        present = git.files(tree, self.before)
        moved = {
            path
            for path, before in self.before.items()
            if not _is_one_of(present.get(path), before, self.files[path])
        }
        return replace(self, files={p: text for p, text in self.files.items() if p not in moved})


@dataclass(frozen=True, slots=True)
class Difference:
    """What has to be done so that a tree is as a change wants it.

    Parameters
    ----------
    written : mapping of str to bytes
        Content by path.
    removed : tuple of str
        Paths.
    programs : frozenset of str
        Those of `written` that are programs, and stay programs.
    """

    written: Mapping[str, bytes]
    removed: tuple[str, ...]
    programs: frozenset[str] = frozenset()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is to be done."""
        return not self.written and not self.removed


def difference(git: GitData, tree: str, change: Change) -> Difference:
    """Compare a change with a tree of the repository."""
    present = git.files(tree, [*change.files, *filter(None, [change.proof])])
    modes = {path: _mode(present.get(path), path in change.before) for path in change.files}
    written = {
        path: content
        for path, content in change.files.items()
        if present.get(path) != TreeEntry(blob_sha(content), modes[path])
        and not _is_anothers(git, present.get(path), change.ours.get(path))
    }
    earlier = change.outdated if change.proof in present else ()
    removed = tuple(p for one in earlier for p in git.matching(tree, one) if p not in change.files)
    programs = frozenset(path for path in written if modes[path] == PROGRAM_MODE)
    return Difference(written, removed, programs)


def _mode(entry: TreeEntry | None, is_users: bool) -> str:
    """Return the mode that a file should have: a user's program stays one."""
    is_program = is_users and entry is not None and entry.mode == PROGRAM_MODE
    return PROGRAM_MODE if is_program else FILE_MODE


def _is_one_of(entry: TreeEntry | None, *contents: bytes) -> bool:
    """Tell whether a tree holds a file, and not a link, of one of these contents."""
    if entry is None or entry.mode not in (FILE_MODE, PROGRAM_MODE):
        return False
    return entry.sha in map(blob_sha, contents)


def _is_anothers(git: GitData, entry: TreeEntry | None, beginning: bytes | None) -> bool:
    """Tell whether a file that steady would write is there, and does not begin as steady's do."""
    if entry is None or beginning is None:
        return False
    return not git.content(entry.sha).startswith(beginning)
