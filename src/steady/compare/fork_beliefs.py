"""What is believed of a benchmark's spread between forks, before and after others are measured."""

from functools import lru_cache

import numpy as np

from steady.model import FloatArray
from steady.stats.samples import matrix_product

SPREADS = np.geomspace(1e-5, 10.0, 56)
"""Standard deviations between forks that are thought possible, in logarithms: from 0.001 % on."""

NOISE_FACTORS = np.array([1.0, 2.0, 4.0])
"""By how much the variance of a round's mean may exceed what its pairs of iterations explain:
neighbouring pairs are not quite independent of one another."""

_LEVELS = np.geomspace(1e-4, 0.3, 20)
_WIDTHS = np.array([0.25, 0.5, 0.9, 1.5])

PUBLISHED = {"fork": (0.5, 0.012, 0.7)}
"""How much published suites of JVMs count (`steady.compare.pair.FORK`), and where their levels lie:
the middle, and the standard deviation of their logarithms (`evaluation.fork_priors`). The rest is
for suites and machines that are unlike all of them. Of other processes too little was published:
with it, false alarms rose."""

_ODD_SHARE = 0.3
_ODDEST = 30.0  # times the common level

LEAST_EVIDENCE = 1e-300  # keeps its logarithm finite


def belief_logs(likelihood: FloatArray) -> FloatArray:
    """Return how well each belief, with each factor of the noise, explains each benchmark.

    Parameters
    ----------
    likelihood : ndarray of float64, shape (benchmarks, factors, spreads)
        Restricted log likelihood, but for a constant.

    Returns
    -------
    ndarray of float64, shape (benchmarks, factors, beliefs)
        Logarithms of the evidence, but for a constant of each benchmark.
    """
    return np.log(np.maximum(evidence_of(scaled(likelihood)), LEAST_EVIDENCE))


def prior_of(others: FloatArray, process: str = "") -> FloatArray:
    """Return what a benchmark's factor and spread are thought to be, from the suite's others.

    The fewer others there are, the more the published suites count.

    Parameters
    ----------
    others : ndarray of float64, shape (benchmarks, factors, beliefs)
        Sums of the others' `belief_logs`.
    process : str
        A key of `PUBLISHED`, or empty.

    Returns
    -------
    ndarray of float64, shape (benchmarks, factors, spreads)
        But for a constant of each benchmark.
    """
    return spreads_by(scaled(others) * believed(process))


def shares_of(prior: FloatArray, likelihood: FloatArray) -> FloatArray:
    """Return how much each factor and spread counts for each benchmark; their sum is 1.

    Parameters
    ----------
    prior : ndarray of float64, shape (benchmarks or 1, factors, spreads)
        What the others say (`prior_of`).
    likelihood : ndarray of float64, shape (benchmarks, factors, spreads)
        Restricted log likelihood, but for a constant.
    """
    weights = prior * scaled(likelihood)
    return np.asarray(weights / weights.sum(axis=(1, 2), keepdims=True))


def believed(process: str) -> FloatArray:
    """Return how much each belief counts before anything is measured, shape (beliefs,)."""
    share, middle, width = PUBLISHED.get(process, (0.0, 1.0, 1.0))
    near = np.exp(-np.square(np.log(_LEVELS / middle) / width) / 2)
    return np.tile((1 - share) / len(_LEVELS) + share * near / near.sum(), len(_WIDTHS))


@lru_cache(maxsize=1)
def _beliefs() -> FloatArray:
    """Return what may be known beforehand of a benchmark's spread between forks.

    Returns
    -------
    ndarray of float64, shape (beliefs, spreads)
        Each row one belief: the probability of each spread.
    """
    logs = np.log(SPREADS)
    levels, widths = (grid.reshape(-1, 1) for grid in np.meshgrid(np.log(_LEVELS), _WIDTHS))
    usual = np.exp(-np.square((logs - levels) / widths) / 2)
    odd = ((logs >= levels) & (logs <= levels + np.log(_ODDEST))).astype(np.float64)
    usual, odd = (rows / rows.sum(axis=1, keepdims=True) for rows in (usual, odd))
    return np.asarray((1 - _ODD_SHARE) * usual + _ODD_SHARE * odd)


def scaled(logs: FloatArray) -> FloatArray:
    """Return the exponentials of each benchmark's logarithms, the largest of which becomes 1."""
    return np.asarray(np.exp(logs - logs.max(axis=(1, 2), keepdims=True)))


def evidence_of(likelihood: FloatArray) -> FloatArray:
    """Return how well each belief explains likelihoods of spreads; the last axis changes."""
    return product(likelihood, _beliefs().T)


def spreads_by(counts: FloatArray) -> FloatArray:
    """Return how likely each spread is, given how much each belief counts, on the last axis."""
    return product(counts, _beliefs())


def product(rows: FloatArray, matrix: FloatArray) -> FloatArray:
    """Multiply the last axis by a matrix."""
    flat = matrix_product(rows.reshape(-1, len(matrix)), matrix)
    return flat.reshape(*rows.shape[:-1], -1)
