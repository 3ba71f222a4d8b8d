"""The parser of a command line: a mistake is one sentence, which names what is nearest."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NoReturn

from steady.options.command import Command
from steady.options.commands import COMMANDS, KIND, below, described
from steady.options.option import Use, uses
from steady.text.nearest import did_you_mean

if TYPE_CHECKING:
    from steady.options.command import Command


COLORS = ("auto", "always", "never")

EXIT_CODES = """\
exit codes:
  0  fine
  1  a regression, or whatever else --fail-on names
  2  a mistake in the command or in the input; one sentence says which
"""

GONE = {
    "--second-look": "the second look no longer exists, because a run now decides after every "
    "batch of rounds; --time-budget says how long it may take, and --all-rounds measures what is "
    "planned and no more",
}
"""Options that there were once, and what has taken their place."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors say what was probably meant, and where to read more."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"allow_abbrev": False, **options})
        self.add_argument(
            "--color", choices=COLORS, default=argparse.SUPPRESS, metavar="WHEN",
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
            # As argparse has it: with a space it is a value.
            if not name.startswith("--") or " " in word or name in known:
                continue
            if name in GONE:
                self.error(f"argument {name}: {GONE[name]}")
            meant = [option for option in known if option.startswith(name)]
            if meant:
                self.error(f"{name!r} is not a whole option; write {' or '.join(meant)}")
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


def build_parser(words: Sequence[str]) -> Parser:
    """Return the parser of a command line, which knows the options of its command alone."""
    parser = Parser(
        prog="steady",
        description="Make a microbenchmark suite fast enough for every pull request, and its "
        "verdicts trustworthy enough to act on.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_PrintVersion)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    parsers = {name: commands.add_parser(name, help=text) for name, text in COMMANDS.items()}
    asked = next((word for word in words if word in COMMANDS), None)
    if asked is not None:
        # Without a command nothing is declared, and the start is faster.
        from steady.options.parser import fill_all

        fill_all(parsers[asked], asked)
    return parser


def parse(words: Sequence[str]) -> Command:
    """Return the command that some words are; a mistake ends the program with exit code 2."""
    return command_of(build_parser(words).parse_args(words))


def command_of(namespace: argparse.Namespace) -> Command:
    """Return the command that was parsed."""
    kind: type[Command] = getattr(namespace, KIND)
    return kind.of(namespace)


class _PrintVersion(argparse.Action):
    """Print the version and exit."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(
            option_strings, dest, nargs=0, help="show program's version number and exit"
        )

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version  # as slow as the rest of the start

        print(version("steady-action"))
        parser.exit()


def fill_all(parser: argparse.ArgumentParser, name: str) -> None:
    """Declare the options of a command, or of those below it."""
    parser.description = described(name)
    kinds = below(name)
    if name in kinds:
        _fill(parser, kinds[name])
        return
    metavar = "ACTION" if name == "settings" else "COMMAND"
    commands = parser.add_subparsers(metavar=metavar, required=True)
    for word, kind in kinds.items():
        _fill(commands.add_parser(word, help=kind.help), kind)


def _fill(parser: argparse.ArgumentParser, command: type[Command]) -> None:
    """Declare the options of a command as its fields use them."""
    parser.description = command.described()
    if command.ending:
        parser.epilog = command.ending
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
    groups: dict[str, Any] = {}
    for names in command.exclusive:
        groups |= dict.fromkeys(names, parser.add_mutually_exclusive_group())
    for used in uses(command).values():
        _add(groups.get(used.field, parser), used)
    parser.set_defaults(**{KIND: command})


def _add(parser: Any, used: Use) -> None:
    option = used.option
    what: dict[str, Any] = {"help": _help(used), "metavar": used.metavar}
    if option.kind.names:
        what["choices"] = option.kind.names
    what["type"] = _typed(used)
    if used.operand:
        many = {} if used.operand == "1" else {"nargs": used.operand}
        default = {"default": used.default} if used.operand == "?" else {}
        parser.add_argument(used.field, **many, **default, **what)
        return
    if used.is_switch:
        parser.add_argument(
            used.flag, action="store_true", default=argparse.SUPPRESS, help=what["help"]
        )
        return
    if option.takes == "several":
        what |= {"action": "extend", "nargs": "+"}
    elif option.takes == "each":
        what["action"] = "append"
    required = {"required": True} if used.required else {}
    parser.add_argument(used.flag, default=argparse.SUPPRESS, **required, **what)
    for name in option.short:
        parser.add_argument(
            f"--{name}", action="store_const", const=name, dest=used.field,
            default=argparse.SUPPRESS, help=f"short for {used.flag} {name}",
        )  # fmt: skip


def _help(used: Use) -> str:
    text = used.help
    if "{default}" in text:
        shown = used.default
        shown = shown if shown is None else used.option.kind.show(shown)
        text = text.replace("{default}", str(shown))
    return text.replace("%", "%%")


def _typed(used: Use) -> Callable[[str], Any]:
    kind = used.option.kind

    def typed(text: str) -> Any:
        try:
            return kind.parse(text, f"{used.flag} {{}}")
        except KeyError:
            return text  # not one of the names, which says `_check_value`
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return typed
