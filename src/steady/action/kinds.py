"""What an input may be: how its text is read, what is expected, and its type for other tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from steady import gate
from steady.action.sticky import CommentWhen
from steady.duration import seconds_of
from steady.github.commit_message import LONGEST_SUBJECT, person, subject
from steady.history.git_command import is_branch_name
from steady.history.git_store import DEFAULT_BRANCH
from steady.patterns import COMMIT as FULL_HASH
from steady.patterns import SUITE_KEY
from steady.percent import Percentage, in_percent

T = TypeVar("T")

ARTIFACT_PREFIX = "artifact:"
_BRANCH_PREFIX = "branch:"
_WORKFLOW = re.compile(r"[A-Za-z0-9._-]{1,100}\.ya?ml")
_ARTIFACT = re.compile(r"""[^"':<>|*?/\\\x00-\x1f\x7f]{1,100}""")
TEXT = {"type": "string"}
_LINES = {"type": "list", "separator": "\n", "list-item": TEXT}


def _no_hint(_text: str, _write: str) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """What an input may be.

    Parameters
    ----------
    parse : callable
        Given the text, the value; raises ValueError or KeyError where it is something else.
    expected : str
        As messages say it.
    type : mapping
        What `action-types.yml` says.
    hint : callable
        Given a text that cannot be read and how the input is written, what to write instead.
    """

    parse: Callable[[str], T]
    expected: str
    type: Mapping[str, Any] = field(default_factory=TEXT.copy)
    hint: Callable[[str, str], str] = _no_hint


@dataclass(frozen=True, slots=True)
class Destination:
    """Where the configuration is committed.

    Parameters
    ----------
    branch : str, optional
        Branch that it is pushed to; None: a pull request proposes it.
    """

    branch: str | None = None


def choice(*names: T) -> Kind[T]:
    """Return the kind of an input that takes one of `names`, which are texts."""
    known = {str(name): name for name in names}
    return Kind(known.__getitem__, _one_of(known), _enum(known))


def percentage(of: Percentage) -> Kind[float]:
    """Return the kind of an input that takes a percentage."""
    return Kind(of.parse, of.expected, hint=in_percent)


def _one_of(names: Mapping[str, object]) -> str:
    return " or ".join(f"`{name}`" for name in names)


def _enum(names: Mapping[str, object]) -> dict[str, Any]:
    return {"type": "enum", "allowed-values": list(names)}


def _matching(pattern: re.Pattern[str], expected: str) -> Kind[str]:
    def parse(text: str) -> str:
        if not pattern.fullmatch(text):
            raise ValueError(text)
        return text

    return Kind(parse, expected)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _path(text: str) -> str:
    if "\n" in text or "\0" in text:
        raise ValueError(text)
    return text


def _flag(text: str) -> bool:
    return {"true": True, "false": False}[text.lower()]


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

TOKEN = Kind(str, "a token")
PATH = Kind(_path, "one path")
PATTERNS = Kind(_lines, "paths or patterns, one per line", _LINES)
NAMES = Kind(_lines, "names, one per line", _LINES)
FLAG = Kind(_flag, "`true` or `false`", {"type": "boolean"})
TIME = Kind(seconds_of, "a time, such as `600`, `10m` or `1.5h`")
SUBJECT = Kind(subject, f"one line of at most {LONGEST_SUBJECT} characters")
PEOPLE = Kind(_people, "`Name <mail>`, one per line", _LINES)
COMMENT_WHEN = Kind(_when, _WHEN.expected, _WHEN.type)
KEY = _matching(SUITE_KEY, "at most 64 letters, digits, `.`, `_` and single `-`")
COMMIT = _matching(FULL_HASH, "the full hash of a commit")
WORKFLOW = _matching(_WORKFLOW, "the name of a file in .github/workflows")
ARTIFACT = _matching(_ARTIFACT, "an artifact's name as `actions/upload-artifact` takes it")
DESTINATION = Kind(_destination, "`false`, `pull-request` or `branch:` and a branch's name")
HISTORY = Kind(
    _history,
    "`git:` and a branch's name, `artifact:` and an artifact's, or a folder; for other places run "
    "`steady history` in a step",
)
FAIL_ON = Kind(
    gate.parse_fail_on,
    f"some of {', '.join(gate.CONDITIONS)}, or never",
    {
        "type": "list",
        "separator": ",",
        "list-item": _enum(dict.fromkeys((*gate.CONDITIONS, "never"))),
    },
)
