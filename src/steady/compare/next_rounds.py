"""The next rounds of a run: those whose verdict costs the least further time."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from steady.compare.benchmark_change import Change
from steady.compare.counts import fewest
from steady.options.strictness import USUAL_CONFIDENCE

FORKS_OF_COUNTS = fewest(USUAL_CONFIDENCE)
"""So many forks of either side tell whether a count changed (`steady.compare.counts`)."""


@dataclass(frozen=True, slots=True)
class OpenCase:
    """A benchmark of which a run cannot tell yet whether it changed.

    Parameters
    ----------
    change : Change
        What is known of it: of its main result, or of a count beside it that seems changed.
    min_change : float
        Smallest relative change that counts, as a fraction.
    rounds : int
        How many rounds it had.
    looks : tuple of int
        Numbers of rounds at which the run decides.
    seconds : float
        What one round costs, both versions together.
    """

    change: Change
    min_change: float
    rounds: int
    looks: tuple[int, ...]
    seconds: float

    @property
    def step(self) -> int:
        """How many rounds there are up to its next look; 0 after the last one."""
        return next((look - self.rounds for look in self.looks if look > self.rounds), 0)

    @property
    def suspicious(self) -> bool:
        """Whether it looks changed by half of what counts or more, and is not known to be less."""
        if self.change.metric:
            return True
        size = abs(self.change.ratio)
        known = self.change.smallest <= self.min_change
        return size >= self.min_change or (size >= self.min_change / 2 and not known)

    @property
    def needed(self) -> float:
        """How many further rounds a verdict takes if the change is what it looks like.

        The interval becomes narrower with the square root of the number of rounds. It must leave
        out zero if the benchmark is suspicious, and otherwise every change that counts. Infinite
        if no number of rounds is enough. A count, such as bytes allocated, lacks nothing but forks.
        """
        if self.change.metric:
            return float(max(FORKS_OF_COUNTS - self.rounds, 0))
        size = abs(self.change.ratio)
        if self.suspicious:
            now, wanted = self.change.smallest, max(size, self.min_change)
        else:
            now, wanted = self.change.excluded - size, self.min_change - size
        if not wanted > 0:
            return math.inf
        if wanted == math.inf:  # from nothing to something: the next look may tell
            return 0.0
        return max(self.rounds * ((now / wanted) ** 2 - 1), 0.0)

    @property
    def comes_first(self) -> bool:
        """Whether it goes on while others wait: up to two looks, or to a verdict in sight."""
        in_sight = self.suspicious and self.rounds + self.needed <= max(self.looks, default=0)
        return in_sight or self.rounds < max(self.looks[:2], default=0)

    @property
    def aim(self) -> int:
        """How many rounds there are up to the look at which a verdict is expected.

        That is the next look for what is not suspicious: time is not kept back for it.
        """
        if not self.suspicious or self.needed == math.inf:
            return self.step
        goal = self.rounds + self.needed
        return next((k for k in self.looks if k >= goal), self.looks[-1]) - self.rounds


def next_rounds(cases: Sequence[OpenCase], budget: float) -> dict[int, int]:
    """Grant further rounds while the budget lasts, the most telling first.

    Parameters
    ----------
    cases : sequence of OpenCase
        All benchmarks that are open.
    budget : float
        Seconds that are left.

    Returns
    -------
    dict of int to int
        Rounds up to the next look, by the index of the case; in order of importance.

    Notes
    -----
    What looks changed comes first. Among those, and among the others, the one comes first whose
    verdict is expected after the fewest seconds: it is the order in which the most verdicts fit
    into any budget. For what looks changed, time is kept back up to the look where its verdict is
    expected, so that those behind it cannot spend it.
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
