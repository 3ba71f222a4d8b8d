"""Expressions of GitHub's workflows, ``${{ … }}``: what our own files use of them, and no more.

Source: docs.github.com, "Evaluate expressions in workflows and actions".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any

_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<name>[A-Za-z_][\w-]*)|(?P<sign>&&|\|\||==|!=|<=|>=|[!<>()\[\].,*]))"
)
_PLACEHOLDER = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_CONSTANTS = {"true": True, "false": False, "null": None}


def substituted(text: str, context: Mapping[str, Any]) -> Any:
    """Return a text with its expressions replaced; one that is nothing else keeps its type."""
    whole = _PLACEHOLDER.fullmatch(text)
    if whole:
        return evaluated(whole[1], context)
    return _PLACEHOLDER.sub(lambda match: shown(evaluated(match[1], context)), text)


def evaluated(expression: str, context: Mapping[str, Any]) -> Any:
    """Return the value of an expression without its braces."""
    tokens = []
    position, expression = 0, expression.strip()
    while position < len(expression):
        match = _TOKEN.match(expression, position)
        assert match, f"not an expression: {expression!r}"
        tokens.append((str(match.lastgroup), match[str(match.lastgroup)]))
        position = match.end()
    parser = _Parser(tokens, context)
    value = parser.alternatives()
    assert parser.at_end, f"not an expression: {expression!r}"
    return value()


def shown(value: Any) -> str:
    """Return a value as GitHub writes it into a text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value) if isinstance(value, dict | list) else str(value)


def truth(value: Any) -> bool:
    """Tell whether GitHub takes a value for true."""
    return value not in (None, False, 0, "")


Later = Callable[[], Any]
"""A part of an expression whose value is found when it is needed, as ``a && b`` leaves out b."""


class _Parser:
    def __init__(self, tokens: list[tuple[str, str]], context: Mapping[str, Any]) -> None:
        self._tokens = tokens
        self._context = context

    @property
    def at_end(self) -> bool:
        return not self._tokens

    def alternatives(self) -> Later:
        value = self._all_of()
        while self._takes("||"):
            value = _either(value, self._all_of())
        return value

    def _all_of(self) -> Later:
        value = self._comparison()
        while self._takes("&&"):
            value = _both(value, self._comparison())
        return value

    def _comparison(self) -> Later:
        value = self._negation()
        for sign in ("==", "!="):
            if self._takes(sign):
                other = self._negation()
                return lambda: (_folded(value()) == _folded(other())) == (sign == "==")
        return value

    def _negation(self) -> Later:
        if self._takes("!"):
            value = self._negation()
            return lambda: not truth(value())
        return self._path()

    def _path(self) -> Later:
        value = self._atom()
        while True:
            if self._takes("."):
                value = _member(value, partial(str, self._tokens.pop(0)[1]))
            elif self._takes("["):
                value = _member(value, self.alternatives())
                assert self._takes("]")
            else:
                return value

    def _atom(self) -> Later:
        if self._takes("("):
            value = self.alternatives()
            assert self._takes(")")
            return value
        kind, text = self._tokens.pop(0)
        if kind == "text":
            return lambda: text[1:-1].replace("''", "'")
        if kind == "number":
            return lambda: float(text) if "." in text else int(text)
        if text in _CONSTANTS:
            return lambda: _CONSTANTS[text]
        if self._takes("("):
            return self._call(text)
        assert text in self._context, f"no such context: {text}"
        return lambda: self._context[text]

    def _call(self, name: str) -> Later:
        arguments: list[Later] = []
        while not self._takes(")"):
            arguments.append(self.alternatives())
            self._takes(",")
        function = _FUNCTIONS.get(name) or self._context["functions"][name]
        return lambda: function(*(argument() for argument in arguments))

    def _takes(self, sign: str) -> bool:
        if self._tokens and self._tokens[0] == ("sign", sign):
            del self._tokens[0]
            return True
        return False


def _either(first: Later, second: Later) -> Later:
    def value() -> Any:
        one = first()
        return one if truth(one) else second()

    return value


def _both(first: Later, second: Later) -> Later:
    def value() -> Any:
        one = first()
        return second() if truth(one) else one

    return value


def _member(whole: Later, name: Later) -> Later:
    def value() -> Any:
        holder = whole()
        return holder.get(shown(name())) if isinstance(holder, Mapping) else None

    return value


def _folded(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _format(text: str, *values: Any) -> str:
    return re.sub(r"\{(\d+)\}", lambda match: shown(values[int(match[1])]), text)


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "contains": lambda where, what: _folded(what) in _folded(where),
    "endsWith": lambda text, end: shown(text).lower().endswith(end.lower()),
    "format": _format,
    "fromJSON": json.loads,
    "startsWith": lambda text, start: shown(text).lower().startswith(start.lower()),
    "toJSON": lambda value: json.dumps(value, indent=2),
}


def hash_files(root: Path) -> Callable[..., str]:
    """Return GitHub's ``hashFiles`` for a workspace, as far as it tells whether there are any."""

    def hashed(*patterns: str) -> str:
        names = [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]
        found = [n for n in names for pattern in patterns if fnmatch(n, pattern)]
        return "0" * 64 if found else ""

    return hashed
