"""Kinds of values that only the action knows, or reads in its own way."""

from __future__ import annotations

import re
from dataclasses import dataclass

from steady import judging
from steady.action.sticky import CommentWhen
from steady.github.commit_message import LONGEST_SUBJECT, person, subject
from steady.history.git_command import is_branch_name
from steady.history.git_store import DEFAULT_BRANCH
from steady.options.kinds import LINES, Kind, choice, enum
from steady.patterns import COMMIT as FULL_HASH
from steady.patterns import SUITE_KEY

ARTIFACT_PREFIX = "artifact:"
_BRANCH_PREFIX = "branch:"
_WORKFLOW = re.compile(r"[A-Za-z0-9._-]{1,100}\.ya?ml")
_ARTIFACT = re.compile(r"""[^"':<>|*?/\\\x00-\x1f\x7f]{1,100}""")


@dataclass(frozen=True, slots=True)
class Destination:
    """Where the configuration is committed.

    Parameters
    ----------
    branch : str, optional
        Branch that it is pushed to; None: a pull request proposes it.
    """

    branch: str | None = None


def _matching(pattern: re.Pattern[str], expected: str) -> Kind[str]:
    def parse(text: str) -> str:
        if not pattern.fullmatch(text):
            raise ValueError(text)
        return text

    return Kind(parse, said=expected)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _path(text: str) -> str:
    if "\n" in text or "\0" in text:
        raise ValueError(text)
    return text


def _when(text: str) -> CommentWhen:
    """Parse when to comment; `true` and `false` are what it was called before."""
    renamed = {"true": "always", "false": "never"}
    return _WHEN.parse(renamed.get(text.lower(), text))


def _history(text: str) -> str:
    """Parse where the history is: a branch, an artifact or a folder."""
    if text.startswith("git:"):
        if not is_branch_name(text.removeprefix("git:") or DEFAULT_BRANCH):
            raise ValueError(text)
    elif text.startswith(ARTIFACT_PREFIX):
        ARTIFACT.parse(text.removeprefix(ARTIFACT_PREFIX))
    elif ":" in text:
        raise ValueError(text)
    return _path(text)


def _destination(text: str) -> Destination | None:
    """Parse ``false``, ``pull-request`` or ``branch:NAME``; None: nowhere."""
    if text.lower() == "false":
        return None
    if text == "pull-request":
        return Destination()
    name = text.removeprefix(_BRANCH_PREFIX)
    if name == text or not is_branch_name(name):
        raise ValueError(text)
    return Destination(name)


def _people(text: str) -> tuple[str, ...]:
    return tuple(map(person, _lines(text)))


_WHEN: Kind[CommentWhen] = choice("always", "changes", "regressions", "never")

TOKEN = Kind(str, said="a token")
PATH = Kind(_path, said="one path")
PATTERNS = Kind(_lines, said="paths or patterns, one per line", typed=LINES)
NAMES = Kind(_lines, said="names, one per line", typed=LINES)
SUBJECT = Kind(subject, said=f"one line of at most {LONGEST_SUBJECT} characters")
PEOPLE = Kind(_people, said="`Name <mail>`, one per line", typed=LINES)
COMMENT_WHEN = Kind(_when, known=_WHEN.known)
KEY = _matching(SUITE_KEY, "at most 64 letters, digits, `.`, `_` and single `-`")
COMMIT = _matching(FULL_HASH, "the full hash of a commit")
WORKFLOW = _matching(_WORKFLOW, "the name of a file in .github/workflows")
ARTIFACT = _matching(_ARTIFACT, "an artifact's name as `actions/upload-artifact` takes it")
DESTINATION = Kind(_destination, said="`false`, `pull-request` or `branch:` and a branch's name")
HISTORY = Kind(
    _history,
    said="`git:` and a branch's name, `artifact:` and an artifact's, or a folder; for other places "
    "run `steady history` in a step",
)
FAIL_ON = Kind(
    judging.parse_fail_on,
    said=f"some of {', '.join(judging.CONDITIONS)}, or never",
    typed={"type": "list", "separator": ",", "list-item": enum((*judging.CONDITIONS, "never"))},
)
