"""The list of public Python names: parameters, attributes, methods and classes."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import steady

CONTRACT = (
    *("steady.harness.contract", "steady.harness.runs", "steady.harness.trial"),
    "steady.harness.fork_facts",
)
"""Modules that a package with its own harness imports (docs/own-harness.md)."""

_MARKS: Mapping[Any, str] = {
    inspect.Parameter.POSITIONAL_ONLY: "/, ",
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.KEYWORD_ONLY: "*, ",
    inspect.Parameter.VAR_KEYWORD: "**",
}
"""Prefix of a parameter that is only positional or only a keyword."""

_PLAIN = (str, int, float, bool, tuple, type(None))


def python_names() -> Iterator[str]:
    """Yield the lines of the package's own names, and of the contract of a harness."""
    for name in steady.__all__:
        yield from _described(f"steady.{name}", getattr(steady, name))
    for module in CONTRACT:
        for name, value in vars(import_module(module)).items():
            ours = getattr(value, "__module__", "").startswith("steady.harness")
            if callable(value) and ours and not name.startswith("_"):
                yield from _described(f"{module}.{name}", value)


def _described(name: str, value: Any) -> Iterator[str]:
    yield name
    if not inspect.isclass(value):
        yield from parameters(name, value)
        return
    # Python's own definition of a class differs between versions.
    made = any("__init__" in vars(part) for part in _own_parts(value))
    if made and not getattr(value, "_is_protocol", False):
        yield from parameters(name, value)
    yield from _of_class(name, value)


def _of_class(name: str, value: type) -> Iterator[str]:
    if dataclasses.is_dataclass(value):
        yield from (f"{name}.{field.name}" for field in dataclasses.fields(value))
    for base in value.__mro__:
        if base.__module__ in ("builtins", "collections.abc") and base is not object:
            yield f"{name} is a {base.__module__}.{base.__qualname__}"
    for part in _own_parts(value):
        yield from _members(name, part)


def _own_parts(value: type) -> list[type]:
    return [part for part in value.__mro__ if part.__module__.startswith("steady.")]


def _members(name: str, part: type) -> Iterator[str]:
    for own, member in vars(part).items():
        if own.startswith("_"):
            continue
        yield f"{name}.{own}"
        called = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if inspect.isfunction(called):
            bound = not isinstance(member, staticmethod)
            yield from parameters(f"{name}.{own}", called, skipped=int(bound))


def parameters(name: str, value: Any, skipped: int = 0) -> Iterator[str]:
    """Yield a line for each parameter: its position or kind, and its default."""
    given = list(inspect.signature(value).parameters.values())[skipped:]
    for place, one in enumerate(given, 1):
        default = "" if one.default is one.empty else f"={_shown(one.default)}"
        if one.kind is one.POSITIONAL_OR_KEYWORD:
            yield f"{name}({one.name}{default}) at {place}"
        else:
            yield f"{name}({_MARKS[one.kind]}{one.name}{default})"


def _shown(default: Any) -> str:
    """Return a default without addresses in memory, which change."""
    if isinstance(default, _PLAIN):
        return repr(default)
    return str(getattr(default, "__qualname__", type(default).__qualname__))
