"""The progress of a run: a log in plain lines, and a heartbeat while nothing finishes."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Self

from steady.engine.journal import JournalEntry
from steady.engine.time_limit import Budget
from steady.harness.trial import Trial
from steady.text.numbers import count, duration

SILENT_SECONDS = 9.0
"""Seconds without output after which the current step is printed; the docs promise ten."""


class Heartbeat:
    """Prints the current step of a run whenever nothing else was printed for some seconds.

    One thread wakes once in that time, so the measured benchmark is hardly disturbed.

    Parameters
    ----------
    say : callable
        Prints a line.
    budget : Budget
        The time budget of the run; its start is shifted by the seconds that `aside` takes.
    now : callable
        Returns the time of a monotonic clock, in seconds.
    """

    def __init__(
        self,
        say: Callable[[str], None],
        budget: Budget,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._say = say
        self.budget = budget
        self._now = now
        self._last = now()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.doing: Callable[[], str] = lambda: ""
        """Returns the current step of the run; empty if the watcher shows it."""

    def say(self, text: str) -> None:
        """Print a line."""
        self._last = self._now()
        self._say(text)

    def begin(self, what: str) -> None:
        """Set the current step of the run."""
        self.doing = lambda: what

    @contextmanager
    def aside(self, what: str) -> Iterator[None]:
        """Set the current step during the context, whose duration does not count in the budget."""
        doing, budget = self.doing, self.budget
        self.begin(what)
        self.budget = Budget.begin(None, budget.clock)
        try:
            yield
        finally:
            self.doing, self.budget = doing, replace(budget, began=budget.began + self.budget.spent)

    def watch(self, forks: Watcher) -> None:
        """Print the lines of a watcher of forks, and take the current step from it."""
        says = forks.said

        def said(text: str) -> None:
            self._last = self._now()
            says(text)

        forks.said = said
        self._say = says
        self.doing = lambda: "" if forks.draws else forks.running

    def beat(self) -> float:
        """Print the current step after a silence; return the seconds until the next check."""
        silent = self._now() - self._last
        if silent < SILENT_SECONDS:
            return SILENT_SECONDS - silent
        doing = self.doing()
        self._last = self._now()
        if doing:
            self._say(f"{doing} ({self._so_far()})")
        return SILENT_SECONDS

    def _so_far(self) -> str:
        spent, seconds = duration(self.budget.spent), self.budget.seconds
        return f"{spent} of {duration(seconds)}" if seconds < float("inf") else f"after {spent}"

    def _run(self) -> None:
        pause = SILENT_SECONDS
        while not self._ended.wait(pause):
            pause = self.beat()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()


PRIOR_SECONDS = 10.0
"""Weight of the expected seconds, in measured seconds. With a larger weight, the estimate adapts to
a slow machine too late; with a smaller one, the slower first forks have too much influence
(docs/measured.md)."""

_MOST_NAMED = 2
"""Maximum number of simultaneous benchmarks that are named."""

_STEPS = 20
"""Number of lines of a log, each after one twentieth of the time."""


class Watcher:
    """A watcher of a run, called only between forks, so that it disturbs none of them.

    It counts finished forks, and prints a line for each failed one. The seconds left are the
    expected seconds of the remaining trials, times the ratio of real to expected seconds so far.

    Parameters
    ----------
    say : callable
        Prints a line that stays, and escapes what it contains.
    """

    draws = False
    """Whether it shows the running forks by itself."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.said = say
        self.done = self.total = 0
        self.expected_done = self.expected = self.spent = 0.0
        self.limit = math.inf
        """Upper bound of the remaining seconds."""
        self.running = "measuring"
        """Description of the running step."""

    def planned(self, trials: Sequence[Trial], records: Sequence[JournalEntry]) -> None:
        """Set the schedule and its finished trials: at the start, and after each change."""
        expected = {trial.number: trial.seconds for trial in trials}
        self.done, self.total = len(records), len(trials)
        self.expected = sum(expected.values())
        self.expected_done = sum(expected[record.number] for record in records)
        self.spent = sum(record.seconds for record in records)

    def started(self, trials: Sequence[Trial]) -> None:
        """Record that the trials of a step begin."""
        versions = " and ".join(sorted({trial.version for trial in trials}))
        doing = "screening" if trials[0].screening else "measuring"
        labels = list(dict.fromkeys(trial.identity.label for trial in trials))
        named = (
            " and ".join(labels) if len(labels) <= _MOST_NAMED else count(len(labels), "benchmark")
        )
        self.running = f"{doing} {versions} of {named}"

    def finished(self, trials: Sequence[Trial], records: Sequence[JournalEntry]) -> None:
        """Record the outcomes of the trials of a step."""
        self.done += len(trials)
        self.expected_done += sum(trial.seconds for trial in trials)
        self.spent += sum(record.seconds for record in records)
        for trial, record in zip(trials, records, strict=True):
            if record.status == "failed":
                self.said(failure_line(trial, record))

    @property
    def fraction(self) -> float:
        """Finished share of the expected seconds, or of the limit if that is shorter."""
        if self.seconds_left == self.limit:
            return self.spent / max(self.spent + self.limit, 1e-9)
        return self.expected_done / self.expected if self.expected > 0 else 1.0

    @property
    def seconds_left(self) -> float:
        """Remaining seconds."""
        pace = (self.spent + PRIOR_SECONDS) / (self.expected_done + PRIOR_SECONDS)
        return min(max(self.expected - self.expected_done, 0.0) * pace, max(self.limit, 0.0))


class PlainLines(Watcher):
    """A log of a run: one line for each twentieth of its time, and one for each failed fork."""

    _step = 0
    _last = ""

    def planned(self, trials: Sequence[Trial], records: Sequence[JournalEntry]) -> None:
        """Print the progress of a resumed run."""
        super().planned(trials, records)
        self._step = int(_STEPS * self.fraction)
        if records:
            self._print_progress()

    def finished(self, trials: Sequence[Trial], records: Sequence[JournalEntry]) -> None:
        """Print failures, and the progress of the run."""
        super().finished(trials, records)
        step = int(_STEPS * self.fraction)
        if step > self._step:
            self._step = step
            self._print_progress()

    def _print_progress(self) -> None:
        """Print the progress of the run, unless the last line was the same."""
        left = f", about {duration(self.seconds_left)} left" if self.done < self.total else ""
        line = f"{self.done} of {count(self.total, 'fork')} done{left}"
        if line != self._last:
            self._last = line
            self.said(line)


def failure_line(trial: Trial, record: JournalEntry) -> str:
    """Return a line on a failed fork, with the reason."""
    place = "screening" if trial.screening else f"round {trial.round + 1}"
    return f"{trial.identity.label}, {trial.version}, {place}: {record.reason}"
