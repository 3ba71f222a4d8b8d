"""The spread between forks, each one value: of one benchmark, and what a suite has in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from steady.model import FloatArray
from steady.model.units import direction_of
from steady.scipy_special import polygamma, psi
from steady.stats.samples import BoolArray

FASTEST_SHARE = 0.25
"""Of the iterations, rounded up: one of 1 to 4, two of 5 to 8, five of 20."""


def fastest_first(table: FloatArray, unit: str) -> FloatArray:
    """Sort each row so that the best iterations come first; missing ones go to the end."""
    sign = 1.0 if direction_of(unit) == "lower" else -1.0
    return np.asarray(sign * np.sort(sign * table, axis=1))


def fastest_quarter(table: FloatArray, unit: str) -> FloatArray:
    """Return the mean of the fastest quarter of each row.

    Disturbances make a benchmark slower, never faster, so the fast iterations of two forks are
    more alike than their medians. A slowdown of everything that a benchmark does moves them just
    as much. A slowdown that strikes only now and then does not move them; see
    ``docs/methods-compare.md``.

    Parameters
    ----------
    table : ndarray of float64, shape (forks, iterations)
        NaN where a fork has fewer iterations; every fork has at least one value.
    unit : str
        It says which way is fast.

    Returns
    -------
    ndarray of float64, shape (forks,)
        One value a fork.

    References
    ----------
    Chen and Revels: "Robust benchmarking in noisy environments", arXiv 1608.04295, 2016,
    sections II to IV, for noise that only delays; they take the minimum.
    """
    ascending = fastest_first(table, unit)
    sizes = fastest_count(np.isfinite(table).sum(axis=1))
    taken = np.arange(table.shape[1]) < sizes[:, np.newaxis]
    return np.asarray(np.where(taken, ascending, 0.0).sum(axis=1) / sizes)


def fastest_count(iterations: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> FloatArray:
    """Return how many iterations make the fastest quarter."""
    return np.asarray(np.ceil(FASTEST_SHARE * iterations))


FEWEST_TO_LEARN_FROM = 10
"""From fewer benchmarks nothing is learnt about what noise means: chance would decide."""


@dataclass(frozen=True, slots=True)
class Spread:
    """How much the forks of one benchmark differ.

    Parameters
    ----------
    variance : float
        Between the logarithms of the forks' values.
    freedom : float
        Its degrees of freedom; 0 where nothing is known.
    """

    variance: float = 0.0
    freedom: float = 0.0

    def __add__(self, other: Spread) -> Spread:
        """Pool two estimates by their degrees of freedom."""
        freedom = self.freedom + other.freedom
        squares = self.freedom * self.variance + other.freedom * other.variance
        return Spread(squares / freedom, freedom) if freedom else Spread()


@dataclass(frozen=True, slots=True)
class SharedSpread:
    """What a suite says about the variance of a benchmark that was not measured yet.

    Parameters
    ----------
    variance : float, or ndarray of float64, shape (benchmarks,)
        Typical variance between forks; where it depends on a benchmark's noise, of each.
    freedom : float
        How many degrees of freedom that knowledge is worth: 0 if there is none, infinite if
        chance alone explains how the benchmarks' variances differ.
    """

    variance: float | FloatArray
    freedom: float

    def moderate(self, variances: FloatArray, freedoms: FloatArray) -> FloatArray:
        """Draw each benchmark's own variance towards the shared one, by degrees of freedom."""
        if np.isinf(self.freedom):
            return np.full_like(variances, self.variance)
        total = self.freedom + freedoms
        weighted = self.freedom * self.variance + freedoms * variances
        return np.divide(weighted, total, out=np.full_like(weighted, np.nan), where=total > 0)


