"""Which benchmarks are measured again before anything is reported, and in how many rounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steady.compare.pair import Judgement, Pair, Rule, RuleOptions

SCREEN_CONFIDENCE = 0.7
"""Results that are apart at this level are nearly apart. Of equal benchmarks three in ten are."""

_MOST = 4
"""Further rounds, at most, as a multiple of those that were planned."""

_SHARE_OF_CHANGE = 0.6
"""To decide about a change, its interval may reach no further than this share of its size."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A benchmark that should be measured again.

    Parameters
    ----------
    index : int
        Its position among the pairs.
    rounds : int
        Further rounds, each one fork of base and one of head.
    least : int
        Fewer than these would not settle anything.
    """

    index: int
    rounds: int
    least: int


def second_look(
    pairs: Sequence[Pair],
    rule: Rule,
    options: RuleOptions,
    min_change: float | Sequence[float],
) -> list[Wish]:
    """Say which benchmarks to measure again, the most suspicious first.

    Benchmarks are measured again if they are apart, or nearly so, by at least half of
    `min_change`. Each gets at least as many further rounds as it had, and more if its interval
    must shrink further to decide.

    Parameters
    ----------
    pairs : sequence of Pair
        All benchmarks of the run.
    rule : Rule
        By which the verdict will be found.
    options : RuleOptions
        With which it will be found.
    min_change : float, or sequence of float
        Smallest relative change that counts, as a fraction; of each pair, or of all.

    Returns
    -------
    list of Wish
        The one that is furthest from being unchanged first.

    Notes
    -----
    The verdict afterwards rests on all forks, the first and the further ones, by the same rule at
    the same confidence. A benchmark is then called changed only if it was nearly apart at first
    *and* is apart in the end. For an unchanged benchmark the second condition alone holds no more
    often than the rule's confidence allows, so both together hold less often. The number of
    further rounds depends on the width of the first interval, never on the next result: there is
    a second look, but not a third.
    """
    final = rule.judge(pairs, options)
    screen = rule.judge(
        pairs,
        RuleOptions(min(SCREEN_CONFIDENCE, options.confidence), options.resamples, options.seed),
    )
    least = np.broadcast_to(min_change, len(pairs)).tolist()
    wishes = [
        (_suspicion(judged), _wish(index, pair, judged, smallest))
        for index, (pair, judged, near, smallest) in enumerate(
            zip(pairs, final, screen, least, strict=True)
        )
        if near.apart and abs(judged.ratio) >= smallest / 2
    ]
    return [wish for _, wish in sorted(wishes, key=lambda item: (-item[0], item[1].index))]


def within_budget(
    wishes: Sequence[Wish], seconds: Sequence[float], budget: float
) -> list[tuple[int, int]]:
    """Grant wishes in their order while the budget lasts.

    Parameters
    ----------
    wishes : sequence of Wish
        The most important first.
    seconds : sequence of float
        What one round of each pair costs, by its index.
    budget : float
        Seconds for all of them.

    Returns
    -------
    list of (int, int)
        Index and rounds of those that are measured again. A wish is passed over if the budget
        does not cover even its least number of rounds.
    """
    granted = []
    left = budget
    for wish in wishes:
        price = seconds[wish.index]
        affordable = wish.rounds if price <= 0 else math.floor(left / price)
        rounds = min(wish.rounds, affordable)
        if rounds >= wish.least:
            granted.append((wish.index, rounds))
            left -= rounds * price
    return granted


def _wish(index: int, pair: Pair, judgement: Judgement, min_change: float) -> Wish:
    had = min(len(pair.base), len(pair.head))
    target = max(min_change, _SHARE_OF_CHANGE * abs(judgement.ratio))
    if not 0 < target < math.inf:  # from zero any change is infinite: no interval tells its size
        return Wish(index, had, had)
    needed = had * ((judgement.reach_of_ratio / target) ** 2 - 1)
    most = _MOST * had
    return Wish(index, had if needed <= had else min(math.ceil(min(needed, most)), most), had)


def _suspicion(judgement: Judgement) -> float:
    """Return the size of the change, in units of the smallest that the rule would report."""
    size, reach = abs(judgement.ratio), judgement.reach_of_ratio
    return size / reach if reach > 0 and size < math.inf else math.inf
