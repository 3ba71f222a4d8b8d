"""Laaber's stop by the coefficient of variation."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray
from steady.number_checks import check_between
from steady.steadystate._laaber import inlying, settled
from steady.steadystate._replay import replay
from steady.steadystate.online import BatchStop
from steady.steadystate.result import SteadyState

NAME = "laaber-cv"


class LaaberCvStop(BatchStop):
    """Online stop of `laaber_cv`; same options."""

    def __init__(self, *, batch: int = 1, threshold: float = 0.01) -> None:
        super().__init__(batch)
        check_between(0, 1, threshold=threshold)
        self._threshold = threshold
        self._count, self._mean, self._scatter = 0, 0.0, 0.0
        self._results: list[float] = []

    def _judge_batch(self, batch: list[float]) -> int | None:
        self._pool(inlying(np.array(batch)))
        deviation = math.sqrt(self._scatter / max(self._count - 1, 1))
        self._results.append(deviation / abs(self._mean) if self._mean else math.inf)
        return self.seen if settled(self._results, self._threshold) else None

    def _pool(self, values: FloatArray) -> None:
        """Combine mean and scatter of the values with those of earlier ones (Chan et al. 1983)."""
        count = self._count + len(values)
        if count == self._count:
            return
        mean = float(np.mean(values))
        apart = mean - self._mean
        self._scatter += float(np.sum((values - mean) ** 2))
        self._scatter += apart**2 * self._count * len(values) / count
        self._mean += apart * len(values) / count
        self._count = count


def laaber_cv(values: npt.ArrayLike, *, batch: int = 1, threshold: float = 0.01) -> SteadyState:
    """Find the end of one fork's warm-up with Laaber's stop by the coefficient of variation.

    The warm-up ends when one more iteration hardly changes the coefficient of variation of all
    iterations so far: its last five values differ from the latest by less than the threshold.

    Parameters
    ----------
    values : array-like, shape (n,)
        Time per operation of each iteration, in any unit, warm-up first. NaN at the end marks
        iterations that did not run. Never modified.
    batch : int
        Values in one iteration: 10 if a value is for 0.1 s and an iteration should be 1 s.
    threshold : float
        Largest difference, as a fraction.

    Returns
    -------
    SteadyState
        ``start`` is the first iteration after those that were needed to decide.

    Raises
    ------
    InputError
        If `values` is not one series of finite numbers, or an option is out of its range.

    References ---------- C. Laaber, S. Würsten, H. C. Gall, P. Leitner, *Dynamically reconfiguring
    software microbenchmarks*, ESEC/FSE 2020, with the details of their JMH fork (sealuzh/jmh).
    """
    stop = LaaberCvStop(batch=batch, threshold=threshold)
    criterion = f"five coefficients of variation in a row within {threshold:g}"
    return replay(values, stop, NAME, criterion)
