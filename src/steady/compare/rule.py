"""The contract of a rule: it takes the pairs of a comparison, and judges each of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from steady.compare.judgement import Judgement
from steady.compare.pair import Pair


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """The options of all rules; a rule uses those that it needs.

    Parameters
    ----------
    confidence : float
        Confidence level of the intervals. For `Rule.judge`, that of all looks of a run together;
        for `Rule.decide`, that of each interval.
    resamples, seed : int
        Number of bootstrap resamples, and the seed of their random numbers.
    most_shared : float
        What a suite says about the spread of one benchmark counts for no more degrees of freedom.
    """

    confidence: float = 0.99
    resamples: int = 10_000
    seed: int = 0
    most_shared: float = math.inf


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to tell a change from noise.

    Parameters
    ----------
    decide : callable
        Takes all pairs of a comparison and returns one judgement for each, since a rule may look
        at the whole suite. Call `judge` instead, which calls this.
    resampled : bool
        Whether the rule uses `resamples` and `seed`.
    statement : str
        For the reader of a report: how it decides, in a sentence or two.
    false_alarms : str
        For the same reader: how often it was measured to be wrong, and on what.
    """

    decide: Callable[[Sequence[Pair], RuleOptions], list[Judgement]]
    resampled: bool
    statement: str
    false_alarms: str

    def judge(self, pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
        """Judge all pairs of a comparison; with a single result on a side, no rule decides.

        Where a run decided several times, the level of each interval is the one that its number
        of rounds asks for, so that all looks together keep the confidence.

        Returns
        -------
        list of Judgement
            In the order of the pairs.
        """
        cold = [pair for pair in pairs if pair.cold_seconds]
        if not cold:
            return self._judged(pairs, options)
        # Nobody learns from what is cold: it is only shown.
        warm = iter(self._judged([pair for pair in pairs if not pair.cold_seconds], options))
        shown = iter(self._judged(cold, options))
        return [
            next(shown).undecided(not_warm(pair.cold_seconds)) if pair.cold_seconds else next(warm)
            for pair in pairs
        ]

    def _judged(self, pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
        levels = [pair.nominal_confidence(options.confidence) for pair in pairs]
        judged = {
            level: self.decide(pairs, replace(options, confidence=level)) for level in set(levels)
        }
        return [
            judged[level][index].undecided(few)
            if (few := too_few("results", pair.results, 2))
            else judged[level][index]
            for index, (pair, level) in enumerate(zip(pairs, levels, strict=True))
        ]


def not_warm(seconds: float) -> str:
    """Say that forks were not warm when their time was over.

    >>> not_warm(3.04)
    'not warm after 3 s'
    """
    return f"not warm after {round(seconds, 1):g} s"


def too_few(noun: str, counts: tuple[int, int], fewest: int) -> str:
    """Say that a side has too few of something; return nothing if both have enough.

    Parameters
    ----------
    noun : str
        What is counted, in the plural.
    counts : tuple of (int, int)
        Of base and of head.
    fewest : int
        How many are enough.
    """
    base, head = counts
    if min(counts) >= fewest:
        return ""
    have = f"{base} on either side" if base == head else f"{base} in base and {head} in head"
    return f"too few {noun}: {have}; give {fewest} or more"
