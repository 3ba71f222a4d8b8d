"""Several benchmarks in one process of each version, interleaved by the clock.

The start of a process is paid once for all of its benchmarks. Both processes meet before each
benchmark (``steady_meet`` in ``clock_turns.c``), so that they always run the same one. The process
stays the unit that repeats: a round of all its benchmarks is one pair of processes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from steady.harness.runs import Turn
from steady.harness.trial import NotReachedError, Trial, TrialError
from steady.programs.process import Ended

SECONDS = "steady_seconds"
"""Key of a benchmark's own seconds in its result."""

Member = tuple[Trial, Path]
"""A benchmark of a process, with the file for its result."""

Finish = Callable[[Ended, Trial, Path], float]
"""Completes the result of a benchmark and returns its seconds; raises TrialError without one."""


@dataclass(frozen=True)
class SharedProcess:
    """The benchmarks that run in one process of base and one of head.

    Parameters
    ----------
    trials : sequence of Trial
        Two of each benchmark, next to each other, in the order in which the benchmarks run.
    results : sequence of Path
        The file for the result of each.
    """

    trials: Sequence[Trial]
    results: Sequence[Path]

    @cached_property
    def pairs(self) -> tuple[tuple[Member, Member], ...]:
        """The two trials of each benchmark; all in the order of versions of the first one."""
        members = list(zip(self.trials, self.results, strict=True))
        first = self.trials[0].version
        return tuple(
            (one, other) if one[0].version == first else (other, one)
            for one, other in zip(members[::2], members[1::2], strict=True)
        )

    @property
    def sides(self) -> tuple[tuple[Member, ...], ...]:
        """The benchmarks of each process."""
        return tuple(zip(*self.pairs, strict=True))

    @property
    def timeouts(self) -> tuple[float, ...]:
        """Seconds after which a process is stopped at each benchmark."""
        return tuple(max(trial.timeout for trial, _ in pair) for pair in self.pairs)

    def outcomes(self, ended: Sequence[Ended], finish: Finish) -> list[Turn | TrialError]:
        """Return the outcome of each trial; both of a pair fail if one has no result.

        Parameters
        ----------
        ended : sequence of Ended
            How both processes ended.
        finish : callable
            As `Finish`.
        """
        reached = min(one.place for one in ended)
        found: dict[int, Turn | TrialError] = {}
        for place, pair in enumerate(self.pairs, start=1):
            if place > reached:
                error = NotReachedError("its process ended at another benchmark")
                found |= _lost(pair, error)
                continue
            try:
                for own, member in zip(ended, pair, strict=True):
                    seconds = finish(own, *member)
                    found[member[0].number] = Turn(None, in_turn=True, seconds=seconds)
            except TrialError as error:
                found |= _lost(pair, error)
        return [found[trial.number] for trial in self.trials]


def _lost(pair: Sequence[Member], error: TrialError) -> dict[int, Turn | TrialError]:
    for _, result in pair:
        result.unlink(missing_ok=True)
    return {trial.number: error for trial, _ in pair}
