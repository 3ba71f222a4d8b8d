"""The content of a commit that steady makes: its message, and how its files differ from a tree."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from steady.github.git_data import GitData, blob_sha

TRAILER = "Steady-Plan"
"""Its value is the hash of the commit's tree, so that a commit changed by hand is another's."""

LONGEST_SUBJECT = 200

_TRAILER = re.compile(rf"^{TRAILER}: ([0-9a-f]{{40,64}})[ \t\r]*$", re.MULTILINE)

_MODE = "100644"


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
class File:
    """A file as it should be.

    Parameters
    ----------
    path : str
        From the repository's root, with ``/``.
    content : bytes
        All of it.
    replaces : bytes, optional
        What it is made from: where the tree has anything else, the file is left out, for somebody
        has changed it since. None: whatever is there.
    """

    path: str
    content: bytes
    replaces: bytes | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What should become of a repository.

    Parameters
    ----------
    files : tuple of File
        Files that should be there.
    outdated : tuple of str
        Paths of files that an earlier plan may have left; the last name may be a pattern. Those
        that are also among `files` stay.
    proof : str
        Path of a file that only steady writes; without it in the tree, nothing is outdated.
    """

    files: tuple[File, ...]
    outdated: tuple[str, ...] = ()
    proof: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """What has to be done so that a tree is as a change wants it.

    Parameters
    ----------
    written : mapping of str to (str, bytes)
        Git's mode and content by path.
    removed : tuple of str
        Paths.
    left_out : tuple of str
        Paths of files that are not what they were made from.
    """

    written: Mapping[str, tuple[str, bytes]]
    removed: tuple[str, ...]
    left_out: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is to be done."""
        return not self.written and not self.removed

    def is_within(self, ignored: Iterable[str]) -> bool:
        """Tell whether the tree is as it should be, but for some files."""
        return {*self.written, *self.removed, *self.left_out} <= {*ignored}


def difference(git: GitData, tree: str, change: Change) -> Difference:
    """Compare a change with a tree of the repository."""
    paths = [file.path for file in change.files]
    present = git.files(tree, [*paths, *filter(None, [change.proof])])
    written: dict[str, tuple[str, bytes]] = {}
    left_out = []
    for file in change.files:
        entry = present.get(file.path)
        mode = _MODE if file.replaces is None or entry is None else entry.mode
        if entry is not None and (entry.sha, entry.mode) == (blob_sha(file.content), mode):
            continue
        if file.replaces is None or (entry and entry.sha == blob_sha(file.replaces)):
            written[file.path] = (mode, file.content)
        else:
            left_out.append(file.path)
    earlier = change.outdated if change.proof in present else ()
    removed = tuple(p for one in earlier for p in git.matching(tree, one) if p not in paths)
    return Difference(written, removed, tuple(left_out))