def shared_spread(
    variances: FloatArray, freedoms: FloatArray, noise: FloatArray | None = None
) -> SharedSpread:
    """Estimate variance and degrees of freedom that the benchmarks' variances share.

    Mean and variance of their logarithms are matched to those of a scaled F distribution.
    Benchmarks without variance or without degrees of freedom are left out. If the noise within
    forks is given, and ten benchmarks or more are left, the mean is a straight line over the
    logarithm of that noise, which rises no faster than the noise.

    Parameters
    ----------
    variances : ndarray of float64, shape (benchmarks,)
        Sample variances between forks, each with its degrees of freedom as divisor.
    freedoms : ndarray of float64, shape (benchmarks,)
        Their degrees of freedom.
    noise : ndarray of float64, shape (benchmarks,), optional
        Variance that each benchmark's iterations explain. One that is NaN or 0 counts as typical.

    Returns
    -------
    SharedSpread
        Without degrees of freedom if fewer than two benchmarks are left.

    References
    ----------
    Smyth: "Linear models and empirical Bayes methods for assessing differential expression in
    microarray experiments", Stat. Appl. Genet. Mol. Biol. 3 (2004), section 6.2.
    Sartor et al.: "Intensity-based hierarchical Bayes method improves testing for differentially
    expressed genes in microarray experiments", BMC Bioinformatics 7 (2006), for the line.
    """
    telling = (freedoms > 0) & (variances > 0)
    if telling.sum() < 2:
        return SharedSpread(0.0, 0.0)
    half = freedoms[telling] / 2
    centered = np.log(variances[telling]) - psi(half) + np.log(half)
    mean, excess = _line(centered, telling, noise)
    excess -= float(polygamma(1, half).mean())
    if excess <= polygamma(1, _HALF_FREEDOMS[1]):
        return SharedSpread(np.exp(mean), float("inf"))
    own_half = _inverse_trigamma(excess)
    return SharedSpread(np.exp(mean + psi(own_half) - np.log(own_half)), 2 * own_half)


def _line(
    logs: FloatArray, telling: BoolArray, noise: FloatArray | None
) -> tuple[float | FloatArray, float]:
    """Fit the mean of the logarithms; return it, and their variance about it."""
    level = float(logs.mean())
    flat = level, float(logs.var(ddof=1))
    if noise is None or telling.sum() < FEWEST_TO_LEARN_FROM:
        return flat
    known = np.isfinite(noise) & (noise > 0)
    if not (known & telling).any():
        return flat
    places = np.log(noise, out=np.full(noise.shape, np.nan), where=known)
    places = np.where(known, places, places[known & telling].mean())
    places -= places[telling].mean()
    ours = places[telling]
    if np.ptp(ours) < _LEAST_WIDTH:
        return flat
    slope = min(max(float(ours @ logs / (ours @ ours)), 0.0), 1.0)
    left = logs - level - slope * ours
    return level + slope * places, float(left @ left / (len(logs) - 2))


_LEAST_WIDTH = 1e-9  # of logarithms of noise; what is closer together is equal
_HALF_FREEDOMS = (1e-3, 1e6)  # half the degrees of freedom, between none and infinitely many
_NEWTON_STEPS = 16  # 13 are enough wherever `_HALF_FREEDOMS` begins and ends


def _inverse_trigamma(value: float) -> float:
    """Solve by Newton's method, as Smyth does; it never overshoots."""
    if value >= polygamma(1, _HALF_FREEDOMS[0]):
        return _HALF_FREEDOMS[0]
    place = 0.5 + 1 / value
    for _ in range(_NEWTON_STEPS):
        trigamma = float(polygamma(1, place))
        place += trigamma * (1 - trigamma / value) / float(polygamma(2, place))
    return place


def earlier_spread(tables: Iterable[FloatArray], unit: str, iterations: int) -> Spread:
    """Return the spread between forks within earlier runs of one benchmark.

    The spread of each run is taken about its own mean. So it does not matter if the benchmark
    became faster or slower between runs, or ran on another machine. The forks of a benchmark
    differ by the same share of its time for years (``docs/methods-compare.md`` has figures).

    Parameters
    ----------
    tables : iterable of ndarray of float64, shape (forks, iterations)
        One a run, as `fork_values` returns them.
    unit : str
        Of them all.
    iterations : int
        How many iterations the forks have that the spread is needed for. Earlier forks are cut
        to that length, since forks differ less the more iterations they have.

    Returns
    -------
    Spread
        Of the logarithms of the forks' fastest quarters. Runs with a single fork, or with values
        that are not all positive, do not count; without any other run the spread is unknown.
    """
    known = Spread()
    for table in tables:
        cut = table[:, :iterations]
        cut = cut[np.isfinite(cut).any(axis=1)]
        values = fastest_quarter(cut, unit)
        if len(values) > 1 and values.min() > 0:
            known += Spread(float(np.log(values).var(ddof=1)), len(values) - 1)
    return known
