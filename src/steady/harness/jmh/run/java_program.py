"""The Java that runs benchmarks, and the compilation of steady's classes."""

from __future__ import annotations

import math
import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from steady.errors import InputError

_PROPERTY = re.compile(r"^ {4}((?:java|jmh)\.\S+) = (.*)$", re.MULTILINE)
_DECIMAL = re.compile(r"\d{1,4}(?:\.\d{1,4})?", re.ASCII)
_ANSWER_SECONDS = 60
_SHORT_LIFE = (
    *("-J-XX:+IgnoreUnrecognizedVMOptions", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"),
)
"""Options for a faster start of a compiler that compiles one file."""


@dataclass(frozen=True, slots=True)
class Java:
    """An installed Java.

    Parameters
    ----------
    program : str
        Its command.
    home : Path
        Its ``java.home``.
    version : str
        ``17.0.15+6, OpenJDK 64-Bit Server VM``.
    jmh_lock : Path, optional
        JMH's lock file; None if the user has disabled it
        (``-Djmh.ignoreLock=true`` in ``JAVA_TOOL_OPTIONS``).
    newest_classes : float
        Version of the newest class files that it loads, ``java.class.version``.
    """

    program: str
    home: Path
    version: str
    jmh_lock: Path | None = None
    newest_classes: float = math.inf

    @classmethod
    def ask(cls, program: str) -> Java:
        """Start a ``java`` to get its version.

        Raises
        ------
        InputError
            If the program does not exist, or is not a Java.
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
        places = (self.home / "bin" / name, self.home.parent / "bin" / name)  # the latter: Java 8
        return next((place for place in places if place.is_file()), None)


def _number(text: str) -> float:
    return float(text) if _DECIMAL.fullmatch(text) else math.inf


def compiled(
    compiler: Path, sources: Sequence[Path], class_path: Sequence[Path], folder: Path, *options: str
) -> bool:
    """Compile files; return whether this succeeded."""
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
        done = subprocess.run(  # noqa: S603 - what the user named
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
"""The hook runs in the fork's Java, which an annotation may set (``@Fork(jvm = ...)``)."""


def compile_classes(java: Java, jar: Path, folder: Path) -> None:
    """Compile steady's classes into a folder.

    Parameters
    ----------
    java : Java
        The Java that runs JMH.
    jar : Path
        Benchmarks with JMH.
    folder : Path
        The folder, which is created.

    Raises
    ------
    InputError
        If there is no compiler, or it fails.
    """
    if java.compiler is None:
        raise InputError(
            f"there is no javac beside {java.program!r}, and steady compiles two classes of its "
            "own; install a JDK, or give its java with --java"
        )
    folder.mkdir(parents=True, exist_ok=True)
    for options in (_FOR_EVERY_JAVA, ()):  # Java 8 does not know the option
        if compiled(java.compiler, _SOURCES, [jar], folder, *options):
            return
    raise InputError(
        f"{java.compiler} cannot compile steady's classes with the benchmarks' JMH; build the "
        "benchmarks with "
        "JMH 1.19 to 1.37",
        source=jar,
    )
