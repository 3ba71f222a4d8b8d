"""Wait for another process that keeps the harness from running."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from steady.errors import InputError
from steady.harness.trial import BusyError

T = TypeVar("T")

BUSY_MINUTES = 30
"""How long a run waits."""

_STEP_SECONDS = 5.0


def patiently(
    task: Callable[[], T],
    say: Callable[[str], None],
    sleep: Callable[[float], None] = time.sleep,
    then: str = "run again",
) -> T:
    """Return what a task returns, once nothing else keeps it from running.

    Parameters
    ----------
    task : callable
        Raises BusyError as long as something does.
    say : callable
        Prints a line.
    sleep : callable
        Waits some seconds.
    then : str
        What the user should do afterwards where the wait was too long.

    Raises
    ------
    InputError
        If it was too long.
    """
    waited = 0.0
    while True:
        try:
            return task()
        except BusyError as error:
            if waited == 0.0:
                say(f"{error}; waiting for its end, {BUSY_MINUTES} min at most")
            if waited >= 60 * BUSY_MINUTES:
                raise InputError(
                    f"{error}, still after {BUSY_MINUTES} min; end it, or wait until it has ended, "
                    f"and {then}"
                ) from None
            sleep(_STEP_SECONDS)
            waited += _STEP_SECONDS
