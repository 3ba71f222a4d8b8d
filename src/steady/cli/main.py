"""Parse the command line, run one command, turn errors into one sentence and exit code 2."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from steady.cli.coloring import coloring
from steady.cli.greeting import GREETING
from steady.cli.parser import Parser
from steady.cli.printing import guarded, note
from steady.errors import SteadyError

COMMANDS = {
    "analyze": "show where each fork becomes steady, and whether the forks agree",
    "optimize": "make a plan: how little of each benchmark is enough",
    "plan": "show a plan, or cut it into parts for several machines",
    "changed": "list the benchmarks that run the same code in base and head",
    "run": "measure base and head in turn",
    "merge": "join the results of the shards of a run",
    "compare": "compare two runs, benchmark by benchmark",
    "report": "write comment, job summary, HTML report and JSON",
    "plot": "draw one benchmark: its forks, or what changed",
    "history": "keep results from run to run",
    "settings": "check .github/steady.yml, or print the JSON schema for it",
    "methods": "list every method with its source",
    "demo": "show a recorded run: two versions, the verdict, a plan",
    "completion": "print a completion script for bash, zsh or fish",
}
"""Each is a module of this package. Only the one that is asked for is imported: importing them all
takes far longer than most of them work."""

EXIT_CODES = """\
exit codes:
  0  fine
  1  a regression, or whatever else --fail-on names
  2  a mistake in the command or in the input; one sentence says which
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; by default those of the process.

    Returns
    -------
    int
        Exit code: 0 fine, 1 as ``--fail-on`` asks, 2 the user's mistake or bad input.
    """
    with guarded():
        return _main(argv)


def _main(argv: Sequence[str] | None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    if not words:
        print(GREETING, end="")
        return 0
    try:
        arguments = build_parser(words).parse_args(words)
        arguments.argv = words
        with coloring(getattr(arguments, "color", "auto")):
            code: int = arguments.run(arguments)
        sys.stdout.flush()
    except SteadyError as error:
        # A message may quote a name from the code under test, which must stay one line of text.
        note(str(error))
        return 2
    except SystemExit as end:
        # Rich ends the program with 1, which would say that there is a regression.
        if isinstance(end.__context__, BrokenPipeError):
            return 0
        raise
    except BrokenPipeError:
        # The reader has gone (``| head``): nothing is wrong, and nobody listens any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("steady: interrupted", file=sys.stderr)
        return 130
    return code


def build_parser(argv: Sequence[str]) -> Parser:
    """Return the parser of a command line, which knows the options of its command alone."""
    parser = Parser(
        prog="steady",
        description="Make a microbenchmark suite fast enough for every pull request, and its "
        "verdicts trustworthy enough to act on.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_PrintVersion)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    parsers = {name: commands.add_parser(name, help=text) for name, text in COMMANDS.items()}
    asked = next((word for word in argv if word in COMMANDS), None)
    if asked is not None:
        module = import_module(f"steady.cli.{asked}")
        parsers[asked].description = describe(module.__doc__)
        module.add_to(parsers[asked])
    return parser


def describe(docstring: str | None) -> str:
    """Return a module's docstring as a command's description."""
    return (docstring or "").replace("``", "").rstrip(".")


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
