"""The inputs of the action: options that a workflow gives as texts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields, replace
from typing import Any

from steady import judging
from steady.action.comment_parts import CommentWhen
from steady.errors import InputError
from steady.github.commit_content import LONGEST_SUBJECT, subject
from steady.history.git_command import is_branch_name
from steady.history.git_store import DEFAULT_BRANCH
from steady.options.kinds import LINES, Kind, choice, enum
from steady.options.option import MODES, InAction, Mode, Option, use_of
from steady.patterns import COMMIT as FULL_HASH
from steady.patterns import SUITE_KEY

_WORKFLOW = re.compile(r"[A-Za-z0-9._-]{1,100}\.ya?ml")
_ARTIFACT = re.compile(r"""[^"':<>|*?/\\\x00-\x1f\x7f]{1,100}""")

_DECLARED = "input"
"""Where a field's metadata hold its declaration."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Where the configuration is committed.

    Parameters
    ----------
    branch : str, optional
        Branch that it is pushed to; None: a pull request proposes it.
    """

    branch: str | None = None


def _only(text: str, allowed: object) -> str:
    if not allowed:
        raise ValueError(text)
    return text


def _matching(pattern: re.Pattern[str], expected: str) -> Kind[str]:
    return Kind(lambda text: _only(text, pattern.fullmatch(text)), said=expected)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _path(text: str) -> str:
    return _only(text, not {"\n", "\0"} & {*text})


def _history(text: str) -> str:
    """Parse where the history is: a branch or a folder."""
    if text.startswith("git:"):
        return _only(_path(text), is_branch_name(text.removeprefix("git:") or DEFAULT_BRANCH))
    return _only(_path(text), ":" not in text)


def _destination(text: str) -> Destination | None:
    """Parse ``false``, ``pull-request`` or ``branch:NAME``; None: nowhere."""
    if text.lower() == "false":
        return None
    if text == "pull-request":
        return Destination()
    name = text.removeprefix("branch:")
    return Destination(_only(name, name != text and is_branch_name(name)))


TOKEN = Kind(str, said="a token")
PATH = Kind(_path, said="one path")
PATTERNS = Kind(_lines, said="paths or patterns, one per line", typed=LINES)
NAMES = Kind(_lines, said="names, one per line", typed=LINES)
SUBJECT = Kind(subject, said=f"one line of at most {LONGEST_SUBJECT} characters")
COMMENT_WHEN: Kind[CommentWhen] = choice("always", "changes", "regressions", "never")
KEY = _matching(SUITE_KEY, "at most 64 letters, digits, `.`, `_` and single `-`")
COMMIT = _matching(FULL_HASH, "the full hash of a commit")
WORKFLOW = _matching(_WORKFLOW, "the name of a file in .github/workflows")
ARTIFACT = _matching(_ARTIFACT, "an artifact name that `actions/upload-artifact` accepts")
DESTINATION = Kind(_destination, said="`false`, `pull-request`, or `branch:` and a branch name")
HISTORY = Kind(
    _history,
    said="`git:` and a branch name, or a folder",
)
FAIL_ON = Kind(
    judging.parse_fail_on,
    said=f"one or more of {', '.join(judging.CONDITIONS)}, or never",
    typed={"type": "list", "separator": ",", "list-item": enum((*judging.CONDITIONS, "never"))},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """What a workflow may say under ``with``.

    Parameters
    ----------
    name : str
        As workflows write it.
    option : Option
        What is declared.
    kind : Kind
        What it may be.
    said : InAction
        What the action says of it.
    """

    name: str = ""
    option: Option
    kind: Kind[Any]
    said: InAction

    @classmethod
    def of(cls, option: Option, kind: Kind[Any] | None = None) -> Input:
        """Return the input that an option is, and how the action reads it if in its own way."""
        if option.action is None:
            raise TypeError(f"the action does not have the option {option.name}")
        said = option.action
        said = said if said.default else replace(said, default=option.shown_default)
        return cls(option=option, kind=kind or option.kind, said=said)

    @property
    def variable(self) -> str:
        """The environment variable in which GitHub's runner hands it over; hyphens stay."""
        return f"INPUT_{self.name.upper()}"

    @property
    def field(self) -> str:
        """Its name in `ActionInputs`."""
        return self.name.replace("-", "_")

    @property
    def own_default(self) -> str:
        """The default, unless it is an expression that only GitHub can fill in."""
        return "" if self.said.default.startswith("${{") else self.said.default

    def read(self, text: str, mode: Mode) -> Any:
        """Parse what a workflow gave.

        Returns
        -------
        object
            None where nothing was given, and nothing stands for it.

        Raises
        ------
        InputError
            If it is not what the input may be, or if `mode` has no use for it or needs it.
        """
        if mode not in self.said.modes:
            if text and text != self.said.default:
                raise InputError(f"input `{self.name}` is not used by mode `{mode}`: remove it")
            return None
        text = text or self.own_default
        if not text and self.said.required:
            raise InputError(f"input `{self.name}` is required by mode `{mode}`: set it")
        return self.parse(text) if text else None

    def parse(self, text: str) -> Any:
        """Parse what stands for something; see `read`."""
        try:
            return self.kind.parse(text)
        except (ValueError, KeyError):
            shown = text if len(text) <= 80 else text[:79] + "…"
            hint = self.kind.hint(text, f"`{self.name}: {{}}`")
            raise InputError(
                f"input `{self.name}`: expected {self.kind.expected}, got {shown!r}{hint}"
            ) from None


def declare(option: Option, kind: Kind[Any] | None = None, *, secret: bool = False) -> Any:
    """Declare an input as a field of a dataclass.

    The field's own default is the parsed one, or None where nothing stands for it; what is
    required has none.

    Parameters
    ----------
    option : Option
        What is declared.
    kind : Kind, optional
        How the action reads it, if not as the commands do.
    secret : bool
        Whether it is never shown.
    """
    declared = Input.of(option, kind)
    metadata = {_DECLARED: declared}
    try:
        value = declared.kind.parse(declared.own_default)
    except (ValueError, KeyError):
        if declared.said.required:
            return field(metadata=metadata)
        value = None
    return field(default=value, repr=not secret, metadata=metadata)


def optional(option: Option, kind: Kind[Any] | None = None) -> Any:
    """Declare an input that is None where it is left out; see `declare`."""
    return field(default=None, metadata={_DECLARED: Input.of(option, kind)})


def own(
    kind: Kind[Any],
    description: str,
    *,
    modes: tuple[Mode, ...] = MODES,
    default: str = "",
    required: bool = False,
    secret: bool = False,
) -> Any:
    """Declare an input that only the action has; its name is the field's. See `declare`."""
    said = InAction(description, modes, default, required)
    return declare(Option("", kind, action=said), secret=secret)


def declared_in(inputs: type[Any]) -> tuple[Input, ...]:
    """Return the inputs that a dataclass declares, in its order.

    A field that it has in common with commands is the input that its option is.
    """
    return tuple(
        _named(one.metadata.get(_DECLARED) or Input.of(use_of(one).option), one.name)
        for one in fields(inputs)
    )


def _named(declared: Input, field_name: str) -> Input:
    name = field_name.replace("_", "-")
    option = declared.option if declared.option.name else replace(declared.option, name=name)
    return replace(declared, name=name, option=option)
