"""Parse the command line, run one command, turn errors into one sentence and exit code 2."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from steady.cli.coloring import coloring
from steady.cli.greeting import GREETING
from steady.cli.printing import guarded, note
from steady.errors import SteadyError
from steady.options.parser import COLOR, build_parser, command_of


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
    parsed = build_parser(words).parse_args(words)
    command = command_of(parsed)
    module = import_module(f"steady.cli.{command.called.partition(' ')[0]}")
    try:
        with coloring(getattr(parsed, COLOR.name, COLOR.default)):
            code: int = module.run(command)
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
