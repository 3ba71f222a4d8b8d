"""Allocation of further rounds after an interim analysis, by the expected time to a verdict."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from steady.compare.benchmark_change import Change
from steady.compare.counts import fewest_values
from steady.compare.power import further_rounds
from steady.options.strictness import USUAL_CONFIDENCE

FORKS_OF_COUNTS = fewest_values(USUAL_CONFIDENCE)
"""Forks per side required for a verdict on a count (`steady.compare.counts`)."""


@dataclass(frozen=True, slots=True)
class UnclearBenchmark:
    """A benchmark whose outcome is unclear at an interim analysis.

    Parameters
    ----------
    change : Change
        Change of its main result, or of a count that seems to have changed.
    min_change : float
        Smallest relative change to report, as a fraction.
    rounds : int
        Number of measured rounds.
    looks : tuple of int
        Numbers of rounds at interim analyses.
    seconds : float
        Duration of one round of both versions.
    """

    change: Change
    min_change: float
    rounds: int
    looks: tuple[int, ...]
    seconds: float

    @property
    def step(self) -> int:
        """Number of rounds up to the next look; 0 after the last one."""
        return next((look - self.rounds for look in self.looks if look > self.rounds), 0)

    @property
    def suspicious(self) -> bool:
        """Whether the estimate is at least half of `min_change`, and no such change is excluded."""
        if self.change.metric:
            return True
        size = abs(self.change.ratio)
        known = self.change.smallest <= self.min_change
        return size >= self.min_change or (size >= self.min_change / 2 and not known)

    @property
    def needed(self) -> float:
        """Expected number of further rounds to a verdict if the change equals its estimate.

        If the benchmark is suspicious, the interval must exclude zero; otherwise, all changes of at
        least `min_change`. Infinite if no number of rounds suffices. A count, such as allocated
        bytes, needs a fixed number of forks.
        """
        if self.change.metric:
            return float(max(FORKS_OF_COUNTS - self.rounds, 0))
        size = abs(self.change.ratio)
        if self.suspicious:
            now, wanted = self.change.smallest, max(size, self.min_change)
        else:
            now, wanted = self.change.excluded - size, self.min_change - size
        return further_rounds(self.rounds, now, wanted)

    @property
    def has_priority(self) -> bool:
        """Whether it precedes waiting benchmarks: before its second look, or close to a verdict."""
        in_sight = self.suspicious and self.rounds + self.needed <= max(self.looks, default=0)
        return in_sight or self.rounds < max(self.looks[:2], default=0)

    @property
    def aim(self) -> int:
        """Number of rounds up to the look of the expected verdict.

        For benchmarks that are not suspicious, it is the next look, so that no time is reserved.
        """
        if not self.suspicious or self.needed == math.inf:
            return self.step
        goal = self.rounds + self.needed
        return next((k for k in self.looks if k >= goal), self.looks[-1]) - self.rounds


def allocate_rounds(cases: Sequence[UnclearBenchmark], budget: float) -> dict[int, int]:
    """Allocate further rounds within a budget, the most informative first.

    Parameters
    ----------
    cases : sequence of UnclearBenchmark
        All unclear benchmarks.
    budget : float
        Time in seconds.

    Returns
    -------
    dict of int to int
        Rounds up to the next look by the index of the case, in order of priority.

    Notes
    -----
    Suspicious benchmarks come first; within each group, benchmarks are sorted by the expected time
    to a verdict, so that the most verdicts fit into any budget. For suspicious benchmarks, time is
    reserved up to the look of the expected verdict, so that others cannot use it.
    """
    order = sorted(
        range(len(cases)),
        key=lambda i: (not cases[i].suspicious, cases[i].needed * cases[i].seconds, i),
    )
    granted = {}
    for index in order:
        case = cases[index]
        price = case.step * case.seconds
        if case.step and price <= budget:
            granted[index] = case.step
            budget -= min(max(case.aim, case.step) * case.seconds, budget)
    return granted
