"""The rule `paired-t`: a round of an interleaved run is one value, head's fork beside base's."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from steady.compare.benchmark_change import Estimate
from steady.compare.moderated_t import judge_moderated_t
from steady.compare.pair import FORK, Pair, by_unit
from steady.compare.round_means import Rounds, round_intervals
from steady.compare.round_tables import RoundTable, round_tables
from steady.compare.rule import Judgement, RuleOptions, estimate, too_few
from steady.compare.variance.posterior import RandomEffects
from steady.model import FloatArray
from steady.stats.samples import IntArray

FEWEST_ROUNDS = 3
"""Two rounds make one difference between rounds: too little to be surer than without them. Those
of Go in turn count all the same: what iterations explain is most of what rounds differ by."""


def judge_paired_t(pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
    """Tell base and head apart by the differences within rounds.

    Each round of an interleaved run gives one value, the difference in logarithms between head's
    fork and base's, which ran one after the other or took turns (`round_tables`). Whatever the
    machine did to both of them drops out.

    Where every round of a benchmark took turns, the noise of its pairs of iterations is known, and
    the suite and earlier runs (`Pair.known`) tell how much forks add to it (`RandomEffects`). The
    following is said of all
    other benchmarks. The two kinds never learn from each other.

    From ten rounds on, the tenth with the largest and the tenth with the smallest differences are
    left out: there the machine disturbed one of the two alone. The variance of the change is drawn
    towards the one that all benchmarks of the same unit share, as in `judge_moderated_t`.

    A JVM compiles anew in each fork, so that only the median of a fork of JMH counts. If one
    process is like another (`Pair.alike`), each iteration counts. A suite of ten such benchmarks
    or more also tells what their noise means. Rounds with noisy iterations have less weight, as
    far as their differences are noisier too (`variance_exponent`). The variance that benchmarks
    share may grow with the noise of their iterations (`shared_variance`).

    Parameters
    ----------
    pairs : sequence of Pair
        One a benchmark; judged together.
    options : RuleOptions
        `confidence` of the intervals.

    Returns
    -------
    list of Judgement
        In the order of the pairs. With fewer than three rounds (two of Go in turn), as after two
        runs one after the other, the judgement is that of ``moderated-t``; with a single round in
        turn, or fewer than the first look of a run has, there is none.

    Notes
    -----
    Forks without a partner in their round are left out. Each side's level is that of the rounds
    that stay; both are moved by the same factor, so that their quotient is the change. A side's
    own interval says how well that level is known, drift of the machine included. The two may
    overlap widely although the interval of their difference leaves out zero: that one takes into
    account which forks ran together.

    References
    ----------
    Smyth: "Linear models and empirical Bayes methods for assessing differential expression in
    microarray experiments", Stat. Appl. Genet. Mol. Biol. 3 (2004), sections 3 to 6.
    Laaber, Scheuner, Leitner: "Software microbenchmarking in the cloud", Empirical Software
    Engineering 24 (2019), section 4, for interleaved trials.
    """
    samples: dict[int, _Sample] = {}
    for tables, effects in _suites(tuple(pairs)):
        if effects is None:
            rounds = round_intervals(tables, options.confidence, options.most_shared)
        else:
            rounds = _in_turn(tables, effects, options.confidence)
        for table, (changes, halves, weights) in zip(tables, rounds, strict=True):
            rows = zip(table.order, weights, changes.tolist(), halves.tolist(), strict=True)
            for index, row in zip(table.indices.tolist(), rows, strict=True):
                samples[index] = _Sample(pairs[index], *row)
    alone = [samples[i].staying if i in samples else pair for i, pair in enumerate(pairs)]
    judgements = judge_moderated_t(alone, options)
    return [
        samples[index].judge(judgement) if index in samples else _if_rounds_tell(pair, judgement)
        for index, (pair, judgement) in enumerate(zip(pairs, judgements, strict=True))
    ]


def _if_rounds_tell(pair: Pair, judgement: Judgement) -> Judgement:
    """Decide nothing on a single round in turn, nor before a run's first look.

    How much forks differ is not known then: two rounds of a busy machine agree by chance.
    """
    rounds, fewest = len(pair.rounds), pair.looks[0] if pair.looks else 2
    return (
        judgement.undecided(too_few("rounds", (rounds, rounds), fewest))
        if pair.in_turn and rounds < fewest
        else judgement
    )


_Suite = tuple[list[RoundTable], RandomEffects | None]
"""Benchmarks that learn from each other: their rounds, and what these show if they took turns."""


@lru_cache(maxsize=2)
def _suites(pairs: tuple[Pair, ...]) -> tuple[_Suite, ...]:
    """Return what the rounds of a comparison show, whatever the confidence level.

    It is asked at several confidence levels one after the other, and most of the work is here.
    """
    paired = {i: pair for i, pair in enumerate(pairs) if len(pair.rounds) >= _fewest(pair)}
    suites: list[_Suite] = []
    for like in by_unit(paired, lambda _, p: (p.unit, p.in_turn, p.in_turn and p.alike)):
        tables = round_tables(like)
        first = next(iter(like.values()))
        process = "" if first.alike else FORK
        known = {place: pair.known for place, pair in like.items() if pair.known}
        effects = RandomEffects.of(tables, process, known) if tables and first.in_turn else None
        suites.append((tables, effects))
    return tuple(suites)


def forget_suites() -> None:
    """Let go of the results of the last comparisons."""
    _suites.cache_clear()


def _fewest(pair: Pair) -> int:
    return 2 if pair.in_turn and pair.alike else FEWEST_ROUNDS


def _in_turn(
    tables: Sequence[RoundTable], effects: RandomEffects, confidence: float
) -> list[Rounds]:
    intervals = zip(tables, effects.intervals(confidence), strict=True)
    return [(change, half, np.ones(table.order.shape)) for table, (change, half) in intervals]


@dataclass(frozen=True, eq=False)
class _Sample:
    """The rounds of one benchmark, those with the smallest difference first.

    Parameters
    ----------
    pair : Pair
        All that was measured.
    order : ndarray of int, shape (rounds,)
        Rows of `Pair.rounds`.
    weights : ndarray of float64, shape (rounds,)
        Zero for those that are left out.
    change, half : float
        Of head against base, and half its interval; in logarithms.
    """

    pair: Pair
    order: IntArray
    weights: FloatArray
    change: float
    half: float

    @property
    def staying(self) -> Pair:
        """The forks of the rounds that stay."""
        return self._forks(self.order[self.weights > 0])

    def judge(self, alone: Judgement) -> Judgement:
        """Put the rounds' change and its interval in place of that of two independent sides."""
        both = self._forks(self.order)
        levels = np.log([alone.base.center, alone.head.center])
        moves = levels.mean() + np.array([-0.5, 0.5]) * self.change - levels
        base, head = np.exp(moves).tolist()
        moved = replace(
            alone,
            base=_moved(alone.base, base, both.base),
            head=_moved(alone.head, head, both.head),
        )
        return moved.with_change(self.change, self.half)

    def _forks(self, rows: IntArray) -> Pair:
        chosen = self.pair.rounds[rows]
        return replace(
            self.pair, base=self.pair.base[chosen[:, 0]], head=self.pair.head[chosen[:, 1]]
        )


def _moved(side: Estimate, factor: float, table: FloatArray) -> Estimate:
    """Move a side's level, and count the forks of all rounds, since all of them contributed."""
    return estimate(table, side.center * factor, side.low * factor, side.high * factor)
