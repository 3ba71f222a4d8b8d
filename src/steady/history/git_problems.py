"""The outcome of a push, and what a refusal means to the user."""

from __future__ import annotations

import re
from typing import Literal

from steady.errors import InputError

Pushed = Literal["done", "overtaken", "unreachable", "refused"]

_OVERTAKEN = re.compile(
    r"stale info|fetch first|non-fast-forward|cannot lock ref|failed to update ref|"
    r"reference already exists|incorrect old value|failed to lock|cannot update ref|"
    r"is at [0-9a-f]+ but expected|unable to resolve reference"
)
_UNREACHABLE = re.compile(
    r"could not resolve host|couldn't connect|connection (?:timed out|reset|refused)|"
    r"timed out|returned error: (?:429|5\d\d)|hung up unexpectedly|early eof|took longer than|"
    r"rpc failed|internal server error|unexpected disconnect",
    re.IGNORECASE,
)
_NO_RIGHT = re.compile(
    r"returned error: (?:401|403)|permission to .* denied|write access .* not granted|"
    r"authentication failed|could not read username|permission denied|"
    r"terminal prompts disabled",
    re.IGNORECASE,
)
_PROTECTED = re.compile(
    r"protected branch|GH006|GH013|rule violations|hook declined|cannot force-push|"
    r"denying non-fast",
    re.IGNORECASE,
)
_ABSENT = re.compile(
    r"repository .{0,300}?not found|does not appear to be a git repo", re.IGNORECASE
)
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")


def outcome_of_push(code: int, printed: str, message: str) -> Pushed:
    """Tell whether a push arrived.

    Parameters
    ----------
    code : int
        Exit code of ``git push --porcelain``.
    printed, message : str
        Its standard output and error.

    Returns
    -------
    {"done", "overtaken", "unreachable", "refused"}
        ``overtaken``: somebody else pushed in between. ``unreachable``: it is not known whether it
        arrived. Both may be tried again.
    """
    if code == 0:
        return "done"
    lines = [line for line in printed.splitlines() if line.startswith("!")]
    complaints = f"{' '.join(lines)} {message}"
    if _PROTECTED.search(complaints) or _NO_RIGHT.search(complaints):
        return "refused"
    if _OVERTAKEN.search(complaints):
        return "overtaken"
    return "unreachable" if _UNREACHABLE.search(complaints) else "refused"


def is_unreachable(message: str) -> bool:
    """Tell whether a fetch may succeed when tried again."""
    return bool(_UNREACHABLE.search(message)) and not _NO_RIGHT.search(message)


def refusal(branch: str, url: str, message: str) -> InputError:
    """Return the sentence for a push that the remote refused."""
    shown = quote(message)
    if _PROTECTED.search(message):
        return InputError(
            f"the remote does not let branch {branch} be pushed ({shown}); take the rule off it, "
            "with force pushes allowed, or name another branch: the history is rewritten to stay "
            "small",
            source=quote(url),
        )
    return _failure("pushed", branch, url, message, "contents: write")


class UnreadableError(InputError):
    """Nobody knows what a history holds: it cannot be fetched."""


def fetch_failure(branch: str, url: str, message: str) -> UnreadableError:
    """Return the sentence for a fetch that failed."""
    return UnreadableError(str(_failure("fetched", branch, url, message, "contents: read")))


def quote(message: str) -> str:
    """Return what Git said on one line, shortened, without a password that an address held."""
    lines = [line.removeprefix("remote: ").strip() for line in message.splitlines()]
    text = " ".join(line for line in lines if line and not line.startswith("hint:"))
    text = "".join(c if c.isprintable() else "?" for c in _CREDENTIALS.sub("", text))
    return text if len(text) <= 300 else text[:299] + "…"


def _failure(what: str, branch: str, url: str, message: str, permission: str) -> InputError:
    shown = quote(message)
    if _NO_RIGHT.search(message):
        remedy = f"on GitHub, add `permissions: {permission}` to the job; elsewhere, log in first"
    elif _ABSENT.search(message):
        remedy = f"check the address, and on GitHub add `permissions: {permission}` to the job"
    else:
        remedy = "if the address is right, try again"
    return InputError(f"branch {branch} cannot be {what} ({shown}); {remedy}", source=quote(url))
