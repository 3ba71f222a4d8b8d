"""Waiting for another process that prevents a harness from running, such as a second JMH."""

from collections.abc import Callable
from typing import TypeVar

from steady.errors import InputError
from steady.harness.trial import BusyError
from steady.text.numbers import duration

T = TypeVar("T")

BUSY_MINUTES = 30
"""Maximum waiting time."""

_STEP_SECONDS = 5.0


def retry_while_busy(
    task: Callable[[], T],
    say: Callable[[str], None],
    sleep: Callable[[float], None],
    left: Callable[[], float],
) -> T:
    """Run a task, and retry it while another process prevents it from running.

    Parameters
    ----------
    task : callable
        Raises BusyError while it is prevented from running.
    say : callable
        Prints a line.
    sleep : callable
        Waits some seconds.
    left : callable
        Returns the remaining seconds of the run.

    Raises
    ------
    InputError
        If it is still prevented after `BUSY_MINUTES`.
    BusyError
        If the time of the run is used up earlier.
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
