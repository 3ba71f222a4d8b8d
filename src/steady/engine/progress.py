"""The progress of a run, a log of it in plain lines, and a sign of life while nothing ends."""

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
"""After so long a silence a line says what is being done. Ten seconds are promised."""


class Heartbeat:
    """A sign of life: every few seconds a line on what a run does, unless something else was said.

    One thread wakes once in that time: that is all it costs the benchmark that is measured.

    Parameters
    ----------
    say : callable
        Prints a line.
    budget : Budget
        How much time the run has; it begins later by what `aside` took.
    now : callable
        Returns seconds; of silence, which passes by the real clock.
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
        """Returns what is being done; empty where somebody else shows it."""

    def say(self, text: str) -> None:
        """Print a line that somebody else has to say."""
        self._last = self._now()
        self._say(text)

    def begin(self, what: str) -> None:
        """Take note of what is done from now on."""
        self.doing = lambda: what

    @contextmanager
    def aside(self, what: str) -> Iterator[None]:
        """Take note of what is done meanwhile, and that it takes no time of the run."""
        doing, budget = self.doing, self.budget
        self.begin(what)
        self.budget = Budget.begin(None, budget.clock)
        try:
            yield
        finally:
            self.doing, self.budget = doing, replace(budget, began=budget.began + self.budget.spent)

    def watch(self, forks: Watcher) -> None:
        """Pass on what the watcher of forks says, and ask it what runs."""
        says = forks.said

        def said(text: str) -> None:
            self._last = self._now()
            says(text)

        forks.said = said
        self._say = says
        self.doing = lambda: "" if forks.draws else forks.running

    def beat(self) -> float:
        """Say what is being done if it was silent for long; return how long it may be silent."""
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
"""The expected seconds have the weight of this many measured ones. With more, a machine that is
slower than expected is believed too late; with fewer, the first forks of a run, which are slower
than the rest, count for too much (docs/measured.md)."""

_STEPS = 20
"""Number of lines of a log, each after one twentieth of the time."""


class Watcher:
    """A watcher of a run: it gets news between forks alone, so that it disturbs none of them.

    It counts what is done, and prints a line for each fork that failed. The seconds left are the
    expected seconds of the remaining trials, times the ratio of real to expected seconds so far.

    Parameters
    ----------
    say : callable
        Prints a line that stays, and escapes what it contains.
    """

    draws = False
    """Whether it shows by itself what runs."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.said = say
        self.done = self.total = 0
        self.expected_done = self.expected = self.spent = 0.0
        self.limit = math.inf
        """Seconds that are left at most."""
        self.running = "measuring"
        """What runs, for who asks while it does."""

    def planned(self, trials: Sequence[Trial], records: Sequence[JournalEntry]) -> None:
        """Take the whole schedule and what is done of it: at the start, and whenever it changes."""
        expected = {trial.number: trial.seconds for trial in trials}
        self.done, self.total = len(records), len(trials)
        self.expected = sum(expected.values())
        self.expected_done = sum(expected[record.number] for record in records)
        self.spent = sum(record.seconds for record in records)

    def started(self, trials: Sequence[Trial]) -> None:
        """Take note that a trial begins, or two of one benchmark that take turns."""
        versions = " and ".join(sorted(trial.version for trial in trials))
        self.running = f"measuring {versions} of {trials[0].identity.label}"

    def finished(self, trials: Sequence[Trial], records: Sequence[JournalEntry]) -> None:
        """Take note that what was started has ended, and how."""
        self.done += len(trials)
        self.expected_done += sum(trial.seconds for trial in trials)
        self.spent += sum(record.seconds for record in records)
        for trial, record in zip(trials, records, strict=True):
            if record.status == "failed":
                self.said(failure_line(trial, record))

    @property
    def fraction(self) -> float:
        """Finished share of the expected seconds, or of those that the run may take."""
        if self.seconds_left == self.limit:
            return self.spent / max(self.spent + self.limit, 1e-9)
        return self.expected_done / self.expected if self.expected > 0 else 1.0

    @property
    def seconds_left(self) -> float:
        """Seconds that are left."""
        pace = (self.spent + PRIOR_SECONDS) / (self.expected_done + PRIOR_SECONDS)
        return min(max(self.expected - self.expected_done, 0.0) * pace, max(self.limit, 0.0))


class PlainLines(Watcher):
    """A log of a run: one line for each twentieth of its time, and one for each failed fork."""

    _step = 0
    _last = ""

    def planned(self, trials: Sequence[Trial], records: Sequence[JournalEntry]) -> None:
        """Say where the run continues."""
        super().planned(trials, records)
        self._step = int(_STEPS * self.fraction)
        if records:
            self._tell()

    def finished(self, trials: Sequence[Trial], records: Sequence[JournalEntry]) -> None:
        """Say what failed, and how far the run is."""
        super().finished(trials, records)
        step = int(_STEPS * self.fraction)
        if step > self._step:
            self._step = step
            self._tell()

    def _tell(self) -> None:
        """Say how far the run is, unless the last line said the same."""
        left = f", about {duration(self.seconds_left)} left" if self.done < self.total else ""
        line = f"{self.done} of {count(self.total, 'fork')} done{left}"
        if line != self._last:
            self._last = line
            self.said(line)


def failure_line(trial: Trial, record: JournalEntry) -> str:
    """Say which fork failed, and why."""
    return f"{trial.identity.label}, {trial.version}, round {trial.round + 1}: {record.reason}"
