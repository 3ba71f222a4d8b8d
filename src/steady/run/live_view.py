"""A run on a terminal: what is running, how many forks are left, and how long they take."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn
from rich.progress import Progress as Bar
from rich.text import Text

from steady.run.journal import JournalEntry
from steady.run.progress import Progress, failure_line
from steady.run.trial import Trial
from steady.text.escape import shorten, visible
from steady.text.numbers import duration

_LONGEST_NAME = 60


class LiveView:
    """One line that is drawn again whenever a fork begins or ends, and never in between.

    Parameters
    ----------
    console : Console
        The terminal.
    """

    def __init__(self, console: Console) -> None:
        self._progress = Progress()
        self._console = console
        # No thread refreshes the line: it would wake a core while a benchmark is measured.
        self._bar = Bar(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}", markup=False),
            console=console,
            auto_refresh=False,
            transient=True,
        )
        self._task: TaskID = self._bar.add_task("", total=None, left="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def planned(self, trials: Sequence[Trial], records: Sequence[JournalEntry]) -> None:
        """Show the whole schedule."""
        self._progress.planned(trials, records)
        self._draw("")

    def said(self, text: str) -> None:
        """Print a line that stays."""
        self._console.print(Text(visible(text)))

    def started(self, trial: Trial) -> None:
        """Show what runs."""
        name = shorten(visible(trial.identity.label), _LONGEST_NAME)
        self._draw(f"{trial.version} {name}")

    def finished(self, trial: Trial, record: JournalEntry) -> None:
        """Show what is left, and print a line that stays for a fork that failed."""
        self._progress.finished(trial, record)
        if record.status == "failed":
            self._console.print(Text(visible(failure_line(trial, record))))
        self._draw("")

    def _draw(self, running: str) -> None:
        progress = self._progress
        self._bar.update(
            self._task,
            description=running,
            completed=progress.done,
            total=progress.total,
            left=f"about {duration(progress.seconds_left)} left",
        )
        self._bar.refresh()
