"""The rule `paired-t`: paired differences within the rounds of an interleaved run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from steady.compare.benchmark_change import Estimate
from steady.compare.moderated_t import judge_moderated_t
from steady.compare.pair import FORK, Pair, grouped
from steady.compare.round_means import round_intervals
from steady.compare.round_tables import RoundTable, round_tables
from steady.compare.rule import Judgement, RuleOptions, estimate, too_few
from steady.compare.variance.posterior import RandomEffects
from steady.model import FloatArray
from steady.stats.samples import IntArray

FEWEST_ROUNDS = 3
"""Two rounds have one degree of freedom, which is no better than unpaired forks. They suffice for
Go with turns, because most of the variance between rounds is then due to the noise of the
iterations."""


def judge_paired_t(pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
    """Compare base and head by the differences within rounds.

    Each round of an interleaved run gives one value: the difference in logarithms between the forks
    of head and base, which ran one after the other or took turns (`round_tables`). Effects of the
    machine on both forks cancel.

    If all rounds of a benchmark took turns, a random-effects model (`RandomEffects`) separates the
    noise of its pairs of iterations from the variance between forks, with a prior from the suite
    and from earlier runs (`Pair.known`). All other benchmarks are judged as follows. The two groups
    do not share any variance.

    With ten or more rounds, the tenth with the largest and the tenth with the smallest differences
    are trimmed, since the machine may have disturbed only one of the two forks. The variance of the
    change is shrunk towards the one shared by all benchmarks of the same unit, as in
    `judge_moderated_t`.

    A JVM compiles anew in each fork, so a fork of JMH is represented by its median. If processes
    are exchangeable (`Pair.exchangeable`), each iteration counts. In a suite of ten or more such
    benchmarks, rounds with noisy iterations have lower weights to the extent that their differences
    are noisier (`variance_exponent`), and the shared variance may depend on the noise of the
    iterations (`shared_variance`).

    Parameters
    ----------
    pairs : sequence of Pair
        The benchmarks, which are judged together.
    options : RuleOptions
        Options; `confidence` is that of the intervals.

    Returns
    -------
    list of Judgement
        In the order of the pairs. With fewer than three rounds (two for Go with turns), for example
        without interleaving, the judgement is that of ``moderated-t``. With a single round
        with turns, or before the first interim analysis of a run, the rule is undecided.

    Notes
    -----
    Forks without a counterpart in their round are excluded. The level of each side is that of the
    untrimmed rounds; both are scaled so that their ratio is the change. The interval of a side
    includes the drift of the machine, so the two may overlap widely although the paired interval
    of the difference excludes zero.

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
            rounds = effects.intervals(options.confidence)
        for table, (changes, halves, weights) in zip(tables, rounds, strict=True):
            rows = zip(table.order, weights, changes.tolist(), halves.tolist(), strict=True)
            for index, row in zip(table.indices.tolist(), rows, strict=True):
                samples[index] = _Sample(pairs[index], *row)
    alone = [samples[i].kept if i in samples else pair for i, pair in enumerate(pairs)]
    judgements = judge_moderated_t(alone, options)
    return [
        samples[index].judge(judgement) if index in samples else _require_rounds(pair, judgement)
        for index, (pair, judgement) in enumerate(zip(pairs, judgements, strict=True))
    ]


def _require_rounds(pair: Pair, judgement: Judgement) -> Judgement:
    """Return an undecided judgement if a benchmark with turns has too few rounds.

    Before the first interim analysis, or with a single round, the variance between forks is
    unknown: on a busy machine, two rounds may agree by chance.
    """
    rounds, fewest = len(pair.rounds), pair.looks[0] if pair.looks else 2
    return (
        judgement.undecided(too_few("rounds", (rounds, rounds), fewest))
        if pair.in_turn and rounds < fewest
        else judgement
    )


_Suite = tuple[list[RoundTable], RandomEffects | None]
"""Rounds of benchmarks that share a variance, and their model if the forks took turns."""


@lru_cache(maxsize=2)
def _suites(pairs: tuple[Pair, ...]) -> tuple[_Suite, ...]:
    """Return the rounds of a comparison and their models, for any confidence level.

    The result is cached, because a comparison uses several confidence levels, and most of the time
    is spent here.
    """
    paired = {i: pair for i, pair in enumerate(pairs) if len(pair.rounds) >= _fewest(pair)}
    suites: list[_Suite] = []
    for like in grouped(paired, lambda _, p: (p.unit, p.in_turn, p.in_turn and p.exchangeable)):
        tables = round_tables(like)
        first = next(iter(like.values()))
        process = "" if first.exchangeable else FORK
        known = {place: pair.known for place, pair in like.items() if pair.known}
        effects = RandomEffects.of(tables, process, known) if tables and first.in_turn else None
        suites.append((tables, effects))
    return tuple(suites)


def clear_cache() -> None:
    """Clear the cache of `_suites`, to free its memory."""
    _suites.cache_clear()


def _fewest(pair: Pair) -> int:
    return 2 if pair.in_turn and pair.exchangeable else FEWEST_ROUNDS


@dataclass(frozen=True, eq=False)
class _Sample:
    """The rounds of one benchmark by ascending difference, and its change.

    Parameters
    ----------
    pair : Pair
        The benchmark.
    order : ndarray of int, shape (rounds,)
        Rows of `Pair.rounds`.
    weights : ndarray of float64, shape (rounds,)
        Zero for trimmed rounds.
    change, half : float
        Change from base to head, and half-width of its interval, in logarithms.
    """

    pair: Pair
    order: IntArray
    weights: FloatArray
    change: float
    half: float

    @property
    def kept(self) -> Pair:
        """The pair restricted to untrimmed rounds."""
        return self._forks(self.order[self.weights > 0])

    def judge(self, alone: Judgement) -> Judgement:
        """Return the judgement of independent sides with its change replaced by the paired one."""
        both = self._forks(self.order)
        levels = np.log([alone.base.center, alone.head.center])
        moves = levels.mean() + np.array([-0.5, 0.5]) * self.change - levels
        base, head = np.exp(moves).tolist()
        moved = replace(
            alone,
            base=_rescaled(alone.base, base, both.base),
            head=_rescaled(alone.head, head, both.head),
        )
        return moved.with_change(self.change, self.half)

    def _forks(self, rows: IntArray) -> Pair:
        chosen = self.pair.rounds[rows]
        return replace(
            self.pair, base=self.pair.base[chosen[:, 0]], head=self.pair.head[chosen[:, 1]]
        )


def _rescaled(side: Estimate, factor: float, table: FloatArray) -> Estimate:
    """Scale the level of a side, and count the forks of all rounds, trimmed ones included."""
    return estimate(table, side.center * factor, side.low * factor, side.high * factor)
