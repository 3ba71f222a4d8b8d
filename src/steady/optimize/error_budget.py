"""The cheapest configuration whose predicted error stays inside a budget.

Over the forks of the full run, the result of a window of iterations, relative to the fork's
own steady result, has a mean (the bias of too little warm-up); and relative to all forks it has
a spread. ``f`` forks then miss the truth by ``sqrt(bias^2 + sd^2 / f)``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray
from steady.optimize.strategy import Choice, Material, counts, fork_counts

Windows = npt.NDArray[np.int64]


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
        """Choose the cheapest window and number of forks inside the budget."""
        windows = _windows(material)
        bias, spread = window_errors(material, windows)
        forks = fork_counts(material)
        errors = np.sqrt(bias[:, None] ** 2 + spread[:, None] ** 2 / forks)
        fork_seconds = material.cost.fork_seconds(windows[:, 0], windows[:, 0], windows[:, 1])
        seconds = np.where(errors <= self.budget, fork_seconds[:, None] * forks, np.inf)
        if not np.isfinite(seconds).any():
            return self._full(material, float(errors.min()))
        cheapest = np.flatnonzero(seconds == seconds.min())
        row, column = divmod(int(cheapest[np.argmin(errors.flat[cheapest])]), len(forks))
        error = float(errors[row, column])
        warmup, iterations = (int(count) for count in windows[row])
        return Choice(
            warmup,
            iterations,
            int(forks[column]),
            True,
            f"predicted error {error:.2%} is within {self.budget:.2%}",
            error,
        )

    def _full(self, material: Material, least: float) -> Choice:
        forks, iterations = material.series.shape
        return Choice(
            material.warmup,
            iterations - material.measured_from,
            forks,
            False,
            f"no configuration is predicted to be within {self.budget:.2%}; the least is "
            f"{least:.2%}",
            least,
        )


def window_errors(material: Material, windows: Windows) -> tuple[FloatArray, FloatArray]:
    """Return bias and between-fork spread of every window, as relative errors.

    Parameters
    ----------
    material : Material
        The full run.
    windows : ndarray of int, shape (windows, 2)
        Warm-up and measurement iterations of each.

    Returns
    -------
    bias, spread : ndarray, shape (windows,)
        Mean over forks of the log ratio of the window's median to the fork's own steady median,
        and standard deviation over forks of the window's log median.
    """
    medians = np.log(_window_medians(material.series, windows))
    truth = np.log(np.nanmedian(material.steady, axis=1))
    bias = np.nanmean(medians - truth, axis=1)
    return bias, np.nanstd(medians, axis=1, ddof=1)


def _windows(material: Material) -> Windows:
    # Warm-up beyond what the detector asked for buys nothing; less may, if the bias allows it.
    iterations = int(np.isfinite(material.series).sum(axis=1).min())
    warmups = np.unique(np.append(counts(material.warmup + 1) - 1, material.warmup))
    warmups = warmups[warmups >= material.first] if material.first else warmups
    starts = warmups if len(warmups) else np.array([material.measured_from])
    pairs = np.array([(w, i) for w in starts for i in counts(iterations - int(w))])
    return pairs.reshape(-1, 2)


def _window_medians(series: FloatArray, windows: Windows) -> FloatArray:
    """Return the median of each window in each fork, shape (windows, forks)."""
    medians = np.empty((len(windows), len(series)))
    for length in np.unique(windows[:, 1]):
        rows = np.flatnonzero(windows[:, 1] == length)
        positions = windows[rows, 0][:, None] + np.arange(length)
        medians[rows] = np.median(series[:, positions], axis=-1).T
    return medians
