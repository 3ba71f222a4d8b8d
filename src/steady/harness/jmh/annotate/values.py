"""Evaluation of simple constant expressions of Java and Kotlin."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable

Value = int | str

_LONGEST = 200
"""Longest evaluated expression, in characters."""
_LARGEST = 2**31 - 1


def evaluate(text: str, look_up: Callable[[str], Value | None]) -> Value | None:
    """Return the value of a constant expression; None if it is unknown.

    Integers with ``+ - * /`` and strings have the same syntax in Java, Kotlin and Python.
    Everything else is unknown: calls, casts, octal numbers, conditions, and values beyond Java's
    ``int``.

    Parameters
    ----------
    text : str
        The expression.
    look_up : callable
        Returns the value of a constant by its name as written.
    """
    if len(text) > _LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on escapes that are invalid in Python
            tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return _value(tree.body, look_up)


def _value(node: ast.expr, look_up: Callable[[str], Value | None]) -> Value | None:
    if isinstance(node, ast.Constant):
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int | str):
            return None
        return value if _fits(value) else None
    if isinstance(node, ast.Name | ast.Attribute):
        return look_up(ast.unparse(node)) if _is_dotted(node) else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _value(node.operand, look_up)
        return -inner if isinstance(inner, int) else None
    if isinstance(node, ast.BinOp):
        return _operation(node.op, _value(node.left, look_up), _value(node.right, look_up))
    return None


def _operation(operator: ast.operator, left: Value | None, right: Value | None) -> Value | None:
    if not (isinstance(left, int) and isinstance(right, int)):
        return None
    value: int | None = None
    if isinstance(operator, ast.Add):
        value = left + right
    elif isinstance(operator, ast.Sub):
        value = left - right
    elif isinstance(operator, ast.Mult):
        value = left * right
    elif isinstance(operator, ast.Div) and right:
        # Java and Kotlin round towards zero.
        size = abs(left) // abs(right)
        value = size if (left < 0) == (right < 0) else -size
    return value if value is not None and _fits(value) else None


def _fits(value: object) -> bool:
    return not isinstance(value, int) or abs(value) <= _LARGEST


def _is_dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
