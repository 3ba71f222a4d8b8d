"""Two live test binaries that take turns: an iteration of one, then one of the other (ABBA).

Package testing writes a benchmark's name and a tab, runs an iteration, writes its result with the
end of the line, and then the name again. Each is one write. If the pipe holds a single write
(`paused_process`), a process whose result lies in it waits in the write of the next name,
before the next iteration. So its turn begins when result and name are taken, and has ended when
something lies in the pipe again.

Before its first iteration it stands at the header (``goos:`` and three more), whose lines are
writes too. By then package testing has tried out a single operation, and a ``TestMain`` has begun.

Source: package testing of Go 1.26, ``benchmark.go``: ``run1``, ``run``, ``processBench``.
"""

import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from steady.harness.go.bench_pattern import printed_name
from steady.harness.go.read.lines import parse_result
from steady.harness.go.read.output import HEADER
from steady.harness.go.run.paused_process import LONGEST, PausedProcess
from steady.harness.go.test_flags import benchmark_flags
from steady.harness.trial import Trial
from steady.programs.process import Ended
from steady.programs.turn_session import NotInTurnError

_BEGINS = b"goos: "
_HEADER = tuple(f"{key}: ".encode() for key in HEADER)
_FAILURE = b"--- FAIL: "
_LOG = b"--- BENCH: "
_IN_USE = "address already in use"

_KILLED = -9
"""The exit code of a process that the system killed."""

_DYING_SECONDS = 1.0
"""Seconds that a panic takes to end a process whose main goroutine still writes."""


def take_turns(binaries: Sequence[Path], trials: Sequence[Trial]) -> Sequence[Ended]:
    """Run one benchmark of two test binaries that take turns.

    Parameters
    ----------
    binaries : sequence of Path
        Two test binaries.
    trials : sequence of Trial
        For each binary; benchmark and configuration are equal. The first one begins the first
        measured pair of iterations, the second one the next.

    Returns
    -------
    sequence of Ended
        For each binary, with all its output; a turn is an iteration, those of the warm-up
        included. None of their processes is left.

    Raises
    ------
    NotInTurnError
        If it cannot be seen when an iteration ends, or one process disturbs the other.
    InputError
        If a binary cannot be started.
    """
    configuration = trials[0].configuration
    last = configuration.warmup_iterations + configuration.iterations
    with ExitStack() as stack:
        sides = []
        for binary, trial in zip(binaries, trials, strict=True):
            flags = benchmark_flags(trial.identity, trial.configuration, prefix="-test.")
            held = stack.enter_context(PausedProcess(binary, *flags, timeout=trial.timeout))
            sides.append(_Side(held, printed_name(trial.identity)))
            sides[-1].come_to_header()
        for number in range(last):
            second_begins = (number - configuration.warmup_iterations) % 2
            for side in reversed(sides) if second_begins else sides:
                side.iterate()
        return [side.finish(last) for side in sides]


class _Side:
    """One of the two processes.

    Parameters
    ----------
    held : PausedProcess
        The process.
    name : str
        The benchmark as Go prints it.
    """

    def __init__(self, held: PausedProcess, name: str) -> None:
        self._held = held
        self._name = re.compile(re.escape(name.encode()) + rb" *\t")
        self._failed = False
        self._iterations = 0

    def come_to_header(self) -> None:
        """Take what it writes before its first iteration, up to the header."""
        while written := self._held.take():
            if written.startswith(_BEGINS):
                break

    def iterate(self) -> None:
        """Let it run an iteration, if it is alive; its result lies in the pipe then."""
        if self._iterations:
            self._take_result()
        if self._come_to_name() and self._held.wait():
            self._iterations += 1

    def finish(self, last: int) -> Ended:
        """Let it end, and check that it stood still whenever it was not its turn.

        Parameters
        ----------
        last : int
            How many iterations it had to run.
        """
        self._take_result()
        while self._held.take():
            pass
        ended = self._held.end()
        self._refuse_strangers()
        if not self._failed:
            _check(ended, self._iterations == last)
        return replace(ended, turns=self._iterations)

    def _refuse_strangers(self) -> None:
        if self._held.was_opened:
            raise NotInTurnError(
                "a process opened the output of a benchmark and may have written into it: "
                "tampering, or a benchmark that prints to /dev/stdout"
            )

    def _take_result(self) -> None:
        """Take the line of a result; end a process whose benchmark failed instead."""
        line = self._write()
        if line.startswith(_FAILURE):
            self._failed = True
            self._held.end()
        elif not line.endswith(b"\n") or parse_result(line.decode("utf-8", "replace")) is None:
            self._dies_or_prints()

    def _come_to_name(self) -> bool:
        """Take what it writes up to the benchmark's name; return False if it ended instead."""
        logged = False
        while text := self._write():
            if self._name.fullmatch(text):
                return True
            logged = logged or text.startswith(_LOG)
            if not logged and (self._iterations or not text.startswith(_HEADER)):
                self._dies_or_prints()
        return False

    def _write(self) -> bytes:
        """Take a write of package testing, which a pipe cuts up if it is long."""
        text = part = self._held.take()
        while len(part) == LONGEST and not text.endswith((b"\n", b"\t")):
            part = self._held.take()
            text += part
        return text

    def _dies_or_prints(self) -> None:
        if not self._held.ends(_DYING_SECONDS):
            self._refuse_strangers()
            raise NotInTurnError(
                "it prints between its results, so that the end of an iteration cannot be detected"
            )


def _check(ended: Ended, complete: bool) -> None:
    """Raise NotInTurnError if a process may have failed, or run on, because of the turns."""
    if ended.timed_out:
        return
    if _IN_USE in ended.output and not (ended.code == 0 and complete):
        raise NotInTurnError(f"two of its processes cannot run at the same time: {_IN_USE}")
    if ended.code == _KILLED:
        raise NotInTurnError("one of two processes was killed, perhaps because memory ran out")
    if ended.code == 0 and not complete:
        raise NotInTurnError("its output is not that of one Go benchmark")
