"""The rule `moderated-t`: one value per fork, and variances moderated by the suite."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import comb, isfinite

import numpy as np

from steady.compare.pair import Pair, grouped
from steady.compare.power import NOT_DETECTABLE
from steady.compare.rule import Judgement, RuleOptions, estimate, judge_overlap, too_few
from steady.compare.variance import WIDEST, VarianceEstimate, moderated_widths
from steady.model import FloatArray
from steady.stats.samples import row_medians

_ONE_PROCESS = "one process on each side: only its repetitions were compared"
_BORROWED = (
    "one fork on each side: the variance between forks is estimated from the suite's other "
    "benchmarks"
)
_NOT_POSITIVE = (
    "not all values are positive: the confidence intervals of the pooled medians were compared"
)
_SIDES = ("base", "head")
_LOG_MAX = np.log(np.finfo(np.float64).max)


def judge_moderated_t(pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
    """Compare base and head by a moderated t-test on the logarithms of the forks' medians.

    Each fork is represented by the logarithm of the median of its iterations. The variance
    between forks, about the mean of their side, is shrunk towards the variance shared by all
    benchmarks of the same unit; the moderated variance has the degrees of freedom of both. A
    benchmark has changed if the confidence interval of the difference of means excludes zero.

    Parameters
    ----------
    pairs : sequence of Pair
        The benchmarks, which are judged together.
    options : RuleOptions
        Options; `confidence` is that of the intervals.

    Returns
    -------
    list of Judgement
        In the order of the pairs. If every benchmark has a single fork on each side, the variance
        between forks is unknown, and the rule is undecided; but if processes are exchangeable and
        have enough results, the judgement is that of ``overlap``, with a note. The same applies
        if the median of a fork is not positive.

    Notes
    -----
    The sample variance of a few forks is imprecise, which makes intervals wide. The other
    benchmarks of the suite add degrees of freedom, but never more than all benchmarks have in
    total. If the forks of each side agree exactly, as counts of bytes may, any difference is a
    change.

    The intervals of the two sides use the same variance. They may overlap although the interval
    of the difference excludes zero.

    References
    ----------
    Smyth: "Linear models and empirical Bayes methods for assessing differential expression in
    microarray experiments", Stat. Appl. Genet. Mol. Biol. 3 (2004), sections 3 to 6.
    """
    samples = fork_samples(pairs, lambda table, _: row_medians(table))
    variances = {index: sample.variance for index, sample in samples.items()}
    return judge_samples(pairs, samples, variances, options)


@dataclass(frozen=True, eq=False)
class ForkSample:
    """Means and variance of the forks' values of one benchmark, as logarithms.

    Parameters
    ----------
    pair : Pair
        The benchmark.
    centers : tuple of float
        Mean of base, and of head.
    variance : VarianceEstimate
        Variance between forks, about the mean of their side.
    """

    pair: Pair
    centers: tuple[float, float]
    variance: VarianceEstimate

    @property
    def forks(self) -> tuple[int, int]:
        """Numbers of forks of base and of head."""
        return len(self.pair.base), len(self.pair.head)


def fork_samples(
    pairs: Sequence[Pair], value: Callable[[FloatArray, str], FloatArray]
) -> dict[int, ForkSample]:
    """Reduce each fork to one value; pairs with values that are not positive are dropped.

    Parameters
    ----------
    pairs : sequence of Pair
        The benchmarks.
    value : callable
        Function of a table with a row for each fork, and of the unit; returns a value per row.

    Returns
    -------
    dict of int to ForkSample
        By the pairs' indices.
    """
    tables = {(i, side): getattr(pair, side) for i, pair in enumerate(pairs) for side in _SIDES}
    sides: dict[tuple[int, str], tuple[float, float]] = {}
    # One call for all tables of one shape: a call for each benchmark would be slow.
    for like in grouped(tables, lambda key, table: (pairs[key[0]].unit, table.shape)):
        values = value(np.concatenate(list(like.values())), pairs[next(iter(like))[0]].unit)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(values).reshape(len(like), -1)
            means, squares = logs.mean(axis=1), logs.shape[1] * logs.var(axis=1)
        sides |= zip(like, zip(means.tolist(), squares.tolist(), strict=True), strict=True)
    samples = {}
    for index, pair in enumerate(pairs):
        (base, ours), (head, theirs) = (sides[index, side] for side in _SIDES)
        if isfinite(base) and isfinite(head):
            freedom = len(pair.base) + len(pair.head) - 2
            squares = ours + theirs
            own = VarianceEstimate(squares / freedom, freedom) if freedom else VarianceEstimate()
            samples[index] = ForkSample(pair, (base, head), own)
    return samples


def judge_samples(
    pairs: Sequence[Pair],
    samples: Mapping[int, ForkSample],
    variances: Mapping[int, VarianceEstimate],
    options: RuleOptions,
    most_freedom: float = np.inf,
) -> list[Judgement]:
    """Judge benchmarks by moderated t intervals; benchmarks of one unit share a variance.

    If the variance is unknown and a single process suffices, or if values are not positive, the
    intervals of the pooled medians are compared.

    Parameters
    ----------
    pairs : sequence of Pair
        The benchmarks.
    samples : mapping of int to ForkSample
        Samples by the pairs' indices; without benchmarks whose values are not all positive.
    variances : mapping of int to VarianceEstimate
        Variance of each benchmark alone.
    options : RuleOptions
        Options; `confidence` is that of the intervals.
    most_freedom : float
        See `moderated_widths`.

    Returns
    -------
    list of Judgement
        In the order of the pairs.
    """
    judged: dict[int, Judgement] = {}
    for alike in grouped(samples, lambda _, sample: sample.pair.unit):
        widths = moderated_widths(
            np.array([variances[index].variance for index in alike], dtype=np.float64),
            np.array([variances[index].freedom for index in alike], dtype=np.float64),
            options.confidence,
            most_freedom,
            most_shared=options.most_shared,
        )
        found = judge_by_widths(list(alike.values()), widths)
        judged |= {
            index: judgement if variances[index].freedom else replace(judgement, notes=(_BORROWED,))
            for index, judgement, width in zip(alike, found, widths.tolist(), strict=True)
            if isfinite(width)
        }
    return [
        judged[index] if index in judged else _fall_back(pair, index in samples, options)
        for index, pair in enumerate(pairs)
    ]


def judge_by_widths(samples: Sequence[ForkSample], widths: FloatArray) -> Iterator[Judgement]:
    """Judge benchmarks by the half-widths of the intervals of single forks, in logarithms."""
    centers = np.array([sample.centers for sample in samples])
    shares = 1 / np.array([sample.forks for sample in samples])
    halves = np.minimum(widths[:, np.newaxis] * np.sqrt(shares), WIDEST)
    ends = np.stack([centers, centers - halves, centers + halves], axis=2)
    values = np.exp(np.minimum(ends, _LOG_MAX)).tolist()
    changes = (centers[:, 1] - centers[:, 0]).tolist()
    half_changes = np.minimum(widths * np.sqrt(shares.sum(axis=1)), WIDEST).tolist()
    for sample, (base, head), *change in zip(samples, values, changes, half_changes, strict=True):
        pair = sample.pair
        sides = estimate(pair.base, *base), estimate(pair.head, *head)
        yield Judgement(*sides, False, None, NOT_DETECTABLE).with_change(*change)


def _fall_back(pair: Pair, positive: bool, options: RuleOptions) -> Judgement:
    [judgement] = judge_overlap([pair], options)
    if not positive:
        return replace(judgement, notes=(_NOT_POSITIVE,))
    if not pair.exchangeable:
        forks = len(pair.base), len(pair.head)
        return judgement.undecided(too_few("forks", forks, 2))
    few = too_few("results", pair.results, fewest_results(options.confidence))
    return judgement.undecided(few) if few else replace(judgement, notes=(_ONE_PROCESS,))


def fewest_results(confidence: float) -> int:
    """Return the smallest number of results per side for a significant rank test.

    With n results per side, all of one side exceed all of the other by chance in 2 of (2n choose n)
    cases: 95 % confidence requires 4 results per side, and 99 % requires 5.
    """
    return next(n for n in count(2) if (1 - confidence) * comb(2 * n, n) >= 2)
