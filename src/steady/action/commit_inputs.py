"""The inputs that say where the configuration is committed, parsed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from steady.github.commit_message import person

_BRANCH = "branch:"
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|$)|[./]$|^[-./]|^@$")
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Destination:
    """Where the configuration is committed.

    Parameters
    ----------
    branch : str, optional
        Branch that it is pushed to; None: a pull request proposes it.
    """

    branch: str | None = None


def destination(text: str) -> Destination | None:
    """Parse ``false``, ``pull-request`` or ``branch:NAME``; None: nowhere.

    Raises
    ------
    ValueError
        If it is something else, or Git takes no branch of that name.
    """
    if text.lower() == "false":
        return None
    if text == "pull-request":
        return Destination()
    name = text.removeprefix(_BRANCH)
    if name == text or not is_branch(name):
        raise ValueError(text)
    return Destination(name)


def is_branch(name: str) -> bool:
    """Tell whether Git takes a branch of this name (``git check-ref-format``), and we do.

    Names that cannot be seen, and those of hundreds of characters, are refused too.
    """
    return 0 < len(name) <= _LONGEST_NAME and name.isprintable() and not _FORBIDDEN.search(name)


def people(text: str) -> tuple[str, ...]:
    """Parse co-authors, ``Name <mail>`` one a line.

    Raises
    ------
    ValueError
        If a line is something else.
    """
    return tuple(person(line.strip()) for line in text.splitlines() if line.strip())
