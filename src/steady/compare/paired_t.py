"""Rounds as the unit of evidence: base and head of an interleaved run, fork beside fork."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from steady.compare.moderated_t import WIDEST, judge_moderated_t, moderated_widths
from steady.compare.pair import Judgement, Pair, RuleOptions
from steady.model import FloatArray

FEWEST_ROUNDS = 3
"""Two rounds make one difference between rounds: too little to be surer than without them."""


def judge_paired_t(pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
    """Tell base and head apart by a moderated t-test on the differences within rounds.

    Each round of an interleaved run gives one value: the difference between the logarithms of
    the medians of head's fork and of base's, which ran one after the other. What the machine
    did to both of them drops out. The variance of these differences is drawn towards the one
    that all benchmarks of the same unit share, as in `judge_moderated_t`.

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
    Forks without a partner in their round are left out. Either side's own interval says how
    well its own level is known, drift of the machine included; the two may overlap widely
    although the interval of their difference, which knows which forks ran together, leaves out
    zero.

    References
    ----------
    Smyth: "Linear models and empirical Bayes methods for assessing differential expression in
    microarray experiments", Stat. Appl. Genet. Mol. Biol. 3 (2004), sections 3 to 6.
    Laaber, Scheuner, Leitner: "Software microbenchmarking in the cloud", Empirical Software
    Engineering 24 (2019), section 4, for interleaved trials.
    """
    samples = {i: sample for i, pair in enumerate(pairs) if (sample := _Rounds.of(pair))}
    alone = [samples[i].pair if i in samples else pair for i, pair in enumerate(pairs)]
    judgements = judge_moderated_t(alone, options)
    for unit in dict.fromkeys(pair.unit for pair in pairs):
        alike = {i: sample for i, sample in samples.items() if sample.pair.unit == unit}
        for index, half in _halves(alike, options.confidence).items():
            judgements[index] = _judge(judgements[index], alike[index], half)
    return judgements


@dataclass(frozen=True, eq=False)
class _Rounds:
    """The rounds of one benchmark.

    Parameters
    ----------
    pair : Pair
        Only the forks that have a partner, in the order of the rounds.
    differences : ndarray of float64, shape (rounds,)
        Logarithm of head's median less that of base's.
    """

    pair: Pair
    differences: FloatArray

    @classmethod
    def of(cls, pair: Pair) -> _Rounds | None:
        if len(pair.rounds) < FEWEST_ROUNDS:
            return None
        left = replace(pair, base=pair.base[pair.rounds[:, 0]], head=pair.head[pair.rounds[:, 1]])
        base, head = np.nanmedian(left.base, axis=1), np.nanmedian(left.head, axis=1)
        if min(base.min(), head.min()) <= 0:
            return None
        return cls(left, np.log(head) - np.log(base))


def _halves(samples: Mapping[int, _Rounds], confidence: float) -> dict[int, float]:
    """Return half the interval of each benchmark's change, in logarithms."""
    variances = np.array([s.differences.var(ddof=1) for s in samples.values()], dtype=np.float64)
    rounds = np.array([len(s.differences) for s in samples.values()], dtype=np.float64)
    halves = moderated_widths(variances, rounds - 1, confidence) / np.sqrt(rounds)
    return dict(zip(samples, np.minimum(halves, WIDEST).tolist(), strict=True))


def _judge(judgement: Judgement, sample: _Rounds, half: float) -> Judgement:
    """Put the interval of the rounds' differences in place of that of two independent sides."""
    difference = float(sample.differences.mean())
    return replace(
        judgement,
        apart=abs(difference) > half,
        interval=(float(np.expm1(difference - half)), float(np.expm1(difference + half))),
        reach=float(np.expm1(half)),
    )
