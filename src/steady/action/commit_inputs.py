"""The inputs that say where the configuration is committed, parsed."""

from __future__ import annotations

from dataclasses import dataclass

from steady.github.commit_message import person
from steady.history.git_command import is_branch_name

_BRANCH = "branch:"


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
    if name == text or not is_branch_name(name):
        raise ValueError(text)
    return Destination(name)


def people(text: str) -> tuple[str, ...]:
    """Parse co-authors, ``Name <mail>`` one a line.

    Raises
    ------
    ValueError
        If a line is something else.
    """
    return tuple(person(line.strip()) for line in text.splitlines() if line.strip())
