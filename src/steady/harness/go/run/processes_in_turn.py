"""Two running test binaries that take turns by iteration (ABBA).

Package testing writes a benchmark's name and a tab, runs an iteration, writes its result and the
end of the line, and then writes the name again. Each is one write. If the pipe holds a single write
(`paused_process`), a process whose result is in the pipe blocks while writing the next name, before
the next iteration. So its turn begins when result and name are read, and ends when the pipe is
filled again.

Before its first iteration, a process blocks at the header (``goos:`` and three more lines), whose
lines are writes too. By then package testing has run a single operation as a trial, and a
``TestMain`` has started.

Source: package testing of Go 1.26, ``benchmark.go``: ``run1``, ``run``, ``processBench``.
"""

import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from steady.execution.lanes import Lane
from steady.harness.go.bench_pattern import printed_name
from steady.harness.go.read.lines import parse_result
from steady.harness.go.read.output import HEADER
from steady.harness.go.run.paused_process import LONGEST, PausedProcess
from steady.harness.go.test_flags import benchmark_flags
from steady.harness.trial import Trial
from steady.programs.process import Ended, NotInTurnError

_BEGINS = b"goos: "
_HEADER = tuple(f"{key}: ".encode() for key in HEADER)
_FAILURE = b"--- FAIL: "
_LOG = b"--- BENCH: "
_IN_USE = "address already in use"

_KILLED = -9
"""Exit code of a process that the system killed."""

_DYING_SECONDS = 1.0
"""Longest time for a panic to end a process whose main goroutine still writes."""


def take_turns(
    binaries: Sequence[Path], trials: Sequence[Trial], lane: Lane | None = None
) -> Sequence[Ended]:
    """Run one benchmark of two test binaries that take turns.

    Parameters
    ----------
    binaries : sequence of Path
        Two test binaries.
    trials : sequence of Trial
        One trial for each binary, of the same benchmark and configuration. The first binary begins
        the first measured pair of iterations, the second binary the next.
    lane : Lane, optional
        Their place among simultaneous pairs; each pair has processors of its own.

    Returns
    -------
    sequence of Ended
        Both processes, with their output; turns are iterations, including those of the warm-up.
        No process is left running.

    Raises
    ------
    NotInTurnError
        If the end of an iteration cannot be detected, or one process affects the other.
    InputError
        If a binary cannot be started.
    """
    configuration = trials[0].configuration
    last = configuration.warmup_iterations + configuration.iterations
    with ExitStack() as stack:
        sides = []
        for binary, trial in zip(binaries, trials, strict=True):
            flags = benchmark_flags(trial.identity, trial.configuration, prefix="-test.")
            process = stack.enter_context(
                PausedProcess(binary, *flags, timeout=trial.timeout, lane=lane)
            )
            sides.append(_Side(process, printed_name(trial.identity)))
            sides[-1].read_to_header()
            if lane is not None and lane.count > 1:
                process.pin(lane.processors)
        for number in range(last):
            second_begins = (number - configuration.warmup_iterations) % 2
            for side in reversed(sides) if second_begins else sides:
                side.iterate()
        return [side.finish(last) for side in sides]


class _Side:
    """One of the two processes.

    Parameters
    ----------
    process : PausedProcess
        The process.
    name : str
        Name of the benchmark as Go prints it.
    """

    def __init__(self, process: PausedProcess, name: str) -> None:
        self._process = process
        self._name = re.compile(re.escape(name.encode()) + rb" *\t")
        self._failed = False
        self._iterations = 0

    def read_to_header(self) -> None:
        """Read the output up to the header, before the first iteration."""
        while written := self._process.take():
            if written.startswith(_BEGINS):
                break

    def iterate(self) -> None:
        """Let the process run an iteration if it is alive; the result then waits in the pipe."""
        if self._iterations:
            self._read_result()
        if self._read_to_name() and self._process.wait():
            self._iterations += 1

    def finish(self, last: int) -> Ended:
        """Let the process end, and check that the turns did not affect it.

        Parameters
        ----------
        last : int
            Expected number of iterations.
        """
        self._read_result()
        while self._process.take():
            pass
        ended = self._process.end()
        self._reject_opened_output()
        if not self._failed:
            _check(ended, self._iterations == last)
        return replace(ended, turns=self._iterations)

    def _reject_opened_output(self) -> None:
        if self._process.was_opened:
            raise NotInTurnError(
                "a process opened the output of a benchmark and may have written into it: "
                "tampering, or a benchmark that prints to /dev/stdout"
            )

    def _read_result(self) -> None:
        """Read the line of a result, or end the process if the benchmark failed."""
        line = self._write()
        if line.startswith(_FAILURE):
            self._failed = True
            self._process.end()
        elif not line.endswith(b"\n") or parse_result(line.decode("utf-8", "replace")) is None:
            self._require_end()

    def _read_to_name(self) -> bool:
        """Read the output up to the benchmark's name; return False if the process ended instead."""
        logged = False
        while text := self._write():
            if self._name.fullmatch(text):
                return True
            logged = logged or text.startswith(_LOG)
            if not logged and (self._iterations or not text.startswith(_HEADER)):
                self._require_end()
        return False

    def _write(self) -> bytes:
        """Read a write of package testing; the pipe splits long ones."""
        text = part = self._process.take()
        while len(part) == LONGEST and not text.endswith((b"\n", b"\t")):
            part = self._process.take()
            text += part
        return text

    def _require_end(self) -> None:
        if not self._process.ends(_DYING_SECONDS):
            self._reject_opened_output()
            raise NotInTurnError(
                "it prints between its results, so the end of an iteration cannot be detected"
            )


def _check(ended: Ended, complete: bool) -> None:
    """Raise NotInTurnError if a process may have failed, or run too long, because of the turns."""
    if ended.timed_out:
        return
    if _IN_USE in ended.output and not (ended.code == 0 and complete):
        raise NotInTurnError(f"two of its processes cannot run at the same time: {_IN_USE}")
    if ended.code == _KILLED:
        raise NotInTurnError("one of two processes was killed, perhaps because memory ran out")
    if ended.code == 0 and not complete:
        raise NotInTurnError("its output is not that of one Go benchmark")
