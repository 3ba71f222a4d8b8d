"""The job's log: plain lines that can be nothing else, and GitHub's own commands apart."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from steady.report.findings import Severity
from steady.text.escape import command_data, harmless, visible


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

    def annotate(self, level: Severity, text: str) -> None:
        """Print a notice, a warning or an error that the job's page shows."""
        self._print(f"::{level} title=steady::{command_data(text)}")

    def mask(self, secret: str) -> None:
        """Have GitHub's runner print stars for `secret`, wherever it would come up from now on.

        Only for a log that the runner reads: it takes this line away.
        """
        self._print(f"::add-mask::{command_data(secret)}")

    def commands(self, lines: Iterable[str]) -> None:
        """Print ready-made commands, one a line; a broken one becomes plain text."""
        for line in lines:
            # A character that is written out becomes longer; only a kind of space does not.
            whole = line.startswith("::") and len(line) == len(visible(line))
            self._print(line if whole else harmless(line))

    def _print(self, line: str) -> None:
        self._stdout.write(f"{line}\n")
        self._stdout.flush()
