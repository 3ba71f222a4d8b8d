"""The page of all commands, from the parsers themselves."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from steady.options.parser import COMMANDS, Parser, build_parser


def command_reference() -> str:
    """Return a section for each command."""
    return "".join(
        line
        for name in COMMANDS
        for line in _command(("steady", name), build_parser([name]).subcommands[name])
    )


def _command(words: tuple[str, ...], parser: Parser) -> Iterator[str]:
    name = " ".join(words)
    yield f"{'#' * len(words)} {name}\n\n"
    text = parser.description or COMMANDS.get(words[-1], "")
    summary, _, _ = text.partition("\n\n")
    yield f"{_sentence(summary.removeprefix(f'{name}: '))}\n\n"
    rows = [_row(action) for action in parser.actions if _is_shown(action)]
    if rows:
        yield "| option or operand | what it is |\n|---|---|\n" + "".join(rows) + "\n"
    for below, inner in parser.subcommands.items():
        yield from _command((*words, below), inner)


def _is_shown(action: argparse.Action) -> bool:
    hidden = action.help == argparse.SUPPRESS or action.nargs == argparse.PARSER
    return not hidden and "--help" not in action.option_strings


def _row(action: argparse.Action) -> str:
    value = _value(action)
    if action.option_strings:
        taken = f" {value}" if action.nargs != 0 else ""
        names = ", ".join(f"`{option}{taken}`" for option in action.option_strings)
    else:
        names = f"`{value}`"
    what = (action.help or "") % {"default": action.default, "prog": "steady"}
    if action.required and action.option_strings:
        what += " (required)"
    return f"| {_cell(names)} | {_cell(what)} |\n"


def _value(action: argparse.Action) -> str:
    if isinstance(action.metavar, tuple):
        return " ".join(action.metavar)
    return action.metavar or action.dest.upper()


def _sentence(text: str) -> str:
    words = " ".join(text.split())
    return _escaped(words[:1].upper() + words[1:].rstrip(".")) + "."


def _cell(text: str) -> str:
    return _escaped(" ".join(text.split())).replace("|", "\\|")


def _escaped(text: str) -> str:
    """Return text whose angle brackets and asterisks are not markup, outside code."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([<>*\[\]_])", r"\\\1", part) for part in parts
    )
