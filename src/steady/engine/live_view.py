"""A run on a terminal: what is running, how many forks are left, and how long they take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from steady.engine.journal import JournalEntry
from steady.engine.progress import Watcher
from steady.harness.trial import Trial
from steady.text.escape import shorten, visible
from steady.text.numbers import duration

_LONGEST_NAME = 60


class LiveView(Watcher):
    """One line that is drawn again whenever a fork begins or ends, and never in between.

    Parameters
    ----------
    console : Console
        The terminal.
    """

    draws = True

    def __init__(self, console: Console) -> None:
        super().__init__(lambda text: console.print(Text(visible(text))))
        # No thread refreshes the line: it would wake a core while a benchmark is measured.
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}", markup=False),
            console=console,
            auto_refresh=False,
            transient=True,
        )
        self._task = self._bar.add_task("", total=None, left="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def planned(self, trials: Sequence[Trial], records: Sequence[JournalEntry]) -> None:
        """Show the whole schedule."""
        super().planned(trials, records)
        self._draw("")

    def started(self, trials: Sequence[Trial]) -> None:
        """Show what runs."""
        versions = " and ".join(sorted(trial.version for trial in trials))
        name = shorten(visible(trials[0].identity.label), _LONGEST_NAME)
        self._draw(f"{versions} {name}")

    def finished(self, trials: Sequence[Trial], records: Sequence[JournalEntry]) -> None:
        """Show what is left."""
        super().finished(trials, records)
        self._draw("")

    def _draw(self, running: str) -> None:
        self._bar.update(
            self._task,
            description=running,
            completed=self.done,
            total=self.total,
            left=f"about {duration(self.seconds_left)} left",
        )
        self._bar.refresh()
