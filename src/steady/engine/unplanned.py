"""Workloads without a plan, from declared configurations and the time budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from steady.compare.alpha_spending import looks_of
from steady.engine.shared_processes import SharedProcesses
from steady.engine.workload import Declarations, Workload
from steady.execution.live_stop import LEAST_MEASURED, StopRule
from steady.execution.warm_up import PATIENCE, WARM_SECONDS
from steady.harness.trial import SINGLE_SHOT, Held
from steady.harnesses import harness_named
from steady.model import ExecutionConfiguration, Identity

ROUNDS = 5
"""Assumed number of planned rounds, which determines the interim analyses."""

FIRST_SHARE = 0.7
"""Share of the time for the rounds up to the first interim analysis if all forks take the longest
time, as on a noisy machine without steady state. The rest is for unclear benchmarks."""

ITERATION_SECONDS = 0.1
SHORTEST_ITERATION_SECONDS = 0.05
"""Iterations of base and head are interleaved, so that short ones see the same machine state."""

LEAST_ITERATIONS = 10
"""Fewest iterations of a fork that suffice for warm-up and measurement."""

MOST_MEASURED = 10
"""More iterations reduce the error little, since forks differ; additional forks reduce it more."""

FORKS_OF_ONE_VERSION = 2
"""Forks of a benchmark that only one version has, which gets a value but no verdict."""

SHORTEST_LIMIT = 15.0
"""Smallest timeout of a fork: a busy machine starts it slowly."""

RULE = StopRule("flat", minimum=5, timed=True)
"""The rule that ends two forks unless the user gives another method."""


@dataclass(frozen=True, slots=True)
class Unplanned:
    """The share of time of a benchmark without a plan.

    Parameters
    ----------
    harness : str
        Name of its harness.
    pair_seconds : float
        Upper bound of two interleaved forks, in seconds.
    start : float
        Seconds of the start of two forks, or the share of a benchmark if several share a process.
    """

    harness: str
    pair_seconds: float
    start: float

    @classmethod
    def share(
        cls, harness: str, benchmarks: int, seconds: float, *, starts: float = 1.0
    ) -> Unplanned:
        """Share time among benchmarks, so that each gets the rounds up to its first analysis.

        A short time means fewer benchmarks, not colder ones: each fork that ends early has at least
        `WARM_SECONDS` to warm up.

        Parameters
        ----------
        harness : str
            Name of their harness.
        benchmarks : int
            Number of benchmarks in both versions.
        seconds : float
            Time for all of them.
        starts : float
            Mean number of pairs of processes for each benchmark in a round.
        """
        start = starts * harness_named(harness).cost.fork_seconds
        first_look = looks_of(ROUNDS)[0]
        share = FIRST_SHARE * seconds / (max(benchmarks, 1) * first_look)
        least = start + 2 * LEAST_ITERATIONS * SHORTEST_ITERATION_SECONDS
        running = harness_named(harness).running
        if running is not None and running.ends_early:
            least = start + 2 * (WARM_SECONDS + RULE.minimum * ITERATION_SECONDS)
        return cls(harness, max(share, least), start)

    def configuration(
        self,
        identity: Identity,
        declared: ExecutionConfiguration | None,
        operation: float = math.nan,
    ) -> ExecutionConfiguration:
        """Return the upper bound of a fork: at least the declared time, mostly for warm-up.

        Parameters
        ----------
        identity : Identity
            The benchmark.
        declared : ExecutionConfiguration, optional
            Its declared configuration.
        operation : float
            Seconds of one of its operations, NaN if unknown; used if nothing is declared.
        """
        if identity.mode == SINGLE_SHOT and declared is not None:
            return replace(declared, forks=ROUNDS, warmup_seconds=0.0, iteration_seconds=0.0)
        if declared is None:
            return self._counted(self._iteration(ITERATION_SECONDS), operation)
        longest = declared.iteration_seconds or ITERATION_SECONDS
        each = self._iteration(longest)
        warmup, measured = (
            round(count * seconds / each)
            for count, seconds in (
                (declared.warmup_iterations, declared.warmup_seconds),
                (declared.iterations, longest),
            )
        )
        kept = min(max(measured, RULE.minimum), MOST_MEASURED)
        # Also with short declarations, cold forks may take a multiple of their time.
        fitting = math.ceil(PATIENCE * self.pair_seconds / each)
        return replace(
            declared,
            forks=ROUNDS,
            warmup_iterations=max(warmup + measured - kept, fitting),
            iterations=kept,
            warmup_seconds=each,
            iteration_seconds=each,
        )

    def seconds(self, configuration: ExecutionConfiguration, operation: float = math.nan) -> float:
        """Return the upper bound of the seconds of one of two interleaved forks."""
        if configuration.iteration_seconds == 0:
            return self.pair_seconds / 2
        each = configuration.iteration_seconds
        iteration = float(harness_named(self.harness).cost.lasting(each, np.array(operation), 1))
        count = configuration.warmup_iterations + configuration.iterations
        both = self.start + 2 * count * iteration
        running = harness_named(self.harness).running
        to_the_end = running is not None and not running.ends_early
        return (both if to_the_end else min(both, self.pair_seconds)) / 2

    def _iteration(self, longest: float) -> float:
        """Return the seconds of an iteration, shorter ones if the time is short."""
        own = (self.pair_seconds - self.start) / (2 * 2 * LEAST_ITERATIONS)
        return min(max(own, SHORTEST_ITERATION_SECONDS), ITERATION_SECONDS, longest)

    def _counted(self, each: float, operation: float) -> ExecutionConfiguration:
        """Return the configuration that fits, without declarations and early ends: Go."""
        lasting = float(harness_named(self.harness).cost.lasting(each, np.array(operation), 1))
        fitting = int((self.pair_seconds - self.start) / (2 * lasting))
        measured = min(max(fitting - 1, LEAST_MEASURED), MOST_MEASURED)
        return ExecutionConfiguration(ROUNDS, 1, measured, each, each)


def _unknown(_: Identity) -> float:
    return math.nan


def unplanned(
    chosen: Sequence[Identity],
    held: Held,
    declared: Declarations,
    *,
    harness: str,
    seconds: float,
    controls: Collection[Identity] = (),
    operation_seconds: Callable[[Identity], float] = _unknown,
    timeout: float | None = None,
    processes: SharedProcesses | None = None,
) -> list[Workload]:
    """Return the workloads of benchmarks without a plan.

    Parameters
    ----------
    chosen : sequence of Identity
        The benchmarks to run: all, or those that a rotation has chosen.
    held : mapping of str to collection of Identity
        The benchmarks of each version.
    declared : mapping of Identity to ExecutionConfiguration
        Their declared configurations.
    harness : str
        Name of their harness.
    seconds : float
        Time for all of them.
    controls : collection of Identity
        Controls, which only get the rest of the time.
    operation_seconds : callable
        Returns the approximate seconds of one operation; NaN if they are unknown.
    timeout : float, optional
        Timeout of every fork in seconds. By default it follows from the configuration and the
        time: with longer forks, not even a single benchmark could finish its first rounds.
    processes : SharedProcesses, optional
        The processes that several benchmarks share.
    """
    sides = held.values()
    both = [i for i in chosen if i not in controls and all(i in own for own in sides)]
    starts = (processes or SharedProcesses()).starts(both)
    share = Unplanned.share(harness, len(both), seconds, starts=starts)
    longest = FIRST_SHARE * seconds / (2 * looks_of(ROUNDS)[0])
    workloads = []
    for identity in chosen:
        operation = operation_seconds(identity)
        configuration = share.configuration(identity, declared.get(identity), operation)
        workload = Workload.of(identity, configuration, held, timeout=timeout, harness=harness)
        if len(workload.versions) < len(held):
            fewer = replace(configuration, forks=FORKS_OF_ONE_VERSION)
            workload = replace(workload, configuration=fewer)
        fork_seconds = share.seconds(configuration, operation)
        limit = timeout or min(workload.timeout, max(longest, 2 * fork_seconds, SHORTEST_LIMIT))
        workloads.append(replace(workload, fork_seconds=fork_seconds, timeout=limit))
    return workloads
