"""Tables of the paired differences of an interleaved run, and of their noise."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from steady.compare.pair import Pair
from steady.model import Benchmark, FloatArray
from steady.stats.samples import IntArray, row_medians
from steady.stats.trimmed import midmean

_TYPICAL_FREEDOM = 4
"""Weight of the benchmark's mean noise, in degrees of freedom, when the noise of a round is shrunk
towards it."""


def paired_differences(base: FloatArray, head: FloatArray) -> FloatArray:
    """Return the differences between iterations of head and base that ran next to each other.

    Parameters
    ----------
    base, head : ndarray of float64, shape (..., iterations)
        Logarithms, padded with NaN if a fork has fewer iterations. The lengths may differ.

    Returns
    -------
    ndarray of float64, shape (..., pairs)
        NaN if one of the two iterations is missing.
    """
    pairs = min(base.shape[-1], head.shape[-1])
    return np.asarray(head[..., :pairs] - base[..., :pairs])


def apparent_difference(base: Benchmark, head: Benchmark) -> float:
    """Return a point estimate of the difference between two results, without a test.

    Parameters
    ----------
    base, head : Benchmark
        Results of one benchmark.

    Returns
    -------
    float
        Absolute logarithm of the ratio: the mean of the midmeans of rounds with turns, or otherwise
        the ratio of the medians. Infinite if the ratio is undefined.
    """
    pair = Pair.of(base, head)
    if (
        not pair.results[0]
        or not pair.results[1]
        or min(np.nanmin(pair.base), np.nanmin(pair.head)) <= 0
    ):
        return math.inf
    if pair.in_turn:
        ours, theirs = map(np.log, pair.values_of_rounds)
        return float(abs(np.nanmean(midmean(paired_differences(ours, theirs))[0])))
    return float(abs(np.log(np.nanmedian(pair.head) / np.nanmedian(pair.base))))


def shrunk_noise(variance: FloatArray, kept: IntArray) -> FloatArray:
    """Shrink the noise variance of each round towards the mean of its benchmark's rounds.

    A variance estimated from a few pairs is imprecise, and if it is too small by chance, the round
    would get too much weight.

    Parameters
    ----------
    variance : ndarray of float64, shape (benchmarks, rounds)
        Noise variances; NaN if unknown.
    kept : ndarray of int, shape (benchmarks, rounds)
        Numbers of pairs from which they are estimated.
    """
    known = np.isfinite(variance)
    values = np.where(known, variance, 0.0)
    typical = _row_means(variance)[:, np.newaxis]
    freedom = np.maximum(kept - 1, 0)
    shrunk = (freedom * values + _TYPICAL_FREEDOM * typical) / (freedom + _TYPICAL_FREEDOM)
    return np.asarray(np.where(known, shrunk, np.nan))


def _row_means(noise: FloatArray) -> FloatArray:
    """Return the mean of the known values of each row; NaN if none is known."""
    known = np.isfinite(noise)
    counts = known.sum(axis=1)
    means = np.full(len(counts), np.nan)
    np.divide(np.where(known, noise, 0.0).sum(axis=1), counts, out=means, where=counts > 0)
    return means


MOST_ITERATIONS = 50
"""Longer forks are reduced to this many quantiles, since all pairs of iterations are compared."""

_MOST_CELLS = 2**21
"""Largest number of differences in memory."""

Sides = tuple[FloatArray, FloatArray]
"""Logarithms of base and of head, each of shape (rounds, iterations)."""

Part = tuple[IntArray, FloatArray, FloatArray]
"""Indices, differences and noise of some benchmarks."""


@dataclass(frozen=True, eq=False)
class RoundTable:
    """Benchmarks with the same number of rounds; rounds are sorted by ascending difference.

    Parameters
    ----------
    indices : ndarray of int, shape (benchmarks,)
        Indices of the benchmarks among the pairs.
    differences : ndarray of float64, shape (benchmarks, rounds)
        Differences of logarithms, head minus base.
    noise : ndarray of float64, shape (benchmarks, rounds)
        Within-round variance of each difference, estimated from the iterations. NaN if one of the
        two forks has a single iteration, or is represented by its median.
    order : ndarray of int, shape (benchmarks, rounds)
        Row of the benchmark's `Pair.rounds` for each difference.
    """

    indices: IntArray
    differences: FloatArray
    noise: FloatArray
    order: IntArray

    @property
    def typical_noise(self) -> FloatArray:
        """Mean noise of the rounds of each benchmark; NaN if unknown."""
        return _row_means(self.noise)


Rounds = tuple[FloatArray, FloatArray, FloatArray]
"""Results of a table: changes and half-widths of their intervals, in logarithms, both of shape
(benchmarks,), and the weights of rounds, shape (benchmarks, rounds), 0 for trimmed ones."""


def round_tables(pairs: Mapping[int, Pair]) -> list[RoundTable]:
    """Return the differences within the rounds of each benchmark, in logarithms.

    If the two forks of a round took turns, the difference is the midmean of the differences between
    neighbouring iterations. If all rounds of a benchmark had turns, the noise is the variance of
    that mean.

    Otherwise, if processes are exchangeable, the difference of a round is the Hodges-Lehmann
    shift: the median of all differences between an iteration of head and one of base. If processes
    are not exchangeable, or some values are not positive, each fork is represented by its median,
    and the noise is unknown.

    Parameters
    ----------
    pairs : mapping of int to Pair
        Pairs by index, each with at least one round.

    Returns
    -------
    list of RoundTable
        A table for each number of rounds. Benchmarks are dropped if the median of a fork is not
        positive.

    References
    ----------
    Hodges, Lehmann: "Estimates of location based on rank tests", Ann. Math. Statist. 34 (1963).
    """
    alike: dict[tuple[int, int, int, bool], dict[int, Sides]] = defaultdict(dict)
    for index, pair in pairs.items():
        sides = _logarithms(pair)
        if sides is not None:
            base, head = sides
            ragged = bool(np.isnan(base).any() or np.isnan(head).any())
            alike[len(base), base.shape[1], head.shape[1], ragged][index] = sides
    by_rounds: dict[int, list[Part]] = defaultdict(list)
    for (rounds, *_), group in alike.items():
        base, head = (np.stack([sides[side] for sides in group.values()]) for side in (0, 1))
        noise = _variance_of_mean(base) + _variance_of_mean(head)
        part = np.array(list(group)), _hodges_lehmann_shifts(base, head), noise
        by_rounds[rounds].append(_with_turns(part, pairs))
    return [_joined(parts) for parts in by_rounds.values()]


def _logarithms(pair: Pair) -> Sides | None:
    base, head = pair.values_of_rounds
    if not pair.exchangeable or not _positive(base, head):
        base, head = (row_medians(side)[:, np.newaxis] for side in (base, head))
        if not _positive(base, head):
            return None
    return np.log(base), np.log(head)


def _positive(base: FloatArray, head: FloatArray) -> bool:
    return bool(min(np.nanmin(base), np.nanmin(head)) > 0)


def _with_turns(part: Part, pairs: Mapping[int, Pair]) -> Part:
    """Replace the differences of rounds with turns by the midmeans of their pairs of iterations."""
    indices, differences, noise = part
    taken = {
        row: pairs[index] for row, index in enumerate(indices.tolist()) if pairs[index].turns.any()
    }
    paired = {row: logs for row, pair in taken.items() if (logs := _in_turn(pair)) is not None}
    if not paired:
        return part
    longest = max(logs.shape[1] for logs in paired.values())
    table = np.full((*differences.shape, longest), np.nan)
    for row, logs in paired.items():
        table[row, :, : logs.shape[1]] = logs
    location, variance, kept = midmean(table)
    own = shrunk_noise(variance, kept)
    differences = np.where(np.isfinite(location), location, differences)
    whole = np.array([pairs[index].in_turn for index in indices.tolist()])[:, np.newaxis]
    return indices, differences, np.where(whole, own, noise)


def _in_turn(pair: Pair) -> FloatArray | None:
    """Return the differences of all pairs of iterations; NaN for rounds without turns."""
    base, head = pair.values_of_rounds
    if not _positive(base, head):
        return None
    differences = paired_differences(np.log(base), np.log(head))
    return np.where(pair.turns[:, np.newaxis], differences, np.nan)


def _hodges_lehmann_shifts(base: FloatArray, head: FloatArray) -> FloatArray:
    """Return the Hodges-Lehmann shift of each round, computed in batches to limit memory."""
    base, head = _thinned(base), _thinned(head)
    sizes = base.shape[-1], head.shape[-1]
    ours, theirs = head.reshape(-1, sizes[1], 1), base.reshape(-1, 1, sizes[0])
    cells = sizes[0] * sizes[1]
    step = max(1, _MOST_CELLS // cells)
    batches = (slice(start, start + step) for start in range(0, len(ours), step))
    medians = [row_medians((ours[rows] - theirs[rows]).reshape(-1, cells)) for rows in batches]
    return np.concatenate(medians).reshape(base.shape[:2])


def _thinned(logs: FloatArray) -> FloatArray:
    if logs.shape[-1] <= MOST_ITERATIONS:
        return logs
    places = (np.arange(MOST_ITERATIONS) + 0.5) / MOST_ITERATIONS
    quantiles = np.nanquantile(logs, places, axis=-1, method="hazen")
    return np.asarray(np.moveaxis(quantiles, 0, -1))


def _variance_of_mean(logs: FloatArray) -> FloatArray:
    """Return the variance of the mean of each fork's iterations; NaN for a single iteration."""
    counts = np.isfinite(logs).sum(axis=-1)
    centered = logs - (np.nansum(logs, axis=-1) / counts)[..., np.newaxis]
    squares = np.nansum(np.square(centered), axis=-1)
    variances = np.full(squares.shape, np.nan)
    np.divide(squares, counts * (counts - 1), out=variances, where=counts > 1)
    return variances


def _joined(parts: Sequence[Part]) -> RoundTable:
    indices, differences, noise = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(differences, axis=1, kind="stable")
    return RoundTable(
        indices,
        np.take_along_axis(differences, order, axis=1),
        np.take_along_axis(noise, order, axis=1),
        order,
    )
