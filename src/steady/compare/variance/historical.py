"""Historical data: the variance between forks in earlier runs, and its weight in the posterior."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from steady.compare.pair import FORK, Pair, fork_values, warm_forks
from steady.compare.round_tables import paired_differences
from steady.compare.variance.prior import (
    DEVIATIONS,
    SMALLEST_EVIDENCE,
    evidence,
    hyperprior,
    last_axis_product,
    log_likelihood,
    mixture,
    posterior,
    relative_likelihood,
)
from steady.model import Benchmark, FloatArray
from steady.plan.historical_variance import HistoricalVariance
from steady.stats.samples import BoolArray
from steady.stats.trimmed import midmean

MOST_FREEDOM = 8.0
"""Upper bound on the degrees of freedom of historical data: forks have heavier tails than the
normal distribution, however well their variance is known."""

_ENOUGH_FREEDOM = 2 * MOST_FREEDOM
"""Degrees of freedom after which no more runs are used: a history may contain a hundred."""

_UNRELATED = 0.1
"""Prior probability that the deviation of a benchmark is unrelated to its historical one."""

_BUSY_STEP = 0.03
"""Median difference between successive iterations above which the machine was busy, so that forks
without turns are excluded. With simulated noise of 4 %, using such forks has no net effect on the
power, and with 8 % it removes most of the power (`evaluation.known_forks`)."""

_SCATTER = 0.25
"""Log standard deviation of a deviation about its historical value."""

SCALES = ((0.5, 0.15), (1.0, 0.5), (2.0, 0.2), (4.0, 0.1))
"""Factors by which the deviations of a suite may differ from the historical ones, for example on
another machine or JVM, with their prior probabilities. The remainder is the probability that the
historical data are unrelated."""


def historical_variance(
    earlier: Sequence[Benchmark], base: Benchmark, head: Benchmark
) -> HistoricalVariance:
    """Estimate the variance between pairs of forks, and the part explained by iterations.

    If earlier results contain rounds with turns, only these are used. Otherwise the variance of a
    pair is twice that between the forks of one version, about the mean of each run, so that changes
    between runs have no effect.

    Parameters
    ----------
    earlier : sequence of Benchmark
        Results of the benchmark in earlier runs.
    base, head : Benchmark
        The two results to compare; their own rounds are not historical.

    Returns
    -------
    HistoricalVariance
        It is false if no earlier result is usable. A usable one is in the same unit, has positive
        values in range, and at least two forks.
    """
    compared = {*base.blocks, *head.blocks} - {""}
    left = [
        one
        for one in earlier
        if one.unit == head.unit and one.in_range and not compared & set(one.blocks)
    ]
    rounds, forks = HistoricalVariance(), HistoricalVariance()
    while left and rounds.freedom < _ENOUGH_FREEDOM:
        one = left.pop(0)
        beside = next((n for n, other in enumerate(left) if _took_turns(one, other)), None)
        if beside is not None:
            rounds += _of_rounds(Pair.of(one, left.pop(beside)))
        elif forks.freedom < _ENOUGH_FREEDOM:
            forks += _of_forks(one)
    return rounds or forks


def run_names(benchmarks: Iterable[Benchmark]) -> tuple[str, ...]:
    """Return the sorted names of the interleaved runs that produced the results."""
    blocks = {block for benchmark in benchmarks for block in benchmark.blocks}
    return tuple(sorted({block.rpartition(":")[0] for block in blocks} - {""}))


def _took_turns(one: Benchmark, other: Benchmark) -> bool:
    turned = any(one.in_turn) and any(other.in_turn)
    return turned and bool(set(one.blocks) & set(other.blocks) - {""})


def _of_rounds(pair: Pair) -> HistoricalVariance:
    if pair.cold_seconds or not pair.in_turn:
        return HistoricalVariance()
    base, head = pair.values_of_rounds
    if not _positive(base, head):
        return HistoricalVariance()
    return _estimate(paired_differences(np.log(base), np.log(head)))


def _of_forks(benchmark: Benchmark) -> HistoricalVariance:
    table = fork_values(warm_forks(benchmark))
    configuration = benchmark.configuration
    warmed = benchmark.warmup or (configuration and configuration.warmup_iterations)
    if benchmark.levels[0].name == FORK and not warmed:
        table = table[:, table.shape[1] // 2 :]  # the measurement includes its warm-up
    if not table.size or not _positive(table):
        return HistoricalVariance()
    return _estimate(np.log(table), in_turn=False)


def _positive(*tables: FloatArray) -> bool:
    return all(bool((table[np.isfinite(table)] > 0).all()) for table in tables)


def _estimate(logs: FloatArray, *, in_turn: bool = True) -> HistoricalVariance:
    """Estimate the variance of a pair from the differences of rounds, or from single forks.

    Parameters
    ----------
    logs : ndarray of float64, shape (rounds or forks, iterations)
        Differences of rounds with turns, or forks of one version; shorter ones are padded with NaN.
    in_turn : bool
        Whether `logs` are differences of rounds with turns.
    """
    location, noise, _ = midmean(logs)
    location, noise = (values[np.isfinite(values)] for values in (location, noise))
    if len(location) < 2:
        return HistoricalVariance()
    forks = 1 if in_turn else 2  # the variances of two forks add up in a pair
    steps = np.abs(np.diff(logs, axis=1))
    steps = np.zeros(1) if in_turn else steps[np.isfinite(steps)]
    return HistoricalVariance(
        forks * float(location.var(ddof=1)),
        len(location) - 1,
        forks * float(noise.mean()) if noise.size else 0.0,
        float(np.median(steps)) if steps.size else 0.0,
    )


def without_busy_machines(known: Sequence[HistoricalVariance]) -> list[HistoricalVariance]:
    """Return the historical data of a suite, without forks run alone on a busy machine."""
    steps = [one.steps for one in known if one and one.steps]
    busy = bool(steps) and float(np.median(steps)) >= _BUSY_STEP
    return [HistoricalVariance() if busy and one.steps else one for one in known]


def historical_likelihood(
    known: Sequence[HistoricalVariance], most_freedom: float, deviations: FloatArray
) -> FloatArray:
    """Return the log likelihood of historical data, up to a constant.

    Parameters
    ----------
    known : sequence of HistoricalVariance
        Historical data of each benchmark.
    most_freedom : float
        Upper bound on the degrees of freedom.
    deviations : ndarray of float64
        Grid of standard deviations between forks.

    Returns
    -------
    ndarray of float64, shape (benchmarks, factors, deviations)
    """
    rows = [(one.variance, one.noise, min(one.freedom, most_freedom)) for one in known]
    samples, noise, freedom = np.array(rows, dtype=np.float64).T
    return log_likelihood(samples, noise, freedom, deviations)


def posterior_with_history(
    likelihood: FloatArray, exact: BoolArray, known: Sequence[HistoricalVariance], process: str
) -> FloatArray:
    """Return the posterior weights if some benchmarks have historical data.

    The prior is a mixture of cases for the whole suite. In each of `SCALES`, the deviations differ
    from the historical ones by a common factor, with a log standard deviation of `_SCATTER`; those
    of one benchmark in ten are unrelated. In the remaining case, all deviations are unrelated to
    the historical ones. The cases are weighted by the evidence of the *other* benchmarks, so
    historical data that contradict the new rounds of the suite get little weight.

    Parameters
    ----------
    likelihood : ndarray of float64, shape (benchmarks, factors, deviations)
        Restricted log likelihood of the new rounds, up to a constant.
    exact : ndarray of bool, shape (benchmarks,)
        Whether all rounds of a benchmark agree exactly. Such a benchmark does not affect the prior
        of the others.
    known : sequence of HistoricalVariance
        Historical data of each benchmark.
    process : str
        A key of `PUBLISHED`, or empty.

    Returns
    -------
    ndarray of float64, shape (benchmarks, factors, deviations)
        Weights that sum to 1 for each benchmark.
    """
    new, old = relative_likelihood(likelihood), _averaged_likelihood(known)
    keeps = np.array([1 - _UNRELATED if one else 0.0 for one in known])[:, np.newaxis, np.newaxis]
    apart = evidence(old)
    anew = evidence(new) * apart
    unrelated = 1 - sum(chance for _, chance in SCALES)
    cases = [(_transition(scale), keeps, chance) for scale, chance in SCALES]
    cases.append((np.eye(len(DEVIATIONS)), np.zeros(keeps.shape), unrelated))
    logs = []
    for transition, kept, chance in cases:
        together = evidence(last_axis_product(new, transition.T) * old)
        own = np.log(np.maximum((1 - kept) * anew + kept * together, SMALLEST_EVIDENCE))
        own[exact] = 0.0
        logs.append(own.sum(axis=0) - own + np.log(chance))
    best = np.max(logs, axis=(0, 2, 3))[:, np.newaxis, np.newaxis]
    prior = np.zeros(new.shape)
    for (transition, kept, _), others in zip(cases, logs, strict=True):
        weights = np.exp(others - best) * hyperprior(process)
        stays = last_axis_product(mixture(weights) * old, transition)
        prior += (1 - kept) * mixture(weights * apart) + kept * stays
    return posterior(prior, likelihood)


def _averaged_likelihood(known: Sequence[HistoricalVariance]) -> FloatArray:
    """Return the likelihood of historical data, averaged over the noise factors; 1 without data.

    Returns
    -------
    ndarray of float64, shape (benchmarks, 1, deviations)
        At most 1.
    """
    likelihood = relative_likelihood(historical_likelihood(known, MOST_FREEDOM, DEVIATIONS))
    rows = likelihood.mean(axis=1, keepdims=True)
    informative = np.array([bool(one) for one in known])[:, np.newaxis, np.newaxis]
    return np.where(informative, rows / rows.max(axis=2, keepdims=True), 1.0)


def _transition(scale: float) -> FloatArray:
    """Return the probability of each deviation given each historical one, shape (earlier, now)."""
    logs = np.log(DEVIATIONS)
    squares = np.square((logs - np.log(scale) - logs[:, np.newaxis]) / _SCATTER) / 2
    near = np.exp(squares.min(axis=1, keepdims=True) - squares)
    return np.asarray(near / near.sum(axis=1, keepdims=True))
