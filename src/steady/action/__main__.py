"""The container's entry point."""

import contextlib
import gc
import os
import sys
import traceback

from steady.action.runner import Log
from steady.errors import MissingToolError
from steady.lazy_package import one_thread
from steady.streams import redirect_to_null

ERROR = 2


def main() -> int:
    """Run the action in the environment of this process; an unwritable log is an error too."""
    code = _run()
    try:
        sys.stdout.flush()
    except OSError:
        redirect_to_null(sys.stdout)  # or Python would exit with its own code
        return ERROR
    return code


def _run() -> int:
    gc.set_threshold(100_000)  # the process is short-lived and allocates many objects
    try:
        with one_thread():
            from steady.action.one_run import run
            from steady.github import connect

        return run(os.environ, sys.stdout, connect)
    except MissingToolError as error:
        sys.stderr.write(f"steady: {error}\n")
        return ERROR
    except Exception as error:
        # An internal error. Exit code 1 would mean a regression, even if only writing the log
        # failed, and GitHub's runner could interpret a plain traceback as commands.
        with contextlib.suppress(Exception):
            log = Log(sys.stdout)
            log.say(traceback.format_exc())
            name = type(error).__name__
            log.annotate("error", f"steady failed: {name}; please report the log above")
        return ERROR


if __name__ == "__main__":
    sys.exit(main())
