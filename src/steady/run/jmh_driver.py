"""JMH's own JVM, from which it starts a benchmark's forks: kept warm, or new for each fork.

A start of JMH costs a JVM and several more by which it learns what that JVM can do. A JVM that
stays and runs JMH once for each fork pays that once (``SteadyDriver.java``).
"""

from __future__ import annotations

import base64
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from steady.emit.jmh_command_lines import MAIN
from steady.run.processes import Child
from steady.run.trial import TrialError

DRIVER = "SteadyDriver"
SOURCE = Path(__file__).with_name(f"{DRIVER}.java")

_ANSWER = "steady: "
_DONE = "done"
_END = "end"
_ENDING_SECONDS = 10.0
_PROPERTIES = ("-Djmh.scorePrecision=18",)  # no score's digits are lost

Watch = Callable[[], float | None]
"""Looks after a running fork: seconds until it wants to look again; None: the fork is to end."""


class _EnoughError(Exception):
    """Whoever looks after the fork has seen enough."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a host says of a run of JMH.

    Parameters
    ----------
    problem : str
        What went wrong; empty if it says nothing.
    iteration_seconds : float, optional
        From the start of the first iteration to the end of the last, by JMH's own count.
    """

    problem: str = ""
    iteration_seconds: float | None = None


class Host(ABC):
    """What runs JMH, in a process of its own.

    Parameters
    ----------
    command : sequence of str
        How the process is started.
    errors : Path
        File for its standard error.
    """

    def __init__(self, command: Sequence[str], errors: Path) -> None:
        self._command = tuple(command)
        self._errors = errors
        self._child: Child | None = None

    @abstractmethod
    def run(self, arguments: Sequence[str], timeout: float, watch: Watch | None = None) -> Told:
        """Run JMH once.

        Parameters
        ----------
        arguments : sequence of str
            Of its command line.
        timeout : float
            Seconds.
        watch : callable, optional
            Is asked from time to time whether the fork is to be ended. No process of the fork is
            left then.

        Returns
        -------
        Told
            What it says.

        Raises
        ------
        TrialError
            If it passed the timeout, or cannot be run. It must be killed after that; so it must
            after whatever `watch` raises.
        """

    def kill(self) -> None:
        """End every process of it, at once."""
        if self._child is not None:
            self._child.kill()
            self._child = None

    def close(self) -> None:
        """End every process of it."""
        self.kill()

    def _start(self, *arguments: str) -> Child:
        self._child = Child((*self._command, *arguments), self._errors)
        return self._child


class Driver(Host):
    """A JVM that stays; started when first needed, and again when it has ended.

    Parameters
    ----------
    java : str
        The program.
    class_path : str
        Of the forks.
    own_class_path : str
        The same and the driver's class.
    errors : Path
        File for its standard error.
    """

    def __init__(self, java: str, class_path: str, own_class_path: str, errors: Path) -> None:
        command = (java, *_PROPERTIES, "-cp", own_class_path, DRIVER, class_path)
        super().__init__(command, errors)

    def run(self, arguments: Sequence[str], timeout: float, watch: Watch | None = None) -> Told:
        """Run JMH once."""
        deadline = time.monotonic() + timeout
        try:
            child = self._running()
            child.write(",".join(base64.b64encode(a.encode()).decode() for a in arguments))
        except OSError as error:
            raise TrialError(f"its JVM cannot be started: {error}") from None
        try:
            return _told(_answer(child, deadline, timeout, watch))
        except _EnoughError:
            self._end_fork(child)
            return Told()

    def close(self) -> None:
        """Let the JVM end, and end it if it does not."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def _end_fork(self, child: Child) -> None:
        """End the fork and keep the JVM, which answers that its fork has died; or end both."""
        with suppress(OSError, TimeoutError):
            child.write(_END)
            deadline = time.monotonic() + _ENDING_SECONDS
            while (line := child.line(deadline)) is not None:
                if line.startswith(_ANSWER):
                    return
        self.kill()

    def _running(self) -> Child:
        if self._child is not None and not self._child.alive:
            self.kill()
        return self._child or self._start()


class SingleStarts(Host):
    """A new JVM for each fork.

    Parameters
    ----------
    java : str
        The program.
    class_path : str
        With the benchmarks and JMH.
    errors : Path
        File for its standard error.
    """

    def __init__(self, java: str, class_path: str, errors: Path) -> None:
        super().__init__((java, *_PROPERTIES, "-cp", class_path, MAIN), errors)

    def run(self, arguments: Sequence[str], timeout: float, watch: Watch | None = None) -> Told:
        """Run JMH once."""
        deadline = time.monotonic() + timeout
        try:
            child = self._start(*arguments)
        except OSError as error:
            raise TrialError(f"its JVM cannot be started: {error}") from None
        with suppress(_EnoughError):
            while _line(child, deadline, timeout, watch) is not None:
                pass
        self.close()
        return Told()


def _answer(child: Child, deadline: float, timeout: float, watch: Watch | None) -> str:
    """Return what follows the mark of an answer; a JVM itself may print lines without it."""
    while True:
        line = _line(child, deadline, timeout, watch)
        if line is None:
            raise TrialError(f"JMH's own JVM ended ({_ending(child.kill())})")
        if line.startswith(_ANSWER):
            return line.removeprefix(_ANSWER)


def _line(child: Child, deadline: float, timeout: float, watch: Watch | None) -> str | None:
    while True:
        pause = math.inf if watch is None else watch()
        if pause is None:
            raise _EnoughError
        until = min(deadline, time.monotonic() + pause)
        try:
            return child.line(until)
        except TimeoutError:
            if until >= deadline:
                message = f"passed its limit of {timeout:g} s and was stopped"
                raise TrialError(message) from None


def _told(answer: str) -> Told:
    outcome, _, rest = answer.partition(" ")
    if outcome == _DONE:
        return Told(iteration_seconds=int(rest) / 1000 if rest.isdecimal() else None)
    return Told(base64.b64decode(rest).decode("utf-8", "replace"))


def _ending(code: int) -> str:
    return f"by signal {-code}" if code < 0 else f"with code {code}"
