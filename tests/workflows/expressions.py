"""Expressions of GitHub's workflows, ``${{ … }}``: as much of them as a page of ours uses.

Source: docs.github.com, "Evaluate expressions in workflows and actions".
"""

from collections.abc import Mapping
from typing import Any


def substituted(text: str, context: Mapping[str, Any]) -> Any:
    """Return the value of a text that is one expression: of paths and calls, ``!`` and ``&&``."""
    assert text.startswith("${{"), text
    assert text.endswith("}}"), text
    value: Any = True
    for part in text[3:-2].split("&&"):
        if truth(value):
            value = _value(part.strip(), context)
    return value


def truth(value: Any) -> bool:
    """Tell whether GitHub takes a value for true."""
    return value not in (None, False, 0, "")


def _value(part: str, context: Mapping[str, Any]) -> Any:
    if part.startswith("!"):
        return not truth(_value(part[1:], context))
    if part.endswith("()"):
        return context["functions"][part[:-2]]()
    holder: Any = context
    for name in part.split("."):
        holder = holder.get(name) if isinstance(holder, Mapping) else None
    return holder
