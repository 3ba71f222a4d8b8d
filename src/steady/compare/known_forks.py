"""What earlier runs show of how much the forks of each benchmark differ, and what it is worth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steady.compare.fork_beliefs import (
    LEAST_EVIDENCE,
    NOISE_FACTORS,
    SPREADS,
    believed,
    evidence_of,
    product,
    scaled,
    shares_of,
    spreads_by,
)
from steady.model import FloatArray
from steady.plan.known_forks import KnownForks
from steady.stats.samples import BoolArray

ENOUGH = 8.0
"""Forks lie farther out than normal numbers do, even if their variance is well known. So it counts
for this many degrees of freedom at most."""

_NEW_KIND = 0.1
"""Chance that the spread of a benchmark has nothing to do with its earlier one."""

_RESTLESS = 0.03
"""From here on, a machine's forks that took no turns tell nothing: if the typical benchmark differs
by so much from one iteration to the next. With 4 % of simulated noise, they take as much power as
they give, and with 8 % most of it (`evaluation.known_forks`)."""

_SCATTER = 0.25
"""Standard deviation, in logarithms, of a spread about its earlier one."""

MOVES = ((0.5, 0.15), (1.0, 0.5), (2.0, 0.2), (4.0, 0.1))
"""By how much all spreads of a suite may be larger than in earlier runs, and how likely that is
beforehand: another machine, or another JVM. The rest is for earlier runs that say nothing."""


def likelihood_of(known: KnownForks, spreads: FloatArray, most: float) -> FloatArray:
    """Return the log likelihood of each factor of the noise and spread between forks.

    Parameters
    ----------
    known : KnownForks
        Of one benchmark.
    spreads : ndarray of float64
        What is thought possible.
    most : float
        So many degrees of freedom count at most.

    Returns
    -------
    ndarray of float64, shape (factors, spreads)
        But for a constant.
    """
    weights = 1 / (np.square(spreads) + NOISE_FACTORS[:, np.newaxis] * known.noise)
    freedom = min(known.freedom, most)
    return np.asarray(freedom / 2 * (np.log(weights) - weights * known.variance))


def from_calm_machines(known: Sequence[KnownForks]) -> list[KnownForks]:
    """Return what a suite knows, without forks that took no turns if their machine was busy."""
    steps = [one.steps for one in known if one and one.steps]
    busy = bool(steps) and float(np.median(steps)) >= _RESTLESS
    return [KnownForks() if busy and one.steps else one for one in known]


def told_shares(
    likelihood: FloatArray, exact: BoolArray, known: Sequence[KnownForks], process: str
) -> FloatArray:
    """Return how much each factor and spread counts, where earlier runs tell of some benchmarks.

    Nine in ten benchmarks keep their spread, but for some scatter and a factor that the suite has
    in common (`MOVES`). One in ten gets a new one. That the spreads of the whole suite have nothing
    to do with the earlier ones is possible too. All of it counts by how well it explains the
    *other* benchmarks, so that a suite whose rounds contradict its past is judged without it.

    Parameters
    ----------
    likelihood : ndarray of float64, shape (benchmarks, factors, spreads)
        Restricted log likelihood of the new rounds, but for a constant.
    exact : ndarray of bool, shape (benchmarks,)
        Benchmarks that nothing is learnt from.
    known : sequence of KnownForks
        Of each benchmark.
    process : str
        A key of `PUBLISHED`, or empty.

    Returns
    -------
    ndarray of float64, shape (benchmarks, factors, spreads)
        The sum of each benchmark is 1.
    """
    new, old = scaled(likelihood), _earlier(known)
    keeps = np.array([1 - _NEW_KIND if one else 0.0 for one in known])[:, np.newaxis, np.newaxis]
    apart = evidence_of(old)
    anew = evidence_of(new) * apart
    unrelated = 1 - sum(chance for _, chance in MOVES)
    possible = [(_moved(by), keeps, chance) for by, chance in MOVES]
    possible.append((np.eye(len(SPREADS)), np.zeros(keeps.shape), unrelated))
    logs = []
    for moved, kept, chance in possible:
        together = evidence_of(product(new, moved.T) * old)
        own = np.log(np.maximum((1 - kept) * anew + kept * together, LEAST_EVIDENCE))
        own[exact] = 0.0
        logs.append(own.sum(axis=0) - own + np.log(chance))
    best = np.max(logs, axis=(0, 2, 3))[:, np.newaxis, np.newaxis]
    prior = np.zeros(new.shape)
    for (moved, kept, _), others in zip(possible, logs, strict=True):
        counts = np.exp(others - best) * believed(process)
        stays = product(spreads_by(counts) * old, moved)
        prior += (1 - kept) * spreads_by(counts * apart) + kept * stays
    return shares_of(prior, likelihood)


def _earlier(known: Sequence[KnownForks]) -> FloatArray:
    """Return the likelihood of earlier forks whatever the factor of their noise; 1 if none.

    Returns
    -------
    ndarray of float64, shape (benchmarks, 1, spreads)
        1 at most.
    """
    rows = scaled(np.array([likelihood_of(one, SPREADS, ENOUGH) for one in known]))
    rows = rows.mean(axis=1, keepdims=True)
    telling = np.array([bool(one) for one in known])[:, np.newaxis, np.newaxis]
    return np.where(telling, rows / rows.max(axis=2, keepdims=True), 1.0)


def _moved(by: float) -> FloatArray:
    """Return how likely each spread is after each earlier one, shape (earlier, spreads)."""
    logs = np.log(SPREADS)
    squares = np.square((logs - np.log(by) - logs[:, np.newaxis]) / _SCATTER) / 2
    near = np.exp(squares.min(axis=1, keepdims=True) - squares)
    return np.asarray(near / near.sum(axis=1, keepdims=True))
