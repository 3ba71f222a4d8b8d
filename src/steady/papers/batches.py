"""Stops that judge whole batches: the slope within one (SDM), and the t-test of two neighbours."""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from steady.number_checks import check_positive, check_whole
from steady.papers.replay import NamedStop, Replay


class BatchStop(NamedStop):
    """Base of a stop that judges whole batches of iterations.

    Parameters
    ----------
    batch : int
        Iterations in a batch; those of an incomplete batch are kept until it is complete.
    """

    def __init__(self, batch: int) -> None:
        super().__init__()
        check_whole(1, batch=batch)
        self._size = batch
        self._batch: list[float] = []

    def _judge(self, value: float) -> int | None:
        self._batch.append(value)
        if len(self._batch) < self._size:
            return None
        batch, self._batch = self._batch, []
        return self._judge_batch(batch)

    @abstractmethod
    def _judge_batch(self, batch: list[float]) -> int | None:
        """Return the first steady iteration, or None."""


class SlopeStop(BatchStop):
    """The slope detection method (SDM).

    The steady state starts with the first batch whose regression line is flat enough.
    ``start`` is the first iteration of a batch.

    Parameters
    ----------
    batch : int
        Iterations in a batch, at least 2; those after the last whole batch do not count.
    slope_crit : float
        Upper limit of the line's angle, in radians.
    relative : bool
        Whether the slope is divided by the batch's mean, so that the unit does not matter. The
        published use on JMH series is ``relative=False, slope_crit=1e-8`` on values in seconds.

    References
    ----------
    Package ossdem (cepalium/online-steady-state-detection), with the parameters of Beseda et al.
    2025, section 4.
    """

    name = "sdm"

    def __init__(self, *, batch: int = 15, slope_crit: float = 1e-3, relative: bool = True) -> None:
        check_whole(2, batch=batch)
        check_positive(slope_crit=slope_crit)
        super().__init__(batch)
        self._slope_crit, self._relative = slope_crit, relative
        self.scalable = relative  # otherwise the limit has the unit of the values
        self._times = np.arange(batch) - (batch - 1) / 2
        self.criterion = f"a slope under {slope_crit:g} within {batch} iterations"

    def _judge_batch(self, batch: list[float]) -> int | None:
        values = np.array(batch)
        mean = float(np.mean(values))
        slope = float(self._times @ (values - mean) / (self._times @ self._times))
        if self._relative and slope != 0:
            slope = slope / mean if mean else math.inf
        steady = abs(math.atan(slope)) < self._slope_crit
        return self.seen - len(batch) if steady else None


sdm = Replay(SlopeStop)


class TTestStop(BatchStop):
    """A t-test of neighbouring batches.

    The steady state starts with the first batch whose mean nearly equals that of the next one.
    ``start`` is the first iteration of a batch.

    Parameters
    ----------
    batch : int
        Iterations in a batch, at least 2; those after the last whole batch do not count.
    t_crit : float
        Upper limit of the statistic √n |x̄₁ - x̄₂| / √(s₁² + s₂²), with population variances.
        It must show that there is no difference, so the limit is far below the usual 2.

    References
    ----------
    Package ossdem (cepalium/online-steady-state-detection), with the parameters of Beseda et al.
    2025, section 4.
    """

    name = "t-test"

    def __init__(self, *, batch: int = 15, t_crit: float = 0.009) -> None:
        check_whole(2, batch=batch)
        check_positive(t_crit=t_crit)
        super().__init__(batch)
        self._t_crit = t_crit
        self._mean = math.inf
        self._variance = 0.0
        self.criterion = (
            f"a t statistic under {t_crit:g} between {batch} iterations and the next {batch}"
        )

    def _judge_batch(self, batch: list[float]) -> int | None:
        mean = math.fsum(batch) / len(batch)
        variance = math.fsum((x - mean) ** 2 for x in batch) / len(batch)
        difference = math.sqrt(len(batch)) * abs(mean - self._mean)
        spread = math.sqrt(variance + self._variance)
        self._mean, self._variance = mean, variance
        steady = difference == 0 or difference < self._t_crit * spread
        return self.seen - 2 * len(batch) if steady else None


t_test = Replay(TTestStop)
