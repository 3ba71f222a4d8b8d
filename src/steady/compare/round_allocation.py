"""Allocation of further rounds after an interim analysis, by the time that a verdict needs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from steady.compare.benchmark_change import Change
from steady.compare.counts import fewest_values
from steady.compare.power import further_rounds
from steady.options.strictness import USUAL_CONFIDENCE

FORKS_OF_COUNTS = fewest_values(USUAL_CONFIDENCE)
"""Forks of either side that a verdict on a count needs (`steady.compare.counts`)."""


@dataclass(frozen=True, slots=True)
class UnclearBenchmark:
    """A benchmark whose outcome is unclear at an interim analysis.

    Parameters
    ----------
    change : Change
        Of its main result, or of a count beside it that seems changed.
    min_change : float
        Smallest relative change that counts, as a fraction.
    rounds : int
        Number of its rounds.
    looks : tuple of int
        Numbers of rounds at interim analyses.
    seconds : float
        Of one round, both versions together.
    """

    change: Change
    min_change: float
    rounds: int
    looks: tuple[int, ...]
    seconds: float

    @property
    def step(self) -> int:
        """Rounds up to its next look; 0 after the last one."""
        return next((look - self.rounds for look in self.looks if look > self.rounds), 0)

    @property
    def suspicious(self) -> bool:
        """Whether its estimate is half of a change that counts or more, and none is excluded."""
        if self.change.metric:
            return True
        size = abs(self.change.ratio)
        known = self.change.smallest <= self.min_change
        return size >= self.min_change or (size >= self.min_change / 2 and not known)

    @property
    def needed(self) -> float:
        """Expected further rounds to a verdict if the change equals its estimate.

        The interval must exclude zero if the benchmark is suspicious, and otherwise every change
        that counts. Infinite if no number of rounds is enough. A count, such as bytes allocated,
        needs a fixed number of forks.
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
        """Whether it comes before waiting benchmarks: up to two looks, or if a verdict is near."""
        in_sight = self.suspicious and self.rounds + self.needed <= max(self.looks, default=0)
        return in_sight or self.rounds < max(self.looks[:2], default=0)

    @property
    def aim(self) -> int:
        """Rounds up to the look at which a verdict is expected.

        It is the next look unless the benchmark is suspicious: no time is reserved for others.
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
        Seconds.

    Returns
    -------
    dict of int to int
        Rounds up to the next look, by the index of the case; in order of priority.

    Notes
    -----
    Suspicious benchmarks come first. Among these and among the others, the one with the fewest
    expected seconds to a verdict comes first: in this order, the most verdicts fit into any budget.
    For suspicious benchmarks, time is reserved up to the look of the expected verdict, so that
    later ones cannot spend it.
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
