"""Functions for both grammars, Java's and Kotlin's: parser, nodes, and syntax errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from steady.errors import MissingToolError

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_BOM = b"\xef\xbb\xbf"
_BODIES = ("block", "function_body", "constructor_body", "lambda_literal")
"""Nodes of code, in which no benchmark is declared."""


@cache
def parser(language: str) -> Parser:
    """Return the parser of a language.

    Parameters
    ----------
    language : {"java", "kotlin"}
        The language.

    Raises
    ------
    MissingToolError
        If it is not installed.
    """
    try:
        tree_sitter = import_module("tree_sitter")
        grammar = import_module(f"tree_sitter_{language}")
    except ImportError:
        raise MissingToolError(
            "annotations are written with the parser tree-sitter, which is not installed; "
            "install it: `pip install 'steady-action[annotations]'`"
        ) from None
    made: Parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))
    return made


def parsed(language: str, text: bytes) -> Node:
    """Return the syntax tree of a text, with byte positions.

    A byte order mark, which the grammars reject, is replaced by spaces.
    """
    if text.startswith(_BOM):
        text = b" " * len(_BOM) + text[len(_BOM) :]
    return parser(language).parse(text).root_node


def words(node: Node | None) -> str:
    """Return the text of a node as one line."""
    if node is None or node.text is None:
        return ""
    return " ".join(node.text.decode("utf-8", "replace").split())


def line_of(node: Node) -> int:
    """Return the number of the line where a node begins, from 1."""
    return node.start_point[0] + 1


def children(node: Node | None, *types: str) -> Iterator[Node]:
    """Yield the children of the given types."""
    if node is not None:
        yield from (child for child in node.children if child.type in types)


def child(node: Node | None, *types: str) -> Node | None:
    """Return the first child of one of the given types."""
    return next(children(node, *types), None)


def first_error_line(node: Node, is_type: Callable[[Node], bool]) -> int | None:
    """Return the first line with a syntax error in a node, except in code and nested types."""
    stack = [*reversed(node.children)]
    while stack:
        here = stack.pop()
        # Kotlin's grammar reports a semicolon as missing if a line break replaces it.
        if here.is_error or (here.is_missing and not here.type.endswith("semi")):
            return line_of(here)
        if here.has_error and here.type not in _BODIES and not is_type(here):
            stack.extend(reversed(here.children))
    return None
