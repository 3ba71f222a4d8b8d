"""``steady completion``: print the shell completion script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from steady.errors import MissingToolError
from steady.options.option import uses
from steady.options.other_options import CompletionCommand
from steady.options.parser import KIND, Parser, whole_parser


def run(arguments: CompletionCommand) -> int:
    """Print the script."""
    print(script(arguments.shell), end="")
    return 0


def script(shell: str) -> str:
    """Return the completion script for a shell, generated from the parsers of all commands.

    Raises
    ------
    MissingToolError
        If shtab is not installed.
    """
    try:
        import shtab
    except ModuleNotFoundError:
        raise MissingToolError(
            "completion needs shtab; install it with `pip install 'steady-action[completion]'`"
        ) from None
    parser = whole_parser()
    for leaf in _leaves(parser):
        _declare_completions(leaf, shtab.FILE)
    return f"{shtab.complete(parser, shell=shell).rstrip()}\n"


def _leaves(parser: Parser) -> Iterator[Parser]:
    """Yield the parsers of all leaf commands."""
    below = parser.subcommands.values()
    if not below:
        yield parser
    for inner in below:
        yield from _leaves(inner)


def _declare_completions(parser: Parser, files: Any) -> None:
    """Declare for shtab the completion of each option: files, or fixed names."""
    used = uses(parser.get_default(KIND))
    for action in parser.actions:
        if action.nargs != 0 and action.dest in used:
            kind = used[action.dest].option.kind
            if kind.names:
                action.choices = list(kind.names)
            elif kind.is_file:
                action.complete = files  # type: ignore[attr-defined]  # read by shtab
