"""The parser of a command line: a mistake is one sentence, which names what is nearest."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import takewhile
from typing import Any, NoReturn

from steady.cli.coloring import CHOICES
from steady.text.nearest import did_you_mean


class Parser(argparse.ArgumentParser):
    """A parser whose errors say what was probably meant, and where to read more."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.add_argument(
            "--color", choices=CHOICES, default=argparse.SUPPRESS, metavar="WHEN",
            help="colours: auto (on a terminal, unless NO_COLOR is set), always or never",
        )  # fmt: skip

    @property
    def actions(self) -> Sequence[argparse.Action]:
        """What can be given: options and operands."""
        return self._actions

    @property
    def below(self) -> dict[str, Parser]:
        """The parsers of the commands below this one."""
        for action in self._actions:
            if action.nargs == argparse.PARSER and isinstance(action.choices, dict):
                return action.choices
        return {}

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse, but refuse an unknown option first: its name explains all that follows from it."""
        words = list(sys.argv[1:] if args is None else args)
        self._refuse_unknown(words)
        return super().parse_known_args(words, namespace)

    def error(self, message: str) -> NoReturn:
        """End with one sentence, and with the command that explains the rest."""
        self.exit(2, f"{self.prog}: error: {message}\nTry `{self.prog} --help`.\n")

    def _refuse_unknown(self, words: Sequence[str]) -> None:
        below = self.below
        known = self._option_string_actions
        for word in takewhile(lambda word: word != "--" and word not in below, words):
            name = word.partition("=")[0]
            # As argparse has it: with a space it is a value, and the beginning of a name will do.
            if not name.startswith("--") or " " in word:
                continue
            if not any(option.startswith(name) for option in known):
                self.error(f"unknown option {name!r}{did_you_mean(name, known)}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        known = [str(choice) for choice in action.choices]
        meant = did_you_mean(str(value), known)
        if action.nargs == argparse.PARSER:
            raise argparse.ArgumentError(
                None, f"unknown command {value!r}{meant or '; expected: ' + ', '.join(known)}"
            )
        raise argparse.ArgumentError(
            action, f"invalid choice: {value!r} (choose from {', '.join(known)}){meant}"
        )
