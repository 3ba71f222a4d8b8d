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
"""Two rounds have one degree of freedom, which is no gain over unpaired forks. They are enough for
Go in turn, where iterations explain most of the variance between rounds."""


def judge_paired_t(pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
    """Compare base and head by the differences within rounds.

    Each round of an interleaved run gives one value, the difference in logarithms between head's
    fork and base's, which ran one after the other or took turns (`round_tables`). Effects of the
    machine on both cancel.

    If all rounds of a benchmark took turns, a random-effects model (`RandomEffects`) separates the
    noise of its pairs of iterations from the variance between forks, with a prior from the suite
    and from earlier runs (`Pair.known`). All other benchmarks are judged as follows. The two kinds
    do not share any variance.

    From ten rounds on, the tenth with the largest and the tenth with the smallest differences are
    trimmed: there the machine disturbed one of the two alone. The variance of the change is shrunk
    towards the one that all benchmarks of the same unit share, as in `judge_moderated_t`.

    A JVM compiles anew in each fork, so only the median of a fork of JMH counts. If processes are
    exchangeable (`Pair.exchangeable`), each iteration counts. In a suite of ten such benchmarks or
    more, rounds with noisy iterations have less weight, as far as their differences are noisier
    too (`variance_exponent`), and the shared variance may grow with the noise of the iterations
    (`shared_variance`).

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
        runs one after the other, the judgement is that of ``moderated-t``. With a single round in
        turn, or before the first interim analysis of a run, the rule is undecided.

    Notes
    -----
    Forks without a partner in their round are left out. The level of each side is that of the
    rounds that are kept; both are scaled so that their quotient is the change. The interval of a
    side includes the drift of the machine, so the two may overlap widely although the paired
    interval of their difference excludes zero.

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
    """Leave a single round in turn undecided, and a run before its first interim analysis.

    The variance between forks is unknown then: two rounds of a busy machine agree by chance.
    """
    rounds, fewest = len(pair.rounds), pair.looks[0] if pair.looks else 2
    return (
        judgement.undecided(too_few("rounds", (rounds, rounds), fewest))
        if pair.in_turn and rounds < fewest
        else judgement
    )


_Suite = tuple[list[RoundTable], RandomEffects | None]
"""Benchmarks that share a variance: their rounds, and their model if they took turns."""


@lru_cache(maxsize=2)
def _suites(pairs: tuple[Pair, ...]) -> tuple[_Suite, ...]:
    """Return the rounds of a comparison and their models, for any confidence level.

    A comparison has several confidence levels, and most of the work is here.
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
    """Free the memory of the last comparisons."""
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
        Of head against base, and the half-width of its interval; in logarithms.
    """

    pair: Pair
    order: IntArray
    weights: FloatArray
    change: float
    half: float

    @property
    def kept(self) -> Pair:
        """The forks of the rounds that are kept."""
        return self._forks(self.order[self.weights > 0])

    def judge(self, alone: Judgement) -> Judgement:
        """Replace the change of two independent sides by that of the rounds."""
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
