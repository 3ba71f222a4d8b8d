"""Laaber's stop by the relative width of the confidence interval."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from steady.number_checks import check_between
from steady.stats import stability
from steady.steadystate._laaber import inlying, settled
from steady.steadystate._replay import replay
from steady.steadystate.online import BatchStop
from steady.steadystate.result import SteadyState

NAME = "laaber-rciw"


class LaaberRciwStop(BatchStop):
    """Online stop of `laaber_rciw`; same options."""

    def __init__(
        self, *, batch: int = 1, threshold: float = 0.03, confidence: float = 0.99
    ) -> None:
        super().__init__(batch)
        check_between(0, 1, threshold=threshold)
        check_between(0, 1, confidence=confidence)
        self._threshold, self._confidence = threshold, confidence
        self._values = np.array([])
        self._results: list[float] = []

    def _judge_batch(self, batch: list[float]) -> int | None:
        self._values = np.concatenate([self._values, batch])
        kept = inlying(self._values)
        # None is kept where values of both signs lie around a median near 0.
        width = stability(kept, "rciw1", confidence=self._confidence) if kept.size else math.inf
        self._results.append(width)
        return self.seen if settled(self._results, self._threshold) else None


def laaber_rciw(
    values: npt.ArrayLike, *, batch: int = 1, threshold: float = 0.03, confidence: float = 0.99
) -> SteadyState:
    """Find the end of one fork's warm-up with Laaber's stop by the confidence interval.

    The warm-up ends when one more iteration hardly changes the width of the bootstrapped interval
    of the mean of all iterations so far, relative to that mean: its last five values differ from
    the latest by less than the threshold.

    Parameters
    ----------
    values : array-like, shape (n,)
        Time per operation of each iteration, in any unit, warm-up first. NaN at the end marks
        iterations that did not run. Never modified.
    batch : int
        Values in one iteration: 10 if a value is for 0.1 s and an iteration should be 1 s.
    threshold : float
        Largest difference, as a fraction.
    confidence : float
        Confidence level of the interval.

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
    stop = LaaberRciwStop(batch=batch, threshold=threshold, confidence=confidence)
    criterion = f"five relative widths of the mean's interval in a row within {threshold:g}"
    return replay(values, stop, NAME, criterion)
