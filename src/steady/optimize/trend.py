"""Whether forks that seem to drift are warming up, or differ only by noise.

The machine slows down one fork and not the next. What a benchmark does by itself, it does in every
fork. So a drift is real if the forks drift in the same direction: on average by more than they
differ, or each by more than its own iterations differ.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri, stdtrit

from steady.model import FloatArray

SIGNIFICANCE = 0.05
"""Probability, in either direction, that noise alone makes one start look like a trend."""

_BEYOND = -float(ndtri(SIGNIFICANCE))
_QUARTILE = -float(ndtri(0.25))
_MEDIAN = np.pi / 2  # variance of a median divided by that of a mean, for normal numbers
_PIECES, _LEAST = 6, 5
_MOST_CORRELATION = 0.9


def is_common(drifts: FloatArray, noises: FloatArray) -> bool:
    """Return whether forks drift in the same direction by more than noise explains.

    Parameters
    ----------
    drifts : ndarray, shape (forks,)
        Logarithm of each fork's first iterations over its last.
    noises : ndarray, shape (forks,)
        Standard error of each, by its own iterations.

    Returns
    -------
    bool
        True if the mean drift differs from zero by Student's t over the forks, however iterations
        of one fork resemble each other. Also true if all forks drift in one direction, each beyond
        its own noise: this finds forks that warm up by very different amounts, and groups of two or
        three, whose spread is hardly known. Values without a logarithm count as a drift.
    """
    if not np.isfinite(drifts).all():
        return True
    forks, mean = len(drifts), abs(float(drifts.mean()))
    if (np.abs(drifts) > _BEYOND * noises).all() and abs(np.sign(drifts).sum()) == forks:
        return True
    error = float(drifts.std(ddof=1)) / np.sqrt(forks) if forks > 1 else np.inf
    return mean > -float(stdtrit(max(forks - 1, 1), SIGNIFICANCE)) * error


def noise_of_one(series: FloatArray) -> FloatArray:
    """Return the standard error of each fork's drift, times the root of its windows' length.

    Parameters
    ----------
    series : ndarray, shape (forks, iterations)
        Times; NaN at the end of a fork where it is shorter.

    Returns
    -------
    ndarray, shape (forks,)
        Of the difference of the logarithms of two medians, divided by the root of the number of
        iterations behind each.

    Notes ----- Each iteration is compared with the median of a sixth of its fork, so that a trend
    does not count as noise. The spread is 1.48 times the median distance, so that single slow
    iterations do not count either. Each resembles the one before it: the correlation of neighbours,
    of all forks together, widens the error by sqrt((1 + r) / (1 - r)), as of a first-order process.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        residuals = [_about_pieces(np.log(fork)) for fork in series]
    spreads = np.array([np.median(np.abs(values)) / _QUARTILE for values in residuals])
    bounded = [np.clip(r, -3 * s, 3 * s) for r, s in zip(residuals, spreads, strict=True)]
    squares = sum(float(values @ values) for values in bounded)
    products = sum(float(values[:-1] @ values[1:]) for values in bounded)
    alike = min(max(products / squares, 0.0), _MOST_CORRELATION) if squares > 0 else 0.0
    return np.asarray(spreads * np.sqrt(2 * _MEDIAN * (1 + alike) / (1 - alike)))


def _about_pieces(fork: FloatArray) -> FloatArray:
    """Return the finite values of a fork, minus the median of their piece of the fork."""
    present = fork[np.isfinite(fork)]
    pieces = np.array_split(present, max(min(_PIECES, len(present) // _LEAST), 1))
    return np.concatenate([piece - np.median(piece) for piece in pieces])
