"""The watching of a run from a terminal or in a log, and its end by a signal."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from rich.console import Console

from steady.cli.printing import command, say
from steady.engine import PlainLines, Watcher
from steady.engine.live_view import LiveView
from steady.engine.prepared import Prepared


@dataclass(frozen=True, slots=True)
class Printing:
    """Prints the news of a run to standard error.

    Parameters
    ----------
    advice : callable
        Returns what to type in place of a run, once it is known what will run.
    """

    advice: Callable[[Prepared], Iterable[str]]

    def say(self, text: str) -> None:
        """Print a line."""
        say(text)

    def prepared(self, prepared: Prepared) -> None:
        """Print what to type in its place."""
        for line in self.advice(prepared):
            say(line)

    @contextmanager
    def forks(self) -> Iterator[Watcher]:
        """Show the forks: live on a terminal, else as lines, which GitHub folds."""
        if sys.stderr.isatty():
            with LiveView(Console(stderr=True)) as view:
                yield view
            return
        grouped = os.environ.get("GITHUB_ACTIONS") == "true"
        if grouped:
            command("::group::steady run")
        try:
            yield PlainLines(say)
        finally:
            if grouped:
                command("::endgroup::")


@contextmanager
def stoppable() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the run once; what follows the first is for its own good."""
    stopped = False

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        nonlocal stopped
        if not stopped:
            stopped = True
            raise KeyboardInterrupt

    former = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
