"""Inputs of the action: options given by a workflow as strings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from steady import judging
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

CommentWhen = Literal["always", "changes", "regressions", "never"]

_DECLARED = "input"
"""Key of the `Input` in the metadata of a field."""


@dataclass(frozen=True, slots=True)
class Destination:
    """The destination of a commit with the configuration.

    Parameters
    ----------
    branch : str, optional
        Branch to push to; None to propose a pull request.
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
    """Parse the location of the history: a branch or a folder."""
    if text.startswith("git:"):
        return _only(_path(text), is_branch_name(text.removeprefix("git:") or DEFAULT_BRANCH))
    return _only(_path(text), ":" not in text)


def _destination(text: str) -> Destination | None:
    """Parse ``false``, ``pull-request`` or ``branch:NAME``; None for no commit."""
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
HISTORY = Kind(_history, said="`git:` and a branch name, or a folder")
FAIL_ON = Kind(
    judging.parse_fail_on,
    said=f"one or more of {', '.join(judging.CONDITIONS)}, or never",
    typed={"type": "list", "separator": ",", "list-item": enum((*judging.CONDITIONS, "never"))},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """The declaration of an input, which workflows set under ``with``.

    Parameters
    ----------
    name : str
        Name of the input in workflows.
    option : Option
        Declaration of the option.
    kind : Kind
        Type of its value, with parser.
    in_action : InAction
        Description specific to the action.
    """

    name: str = ""
    option: Option
    kind: Kind[Any]
    in_action: InAction

    @classmethod
    def of(cls, option: Option, kind: Kind[Any] | None = None) -> Input:
        """Return the input for an option; `kind` replaces the option's own kind."""
        if option.action is None:
            raise TypeError(f"the action does not have the option {option.name}")
        said = option.action
        said = said if said.default else replace(said, default=option.shown_default)
        return cls(option=option, kind=kind or option.kind, in_action=said)

    @property
    def variable(self) -> str:
        """The environment variable that GitHub's runner sets; hyphens are kept."""
        return f"INPUT_{self.name.upper()}"

    @property
    def field(self) -> str:
        """The name of its field in `ActionInputs`."""
        return self.name.replace("-", "_")

    @property
    def own_default(self) -> str:
        """The default, unless it is an expression that GitHub evaluates."""
        return "" if self.in_action.default.startswith("${{") else self.in_action.default

    def read(self, text: str, mode: Mode) -> Any:
        """Parse the value from a workflow.

        Returns
        -------
        object
            Parsed value; None if it is not set and has no default.

        Raises
        ------
        InputError
            If the value is invalid, not applicable in `mode`, or missing but required.
        """
        if mode not in self.in_action.modes:
            if text and text != self.in_action.default:
                raise InputError(f"input `{self.name}` is not used by mode `{mode}`: remove it")
            return None
        text = text or self.own_default
        if not text and self.in_action.required:
            raise InputError(f"input `{self.name}` is required by mode `{mode}`: set it")
        return self.parse(text) if text else None

    def parse(self, text: str) -> Any:
        """Parse a value that is not empty; see `read`."""
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

    The field's default is the parsed default, or None if the option has none; required inputs have
    no default.

    Parameters
    ----------
    option : Option
        Declaration of the option.
    kind : Kind, optional
        Type in the action, if it differs from that of the commands.
    secret : bool
        Whether its value is never shown.
    """
    declared = Input.of(option, kind)
    metadata = {_DECLARED: declared}
    try:
        value = declared.kind.parse(declared.own_default)
    except (ValueError, KeyError):
        if declared.in_action.required:
            return field(metadata=metadata)
        value = None
    return field(default=value, repr=not secret, metadata=metadata)


def optional(option: Option, kind: Kind[Any] | None = None) -> Any:
    """Declare an input that is None if not set; see `declare`."""
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
    """Declare an input of the action only, named after its field; see `declare`."""
    said = InAction(description, modes, default, required)
    return declare(Option("", kind, action=said), secret=secret)


def declared_in(inputs: type[Any]) -> tuple[Input, ...]:
    """Return the inputs declared by a dataclass, in order.

    Fields shared with commands are the inputs of their options.
    """
    return tuple(
        _named(one.metadata.get(_DECLARED) or Input.of(use_of(one).option), one.name)
        for one in fields(inputs)
    )


def _named(declared: Input, field_name: str) -> Input:
    name = field_name.replace("_", "-")
    option = declared.option if declared.option.name else replace(declared.option, name=name)
    return replace(declared, name=name, option=option)
