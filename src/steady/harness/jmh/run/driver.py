"""JMH's host JVM, from which it starts a benchmark's forks.

JMH starts in a JVM of its own, and starts several more to query the capabilities of the forked JVM.
A host JVM that stays alive and runs JMH once for each fork pays for this only once
(``SteadyDriver.java``).
"""

import base64
import math
import os
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from steady.execution.processes import Child, uninterrupted
from steady.harness.jmh.run.java_program import DRIVER
from steady.harness.jmh.run.turn_server import ForeignMessages
from steady.harness.trial import TrialError, out_of_time

_ANSWER = "steady: "
_DONE = "done"
# otherwise rounding can make a score in the log unreadable
_PROPERTIES = ("-Djmh.scorePrecision=18",)

Watch = Callable[[], float]
"""Checks a running fork; returns the seconds until the next check."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The report of the host JVM on a run of JMH.

    Parameters
    ----------
    problem : str
        The problem; empty without one, or if it is unknown.
    iteration_seconds : float, optional
        Seconds from the start of the first iteration to the end of the last, as measured by JMH.
    """

    problem: str = ""
    iteration_seconds: float | None = None


class Host:
    """A host JVM with JMH, from which a benchmark's forks are started.

    Parameters
    ----------
    java : str
        The ``java`` program.
    class_path : sequence of Path
        Paths of the benchmarks, JMH, and steady's classes. The JVM is started on first use, and
        again after its end. It ignores JMH's lock (`steady.harness.jmh.run.lock`).
    errors : Path
        File for the JVM's standard error.
    foreign : ForeignMessages, optional
        Counts answers without the password of the present run of JMH.
    """

    def __init__(
        self,
        java: str,
        class_path: Sequence[Path],
        errors: Path,
        foreign: ForeignMessages | None = None,
    ) -> None:
        path = os.pathsep.join(map(str, class_path))
        self._command = (java, *_PROPERTIES, "-cp", path, DRIVER)
        self._errors = errors
        self._foreign = ForeignMessages() if foreign is None else foreign
        self._password = ""
        self._child: Child | None = None

    def run(self, arguments: Sequence[str], timeout: float, watch: Watch | None = None) -> Answer:
        """Run JMH once.

        Parameters
        ----------
        arguments : sequence of str
            The arguments of its command line.
        timeout : float
            Seconds after which it is stopped.
        watch : callable, optional
            Called repeatedly; it raises an error if the fork must end.

        Raises
        ------
        TrialError
            If it exceeded the timeout, or cannot be run. The host must be killed after that, and
            after any error of `watch`.
        """
        deadline = time.monotonic() + timeout
        try:
            child = self._asked(arguments)
        except OSError as error:
            raise TrialError(f"its JVM cannot be started: {error}") from None
        while (line := _line(child, deadline, timeout, watch)) is not None:
            answer = self._answer(line)
            if answer is not None:
                return answer
        raise TrialError(f"JMH's own JVM ended ({_ending(child.kill())})")

    def kill(self) -> None:
        """Kill the JVM and its fork."""
        if self._child is not None:
            self._child.kill()
            self._child = None

    def close(self) -> None:
        """End the JVM, by force if necessary."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def _asked(self, arguments: Sequence[str]) -> Child:
        """Return the host JVM after a request to run JMH with these arguments."""
        if self._child is not None and not self._child.alive:
            self.kill()
        if self._child is None:
            with uninterrupted():
                self._child = Child(self._command, self._errors)
        line = ",".join(base64.b64encode(a.encode()).decode() for a in arguments)
        self._password = secrets.token_hex(16)
        self._child.write(f"{self._password} {line}")
        return self._child

    def _answer(self, line: str) -> Answer | None:
        """Return the answer in a line; None for other output of the JVM."""
        if not line.startswith(_ANSWER):
            return None
        password, _, said = line.removeprefix(_ANSWER).partition(" ")
        if secrets.compare_digest(password.encode(), self._password.encode()):
            return _parsed(said)
        self._foreign.heard()
        return None


def _line(child: Child, deadline: float, timeout: float, watch: Watch | None) -> str | None:
    while True:
        pause = math.inf if watch is None else watch()
        until = min(deadline, time.monotonic() + pause)
        try:
            return child.line(until)
        except TimeoutError:
            if until >= deadline:
                raise out_of_time(timeout) from None


def _parsed(answer: str) -> Answer:
    outcome, _, rest = answer.partition(" ")
    if outcome == _DONE:
        return Answer(iteration_seconds=int(rest) / 1000 if rest.isdecimal() else None)
    return Answer(base64.b64decode(rest).decode("utf-8", "replace"))


def _ending(code: int) -> str:
    return f"by signal {-code}" if code < 0 else f"with code {code}"
