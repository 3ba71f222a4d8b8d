"""The watch on a running fork through JMH's own log, which stops it when it has measured enough.

JMH writes an iteration's score to its log at the end of the iteration. Only the scores are needed,
so the fork can be stopped at any moment without losing anything.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from steady import door
from steady.engine.live_stop import WARM_SECONDS, LiveStop, StopRule, endless
from steady.errors import InputError
from steady.harness.jmh.read.log_parser import LogParser, lines_of
from steady.harness.jmh.read.log_record import LoggedBenchmark
from steady.harness.jmh.run.joint_stop import as_measured, further_iterations
from steady.harness.jmh.run.stopped import stopped_record, write_record
from steady.harness.trial import Trial, TrialError
from steady.model.units import as_times, direction_of

LOOK_SECONDS = 0.2
_AT_ONCE = 2**20  # bytes; a longer line comes in pieces
"""Seconds between two looks at the log; after a score, the next look waits for the next score."""


class LiveFork:
    """The live log of one fork; a `steady.harness.jmh.run.driver.Watch`.

    Parameters
    ----------
    log : Path
        The log that JMH will write.
    trial : Trial
        What runs; its configuration is the upper bound.
    rule : StopRule
        The rule that stops it.
    """

    def __init__(self, log: Path, trial: Trial, rule: StopRule) -> None:
        one = trial.configuration
        self.trial = replace(trial, configuration=as_measured(one))
        """What JMH should run: the warm-up is measured, so that it can be judged."""
        self._log = _GrowingLog(log)
        self._begin = time.monotonic()
        self._stop = LiveStop(rule, one, left=self._left if rule.timed else endless)
        self._values: list[float] = []
        self._cold_seconds = 0.0
        self._seconds = trial.seconds
        self.ended = False
        """Whether the rule stopped it before JMH had run all of it."""

    def __call__(self) -> float | None:
        """Return the seconds until the next look; None to stop the fork now."""
        grown = self.read()
        self.ended = self._stop.stopped is not None and not self._stop.exhausted
        if self.ended:
            return None
        return max(LOOK_SECONDS, self.trial.configuration.iteration_seconds if grown else 0.0)

    def read(self) -> bool:
        """Read what is new in the log; return whether there was an iteration.

        Raises
        ------
        TrialError
            If a score cannot be used.
        """
        try:
            benchmark = self._log.benchmark()
            if benchmark is None:
                return False
            new = benchmark.all_forks[-1].measured[len(self._values) :]
            times = as_times(np.array(new), direction_of(benchmark.unit))
            for value, taken in zip(new, times.tolist(), strict=True):
                if self._stop.stopped is None:
                    self._values.append(value)
                    self._stop.feed(taken, hold=self._age < WARM_SECONDS)
                    if self._stop.cold and not self._cold_seconds:
                        self._cold_seconds = round(self._age, 1)
        except InputError as error:
            raise TrialError(f"its log cannot be judged: {error.problem}") from None
        return bool(new)

    @property
    def _age(self) -> float:
        return time.monotonic() - self._begin

    def _left(self) -> float:
        """Return how many further iterations fit; the start of its JVM counts as theirs."""
        begin, now = self._begin, time.monotonic()
        return further_iterations(begin, begin, now, self._seconds, len(self._values))

    def write(self, result: Path) -> None:
        """Write the record of a fork that has ended, with only the iterations that count.

        Raises
        ------
        TrialError
            If the log is not complete, or has a score that cannot be used.
        """
        self.read()
        benchmark, stopped = self._log.benchmark(), self._stop.stopped
        if benchmark is None or stopped is None:
            raise TrialError("JMH's log does not hold all iterations of its result")
        stopped = replace(stopped, cold_seconds=self._cold_seconds)
        write_record(result, stopped_record(benchmark, self.trial, stopped, self._values))


class _GrowingLog:
    """JMH's log of one fork, read once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._parser = LogParser(str(path))
        self._read = 0

    def benchmark(self) -> LoggedBenchmark | None:
        """Return what runs, with the iterations whose lines are complete; None before its fork."""
        while text := self._whole_lines():
            for line in lines_of(text):
                self._parser.take(line)
        return next((start for start in self._parser.records[-1:] if start.all_forks), None)

    def _whole_lines(self) -> str:
        if not self._path.exists() or self._path.stat().st_size == self._read:
            return ""
        with door.regular(self._path) as file:
            file.seek(self._read)
            new = file.read(_AT_ONCE)
        whole = new if len(new) == _AT_ONCE and b"\n" not in new else new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        return whole.decode("utf-8", "replace")
