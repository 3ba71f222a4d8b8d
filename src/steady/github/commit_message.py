"""The message of a commit that steady makes, and how such a commit is known again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

TRAILER = "Steady-Plan"
"""Its value is the hash of the commit's tree, so that a commit changed by hand is another's."""

LONGEST_SUBJECT = 200

_TRAILER = re.compile(rf"^{TRAILER}: ([0-9a-f]{{40,64}})[ \t\r]*$", re.MULTILINE)
_PERSON = re.compile(r"[^<>\s][^<>\r\n\0]{0,99} <[^<>\s@]{1,100}@[^<>\s@]{1,150}>")


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """What a commit's message says.

    Parameters
    ----------
    subject : str
        Its first line; see `subject`.
    co_authors : tuple of str
        ``Name <mail>`` each; see `person`.
    signoff : bool
        Whether the author signs off, as the Developer Certificate of Origin asks.
    """

    subject: str
    co_authors: tuple[str, ...] = ()
    signoff: bool = False

    def text(self, tree: str, author: str | None = None) -> str:
        """Return the message of a commit of `tree`; `author`, where given, signs off."""
        trailers = [f"{TRAILER}: {tree}"]
        trailers += [f"Co-authored-by: {name}" for name in self.co_authors]
        trailers += [] if author is None else [f"Signed-off-by: {author}"]
        return "\n".join([self.subject, "", *trailers, ""])


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


def person(text: str) -> str:
    """Check somebody's name and address, as ``Name <mail>``.

    Raises
    ------
    ValueError
        If it is written in another way, or holds what cannot be seen.
    """
    if not text.isprintable() or not _PERSON.fullmatch(text):
        raise ValueError(text)
    return text


def signature(author: Mapping[str, str]) -> str:
    """Return the name and address that GitHub gave a commit's author, for signing off.

    Raises
    ------
    ValueError
        If they cannot stand in a trailer.
    """
    return person(f"{author['name']} <{author['email']}>")


def marked_tree(message: str) -> str | None:
    """Return the tree that the last marker in a message names; None where there is no marker."""
    trees = _TRAILER.findall(message)
    return trees[-1] if trees else None
