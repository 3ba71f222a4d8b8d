"""Waiting while something else on the machine keeps a harness from running."""

from collections.abc import Callable
from typing import TypeVar

from steady.errors import InputError
from steady.harness.trial import BusyError
from steady.text.numbers import duration

T = TypeVar("T")

BUSY_MINUTES = 30
"""How long a run waits."""

_STEP_SECONDS = 5.0


def patiently(
    task: Callable[[], T],
    say: Callable[[str], None],
    sleep: Callable[[float], None],
    left: Callable[[], float],
) -> T:
    """Run a task, again and again while something else on the machine keeps it from running.

    Parameters
    ----------
    task : callable
        Raises BusyError as long as something does.
    say : callable
        Prints a line.
    sleep : callable
        Waits some seconds.
    left : callable
        Returns the seconds that the run has left.

    Raises
    ------
    InputError
        If it was too long.
    BusyError
        If the time of the run was at its end before.
    """
    waited = 0.0
    while True:
        try:
            return task()
        except BusyError as error:
            rest = left()
            if rest <= 0:
                raise
            if waited == 0.0:
                most = f"{BUSY_MINUTES} min" if rest > 60 * BUSY_MINUTES else duration(rest)
                say(f"{error}; waiting at most {most}")
            if waited >= 60 * BUSY_MINUTES:
                raise InputError(
                    f"{error}, even after waiting {BUSY_MINUTES} min; stop it, or wait until it "
                    "has finished, then continue with --resume"
                ) from None
            sleep(min(_STEP_SECONDS, rest))
            waited += _STEP_SECONDS
