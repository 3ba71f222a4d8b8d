"""The expression of ``--only``, which limits a run to benchmarks with matching names."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from steady.errors import InputError
from steady.model import Identity, nearest_benchmarks
from steady.options.kinds import check_expression
from steady.registry import OnRequest
from steady.safe_regex import is_found

ONLY = "only"
"""Key of the expression in the header of a run."""

_OWN_PATTERNS = OnRequest("steady.harnesses:own_patterns")

_FLAGS = re.compile(r"\(\?[aiLmsux]+\)")
_GROUP = re.compile(r"\((?!\?)([^()\[\]\\|]*+\|[^()\[\]\\]*+)\)(?![*+?{])")

_MOST_NAMED = 3
_LONGEST = 400
"""Longest expression in a suggested command, in characters."""

_HARMLESS = re.compile(r"[\w.$/=:,#@%+-]{1,120}", re.ASCII)
"""Names that are safe in a suggested command: users paste it, and names are untrusted."""


@dataclass(frozen=True)
class Alternative:
    """An alternative of an expression, between two ``|``.

    Parameters
    ----------
    text : str
        A regular expression.
    """

    text: str

    def matches(self, identity: Identity) -> bool:
        """Return whether it matches a name or a label, also in the syntax of a harness."""
        name, label = identity.name, identity.label
        if is_found(self.text, name) or (label != name and is_found(self.text, label)):
            return True
        return any(matches(name) for matches in self._as_harnesses_do)

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The parts between its slashes, except for slashes in brackets and groups."""
        return tuple(split_pattern(self.text, "/"))

    @cached_property
    def _as_harnesses_do(self) -> Sequence[Callable[[str], bool]]:
        tests: list[Callable[[str], bool]] = _OWN_PATTERNS(self.text)
        return tests


@dataclass(frozen=True)
class Only:
    """The benchmarks whose names match a regular expression.

    Parameters
    ----------
    text : str
        The expression, as the user wrote it.

    Raises
    ------
    InputError
        If it is not a regular expression.
    """

    text: str

    def __post_init__(self) -> None:
        check_expression(self.text)

    @cached_property
    def alternatives(self) -> tuple[Alternative, ...]:
        """The parts between ``|`` outside brackets and groups; each begins with the flags."""
        flags = _FLAGS.match(self.text)
        start = "" if flags is None else flags[0]
        parts = [start + part for part in split_pattern(self.text[len(start) :], "|")]
        try:
            for part in parts:
                check_expression(part)
        except InputError:  # a part refers to a group in another part
            parts = [self.text]
        return tuple(map(Alternative, parts))

    def wants(self, identity: Identity) -> bool:
        """Return whether a benchmark matches."""
        return any(alternative.matches(identity) for alternative in self.alternatives)

    def unmatched(self, identities: Iterable[Identity]) -> tuple[str, ...]:
        """Return the alternatives that match no benchmark, including those in its first group."""
        named = list(identities)
        texts = (text for alternative in self.alternatives for text in _spelled(alternative.text))
        return tuple(text for text in texts if not any(Alternative(text).matches(i) for i in named))


def nearest(only: Only, known: Iterable[Identity]) -> str:
    """Return the end of a sentence with similar names; empty if there are none."""
    near = nearest_benchmarks(only.text, known)
    return f"; the nearest: {', '.join(near)}" if near else ""


def only_these(identities: Iterable[Identity]) -> str | None:
    """Return an expression that matches benchmarks: by name if they are few, or by class.

    None if a name contains characters that are unsafe to paste, or if there is no short expression.
    """
    known = {identity.name: identity.parts for identity in identities}
    names = list(known)
    if not names or not all(map(_HARMLESS.fullmatch, names)):
        return None
    holders = list(dict.fromkeys(name.removesuffix(own.member) for name, own in known.items()))
    for choice in (names, holders) if len(names) <= _MOST_NAMED else (holders, names):
        text = "|".join(map(re.escape, choice))
        if all(choice) and len(text) <= _LONGEST:
            return text
    return None


def split_pattern(text: str, separator: str) -> Iterator[str]:
    """Split an expression at a character, except in brackets and groups."""
    start = brackets = groups = 0
    escaped = False
    for index, character in enumerate(text):
        if escaped or character == "\\":
            escaped = not escaped
        elif character in "[]":
            brackets = max(brackets + (1 if character == "[" else -1), 0)
        elif character in "()" and not brackets:
            groups += 1 if character == "(" else -1
        elif character == separator and not brackets and not groups:
            yield text[start:index]
            start = index + 1
    yield text[start:]


def _spelled(text: str) -> Iterator[str]:
    """Yield the expression once for each alternative of its first plain group."""
    group = _GROUP.search(text)
    if group is None or group.start() != text.find("("):
        yield text
        return
    for part in group[1].split("|"):
        yield f"{text[: group.start()]}({part}){text[group.end() :]}"
