"""t-test of neighbouring batches."""

from __future__ import annotations

import math

import numpy.typing as npt

from steady.number_checks import check_positive, check_whole
from steady.steadystate._replay import replay
from steady.steadystate.online import BatchStop
from steady.steadystate.result import SteadyState

NAME = "t-test"


class TTestStop(BatchStop):
    """Online stop of `t_test`; same options."""

    def __init__(self, *, batch: int = 15, t_crit: float = 0.009) -> None:
        check_whole(2, batch=batch)
        check_positive(t_crit=t_crit)
        super().__init__(batch)
        self._t_crit = t_crit
        self._mean = math.inf
        self._variance = 0.0

    def _judge_batch(self, batch: list[float]) -> int | None:
        mean = math.fsum(batch) / len(batch)
        variance = math.fsum((x - mean) ** 2 for x in batch) / len(batch)
        difference = math.sqrt(len(batch)) * abs(mean - self._mean)
        spread = math.sqrt(variance + self._variance)
        self._mean, self._variance = mean, variance
        steady = difference == 0 or difference < self._t_crit * spread
        return self.seen - 2 * len(batch) if steady else None


def t_test(values: npt.ArrayLike, *, batch: int = 15, t_crit: float = 0.009) -> SteadyState:
    """Find the steady state of one fork with a t-test of neighbouring batches.

    The steady state starts with the first batch whose mean nearly equals that of the next one.

    Parameters
    ----------
    values : array-like, shape (n,)
        Time per operation of each iteration, in any unit, warm-up first. NaN at the end marks
        iterations that did not run. Never modified.
    batch : int
        Iterations in a batch, at least 2; those after the last whole batch do not count.
    t_crit : float
        Upper limit of the statistic √n |x̄₁ - x̄₂| / √(s₁² + s₂²), with population variances.
        It must show that there is no difference, so the limit is far below the usual 2.

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
    stop = TTestStop(batch=batch, t_crit=t_crit)
    criterion = f"a t statistic under {t_crit:g} between {batch} iterations and the next {batch}"
    return replay(values, stop, NAME, criterion)
