"""Java: the program, the compilation of steady's classes, and the host JVM of JMH.

JMH starts in its own JVM, and starts several more to query the capabilities of the forked JVM. A
host JVM that stays alive, and runs JMH once for each fork, pays for this only once
(``SteadyDriver.java``).
"""

from __future__ import annotations

import base64
import math
import os
import re
import secrets
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from steady.errors import InputError
from steady.execution.processes import Child, uninterrupted
from steady.harness.jmh.run.turn_server import ForeignMessages
from steady.harness.trial import TrialError, out_of_time

_PROPERTY = re.compile(r"^ {4}((?:java|jmh)\.\S+) = (.*)$", re.MULTILINE)
_DECIMAL = re.compile(r"\d{1,4}(?:\.\d{1,4})?", re.ASCII)
_ANSWER_SECONDS = 60
_SHORT_LIFE = (
    *("-J-XX:+IgnoreUnrecognizedVMOptions", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"),
)
"""JVM options that shorten the start of ``javac``."""


@dataclass(frozen=True, slots=True)
class Java:
    """An installed Java.

    Parameters
    ----------
    program : str
        The command.
    home : Path
        Its ``java.home``.
    version : str
        ``17.0.15+6, OpenJDK 64-Bit Server VM``.
    jmh_lock : Path, optional
        JMH's lock file; None if the lock is disabled by ``-Djmh.ignoreLock=true`` in
        ``JAVA_TOOL_OPTIONS``.
    newest_classes : float
        Highest version of class files that it supports, ``java.class.version``.
    """

    program: str
    home: Path
    version: str
    jmh_lock: Path | None = None
    newest_classes: float = math.inf

    @classmethod
    def query(cls, program: str) -> Java:
        """Start ``java`` to query its properties.

        Raises
        ------
        InputError
            If the program does not exist, or is not ``java``.
        """
        properties = dict(_PROPERTY.findall(_settings(program)))
        if "java.home" not in properties:
            raise InputError(
                f"{program!r} does not answer like java -version; set --java to the program java "
                "of a JDK"
            )
        version = properties.get("java.vm.version", properties.get("java.version", ""))
        name = properties.get("java.vm.name", "")
        temporary = properties.get("java.io.tmpdir", "")
        ignored = properties.get("jmh.ignoreLock", "").lower() == "true"
        return cls(
            program,
            Path(properties["java.home"]),
            ", ".join(filter(None, (version, name))),
            Path(temporary, "jmh.lock") if temporary and not ignored else None,
            _number(properties.get("java.class.version", "")),
        )

    @property
    def compiler(self) -> Path | None:
        """The ``javac`` of the same JDK; None if only a runtime is installed."""
        name = "javac.exe" if os.name == "nt" else "javac"
        # In Java 8, ``java.home`` is the runtime inside the JDK.
        places = (self.home / "bin" / name, self.home.parent / "bin" / name)
        return next((place for place in places if place.is_file()), None)


def _number(text: str) -> float:
    return float(text) if _DECIMAL.fullmatch(text) else math.inf


def compiled(
    compiler: Path, sources: Sequence[Path], class_path: Sequence[Path], folder: Path, *options: str
) -> bool:
    """Compile files, and return whether that succeeded."""
    command = [
        *(str(compiler), *_SHORT_LIFE, *options, "-proc:none", "-nowarn", "-encoding", "UTF-8"),
        *("-cp", os.pathsep.join(map(str, class_path)), "-d", str(folder), *map(str, sources)),
    ]
    try:
        done = subprocess.run(  # noqa: S603 - the user's own JDK
            command, capture_output=True, check=False, timeout=_ANSWER_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _settings(program: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - the user's own choice
            [program, "-XshowSettings:properties", "-version"],
            capture_output=True,
            check=False,
            timeout=_ANSWER_SECONDS,
        )
    except (OSError, ValueError):
        raise InputError(
            f"{program!r} is not an installed program; install a JDK, or give its java with --java"
        ) from None
    except subprocess.TimeoutExpired:
        raise InputError(f"{program!r} did not answer -version; give another --java") from None
    return (done.stderr + done.stdout).decode("utf-8", "replace").replace("\r", "")


DRIVER = "SteadyDriver"
HOOK = "SteadyTurns"

_SOURCES = tuple(Path(__file__).with_name(f"{name}.java") for name in (DRIVER, HOOK))

_FOR_EVERY_JAVA = ("--release", "8")
"""The hook runs in the fork's JVM, which an annotation may set (``@Fork(jvm = ...)``)."""


def compile_classes(java: Java, jar: Path, folder: Path) -> None:
    """Compile steady's classes into a folder.

    Parameters
    ----------
    java : Java
        The Java that runs JMH.
    jar : Path
        The jar with JMH.
    folder : Path
        The output folder, which is created.

    Raises
    ------
    InputError
        If there is no compiler, or the compilation fails.
    """
    if java.compiler is None:
        raise InputError(
            f"there is no javac beside {java.program!r}, and steady compiles two classes of its "
            "own; install a JDK, or give its java with --java"
        )
    folder.mkdir(parents=True, exist_ok=True)
    for options in (_FOR_EVERY_JAVA, ()):  # Java 8 does not have the option
        if compiled(java.compiler, _SOURCES, [jar], folder, *options):
            return
    raise InputError(
        f"{java.compiler} cannot compile steady's classes with the benchmarks' JMH; build the "
        "benchmarks with "
        "JMH 1.19 to 1.37",
        source=jar,
    )


_ANSWER = "steady: "
_DONE = "done"
# the default precision can make a score in the log unreadable
_PROPERTIES = ("-Djmh.scorePrecision=18",)

Watch = Callable[[], float]
"""A check of a running fork; returns the seconds until the next check."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of the host JVM after a run of JMH.

    Parameters
    ----------
    problem : str
        Why the run failed; empty if it did not, or if the reason is unknown.
    iteration_seconds : float, optional
        Seconds from the start of the first iteration to the end of the last, as measured by JMH.
    """

    problem: str = ""
    iteration_seconds: float | None = None


class Host:
    """A host JVM, which runs JMH once for each fork.

    It starts on first use, and again if it has ended. It ignores JMH's lock, which steady holds
    (`steady.harness.jmh.run.jmh_runs.jmh_lock`).

    Parameters
    ----------
    java : str
        The ``java`` program.
    class_path : sequence of Path
        Paths of the benchmarks, JMH, and steady's classes.
    errors : Path
        File to which the JVM's standard error is written.
    foreign : ForeignMessages, optional
        Counter of answers without the password of the current run of JMH.
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
            Arguments of JMH's command line.
        timeout : float
            Time limit in seconds.
        watch : callable, optional
            Check that is called repeatedly, and raises an error to end the fork.

        Raises
        ------
        TrialError
            If it exceeded the timeout, or the JVM does not start or ended. After this error, and
            any error of `watch`, the host must be killed.
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
        code = child.kill()
        ending = f"by signal {-code}" if code < 0 else f"with code {code}"
        raise TrialError(f"JMH's own JVM ended ({ending})")

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
        """Request a run of JMH; return the host JVM, which is started if necessary."""
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
        self._foreign.add()
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
