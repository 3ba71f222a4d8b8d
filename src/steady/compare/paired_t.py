"""Rounds as the unit of evidence: base and head of an interleaved run, fork beside fork."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from steady.compare.comparison import Estimate
from steady.compare.moderated_t import (
    WIDEST,
    fork_medians,
    judge_moderated_t,
    moderated_widths,
)
from steady.compare.pair import Judgement, Pair, Reach, RuleOptions, by_unit, estimate
from steady.model import FloatArray

FEWEST_ROUNDS = 3
"""Two rounds make one difference between rounds: too little to be surer than without them."""

TRIMMED = 0.1
"""Share of the rounds, rounded down, that is left out on either side: one of 10 to 19."""


def judge_paired_t(pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
    """Tell base and head apart by a moderated t-test on the differences within rounds.

    Each round of an interleaved run gives one value: the difference between the logarithms of
    the medians of head's fork and of base's, which ran one after the other. What the machine
    did to both of them drops out. From ten rounds on, the tenth with the largest and the tenth
    with the smallest difference are left out: there the machine did it to one of the two alone.
    The variance of the differences, those left out drawn in to the nearest that stays, is drawn
    towards the one that all benchmarks of the same unit share, as in `judge_moderated_t`.

    Parameters
    ----------
    pairs : sequence of Pair
        One a benchmark; judged together.
    options : RuleOptions
        `confidence` of the intervals.

    Returns
    -------
    list of Judgement
        In the order of the pairs. Where fewer than three rounds are known, as after two runs one
        after the other, the judgement is that of ``moderated-t``.

    Notes
    -----
    Forks without a partner in their round are left out. Either side's level is that of the
    rounds that stay, so that the quotient of the two is the change. Its own interval says how
    well that level is known, drift of the machine included; the two may overlap widely although
    the interval of their difference, which knows which forks ran together, leaves out zero.

    References
    ----------
    Smyth: "Linear models and empirical Bayes methods for assessing differential expression in
    microarray experiments", Stat. Appl. Genet. Mol. Biol. 3 (2004), sections 3 to 6.
    Laaber, Scheuner, Leitner: "Software microbenchmarking in the cloud", Empirical Software
    Engineering 24 (2019), section 4, for interleaved trials.
    Tukey, McLaughlin: "Less vulnerable confidence and significance procedures for location based
    on a single sample", Sankhya A 25 (1963), section 4, for the trimmed mean and its t-test.
    """
    samples = {i: sample for i, pair in enumerate(pairs) if (sample := _Rounds.of(pair))}
    alone = [samples[i].staying if i in samples else pair for i, pair in enumerate(pairs)]
    judgements = judge_moderated_t(alone, options)
    for alike in by_unit(samples, lambda _, sample: sample.pair.unit):
        for index, half in _halves(alike, options.confidence).items():
            judgements[index] = _judge(judgements[index], alike[index], half)
    return judgements


@dataclass(frozen=True, eq=False)
class _Rounds:
    """The rounds of one benchmark, those with the smallest difference first.

    Parameters
    ----------
    pair : Pair
        Only the forks that have a partner.
    differences : ndarray of float64, shape (rounds,)
        Logarithm of head's median less that of base's, ascending.
    """

    pair: Pair
    differences: FloatArray

    @classmethod
    def of(cls, pair: Pair) -> _Rounds | None:
        if len(pair.rounds) < FEWEST_ROUNDS:
            return None
        base, head = pair.base[pair.rounds[:, 0]], pair.head[pair.rounds[:, 1]]
        sample = fork_medians(replace(pair, base=base, head=head))
        if sample is None:
            return None
        differences = sample.head - sample.base
        order = np.argsort(differences, kind="stable")
        return cls(replace(pair, base=base[order], head=head[order]), differences[order])

    @property
    def kept(self) -> slice:
        """The rounds that stay."""
        count = len(self.differences)
        trimmed = int(TRIMMED * count)
        return slice(trimmed, count - trimmed)

    @property
    def staying(self) -> Pair:
        """The forks of the rounds that stay."""
        return replace(self.pair, base=self.pair.base[self.kept], head=self.pair.head[self.kept])

    @property
    def freedom(self) -> int:
        """Degrees of freedom of `variance`."""
        return len(self.differences[self.kept]) - 1

    @property
    def variance(self) -> float:
        """Variance of the mean of the rounds that stay (Tukey and McLaughlin 1963)."""
        kept = self.differences[self.kept]
        drawn_in = np.clip(self.differences, kept[0], kept[-1])
        squares = np.square(drawn_in - drawn_in.mean()).sum()
        return float(squares / (len(kept) * self.freedom))


def _halves(samples: Mapping[int, _Rounds], confidence: float) -> dict[int, float]:
    """Return half the interval of each benchmark's change, in logarithms."""
    rounds = np.array([len(s.differences) for s in samples.values()], dtype=np.float64)
    # Benchmarks share the variance of one round: that of a mean depends on how many there were.
    variances = rounds * [s.variance for s in samples.values()]
    freedoms = np.array([s.freedom for s in samples.values()], dtype=np.float64)
    halves = moderated_widths(variances, freedoms, confidence) / np.sqrt(rounds)
    return dict(zip(samples, np.minimum(halves, WIDEST).tolist(), strict=True))


def _judge(judgement: Judgement, sample: _Rounds, half: float) -> Judgement:
    """Put the interval of the rounds' differences in place of that of two independent sides."""
    difference = float(sample.differences[sample.kept].mean())
    return replace(
        judgement,
        base=_with_all(judgement.base, sample.pair.base),
        head=_with_all(judgement.head, sample.pair.head),
        apart=abs(difference) > half,
        interval=(float(np.expm1(difference - half)), float(np.expm1(difference + half))),
        reach=Reach.of_logs(half),
    )


def _with_all(side: Estimate, table: FloatArray) -> Estimate:
    """Count the forks of all rounds: those that were left out had a say in that."""
    return estimate(table, side.center, side.low, side.high)
