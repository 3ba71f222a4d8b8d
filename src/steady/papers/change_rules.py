"""Rules on the fastest quarter of the iterations: ``known-spread`` and ``overlap-fast``."""

from collections.abc import Sequence
from functools import lru_cache
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from steady.compare.benchmark_change import Estimate
from steady.compare.moderated_t import fork_samples, judge_samples
from steady.compare.pair import Pair
from steady.compare.rule import Judgement, Rule, RuleOptions, estimate, judge_intervals
from steady.compare.rules import MEASURED
from steady.compare.variance import VarianceEstimate
from steady.model import FloatArray
from steady.model.units import direction_of
from steady.stats.samples import matrix_product

MOST_FREEDOM = 8.0
"""Maximum degrees of freedom of a variance. Forks have heavier tails than the normal distribution,
about those of Student's t with this many degrees of freedom."""


def judge_known_spread(pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
    """Compare base and head with the variance between forks of these and of earlier runs.

    Like ``moderated-t``, with three differences: a fork's value is the mean of the fastest quarter
    of its iterations; the variance between forks is pooled with that of earlier runs
    (`Pair.earlier`), weighted by degrees of freedom; and the moderated variance has at most
    `MOST_FREEDOM` degrees of freedom.

    Parameters
    ----------
    pairs : sequence of Pair
        One pair per benchmark; all are judged together.
    options : RuleOptions
        Provides the `confidence` of the intervals.

    Returns
    -------
    list of Judgement
        Judgements in the order of the pairs. If the variance between forks is unknown (a single
        fork of base and head of every benchmark, and no earlier run), or values are not positive,
        the judgement is that of `judge_moderated_t`.

    References
    ----------
    Smyth: "Linear models and empirical Bayes methods for assessing differential expression in
    microarray experiments", Stat. Appl. Genet. Mol. Biol. 3 (2004), sections 3 to 6.
    """
    samples = fork_samples(pairs, fastest_quarter)
    variances = {i: one.variance + earlier_variance(one.pair) for i, one in samples.items()}
    return judge_samples(pairs, samples, variances, options, MOST_FREEDOM)


def earlier_variance(pair: Pair) -> VarianceEstimate:
    """Return the variance between forks within earlier runs of one benchmark.

    Deviations are taken from the mean of each run, so the benchmark may have become faster between
    runs, or run on different machines: the relative variation between forks is stable for years
    (``docs/methods-compare.md`` has figures). Earlier forks are truncated to the number of
    iterations of base and head, because the variance decreases with the number of iterations.

    Parameters
    ----------
    pair : Pair
        Pair with earlier runs. Runs with a single fork or with non-positive values are ignored.

    Returns
    -------
    VarianceEstimate
        Variance of the logarithms of the forks' fastest quarters.
    """
    if pair in _VARIANCES:
        return _VARIANCES[pair]
    known = VarianceEstimate()
    for table in pair.earlier:
        cut = table[:, : max(pair.base.shape[1], pair.head.shape[1])]
        cut = cut[np.isfinite(cut).any(axis=1)]
        values = fastest_quarter(cut, pair.unit)
        if len(values) > 1 and values.min() > 0:
            known += VarianceEstimate(float(np.log(values).var(ddof=1)), len(values) - 1)
    _VARIANCES[pair] = known
    return known


_VARIANCES: WeakKeyDictionary[Pair, VarianceEstimate] = WeakKeyDictionary()
"""Cached results of `earlier_variance`, because pairs are judged at several confidence levels."""


FASTEST_SHARE = 0.25
"""Fraction of the iterations; their number is rounded up: 1 of 1 to 4, 2 of 5 to 8, 5 of 20."""


def fastest_quarter(table: FloatArray, unit: str) -> FloatArray:
    """Return the mean of the fastest quarter of each row.

    Disturbances make a benchmark slower, never faster, so the fast iterations of two forks differ
    less than their medians. A slowdown of all iterations changes both by the same factor. A
    slowdown of some iterations does not change the fast ones; see ``docs/methods-compare.md``.

    Parameters
    ----------
    table : ndarray of float64, shape (forks, iterations)
        Values; NaN if a fork has fewer iterations. Every fork has at least one value.
    unit : str
        Unit, which determines whether low or high values are fast.

    Returns
    -------
    ndarray of float64, shape (forks,)
        One value per fork.

    References
    ----------
    Chen and Revels: "Robust benchmarking in noisy environments", arXiv 1608.04295, 2016,
    sections II to IV, on noise that only causes delays; they use the minimum.
    """
    ascending = _fastest_first(table, unit)
    sizes = _fastest_count(np.isfinite(table).sum(axis=1))
    taken = np.arange(table.shape[1]) < sizes[:, np.newaxis]
    return np.asarray(np.where(taken, ascending, 0.0).sum(axis=1) / sizes)


def _fastest_first(table: FloatArray, unit: str) -> FloatArray:
    """Sort each row from the fastest iteration to the slowest; missing values go to the end."""
    sign = 1.0 if direction_of(unit) == "lower" else -1.0
    return np.asarray(sign * np.sort(sign * table, axis=1))


def _fastest_count(iterations: npt.NDArray[np.int64]) -> FloatArray:
    """Return the number of iterations in the fastest quarter."""
    return np.asarray(np.ceil(FASTEST_SHARE * iterations))


KNOWN_SPREAD = Rule(
    judge_known_spread,
    resampled=False,
    statement=(
        "A change is a confidence interval of the difference between the forks of base and head "
        "that excludes zero. Each fork is represented by the mean of the fastest quarter of its "
        "iterations. The variance between forks is estimated from these runs, from historical "
        "data and from the whole suite (moderated t-test)."
    ),
    false_alarms=f"{MEASURED}: 0.5 to 1.4 % of Java benchmarks with two or more forks a "
    "side; with one, 2.0 to 2.9 % with historical data and 17 % without; 0.5 to "
    "1.4 % of Go benchmarks.",
)


CountArray = npt.NDArray[np.unsignedinteger]
_CELLS = 2**22  # number of matrix elements drawn at once


def judge_overlap_fast(pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
    """Report a change if the intervals of base and head's fastest quarters do not overlap.

    As in ``overlap``, all iterations of all forks are one sample, with a percentile-bootstrap
    interval for each version; the statistic is the mean of the fastest quarter instead of the
    median.

    Parameters
    ----------
    pairs : sequence of Pair
        One pair per benchmark; each is judged independently.
    options : RuleOptions
        Provides `confidence`, `resamples` and `seed`. All samples of one size use the same random
        numbers, so a benchmark's result does not depend on other benchmarks.

    Returns
    -------
    list of Judgement
        Judgements in the order of the pairs.

    References
    ----------
    Japke et al.: µOpTime, ACM TOSEM 2025, section 4.5, for the rule; Chen and Revels: "Robust
    benchmarking in noisy environments", arXiv 1608.04295, 2016, for the fast iterations.
    """
    return [
        judge_intervals(*(_side(table, pair.unit, options) for table in (pair.base, pair.head)))
        for pair in pairs
    ]


def _side(table: FloatArray, unit: str, options: RuleOptions) -> Estimate:
    """Return the estimate of one version; samples of one size share their resamples."""
    size = int(np.isfinite(table).sum())
    quarter = int(_fastest_count(np.array(size)))
    ascending = _fastest_first(table.reshape(1, -1), unit)[:, :size]
    weights = _weights(size, quarter, options.resamples, options.seed)
    tail = (1 - options.confidence) / 2
    low, high = np.quantile(matrix_product(ascending, weights)[0] / quarter, [tail, 1 - tail])
    center = ascending[0, :quarter].mean()
    return estimate(table, center, min(low, center), max(high, center))


@lru_cache(maxsize=16)
def _weights(size: int, quarter: int, resamples: int, seed: int) -> CountArray:
    """Draw resamples, and return the weight of each value in them, shape (size, resamples)."""
    generator = np.random.default_rng([seed, size])
    step = max(1, _CELLS // size)
    parts = [
        fastest_weights(generator, size, quarter, min(step, resamples - start))
        for start in range(0, resamples, step)
    ]
    return np.concatenate(parts).T


def fastest_weights(
    generator: np.random.Generator, size: int, quarter: int, resamples: int
) -> CountArray:
    """Count the occurrences of each value among the fastest `quarter` of resamples.

    A resample of a sorted sample is determined by the count of each value; its fastest values are
    the first ones by cumulative count.

    Parameters
    ----------
    generator : numpy.random.Generator
        Source of the draws.
    size, quarter, resamples : int
        Number of values in the sample, number of values to keep, and number of resamples.

    Returns
    -------
    ndarray of unsigned integers, shape (resamples, size)
        Counts; each row sums to `quarter`.
    """
    drawn = generator.multinomial(size, np.full(size, 1 / size), resamples)
    kept = np.minimum(np.cumsum(drawn, axis=1), quarter)
    return np.diff(kept, axis=1, prepend=0).astype(np.min_scalar_type(quarter))


OVERLAP_FAST = Rule(
    judge_overlap_fast,
    resampled=True,
    statement=(
        "A change is two bootstrap confidence intervals that do not overlap: those of the mean of "
        "the fastest quarter of all iterations, pooled over all forks."
    ),
    false_alarms=f"{MEASURED}: 0.4 to 1.3 % of Go benchmarks; 11 to 20 % of Java "
    "benchmarks, because forks differ more than their iterations suggest.",
)
