"""The sign of life of a run: where nothing else is said for a while, what it is doing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Self

from steady.engine.budget import Budget
from steady.engine.progress import Watcher
from steady.text.numbers import duration

SILENT_SECONDS = 9.0
"""After so long a silence a line says what is being done. Ten seconds are promised."""


class Heartbeat:
    """Says every few seconds what a run does, unless something else was said.

    One thread wakes once in that time: that is all it costs the benchmark that is measured.

    Parameters
    ----------
    say : callable
        Prints a line.
    budget : Budget
        How much time the run has.
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
        self._budget = budget
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

    def watch(self, forks: Watcher) -> None:
        """Hear what the watcher of forks says, and ask it what runs."""
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
        spent, seconds = duration(self._budget.spent), self._budget.seconds
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
