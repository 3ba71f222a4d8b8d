"""The rule `moderated-t`: a fork is one value, and the suite tells how much forks differ."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import comb

import numpy as np

from steady.compare.overlap import judge_overlap
from steady.compare.pair import Pair, by_unit
from steady.compare.rule import NO_REACH, Judgement, RuleOptions, estimate, too_few
from steady.compare.spread import Spread, shared_spread
from steady.model import FloatArray
from steady.special import stdtrit
from steady.stats.samples import row_medians

_ONE_PROCESS = "one process on either side, so its repetitions alone decided"
_BORROWED = (
    "one fork on either side does not show how much forks differ, so the suite's other benchmarks "
    "decide how wide its interval is"
)
_NOT_POSITIVE = "not all values are positive, so the intervals of the pooled medians decided"
WIDEST = 50.0  # in logarithms; keeps a hopelessly wide interval finite
_SIDES = ("base", "head")
_LOG_MAX = np.log(np.finfo(np.float64).max)


def judge_moderated_t(pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
    """Tell base and head apart by a moderated t-test on the logarithms of the forks' medians.

    Each fork gives one value, the logarithm of the median of its iterations. The variance
    between forks, about the mean of their side, is drawn towards the variance that all benchmarks
    of the same unit share, and has the degrees of freedom of both. There is a change if the
    interval of the difference between the two sides' means leaves out zero.

    Parameters
    ----------
    pairs : sequence of Pair
        One a benchmark; judged together.
    options : RuleOptions
        `confidence` of the intervals.

    Returns
    -------
    list of Judgement
        In the order of the pairs. If every benchmark has one fork on either side, the variance
        between forks is not known, and the rule says what it lacks. The judgement is that of
        ``overlap``, with a note, if one process is like another (`Pair.alike`) and has enough
        results, and also if a fork's median is not positive.

    Notes
    -----
    The variance of a benchmark with few forks is badly known by itself, which makes the
    t-distribution wide; the suite's other benchmarks add to that knowledge. The degrees of freedom
    never exceed those of all benchmarks together. If the forks of each side agree exactly, as
    counts of bytes do, any difference is real and nothing is moderated.

    Each side's own interval rests on the same variance. The two may overlap although the interval
    of their difference, which is narrower than both together, leaves out zero.

    References
    ----------
    Smyth: "Linear models and empirical Bayes methods for assessing differential expression in
    microarray experiments", Stat. Appl. Genet. Mol. Biol. 3 (2004), sections 3 to 6.
    """
    samples = fork_samples(pairs, lambda table, _: row_medians(table))
    spreads = {index: sample.spread for index, sample in samples.items()}
    return judge_samples(pairs, samples, spreads, options)


@dataclass(frozen=True, eq=False)
class ForkSample:
    """One value for each fork of one benchmark, as logarithms, and their spread.

    Parameters
    ----------
    pair : Pair
        Where they come from.
    base, head : ndarray of float64, shape (forks,)
        Logarithms of the forks' values.
    """

    pair: Pair
    base: FloatArray
    head: FloatArray

    @property
    def spread(self) -> Spread:
        """Between forks, about the mean of their side."""
        freedom = len(self.base) + len(self.head) - 2
        squares = len(self.base) * self.base.var() + len(self.head) * self.head.var()
        return Spread(float(squares / freedom), freedom) if freedom else Spread()


def fork_samples(
    pairs: Sequence[Pair], value: Callable[[FloatArray, str], FloatArray]
) -> dict[int, ForkSample]:
    """Take one value of each fork; pairs with values that are not positive are left out.

    Parameters
    ----------
    pairs : sequence of Pair
        The benchmarks.
    value : callable
        Given the iterations of forks, one a row, and their unit, returns one value for each.

    Returns
    -------
    dict of int to ForkSample
        By the pairs' indices.
    """
    tables = {(i, side): getattr(pair, side) for i, pair in enumerate(pairs) for side in _SIDES}
    values: dict[tuple[int, str], FloatArray] = {}
    # One call for all tables of one width: for each of very many benchmarks, it would be slow.
    for like in by_unit(tables, lambda key, table: (pairs[key[0]].unit, table.shape[1])):
        rows = value(np.concatenate(list(like.values())), pairs[next(iter(like))[0]].unit)
        ends = np.cumsum([len(table) for table in like.values()])[:-1]
        values |= zip(like, np.split(rows, ends), strict=True)
    samples = {}
    for index, pair in enumerate(pairs):
        base, head = (values[index, side] for side in _SIDES)
        if min(base.min(), head.min()) > 0:
            samples[index] = ForkSample(pair, np.log(base), np.log(head))
    return samples


def judge_samples(
    pairs: Sequence[Pair],
    samples: Mapping[int, ForkSample],
    spreads: Mapping[int, Spread],
    options: RuleOptions,
    most_freedom: float = np.inf,
) -> list[Judgement]:
    """Judge benchmarks, those of one unit together.

    If the spread is not known, or if values are not positive, the intervals of the pooled medians
    decide, where a single process may decide at all.

    Parameters
    ----------
    pairs : sequence of Pair
        The benchmarks.
    samples : mapping of int to ForkSample
        By the pairs' indices. A benchmark has none if its values are not all positive.
    spreads : mapping of int to Spread
        What is known of each benchmark without the others.
    options : RuleOptions
        `confidence` of the intervals.
    most_freedom : float
        See `moderated_widths`.

    Returns
    -------
    list of Judgement
        In the order of the pairs.
    """
    judged: dict[int, Judgement] = {}
    for alike in by_unit(samples, lambda _, sample: sample.pair.unit):
        widths = moderated_widths(
            np.array([spreads[index].variance for index in alike], dtype=np.float64),
            np.array([spreads[index].freedom for index in alike], dtype=np.float64),
            options.confidence,
            most_freedom,
            most_shared=options.most_shared,
        )
        judged |= {
            index: _say_borrowed(judge_sample(samples[index], width), spreads[index])
            for index, width in zip(alike, widths.tolist(), strict=True)
            if np.isfinite(width)
        }
    return [
        judged[index] if index in judged else _fall_back(pair, index in samples, options)
        for index, pair in enumerate(pairs)
    ]


def moderated_widths(
    variances: FloatArray,
    freedoms: FloatArray,
    confidence: float,
    most_freedom: float = np.inf,
    noise: FloatArray | None = None,
    most_shared: float = np.inf,
) -> FloatArray:
    """Return half the interval of a single value of each benchmark.

    Parameters
    ----------
    variances, freedoms : ndarray of float64, shape (benchmarks,)
        Sample variance of each benchmark, and its degrees of freedom.
    confidence : float
        Confidence level of the interval.
    most_freedom : float
        A moderated variance counts for no more degrees of freedom than this.
    noise : ndarray of float64, shape (benchmarks,), optional
        Variance that each benchmark's iterations explain; see `shared_spread`.
    most_shared : float
        What the suite says counts for no more degrees of freedom than this.

    Returns
    -------
    ndarray of float64, shape (benchmarks,)
        Quantile of Student's t times the moderated standard deviation. It is 0 if a benchmark has
        no variance at all, and NaN if the variance is not known.
    """
    shared = shared_spread(variances, freedoms, noise)
    shared = replace(shared, freedom=min(shared.freedom, most_shared))
    exact = (freedoms > 0) & (variances == 0)
    moderated = np.where(exact, 0.0, shared.moderate(variances, freedoms))
    total = np.minimum(freedoms + shared.freedom, min(freedoms.sum(), most_freedom))
    known = total > 0
    quantiles = stdtrit(np.where(known, total, 1), (1 + confidence) / 2)
    return np.asarray(np.where(known, np.sqrt(moderated) * quantiles, np.nan))


def judge_sample(sample: ForkSample, width: float) -> Judgement:
    """Judge one benchmark; `width` is half the interval of one fork, in logarithms."""
    base, head = float(sample.base.mean()), float(sample.head.mean())
    forks = len(sample.base), len(sample.head)
    base_side, head_side = (
        estimate(table, *np.exp(np.minimum([center, center - half, center + half], _LOG_MAX)))
        for table, center, half in (
            (sample.pair.base, base, _half(width, 1 / forks[0])),
            (sample.pair.head, head, _half(width, 1 / forks[1])),
        )
    )
    half = _half(width, 1 / forks[0] + 1 / forks[1])
    return Judgement(base_side, head_side, False, None, NO_REACH).with_change(head - base, half)


def _say_borrowed(judgement: Judgement, own: Spread) -> Judgement:
    return judgement if own.freedom else replace(judgement, notes=(_BORROWED,))


def _half(width: float, inverse_forks: float) -> float:
    return min(width * float(np.sqrt(inverse_forks)), WIDEST)


def _fall_back(pair: Pair, positive: bool, options: RuleOptions) -> Judgement:
    [judgement] = judge_overlap([pair], options)
    if not positive:
        return replace(judgement, notes=(_NOT_POSITIVE,))
    if not pair.alike:
        forks = len(pair.base), len(pair.head)
        return judgement.undecided(too_few("forks", forks, 2))
    few = too_few("results", pair.results, fewest_results(options.confidence))
    return judgement.undecided(few) if few else replace(judgement, notes=(_ONE_PROCESS,))


def fewest_results(confidence: float) -> int:
    """Return how many results each side needs for two processes to be told apart at all.

    With n results on each side, all of one side lie above all of the other by chance in 2 of
    (2n choose n) cases. If that is more often than `confidence` allows, no test by ranks can reach
    it: 95 % takes 4 results on each side, and 99 % takes 5.
    """
    return next(n for n in count(2) if (1 - confidence) * comb(2 * n, n) >= 2)
