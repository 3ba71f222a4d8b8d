"""The command-line parser, which reports errors in one sentence with suggestions.

Only the options of the given command are imported.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NoReturn

from steady.text.nearest import did_you_mean

if TYPE_CHECKING:
    from steady.options.command import Command


KIND = "command_kind"
"""Attribute of the namespace with the command's class."""


COMMANDS = {
    "run": "measure base and head, interleaved",
    "compare": "compare two runs, benchmark by benchmark",
    "demo": "show a plan and a verdict for recorded runs",
    "analyze": "detect the steady state of each fork, and compare the forks",
    "optimize": "make a plan: the smallest stable configuration of each benchmark",
    "plan": "show a plan",
    "plot": "plot the forks of one benchmark",
    "changed": "list the benchmarks with an identical code path in base and head",
    "merge": "join the results of a run's shards",
    "report": "write comment, job summary, HTML report and JSON",
    "history": "record results of runs, and find the baseline of a change",
    "settings": "check .github/steady.yml, or print its JSON schema",
    "methods": "list every method with its source",
    "completion": "print a completion script for bash, zsh or tcsh",
}
"""Summaries in the list of commands."""

_MODULES = {
    "plan_options": ("analyze", "optimize", "plan"),
    "run_options": ("changed", "run", "merge"),
    "compare_options": ("compare", "report"),
}
"""Modules that declare the options of each command, if not `other_options`."""

GROUPS = {
    "history": "steady history: record results of runs, and find the baseline of a change",
    "settings": "steady settings: check a settings file, or print its JSON schema for editors",
}
"""Descriptions of commands with subcommands."""

_WITHOUT_HYPHENS = ("help", "version")
"""Options that are accepted without hyphens."""

_OF_TWO_BUILDS = ("run", "changed")
"""Commands that accept two builds as operands."""

_OF_ONE_BUILD = ("--full", "--list")
"""Options with which `steady run` takes the build of a single version."""

EXIT_CODES = """\
exit codes:
  0  success
  1  a regression, or another condition of --fail-on
  2  invalid command or input, with a one-sentence explanation
"""


