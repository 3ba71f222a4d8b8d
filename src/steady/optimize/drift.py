"""The drift of forks: the difference between their first iterations after a warm-up and the last.

A disturbance of the machine affects individual forks, but a drift of the benchmark affects all of
them. So a drift is real if the forks drift in the same direction: on average beyond the variation
between forks, or each beyond the variation of its own iterations.
"""

import numpy as np

from steady.model import FloatArray
from steady.scipy_special import ndtri, stdtrit
from steady.stats.samples import IntArray, row_medians

LEAST = 3
"""Minimum number of iterations in each median."""

SIGNIFICANCE = 0.05
"""One-sided significance level of a drift at one start."""

_BEYOND = -float(ndtri(SIGNIFICANCE))
_QUARTILE = -float(ndtri(0.25))
_MEDIAN = np.pi / 2  # variance of the median divided by that of the mean, for normal values
_PIECES, _LEAST = 6, 5
_MOST_CORRELATION = 0.9


class Drift:
    """The drift of each fork after any start.

    The drift of a fork is the ratio of two medians: of the first and the last third of the
    iterations after the start, with at least three iterations each. They are cached.

    Parameters
    ----------
    series : ndarray, shape (forks, iterations)
        Times; NaN at the end of a shorter fork.
    """

    def __init__(self, series: FloatArray) -> None:
        self._series = series
        self._noises = drift_noise(series)
        self._ratios: dict[int, FloatArray] = {}
        self._last_medians: dict[int, FloatArray] = {}
        self.lengths = np.isfinite(series).sum(axis=1)

    def __call__(self, start: int, forks: IntArray) -> float:
        """Return the drift of a group: the distance of its median ratio from 1, as a fraction."""
        return abs(self.change(start, forks))

    def change(self, start: int, forks: IntArray) -> float:
        """Return the signed drift of a group: positive if the first iterations are slower."""
        return float(np.median(self._fork_ratios(start)[forks]) - 1.0)

    def at_first(self, forks: IntArray) -> float:
        """Return the drift of a group from its first `LEAST` iterations to the last third."""
        first = row_medians(self._series[:, :LEAST])
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = first / self._last(self._window(0))
        return float(abs(np.median(ratios[forks]) - 1.0))

    def is_real(self, start: int, forks: IntArray, most: float) -> bool:
        """Return whether a group of forks has a common drift above `most`, beyond noise."""
        if self(start, forks) <= most:
            return False
        with np.errstate(divide="ignore", invalid="ignore"):
            drifts = np.log(self._fork_ratios(start)[forks])
        return is_common(drifts, self._noises[forks] / np.sqrt(self._window(start)))

    def first_stable_start(self, first: int, last: int, forks: IntArray, most: float) -> int | None:
        """Return the first start from `first` to `last` with a drift of at most `most`."""
        return next((s for s in range(first, last + 1) if self(s, forks) <= most), None)

    def _window(self, start: int) -> int:
        """Return the number of iterations of each of the two medians."""
        return max(int(self._series.shape[1] - start) // 3, LEAST)

    def _fork_ratios(self, start: int) -> FloatArray:
        """Return the ratio of each fork."""
        if start not in self._ratios:
            window = self._window(start)
            first = row_medians(self._series[:, start : start + window])
            # a fork that ends at 0 is not steady
            with np.errstate(divide="ignore", invalid="ignore"):
                self._ratios[start] = first / self._last(window)
        return self._ratios[start]

    def _last(self, window: int) -> FloatArray:
        """Return the median of the last iterations of each fork."""
        if window not in self._last_medians:
            ends = zip(self._series, self.lengths.tolist(), strict=True)
            medians = np.array([np.median(fork[max(n - window, 0) : n]) for fork, n in ends])
            self._last_medians[window] = medians
        return self._last_medians[window]


def is_common(drifts: FloatArray, noises: FloatArray) -> bool:
    """Test whether forks drift in the same direction beyond noise.

    Parameters
    ----------
    drifts : ndarray, shape (forks,)
        Logarithm of the ratio of each fork's first iterations to its last.
    noises : ndarray, shape (forks,)
        Standard error of each, estimated from its own iterations.

    Returns
    -------
    bool
        True if the mean drift is significant by Student's t over the forks, which allows for any
        correlation of iterations. Also true if all forks drift in one direction, each beyond its
        own noise. This detects common drifts of very different size, and drifts of groups of two or
        three forks, whose variance is imprecise. Values without a logarithm count as a drift.
    """
    if not np.isfinite(drifts).all():
        return True
    forks, mean = len(drifts), abs(float(drifts.mean()))
    if (np.abs(drifts) > _BEYOND * noises).all() and abs(np.sign(drifts).sum()) == forks:
        return True
    error = float(drifts.std(ddof=1)) / np.sqrt(forks) if forks > 1 else np.inf
    return mean > -float(stdtrit(max(forks - 1, 1), SIGNIFICANCE)) * error


def drift_noise(series: FloatArray) -> FloatArray:
    """Return the standard error of each fork's drift for windows of one iteration.

    Parameters
    ----------
    series : ndarray, shape (forks, iterations)
        Times; NaN at the end of a shorter fork.

    Returns
    -------
    ndarray, shape (forks,)
        Standard error of the difference of the logarithms of two medians, to be divided by the
        square root of the iterations in each median.

    Notes
    -----
    Residuals are taken about the median of each sixth of a fork, so that a trend does not count as
    noise. The standard deviation is 1.48 times their median absolute value, so that single slow
    iterations do not count either. The error is multiplied by sqrt((1 + r) / (1 - r)), as for a
    first-order autoregressive process, where r is the lag-1 autocorrelation over all forks.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        residuals = [_about_pieces(np.log(fork)) for fork in series]
    spreads = np.array([np.median(np.abs(values)) / _QUARTILE for values in residuals])
    bounded = [np.clip(r, -3 * s, 3 * s) for r, s in zip(residuals, spreads, strict=True)]
    squares = sum(float(values @ values) for values in bounded)
    products = sum(float(values[:-1] @ values[1:]) for values in bounded)
    correlation = min(max(products / squares, 0.0), _MOST_CORRELATION) if squares > 0 else 0.0
    return np.asarray(spreads * np.sqrt(2 * _MEDIAN * (1 + correlation) / (1 - correlation)))


def _about_pieces(fork: FloatArray) -> FloatArray:
    """Return the finite values of a fork minus the median of their piece."""
    present = fork[np.isfinite(fork)]
    pieces = np.array_split(present, max(min(_PIECES, len(present) // _LEAST), 1))
    return np.concatenate([piece - np.median(piece) for piece in pieces])
