"""The page of the Python package, from its public names and their docstrings."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from itertools import groupby

import steady

_TITLE = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
_LISTS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Other Parameters")


def api_reference() -> str:
    """Return a section for each public name: functions first, then classes, then errors."""
    names = sorted(steady.__all__, key=lambda name: (_kind(getattr(steady, name)), name.lower()))
    return "".join(_section(f"steady.{name}", getattr(steady, name)) for name in names)


def _kind(value: object) -> int:
    if not inspect.isclass(value):
        return 0
    return 2 if issubclass(value, Exception) else 1


def _section(name: str, value: object) -> str:
    lines = [f"## {name}\n"]
    if not inspect.isclass(value):
        lines.append(f"```python\n{_signature(name, value)}\n```\n")
    lines.append(markdown(inspect.getdoc(value) or ""))
    if inspect.isclass(value):
        lines += _members(value)
    return "\n".join(lines) + "\n"


def _members(value: type) -> Iterator[str]:
    fields = {field.name for field in dataclasses.fields(value)} if _is_frozen(value) else set()
    rows = []
    for name, member in vars(value).items():
        if name.startswith("_") or name in fields:
            continue
        what = _summary(inspect.getdoc(member) or "")
        called = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        shown = f"{name}()" if inspect.isfunction(called) else name
        rows.append(f"| `{shown}` | {what} |")
    if rows:
        yield "\n".join(["\n| property or method | what it is |\n|---|---|", *rows]) + "\n"


def _is_frozen(value: type) -> bool:
    return dataclasses.is_dataclass(value)


def _summary(docstring: str) -> str:
    return _text(" ".join(docstring.partition("\n\n")[0].split())).replace("|", "\\|")


def _signature(name: str, function: object) -> str:
    if not callable(function):
        return name
    parameters = list(inspect.signature(function).parameters.values())
    words = []
    for kind, group in groupby(parameters, key=lambda each: each.kind):
        if kind is inspect.Parameter.KEYWORD_ONLY and not any(
            each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters
        ):
            words.append("*")
        words += [_parameter(each) for each in group]
    one = f"{name}({', '.join(words)})"
    return one if len(one) <= 90 else f"{name}(\n    " + ",\n    ".join(words) + ",\n)"


def _parameter(parameter: inspect.Parameter) -> str:
    name = parameter.name
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        name = f"*{name}"
    if parameter.kind is inspect.Parameter.VAR_KEYWORD:
        name = f"**{name}"
    if parameter.default is inspect.Parameter.empty:
        return name
    default = parameter.default
    return f'{name}="{default}"' if isinstance(default, str) else f"{name}={default!r}"


def markdown(docstring: str) -> str:
    """Return a docstring in NumPy's style as Markdown."""
    first, *rest = _TITLE.split(docstring)
    parts = [_paragraphs(first)]
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        parts.append(f"**{title}**\n")
        parts.append(_list(body) if title in _LISTS else _paragraphs(body))
    return "\n".join(part for part in parts if part)


def _list(body: str) -> str:
    """Return a section's list: names at the margin, descriptions indented."""
    items = []
    for block in re.split(r"\n(?=\S)", body.strip("\n")):
        name, _, what = block.partition("\n")
        named, colon, kind = name.partition(" : ")
        shown = f"`{named}`" + (f" ({_text(kind)})" if colon else "")
        explained = _text(" ".join(what.split()))
        items.append(f"- {shown}: {explained}" if explained else f"- {shown}")
    return "\n".join(items) + "\n"


def _paragraphs(body: str) -> str:
    written = []
    for paragraph in re.split(r"\n\s*\n", body.strip("\n")):
        if paragraph.lstrip().startswith(">>>"):
            written.append(f"```pycon\n{inspect.cleandoc(paragraph)}\n```")
        elif paragraph.startswith("    "):
            written.append(f"```python\n{inspect.cleandoc(paragraph)}\n```")
        elif paragraph:
            written.append(re.sub("::$", ":", _text(paragraph)))
    return "\n\n".join(written) + "\n" if written else ""


def _text(text: str) -> str:
    return text.replace("``", "`")
