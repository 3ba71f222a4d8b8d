"""Parse the command line, run one command, turn errors into one sentence and exit code 2."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

from steady.cli import (
    analyze,
    compare,
    demo,
    history,
    merge,
    methods,
    optimize,
    plan,
    report,
    run,
    settings,
)
from steady.cli.common import note
from steady.cli.printing import guarded
from steady.errors import SteadyError

COMMANDS = (analyze, optimize, plan, run, merge, compare, report, history, settings, methods, demo)

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
    arguments = build_parser().parse_args(argv)
    arguments.argv = list(sys.argv[1:] if argv is None else argv)
    try:
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


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="steady",
        description="Make a microbenchmark suite fast enough for every pull request, and its "
        "verdicts trustworthy enough to act on.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=version("steady-action"))
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_to(commands)
    return parser
