"""JMH's own JVM, from which it starts a benchmark's forks.

To start, JMH needs its own JVM, and several more that tell it what that JVM can do. A JVM that
stays, and runs JMH once for each fork, pays for this only once (``SteadyDriver.java``).
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
_PROPERTIES = ("-Djmh.scorePrecision=18",)  # no score is rounded so that its log cannot be read

Watch = Callable[[], float]
"""Looks at a running fork; returns the seconds until its next look."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What JMH's own JVM reports about a run of JMH.

    Parameters
    ----------
    problem : str
        What went wrong; empty if nothing did, or if the JVM does not say.
    iteration_seconds : float, optional
        Seconds from the start of the first iteration to the end of the last, as JMH counts them.
    """

    problem: str = ""
    iteration_seconds: float | None = None


class Host:
    """JMH in a JVM of its own, from which it starts a benchmark's forks.

    Parameters
    ----------
    java : str
        The program.
    class_path : sequence of Path
        Where the benchmarks, JMH, and our classes are. The JVM is started when first needed, and
        again when it has ended. It does not look at JMH's lock (`steady.harness.jmh.run.lock`).
    errors : Path
        File for the JVM's standard error.
    foreign : ForeignMessages, optional
        Counts answers without the password of the run of JMH that is waited for.
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
            Is asked from time to time; it raises an error where the fork must end.

        Raises
        ------
        TrialError
            If it passed the timeout, or cannot be run. The host must be killed after that, and
            after anything that `watch` raises.
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
        """End the JVM and its fork, at once."""
        if self._child is not None:
            self._child.kill()
            self._child = None

    def close(self) -> None:
        """Let the JVM end, and end it if it does not."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def _asked(self, arguments: Sequence[str]) -> Child:
        """Return the JVM that runs JMH with these arguments."""
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
        """Return what a line answers; None for one that the JVM itself or somebody else wrote."""
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
