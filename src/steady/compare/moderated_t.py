"""The rule `moderated-t`: a fork is one value, and the suite tells how much forks differ."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import comb, isfinite

import numpy as np

from steady.compare.overlap import judge_overlap
from steady.compare.pair import Pair, by_unit
from steady.compare.rule import NO_REACH, Judgement, RuleOptions, estimate, too_few
from steady.compare.spread import Spread, shared_spread
from steady.model import FloatArray
from steady.scipy_special import stdtrit
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
    """What one value for each fork of one benchmark says; as logarithms.

    Parameters
    ----------
    pair : Pair
        Where they come from.
    centers : tuple of float
        Mean of base, and of head.
    spread : Spread
        Between forks, about the mean of their side.
    """

    pair: Pair
    centers: tuple[float, float]
    spread: Spread

    @property
    def forks(self) -> tuple[int, int]:
        """How many base has, and head."""
        return len(self.pair.base), len(self.pair.head)


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
    sides: dict[tuple[int, str], tuple[float, float]] = {}
    # One call for all tables of one shape: for each of very many benchmarks, it would be slow.
    for like in by_unit(tables, lambda key, table: (pairs[key[0]].unit, table.shape)):
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
            spread = Spread((ours + theirs) / freedom, freedom) if freedom else Spread()
            samples[index] = ForkSample(pair, (base, head), spread)
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
        found = judgements_of(list(alike.values()), widths)
        judged |= {
            index: judgement if spreads[index].freedom else replace(judgement, notes=(_BORROWED,))
            for index, judgement, width in zip(alike, found, widths.tolist(), strict=True)
            if isfinite(width)
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


def judgements_of(samples: Sequence[ForkSample], widths: FloatArray) -> Iterator[Judgement]:
    """Judge benchmarks; a width is half the interval of one of their forks, in logarithms."""
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
        yield Judgement(*sides, False, None, NO_REACH).with_change(*change)


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
