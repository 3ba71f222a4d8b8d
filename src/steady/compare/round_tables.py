"""Tables of the rounds of an interleaved run: how much head differs, and how noisily."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from steady.compare.pair import Pair
from steady.model import Benchmark, FloatArray
from steady.stats.samples import IntArray, row_medians

_PAIRS_FOR_A_CUT = 4
"""Of so many pairs, less one, a further one is cut off at either end: one of 3 to 6 pairs, two of
7 to 10, a quarter of many."""

_FREEDOM_OF_TYPICAL = 4
"""So many degrees of freedom the mean of a benchmark's rounds is worth for the noise of one."""


def paired_differences(base: FloatArray, head: FloatArray) -> FloatArray:
    """Subtract each iteration of base from the one of head that ran right beside it.

    Parameters
    ----------
    base, head : ndarray of float64, shape (..., iterations)
        Logarithms; NaN where a fork has fewer iterations. The two may differ in length.

    Returns
    -------
    ndarray of float64, shape (..., pairs)
        NaN where one of the two iterations is missing.
    """
    pairs = min(base.shape[-1], head.shape[-1])
    return np.asarray(head[..., :pairs] - base[..., :pairs])


def middle_mean(differences: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Take the mean of the middle half of each row, and its variance as the row explains it.

    An iteration during which something else woke up is far out in one direction: it is cut off,
    whatever its size.

    Parameters
    ----------
    differences : ndarray of float64, shape (..., pairs)
        NaN where a pair is missing.

    Returns
    -------
    location : ndarray of float64, shape (...)
        NaN of a row without any pair.
    variance : ndarray of float64, shape (...)
        Of that mean if pairs are independent of one another: of the row with its ends drawn in to
        what stays. NaN where fewer than two pairs stay.
    staying : ndarray of int, shape (...)
        How many pairs are not cut off.

    References
    ----------
    Tukey, McLaughlin: "Less vulnerable confidence and significance procedures for location based
    on a single sample", Sankhya A 25 (1963), section 4.
    """
    ordered = np.sort(differences, axis=-1)  # NaN last
    counts = np.isfinite(ordered).sum(axis=-1, keepdims=True)
    cut = (counts + 1) // _PAIRS_FOR_A_CUT
    left = counts - 2 * cut
    places = np.arange(ordered.shape[-1])
    staying = (places >= cut) & (places < counts - cut)
    location = _quotient(np.where(staying, ordered, 0.0).sum(axis=-1, keepdims=True), left, 1)
    nearest = np.clip(places, cut, np.maximum(counts - cut - 1, 0))
    drawn_in = np.take_along_axis(ordered, nearest, axis=-1)
    squares = np.where(places < counts, np.square(drawn_in - _mean(drawn_in, counts)), 0.0)
    variance = _quotient(squares.sum(axis=-1, keepdims=True), left * (left - 1), 2)
    return location[..., 0], variance[..., 0], np.asarray(left[..., 0])


def apparent_difference(base: Benchmark, head: Benchmark) -> float:
    """Return how much two results differ at first sight, whatever a rule will say of them.

    Parameters
    ----------
    base, head : Benchmark
        One benchmark of both versions.

    Returns
    -------
    float
        Absolute logarithm of the ratio: the mean over the rounds in turn, where a round stands by
        the middle half of its pairs of iterations; without such rounds, the medians' ratio.
        Infinite if there is no ratio.
    """
    pair = Pair.of(base, head)
    if (
        not pair.results[0]
        or not pair.results[1]
        or min(np.nanmin(pair.base), np.nanmin(pair.head)) <= 0
    ):
        return math.inf
    if pair.in_turn:
        ours, theirs = map(np.log, pair.sides_of_rounds)
        return float(abs(np.nanmean(middle_mean(paired_differences(ours, theirs))[0])))
    return float(abs(np.log(np.nanmedian(pair.head) / np.nanmedian(pair.base))))


def _mean(rows: FloatArray, counts: IntArray) -> FloatArray:
    known = np.arange(rows.shape[-1]) < counts
    return _quotient(np.where(known, rows, 0.0).sum(axis=-1, keepdims=True), counts, 1)


def _quotient(above: FloatArray, below: IntArray, least: int) -> FloatArray:
    """Divide; NaN where the divisor is less than `least`."""
    quotient = np.full(above.shape, np.nan)
    np.divide(above, below, out=quotient, where=below >= least)
    return quotient


def steadied(variance: FloatArray, staying: IntArray) -> FloatArray:
    """Draw the variance of each round towards the mean of its benchmark's rounds.

    That of a few pairs is known badly, and one that is too small by chance would give its round
    too much weight.

    Parameters
    ----------
    variance : ndarray of float64, shape (benchmarks, rounds)
        NaN where it is not known.
    staying : ndarray of int, shape (benchmarks, rounds)
        Of how many pairs.
    """
    known = np.isfinite(variance)
    values = np.where(known, variance, 0.0)
    typical = _quotient(values.sum(axis=1, keepdims=True), known.sum(axis=1, keepdims=True), 1)
    freedom = np.maximum(staying - 1, 0)
    drawn = (freedom * values + _FREEDOM_OF_TYPICAL * typical) / (freedom + _FREEDOM_OF_TYPICAL)
    return np.asarray(np.where(known, drawn, np.nan))


MOST_ITERATIONS = 50
"""A fork with more iterations stands by so many of its quantiles: all pairs of them are taken."""

_MOST_CELLS = 2**21
"""So many differences are held at a time."""

Sides = tuple[FloatArray, FloatArray]
"""Logarithms of base and of head, each of shape (rounds, iterations)."""

Part = tuple[IntArray, FloatArray, FloatArray]
"""Places, differences and noise of some benchmarks."""


@dataclass(frozen=True, eq=False)
class RoundTable:
    """Benchmarks with the same number of rounds, each benchmark's rounds by ascending difference.

    Parameters
    ----------
    indices : ndarray of int, shape (benchmarks,)
        Their places among the pairs.
    differences : ndarray of float64, shape (benchmarks, rounds)
        Of logarithms, head less base.
    noise : ndarray of float64, shape (benchmarks, rounds)
        Variance of each difference as far as the iterations explain it. It is NaN if one of the
        two forks has a single iteration, or if only its median counts.
    order : ndarray of int, shape (benchmarks, rounds)
        Row of the benchmark's `Pair.rounds` behind each difference.
    """

    indices: IntArray
    differences: FloatArray
    noise: FloatArray
    order: IntArray

    @property
    def typical_noise(self) -> FloatArray:
        """Mean over the rounds where it is known; NaN where it is known in none."""
        known = np.isfinite(self.noise)
        counts = known.sum(axis=1)
        sums = np.where(known, self.noise, 0.0).sum(axis=1)
        typical = np.full(len(sums), np.nan)
        np.divide(sums, counts, out=typical, where=counts > 0)
        return typical


def round_tables(pairs: Mapping[int, Pair]) -> list[RoundTable]:
    """Take the differences within the rounds of each benchmark.

    Where the two forks of a round took turns, the difference is the mean of the middle half of
    those between neighbouring iterations, in logarithms (`middle_mean`). If every round of a
    benchmark was in turn, their noise is the variance of that mean. The following is said of all
    other rounds.

    If one process is like another, the difference of a round is the median of all differences
    between an iteration of head and one of base, in logarithms. With that shift the rank-sum test
    would find no difference. Otherwise, and if not every value is positive, only the median of
    each fork counts, and the noise is not known.

    Parameters
    ----------
    pairs : mapping of int to Pair
        By their places; each with at least one round.

    Returns
    -------
    list of RoundTable
        One for each number of rounds. A benchmark is in none of them where the median of one of
        its forks is not positive.

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
        part = np.array(list(group)), _shifts(base, head), noise
        by_rounds[rounds].append(_with_turns(part, pairs))
    return [_joined(parts) for parts in by_rounds.values()]


def _logarithms(pair: Pair) -> Sides | None:
    base, head = pair.sides_of_rounds
    if not pair.alike or not _positive(base, head):
        base, head = (row_medians(side)[:, np.newaxis] for side in (base, head))
        if not _positive(base, head):
            return None
    return np.log(base), np.log(head)


def _positive(base: FloatArray, head: FloatArray) -> bool:
    return bool(min(np.nanmin(base), np.nanmin(head)) > 0)


def _with_turns(part: Part, pairs: Mapping[int, Pair]) -> Part:
    """Put in what the pairs of iterations show, for the rounds in which turns were taken."""
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
    location, variance, staying = middle_mean(table)
    own = steadied(variance, staying)
    differences = np.where(np.isfinite(location), location, differences)
    whole = np.array([pairs[index].in_turn for index in indices.tolist()])[:, np.newaxis]
    return indices, differences, np.where(whole, own, noise)


def _in_turn(pair: Pair) -> FloatArray | None:
    """Return the differences of all pairs of iterations; NaN in rounds without turns."""
    base, head = pair.sides_of_rounds
    if not _positive(base, head):
        return None
    differences = paired_differences(np.log(base), np.log(head))
    return np.where(pair.turns[:, np.newaxis], differences, np.nan)


def _shifts(base: FloatArray, head: FloatArray) -> FloatArray:
    """Return the median difference of each round; a bounded number of rounds at a time."""
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
    """Variance of the mean of each fork's iterations; NaN of a single iteration."""
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
