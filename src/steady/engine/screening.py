"""Screening: one short pair of forks of each benchmark, to choose those that are measured.

If the time is too short for the first rounds of all benchmarks, most of them would have no fork at
all. A pair of forks with a warm-up of half a second costs a fraction of a warm pair. Both forks are
equally cold, so their ratio varies little more than that of warm ones (docs/measured.md). It is no
evidence of a change: the results of screening forks are not part of a run's results, and only
determine which benchmarks are measured first.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from statistics import median_low

import numpy as np

from steady.engine.journal import Journal
from steady.engine.step import rounds_of
from steady.engine.time_limit import TOO_SHORT, pace
from steady.engine.workload import Workload
from steady.harness.trial import SINGLE_SHOT, Trial
from steady.model import ExecutionConfiguration, Identity

SHARE = 0.6
"""Largest share of the time for screening; the rest is for the benchmarks that it selects."""

SCREENED_FROM = 1.5
"""Benchmarks are screened if their first rounds take this many times the time."""

SECONDS = 0.5
"""Seconds of the warm-up of a screening fork, and of its measurement."""

ITERATIONS = 5
"""Iterations of either, which are interleaved."""

NOTABLE = math.log(1.05)
"""Smallest notable difference of a screening pair; two forks of one version may differ as much."""

NOTABLE_TIMES = 2.0
"""A notable difference is also this many times the median of all screening pairs."""

CONFIDENCE = 0.9
"""Share of screening pairs of one version whose difference is below `Screened.noise`."""

UNCONFIRMED = "its screening round suggests a change, and the time was too short to measure it"
"""The reason for benchmarks with a notable difference that were not measured."""

_SHORTEST_TIMEOUT = 15.0


def screening_configuration(declared: ExecutionConfiguration, mode: str) -> ExecutionConfiguration:
    """Return the configuration of a screening fork.

    Parameters
    ----------
    declared : ExecutionConfiguration
        The configuration of the benchmark's forks, whose batch sizes are kept.
    mode : str
        Mode of the benchmark (`Identity.mode`).
    """
    if mode == SINGLE_SHOT:
        return replace(declared, forks=1, warmup_iterations=1, iterations=1)
    each = SECONDS / ITERATIONS
    return replace(
        declared,
        forks=1,
        warmup_iterations=ITERATIONS,
        iterations=ITERATIONS,
        warmup_seconds=each,
        iteration_seconds=each,
    )


def screening_trials(
    workloads: Sequence[Workload], seconds: Callable[[Workload], float]
) -> tuple[Trial, ...]:
    """Return a pair of screening forks of each benchmark, numbered from -1 downwards.

    Parameters
    ----------
    workloads : sequence of Workload
        The workloads of benchmarks that both versions have.
    seconds : callable
        Returns the expected seconds of a workload's fork, as one of an interleaved pair.
    """
    trials: list[Trial] = []
    for place, workload in enumerate(workloads):
        own = screening_configuration(workload.configuration, workload.identity.mode)
        expected = seconds(replace(workload, configuration=own))
        timeout = min(workload.timeout, max(10 * expected, _SHORTEST_TIMEOUT))
        versions = workload.versions if place % 2 == 0 else workload.versions[::-1]
        for version in versions:
            number = -1 - len(trials)
            trials.append(
                Trial(number, 0, version, workload.identity, own, expected, timeout, screening=True)
            )
    return tuple(trials)


@dataclass(frozen=True)
class Screened:
    """The differences that screening found.

    Parameters
    ----------
    differences : mapping of Identity to float
        Absolute logarithm of the ratio of each screened benchmark's versions; infinite if a fork
        produced no result.
    """

    differences: Mapping[Identity, float]

    @cached_property
    def _finite(self) -> list[float]:
        return sorted(one for one in self.differences.values() if one < math.inf)

    @cached_property
    def notable(self) -> float:
        """Smallest notable difference: most differences are no changes, so it follows from them."""
        return max(NOTABLE, NOTABLE_TIMES * median_low(self._finite or [0.0]))

    @cached_property
    def excluded(self) -> float:
        """The relative change, as a fraction, that a difference below `notable` makes unlikely.

        `CONFIDENCE` of the observed differences are below its excess over `notable`.
        """
        noise = float(np.quantile(self._finite or [0.0], CONFIDENCE))
        return math.expm1(self.notable + min(noise, self.notable))

    def shows(self, identity: Identity) -> bool:
        """Return whether a benchmark's difference is notable."""
        return self.differences.get(identity, 0.0) >= self.notable

    def first(self, order: Sequence[Identity]) -> tuple[Identity, ...]:
        """Put benchmarks with a notable difference first, the largest one at the beginning."""
        return tuple(sorted(order, key=lambda i: -self.differences[i] if self.shows(i) else 0.0))

    def reason(self, identity: Identity) -> str:
        """Return the reason why a benchmark was not measured, for ``not-run.json``."""
        if identity not in self.differences:
            return TOO_SHORT
        if self.shows(identity):
            return UNCONFIRMED
        return f"screened: no sign of a change above {math.ceil(100 * self.excluded)} %"


@dataclass
class Screening:
    """The screening of a run's benchmarks.

    Parameters
    ----------
    trials : sequence of Trial
        The screening forks, those of a benchmark next to each other.
    difference : callable
        Returns the absolute logarithm of the ratio of a benchmark's screening forks; infinite if
        it is unknown.
    whole : float
        Seconds of the whole run.
    pairs : int
        Number of simultaneous pairs.
    ended : bool
        Whether it has ended.
    """

    trials: Sequence[Trial]
    difference: Callable[[Identity], float]
    whole: float
    pairs: int = 1
    ended: bool = False

    def next(
        self, journal: Journal, seconds: float, are_together: Callable[[Sequence[Trial]], bool]
    ) -> tuple[Trial, ...]:
        """Return the next pairs; empty at the end of the screening.

        Parameters
        ----------
        journal : Journal
            The finished trials.
        seconds : float
            The remaining seconds of the run.
        are_together : callable
            Returns whether the forks of a pair are interleaved; others are not screened.
        """
        left = (pair for pair in rounds_of(self.trials) if all(map(journal.waits_for, pair)))
        pairs = islice(filter(are_together, left), self.pairs)
        following = tuple(chain.from_iterable(pairs))
        expected = sum(trial.seconds for trial in following) * pace(journal.screened)
        if self.ended or seconds - expected < (1 - SHARE) * self.whole:
            return ()
        return following

    def screened(self, journal: Journal) -> Screened:
        """Return the differences of the pairs so far."""
        ended = {t.identity: t for t in self.trials if t.number in journal.screened}
        failed = {
            trial.identity
            for trial in self.trials
            if trial.number in journal.screened and journal.screened[trial.number].status != "ok"
        }
        return Screened({i: math.inf if i in failed else self.difference(i) for i in ended})
