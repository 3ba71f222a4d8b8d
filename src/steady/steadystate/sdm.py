"""SDM: the slope detection method."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from steady.number_checks import check_positive, check_whole
from steady.steadystate._replay import replay
from steady.steadystate.online import BatchStop
from steady.steadystate.result import SteadyState

NAME = "sdm"


class SlopeStop(BatchStop):
    """Online stop of `sdm`; same options."""

    def __init__(self, *, batch: int = 15, slope_crit: float = 1e-3, relative: bool = True) -> None:
        check_whole(2, batch=batch)
        check_positive(slope_crit=slope_crit)
        super().__init__(batch)
        self._slope_crit, self._relative = slope_crit, relative
        self._times = np.arange(batch) - (batch - 1) / 2

    def _judge_batch(self, batch: list[float]) -> int | None:
        values = np.array(batch)
        mean = float(np.mean(values))
        slope = float(self._times @ (values - mean) / (self._times @ self._times))
        if self._relative and slope != 0:
            slope = slope / mean if mean else math.inf
        steady = abs(math.atan(slope)) < self._slope_crit
        return self.seen - len(batch) if steady else None


def sdm(
    values: npt.ArrayLike, *, batch: int = 15, slope_crit: float = 1e-3, relative: bool = True
) -> SteadyState:
    """Find the steady state of one fork with the slope detection method (SDM).

    The steady state starts with the first batch whose regression line is flat enough.

    Parameters
    ----------
    values : array-like, shape (n,)
        Time per operation of each iteration, warm-up first. NaN at the end marks iterations that
        did not run. Never modified.
    batch : int
        Iterations in a batch, at least 2; those after the last whole batch do not count.
    slope_crit : float
        Upper limit of the line's angle, in radians.
    relative : bool
        Whether the slope is divided by the batch's mean, so that the unit does not matter. The
        published use on JMH series is ``relative=False, slope_crit=1e-8`` on values in seconds.

    Returns
    -------
    SteadyState
        ``start`` is the first iteration of a batch.

    Raises
    ------
    InputError
        If `values` is not one series of finite numbers, or an option is out of its range.

    References
    ----------
    Package ossdem (cepalium/online-steady-state-detection), with the parameters of Beseda et al.
    2025, section 4.
    """
    stop = SlopeStop(batch=batch, slope_crit=slope_crit, relative=relative)
    criterion = f"a slope under {slope_crit:g} within {batch} iterations"
    return replay(values, stop, NAME, criterion, scaled=relative)
