"""The progress of a run, the time that is left, and a log in plain lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from steady.run.journal import JournalEntry
from steady.run.trial import Trial
from steady.text.numbers import count, duration

PRIOR_SECONDS = 30.0
"""The expected seconds have the weight of this many measured ones."""

_STEPS = 20
"""Number of lines of a log, each after one twentieth of the time."""


class Watcher(Protocol):
    """Gets news of a run; only between forks, so that no fork is disturbed."""

    def planned(self, trials: Sequence[Trial], records: Sequence[JournalEntry]) -> None:
        """Get the whole schedule, at the start and whenever it grows or shrinks."""
        ...

    def said(self, text: str) -> None:
        """Get something that the user should know, in one line."""
        ...

    def started(self, trial: Trial) -> None:
        """Hear that a trial begins."""
        ...

    def finished(self, trial: Trial, record: JournalEntry) -> None:
        """Hear that a trial has ended, and how."""
        ...


class Progress:
    """What is done and what is left.

    The seconds left are the expected seconds of the remaining trials, times the ratio of real to
    expected seconds so far.
    """

    def __init__(self) -> None:
        self.done = self.total = 0
        self.expected_done = self.expected = self.spent = 0.0

    def planned(self, trials: Sequence[Trial], records: Sequence[JournalEntry]) -> None:
        """Start again with a schedule and the trials that are already done."""
        by_number = {trial.number: trial for trial in trials}
        self.done, self.total = 0, len(trials)
        self.expected = sum(trial.seconds for trial in trials)
        self.expected_done = self.spent = 0.0
        for record in records:
            self.finished(by_number[record.number], record)

    def finished(self, trial: Trial, record: JournalEntry) -> None:
        """Count a trial as done."""
        self.done += 1
        self.expected_done += trial.seconds
        self.spent += record.seconds

    @property
    def fraction(self) -> float:
        """Finished share of the expected seconds."""
        return self.expected_done / self.expected if self.expected > 0 else 1.0

    @property
    def seconds_left(self) -> float:
        """Seconds that are left."""
        pace = (self.spent + PRIOR_SECONDS) / (self.expected_done + PRIOR_SECONDS)
        return max(self.expected - self.expected_done, 0.0) * pace


class PlainLines:
    """A log of a run: one line for each twentieth of its time, and one for each failed fork.

    Parameters
    ----------
    say : callable
        Prints a line, and escapes what it contains.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._progress = Progress()
        self._told = 0
        self._last = ""

    def planned(self, trials: Sequence[Trial], records: Sequence[JournalEntry]) -> None:
        """Say where the run continues."""
        self._progress.planned(trials, records)
        self._told = int(_STEPS * self._progress.fraction)
        if records:
            self._tell()

    def said(self, text: str) -> None:
        """Say it."""
        self._say(text)

    def started(self, trial: Trial) -> None:
        """Say nothing."""

    def finished(self, trial: Trial, record: JournalEntry) -> None:
        """Say what failed, and how far the run is."""
        self._progress.finished(trial, record)
        if record.status == "failed":
            self._say(failure_line(trial, record))
        step = int(_STEPS * self._progress.fraction)
        if step > self._told:
            self._told = step
            self._tell()

    def _tell(self) -> None:
        """Say how far the run is, unless the last line said the same."""
        line = self._line()
        if line != self._last:
            self._last = line
            self._say(line)

    def _line(self) -> str:
        progress = self._progress
        left = progress.seconds_left
        return (
            f"{progress.done} of {count(progress.total, 'fork')} done"
            f"{f', about {duration(left)} left' if progress.done < progress.total else ''}"
        )


def failure_line(trial: Trial, record: JournalEntry) -> str:
    """Say which fork failed, and why."""
    return f"{trial.identity.label}, {trial.version}, round {trial.round + 1}: {record.reason}"
