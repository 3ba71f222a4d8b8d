"""Parse the command line, run one command, and report errors in one sentence with exit code 2."""

import errno
import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module

from steady.cli.printing import guarded, note
from steady.errors import SteadyError, limit_errors
from steady.lazy_package import one_thread
from steady.options.parser import corrected, parse
from steady.streams import redirect_to_null

GREETING = """\
steady makes benchmark suites fast enough for every pull request, and their verdicts trustworthy.

Try it on a recorded suite:
  steady demo

Compare two builds, before and after a change, within ten minutes:
  steady run base.jar head.jar --time-budget 10m --out results

Compare two result files of JMH or go test -bench:
  steady compare OLD NEW

`steady --help` lists all commands, and `steady COMMAND --help` explains one.
"""
"""The output of ``steady`` without arguments: three commands to type."""

_MODULES = {"merge": "run"}
"""Modules of commands; by default, the module has the command's name."""

_OBJECTS = 100_000  # allocations between two collections


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; by default those of the process.

    Returns
    -------
    int
        Exit code: 0 for success, 1 if a ``--fail-on`` condition holds, 2 for a user error or
        invalid input.
    """
    with guarded(), _few_collections():
        return _main(argv)


def _main(argv: Sequence[str] | None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    if not words:
        print(GREETING, end="")
        return 0
    try:
        with one_thread():
            words = corrected(words)
            command = parse(words)
            name = command.called.partition(" ")[0]
            module = import_module(f"steady.cli.{_MODULES.get(name, name)}")
        with limit_errors():
            code: int = module.run(command)
        sys.stdout.flush()
    except SteadyError as error:
        # A message can quote a name from the code under test, which must not add lines.
        note(str(error))
        return 2
    except OSError as error:
        if error.errno != errno.ENOSPC or error.filename is not None:
            raise
        redirect_to_null(sys.stdout)
        note(
            f"standard output: cannot be written ({error.strerror}); free some space, and repeat "
            "the command"
        )
        return 2
    except KeyboardInterrupt:
        print("steady: interrupted", file=sys.stderr)
        return 130
    return code


@contextmanager
def _few_collections() -> Iterator[None]:
    """Collect garbage rarely, because a command is short-lived and allocates many objects."""
    former = gc.get_threshold()
    gc.set_threshold(_OBJECTS)
    try:
        yield
    finally:
        gc.set_threshold(*former)
