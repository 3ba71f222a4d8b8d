"""The cheapest configuration whose predicted error stays inside a budget.

A fork's result is the median of a window of its iterations. It misses the truth for two reasons:
the window starts too early, which all forks have in common (the bias), and forks differ, which
more forks average out (the spread). ``f`` forks then miss it by ``sqrt(bias^2 + spread^2 / f)``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray
from steady.optimize.strategy import Choice, Material, counts, fork_counts

Counts = npt.NDArray[np.int64]

MIN_MEASURED = 5
"""Fewest measurement iterations of a fork: the median of fewer falls with a single disturbance."""


@dataclass(frozen=True, slots=True)
class ErrorBudget:
    """Strategy ``error-budget``.

    Parameters
    ----------
    budget : float
        Largest relative error that a result may be predicted to have, as a fraction.
    """

    budget: float = 0.03

    def choose(self, material: Material) -> Choice:
        """Choose the cheapest warm-up, iterations and forks inside the budget."""
        windows = _windows(material)
        forks = fork_counts(material)
        errors = predicted_errors(material, windows, forks)
        fork_seconds = material.cost.fork_seconds(windows[:, 0], windows[:, 0], windows[:, 1])
        seconds = np.where(errors <= self.budget, fork_seconds[:, np.newaxis] * forks, np.inf)
        if not np.isfinite(seconds).any():
            return self._full(material, float(errors.min()))
        cheapest = np.flatnonzero(seconds == seconds.min())
        row, column = divmod(int(cheapest[np.argmin(errors.flat[cheapest])]), len(forks))
        error = float(errors[row, column])
        warmup, iterations = (int(count) for count in windows[row])
        text = f"predicted error {error:.2%} is within {self.budget:.2%}"
        return Choice(warmup, iterations, int(forks[column]), True, text, error)

    def _full(self, material: Material, least: float) -> Choice:
        forks, iterations = material.series.shape
        text = f"predicted error stays above {self.budget:.2%}: {least:.2%} at the least"
        measured = iterations - material.measured_from
        return Choice(material.warmup, measured, forks, False, text, least)


def predicted_errors(material: Material, windows: Counts, forks: Counts) -> FloatArray:
    """Return the predicted relative error of every window with every number of forks.

    Parameters
    ----------
    material : Material
        The full run.
    windows : ndarray of int, shape (windows, 2)
        Warm-up and measurement iterations of each.
    forks : ndarray of int, shape (counts,)
        Numbers of forks.

    Returns
    -------
    ndarray, shape (windows, counts)
        ``sqrt(bias^2 + spread^2 / forks)``.

    Notes
    -----
    The bias is the mean over forks of the logarithm of window's median to the fork's own steady
    median. The square of such a mean is too large by its variance, which is taken off again.

    The spread is that between forks of the medians of windows of one length: the median of its
    square over all such windows in the steady part. A few forks know their spread badly, and the
    cheapest of hundreds of windows would be the one that looks quiet by luck; a disturbance of
    the machine, on the other hand, must not speak for windows that it did not hit. A window that
    starts before the steady part has at least its own spread.
    """
    steady = _steady_from(material)
    logs = np.log(material.series)
    truth = np.nanmedian(logs[:, steady:], axis=1)
    bias_squared = np.empty(len(windows))
    variance = np.empty(len(windows))
    for length in np.unique(windows[:, 1]):
        rows = np.flatnonzero(windows[:, 1] == length)
        medians = _sliding_medians(logs, int(length))
        misses = medians[:, windows[rows, 0]] - truth[:, np.newaxis]
        noise = misses.var(axis=0, ddof=1) / len(misses)
        bias_squared[rows] = np.maximum(misses.mean(axis=0) ** 2 - noise, 0.0)
        inside = np.median(medians[:, min(steady, medians.shape[1] - 1) :].var(axis=0, ddof=1))
        # Forks that still warm up differ more than steady ones, and each at its own pace.
        own = medians[:, windows[rows, 0]].var(axis=0, ddof=1)
        variance[rows] = np.where(windows[rows, 0] < steady, np.maximum(own, inside), inside)
    return np.asarray(np.sqrt(bias_squared[:, np.newaxis] + variance[:, np.newaxis] / forks))


def _steady_from(material: Material) -> int:
    """Return where the truth is read: the steady part, but never less than the second half."""
    return min(material.measured_from, _shortest(material.series) // 2)


def _windows(material: Material) -> Counts:
    # Warm-up beyond what the detector asked for buys nothing; less may, if the bias allows it.
    warmups = np.unique(np.append(counts(material.warmup + 1) - 1, material.warmup))
    warmups = warmups[warmups >= material.first]
    starts = warmups if len(warmups) else np.array([material.measured_from])
    iterations = _shortest(material.series)
    pairs = [
        (w, i)
        for w in starts
        for i in counts(iterations - int(w))
        if i >= min(MIN_MEASURED, iterations - int(w))
    ]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _sliding_medians(values: FloatArray, length: int) -> FloatArray:
    """Return the median of every window of one length, shape (forks, starts)."""
    whole = values[:, : _shortest(values)]
    windows = np.lib.stride_tricks.sliding_window_view(whole, length, axis=1)
    return np.asarray(np.median(windows, axis=-1))


def _shortest(values: FloatArray) -> int:
    return int(np.isfinite(values).sum(axis=1).min())