def subcommands(name: str) -> Mapping[str, type[Command]]:
    """Return a command by its name, or the subcommands of a group by their names."""
    own = next((one for one, names in _MODULES.items() if name in names), "other_options")
    module = import_module(f"steady.options.{own}")
    words = {
        kind: getattr(kind, "called", "").split()
        for kind in vars(module).values()
        if isinstance(kind, type)
    }
    return {called[-1]: kind for kind, called in words.items() if called[:1] == [name]}


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors include suggestions."""

    words_behind = ""
    """Name of the operand for the arguments after ``--``, which belong to another command."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"allow_abbrev": False, **options})

    @property
    def actions(self) -> Sequence[argparse.Action]:
        """The actions of all options and operands."""
        return self._actions

    @property
    def subcommands(self) -> dict[str, Parser]:
        """The parsers of the subcommands."""
        for action in self._actions:
            if action.nargs == argparse.PARSER and isinstance(action.choices, dict):
                return action.choices
        return {}

    def takes_value(self, option: str) -> bool:
        """Return whether an option takes a value."""
        action = self._option_string_actions.get(option)
        return action is not None and action.nargs != 0

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse, but reject unknown options first, because other errors follow from them."""
        words = list(sys.argv[1:] if args is None else args)
        self._refuse_unknown(words)
        if not self.words_behind or "--" not in words:
            return super().parse_known_args(words, namespace)
        place = words.index("--")
        parsed, unknown = super().parse_known_args(words[:place], namespace)
        setattr(
            parsed, self.words_behind, [*getattr(parsed, self.words_behind), *words[place + 1 :]]
        )
        return parsed, unknown

    def error(self, message: str) -> NoReturn:
        """Exit with one sentence and a reference to the help."""
        self.exit(2, f"steady: {message}\nTry `{self.prog} --help`.\n")

    def _refuse_unknown(self, words: Sequence[str]) -> None:
        subcommands = self.subcommands
        known = self._option_string_actions
        for word in takewhile(lambda word: word != "--" and word not in subcommands, words):
            name = word.partition("=")[0]
            # As in argparse, a word with a space is a value.
            if not name.startswith("--") or " " in word or name in known:
                continue
            if meant := [option for option in known if option.startswith(name)]:
                self.error(f"{name!r} is not a complete option; write {' or '.join(meant)}")
            self.error(f"unknown option {name!r}{did_you_mean(name, known)}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        known = [str(choice) for choice in action.choices]
        meant = did_you_mean(str(value), [*known, *_WITHOUT_HYPHENS])
        raise argparse.ArgumentError(
            None, f"unknown command {value!r}{meant or '; expected: ' + ', '.join(known)}"
        )


def corrected(words: Sequence[str]) -> list[str]:
    """Return a command line with common variations of the syntax corrected.

    >>> corrected(["help", "run"]), corrected(["version"])
    (['run', '--help'], ['--version'])
    >>> corrected(["run", "old.jar", "new.jar", "--out", "results"])
    ['run', '--out', 'results', '--base', 'old.jar', '--head', 'new.jar']
    >>> corrected(["run", ".", "--full", "5x60", "--", "pytest"])
    ['run', '--full', '5x60', '--jar', '.', '--', 'pytest']
    """
    first, *rest = words or [""]
    help_word, version_word = _WITHOUT_HYPHENS
    if first == help_word and all(word in COMMANDS for word in rest[:1]):
        return [*rest, "--help"]
    if first == version_word and not rest:
        return ["--version"]
    if first not in _OF_TWO_BUILDS or {"-h", "--help"} & set(rest):
        return list(words)
    behind = rest[rest.index("--") :] if "--" in rest else []
    builds, others = _parted(
        rest[: len(rest) - len(behind)], build_parser([first]).subcommands[first]
    )
    if not builds:
        return list(words)
    given = {word.partition("=")[0] for word in others}
    named = given & {"--base", "--head", "--jar"}
    if len(builds) == 1 and first == "run" and not named and given & {*_OF_ONE_BUILD}:
        return [first, *others, "--jar", builds[0], *behind]
    if named or len(builds) != len(("base", "head")):
        build_parser([first]).subcommands[first].error(
            f"{' '.join(builds)}: write two builds, the older one first, as in `steady {first} "
            "base.jar head.jar`, or name them by --base and --head"
        )
    return [first, *others, "--base", builds[0], "--head", builds[1], *behind]


def _parted(words: Sequence[str], parser: Parser) -> tuple[list[str], list[str]]:
    """Return the operands, and all other words."""
    alone: list[str] = []
    others: list[str] = []
    takes_value = False
    for word in words:
        is_option = word.startswith("-") and not takes_value
        (others if is_option or takes_value else alone).append(word)
        takes_value = is_option and "=" not in word and parser.takes_value(word)
    return alone, others


def build_parser(words: Sequence[str]) -> Parser:
    """Return a parser with the options of a command line's command only."""
    asked = next((word for word in words if word in COMMANDS), None)
    return _parser(() if asked is None else (asked,))


def whole_parser() -> Parser:
    """Return a parser with the options of all commands."""
    return _parser(COMMANDS)


def _parser(asked: Iterable[str]) -> Parser:
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
    for name in asked:
        _fill_all(parsers[name], name)
    return parser


def _fill_all(parser: Parser, name: str) -> None:
    """Add the options of a command or its subcommands to a parser."""
    from steady.options.command import fill  # slow import, not needed without a command

    parsers: dict[type[Command], Parser] = {}
    kinds = subcommands(name)
    if name in kinds:
        parsers[kinds[name]] = parser
    else:
        metavar = "ACTION" if name == "settings" else "COMMAND"
        commands = parser.add_subparsers(metavar=metavar, required=True)
        parser.description = GROUPS[name]
        parsers = {kind: commands.add_parser(word, help=kind.help) for word, kind in kinds.items()}
    for kind, own in parsers.items():
        fill(own, kind)
        own.words_behind = kind.words_behind
        own.set_defaults(**{KIND: kind})


def parse(words: Sequence[str]) -> Command:
    """Parse a command line; errors end the program with exit code 2."""
    namespace = build_parser(words).parse_args(words)
    kind: type[Command] = getattr(namespace, KIND)
    return kind.parsed(namespace)


class _PrintVersion(argparse.Action):
    """Print the version and exit."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(
            option_strings, dest, nargs=0, help="show program's version number and exit"
        )

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version  # slow import

        print(version("steady-action"))
        parser.exit()
