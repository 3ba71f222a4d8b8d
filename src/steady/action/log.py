"""The job's log: plain lines that can be nothing else, and GitHub's own commands apart."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TextIO

Level = Literal["notice", "warning", "error"]


class Log:
    """What the action says while it runs.

    Parameters
    ----------
    stdout : text file
        GitHub's runner reads commands from any of its lines, so that a benchmark's name could
        be one; see `harmless`.
    """

    def __init__(self, stdout: TextIO) -> None:
        self._stdout = stdout

    def say(self, text: str) -> None:
        """Print `text`, which may hold anything, as plain lines."""
        for line in text.splitlines():
            self._print(harmless(line))

    def annotate(self, level: Level, text: str) -> None:
        """Print a notice, a warning or an error that the job's page shows."""
        self._print(f"::{level} title=steady::{_escape(text)}")

    def commands(self, lines: Iterable[str]) -> None:
        """Print ready-made commands, one a line; a broken one becomes plain text."""
        for line in lines:
            whole = line.startswith("::") and line.isprintable()
            self._print(line if whole else harmless(line))

    def _print(self, line: str) -> None:
        self._stdout.write(f"{line}\n")
        self._stdout.flush()


def harmless(line: str) -> str:
    """Return `line` so that GitHub's runner finds no command in it.

    The runner takes a line that begins with ``::`` after any white space for a command, and one
    that holds ``##[`` anywhere (actions/runner, ``ActionCommand.cs``). What is not printable
    goes, for some of it ends a line and some of it is ignored at its beginning.
    """
    plain = "".join(c if c.isprintable() else "?" for c in line.replace("\t", "    "))
    plain = plain.replace("##[", "## [")
    begins_plainly = plain[:1].isascii() and plain[:1].isalnum()
    return plain if begins_plainly or "::" not in plain else f"| {plain}"


def _escape(text: str) -> str:
    """Escape the data of a command (actions/runner, ``ActionCommand.cs``)."""
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return "".join(c if c.isprintable() else "?" for c in escaped)
