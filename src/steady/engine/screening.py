"""Screening: one short pair of forks of each benchmark, to choose those that are measured.

If the time is too short for the first rounds of all benchmarks, most of them would have no fork at
all. A pair of forks with a warm-up of a quarter of a second costs a fraction of a warm pair. Both
are equally cold, so their ratio shows where to look (docs/measured.md). It is no evidence of a
change: the results of screening forks are not part of a run's results, and only determine which
benchmarks are measured first.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median_low

import numpy as np

from steady.engine.journal import Journal
from steady.engine.shared_processes import SHARED_SECONDS
from steady.engine.step import rounds_of
from steady.engine.time_limit import TOO_SHORT, pace
from steady.engine.workload import Workload
from steady.harness.trial import SINGLE_SHOT, Trial
from steady.model import Benchmark, ExecutionConfiguration, Identity, NotRun

SHARE = 0.6
"""Largest share of the time for screening; the rest is for the benchmarks that it selects."""

VERDICTS = 2
"""The rest also suffices for the first rounds of this many benchmarks."""

SCREENED_FROM = 1.5
"""Benchmarks are screened if their first rounds take this many times the time."""

SECONDS = 0.25
"""Seconds of the warm-up of a screening fork, and of its measurement."""

ITERATIONS = 5
"""Iterations of either, which are interleaved."""

NOTABLE = math.log(1.05)
"""Smallest notable difference of a screening pair; two forks of one version may differ as much."""

NOTABLE_TIMES = 2.0
"""A notable difference is also this many times the median of all screening pairs."""

MISSED = 0.2
"""Share of changes of the size `Screened.excluded` that screening misses."""

UNCONFIRMED = (
    "screening does not rule out a change, and the time budget was too short to measure it"
)
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


@dataclass(frozen=True, slots=True)
class Shift:
    """Two estimates of the logarithm of the ratio of head to base in a pair of screening forks.

    Either is unreliable if one fork is compiled earlier than the other, but then they disagree.

    Parameters
    ----------
    fastest : float
        That of the fastest iterations, which run compiled code undisturbed.
    typical : float
        The median of the pairs of iterations.
    """

    fastest: float
    typical: float

    @classmethod
    def between(cls, base: Benchmark, head: Benchmark) -> "Shift | None":
        """Return the shift between two results; None if one is not positive."""
        ours, theirs = (np.ravel(side.fork_times) for side in (base, head))
        length = min(len(ours), len(theirs))
        if not length or not min(ours.min(), theirs.min()) > 0:
            return None
        ratios = np.log(theirs[:length] / ours[:length])
        return cls(math.log(theirs.min() / ours.min()), float(np.median(ratios)))

    @property
    def difference(self) -> float:
        """The smaller of both without its sign; 0 if their signs differ."""
        agree = self.fastest * self.typical > 0
        return min(abs(self.fastest), abs(self.typical)) if agree else 0.0

    @property
    def evidence(self) -> float:
        """The difference relative to the disagreement of both estimates.

        A change moves both by the same amount. If only their signs agree, one fork was probably
        compiled earlier, whatever the size of the difference.
        """
        return self.difference / max(abs(self.fastest - self.typical), NOTABLE)


@dataclass(frozen=True)
class Screened:
    """The shifts that screening found.

    Parameters
    ----------
    shifts : mapping of Identity to Shift or None
        Shift of each screened benchmark; None if a fork produced no result.
    """

    shifts: Mapping[Identity, Shift | None]

    @cached_property
    def _known(self) -> list[Shift]:
        return [shift for shift in self.shifts.values() if shift is not None]

    def difference(self, identity: Identity) -> float:
        """Return the difference of a screened benchmark; infinite if it is unknown.

        A benchmark whose fork fails is measured, which reports the failure.
        """
        shift = self.shifts[identity]
        return math.inf if shift is None else shift.difference

    @cached_property
    def notable(self) -> float:
        """Smallest notable difference: most differences are no changes, so it follows from them."""
        differences = [shift.difference for shift in self._known]
        return max(NOTABLE, NOTABLE_TIMES * median_low(differences or [0.0]))

    @cached_property
    def excluded(self) -> float:
        """The relative change, as a fraction, of which screening misses the share `MISSED`.

        A change moves both estimates of a shift. Those of all screened benchmarks show how many
        would still not be notable. Changes among them make this value larger.
        """
        shifts = np.array([[one.fastest, one.typical] for one in self._known]).reshape(-1, 2)
        least = np.concatenate([shifts.min(axis=1), (-shifts).min(axis=1)])
        if not least.size:
            return math.inf
        return math.expm1(self.notable - float(np.quantile(least, MISSED)))

    def shows(self, identity: Identity) -> bool:
        """Return whether a benchmark was screened and its difference is notable."""
        return identity in self.shifts and self.difference(identity) >= self.notable

    def first(self, order: Sequence[Identity]) -> tuple[Identity, ...]:
        """Put benchmarks with a notable difference first, that of the most evidence before all."""

        def evidence(identity: Identity) -> float:
            shift = self.shifts[identity]
            return math.inf if shift is None else shift.evidence

        return tuple(sorted(order, key=lambda i: -evidence(i) if self.shows(i) else 0.0))

    def not_run(self, identity: Identity) -> NotRun:
        """Return the entry of a benchmark that was not measured, for ``not-run.json``."""
        if identity not in self.shifts:
            return NotRun(identity, TOO_SHORT)
        if self.shows(identity):
            return NotRun(identity, UNCONFIRMED)
        percent = math.ceil(100 * self.excluded)
        reason = (
            f"screening, which detects {100 * (1 - MISSED):.0f} % of changes of {percent} %, shows "
            "no sign of one"
        )
        return NotRun(identity, reason, percent / 100)


@dataclass
class Screening:
    """The screening of a run's benchmarks, before each stage of its plan.

    Parameters
    ----------
    trials : sequence of Trial
        The screening forks, those of a benchmark next to each other.
    shift : callable
        Returns the shift between the screening forks of a benchmark; None if it is unknown.
    pairs : int
        Number of simultaneous pairs.
    """

    trials: Sequence[Trial]
    shift: Callable[[Identity], Shift | None]
    pairs: int = 1
    _stage: tuple[tuple[Trial, ...], ...] = ()
    _reserve: float = 0.0

    @property
    def is_open(self) -> bool:
        """Whether benchmarks of the present stage may be screened."""
        return bool(self._stage)

    def begin(self, stage: Sequence[Trial], seconds: float, pairs: int) -> None:
        """Begin a stage, whose benchmarks are screened if the time is too short for it.

        Parameters
        ----------
        stage : sequence of Trial
            The remaining trials of the stage.
        seconds : float
            The remaining seconds of the run.
        pairs : int
            Number of simultaneous pairs of the stage.
        """
        named = {trial.identity for trial in stage}
        screened = tuple(pair for pair in rounds_of(self.trials) if pair[0].identity in named)
        own = {pair[0].identity for pair in screened}
        needed = sum(trial.seconds for trial in stage if trial.identity in own) / pairs
        self._stage = screened if needed >= SCREENED_FROM * seconds else ()
        verdicts = VERDICTS * needed / max(len(own), 1)
        self._reserve = max((1 - SHARE) * seconds, verdicts)

    def end(self) -> None:
        """End the screening of the present stage."""
        self._stage = ()

    def next(
        self,
        journal: Journal,
        seconds: float,
        are_together: Callable[[Sequence[Trial]], bool],
        process: Callable[[Identity], str],
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
        process : callable
            Returns the name of the process that a benchmark shares; empty if it has its own. Pairs
            that share a process follow together.
        """
        waiting = (pair for pair in self._stage if all(map(journal.waits_for, pair)))
        left = list(filter(are_together, waiting))
        name = process(left[0][0].identity) if left else ""
        if name:
            pairs = [pair for pair in left if process(pair[0].identity) == name]
        else:
            pairs = [pair for pair in left if not process(pair[0].identity)][: self.pairs]
        longest = SHARED_SECONDS if name else math.inf
        following: list[Trial] = []
        for pair in pairs:
            expected = sum(trial.seconds for trial in (*following, *pair)) * pace(journal.screened)
            if seconds - expected < self._reserve or (following and expected > longest):
                break
            following += pair
        return tuple(following)

    def screened(self, journal: Journal) -> Screened:
        """Return the shifts of the pairs so far."""
        ended = [trial for trial in self.trials if trial.number in journal.screened]
        failed = {t.identity for t in ended if journal.screened[t.number].status != "ok"}
        identities = dict.fromkeys(trial.identity for trial in ended)
        return Screened({i: None if i in failed else self.shift(i) for i in identities})
