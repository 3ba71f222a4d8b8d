"""Stops based on the latest iterations: SDM, t-test, R-test, Georges' rule, and steady's own."""

import math
from collections import deque

import numpy as np

from steady.errors import InputError
from steady.number_checks import check_between, check_positive, check_whole
from steady.papers.stopping import BatchStop, NamedStop, Replay
from steady.steadystate.online import BLOCKS, JUDGED_FRACTION, block_range


class SlopeStop(BatchStop):
    """The slope detection method (SDM).

    The steady state starts with the first batch whose regression line is flat enough.
    ``start`` is the first iteration of a batch.

    Parameters
    ----------
    batch : int
        Number of iterations in a batch, at least 2; an incomplete last batch is ignored.
    slope_crit : float
        Upper limit of the line's angle, in radians.
    relative : bool
        Whether the slope is divided by the batch's mean, so that it does not depend on the unit.
        The published parameters for JMH series are ``relative=False, slope_crit=1e-8``, with values
        in seconds.

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
        Number of iterations in a batch, at least 2; an incomplete last batch is ignored.
    t_crit : float
        Upper limit of the statistic √n |x̄₁ - x̄₂| / √(s₁² + s₂²), with population variances. It
        must show the absence of a difference, so the limit is far below the usual 2.

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


class GeorgesStop(NamedStop):
    """The rule of Georges, Buytaert and Eeckhout.

    The steady state starts with the first window with a small coefficient of variation. ``start``
    is the first iteration of a window.

    Parameters
    ----------
    window : int
        Number of iterations in a window, at least 2.
    threshold : float
        Upper limit of the window's coefficient of variation, with the population standard
        deviation.
    overlap : bool
        Whether a window starts at every iteration, or only at the end of the previous one. Traini
        et al. 2023 use ``window=30, overlap=False`` on single invocations.

    References
    ----------
    A. Georges, D. Buytaert, L. Eeckhout, *Statistically rigorous Java performance evaluation*,
    OOPSLA 2007.
    """

    name = "georges"

    def __init__(self, *, window: int = 10, threshold: float = 0.02, overlap: bool = True) -> None:
        super().__init__()
        check_whole(2, window=window)
        check_between(0, 1, threshold=threshold)
        self._threshold, self._overlap = threshold, overlap
        self._window: deque[float] = deque(maxlen=window)
        self.criterion = f"a coefficient of variation under {threshold:g} over {window} iterations"

    def _judge(self, value: float) -> int | None:
        self._window.append(value)
        size = len(self._window)
        if size < (self._window.maxlen or 0):
            return None
        mean = math.fsum(self._window) / size
        deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in self._window) / size)
        if deviation < self._threshold * abs(mean):
            return self.seen - size
        if not self._overlap:
            self._window.clear()
        return None


georges = Replay(GeorgesStop)


_FIRST = 10
"""Number of iterations whose mean and variance initialize the filters."""


class RTestStop(NamedStop):
    """The R-test of Cao and Rhinehart.

    The variance is estimated twice: from deviations from a filtered level, and from steps between
    neighbours. A trend raises only the first estimate, so their ratio is 1 in the steady state
    and larger before. ``start`` is the first iteration with a low ratio, at least `settling` + 1.

    Parameters
    ----------
    lambdas : (float, float, float)
        Weights of a new value in the filters of level, deviations, and steps; between 0 and 1.
    r_crit : float
        Upper limit of the ratio.
    settling : int
        Number of iterations, from the second on, before the ratio is used.

    References
    ----------
    S. Cao, R. R. Rhinehart, *An efficient method for on-line identification of steady state*,
    Journal of Process Control 5, 1995; started as in the package ossdem, with the parameters of
    Beseda et al. 2025.
    """

    name = "r-test"

    def __init__(
        self,
        *,
        lambdas: tuple[float, float, float] = (0.03, 0.05, 0.05),
        r_crit: float = 1.2,
        settling: int = 50,
    ) -> None:
        super().__init__()
        if len(lambdas) != 3:
            raise InputError(f"lambdas must be three numbers, but is {lambdas!r}")
        check_between(0, 1, **{f"lambdas[{i}]": value for i, value in enumerate(lambdas)})
        check_positive(r_crit=r_crit)
        check_whole(_FIRST - 1, settling=settling)
        self._lambdas, self._r_crit, self._settling = lambdas, r_crit, settling
        self._first: list[float] = []
        self._level = self._deviation = self._step = self._last = 0.0
        self.criterion = f"a ratio of variances under {r_crit:g}"

    def _judge(self, value: float) -> int | None:
        if len(self._first) < _FIRST:
            self._first.append(value)
            if len(self._first) == _FIRST:
                self._level = self._last = float(np.mean(self._first))
                self._deviation = float(np.var(self._first))
                self._step = 2 * self._deviation
            return None
        self._filter(value)
        ratio_is_low = (2 - self._lambdas[0]) * self._deviation < self._r_crit * self._step
        position = self.seen - 1
        return position if ratio_is_low and position > self._settling else None

    def _filter(self, value: float) -> None:
        l1, l2, l3 = self._lambdas
        self._deviation = l2 * (value - self._level) ** 2 + (1 - l2) * self._deviation
        self._step = l3 * (value - self._last) ** 2 + (1 - l3) * self._step
        self._level = l1 * value + (1 - l1) * self._level
        self._last = value


r_test = Replay(RTestStop)


MAX_NOISE = 0.2
"""Maximum tolerance due to noise."""


class FlatStop(NamedStop):
    """The stop of the detector `flat`, at the first window whose blocks are level.

    The latest two thirds of all iterations are split into five blocks of equal length. The warm-up
    ends when the range of their medians is within the tolerance. A trend, a step or a hump moves a
    median; outliers do not. The window grows with the warm-up, so the criterion does not depend on
    the duration of an iteration. On a noisy machine, the tolerance is increased to the range
    expected from the noise between iterations, up to 20 %. ``start`` is the first iteration after
    the decision.

    Parameters
    ----------
    tolerance : float
        Maximum ratio of two medians minus 1.
    fewest : int
        Minimum number of iterations before the warm-up can end, at least 10.

    References
    ----------
    steady's own; evaluated per project by `python -m evaluation.warm_up`.
    """

    name = "flat"

    def __init__(self, *, tolerance: float = 0.02, fewest: int = 10) -> None:
        super().__init__()
        check_between(0, 1, tolerance=tolerance)
        check_whole(10, fewest=fewest)
        self._tolerance = tolerance
        self.least = fewest
        self._values: list[float] = []
        self.criterion = f"five consecutive medians within {100 * tolerance:g} % or their noise"

    def _judge(self, value: float) -> int | None:
        self._values.append(value)
        if self.seen < self.least:
            return None
        latest = self._values[-max(int(JUDGED_FRACTION * self.seen), BLOCKS) :]
        spread, noise = block_range(latest)
        return self.seen if spread <= max(self._tolerance, min(noise, MAX_NOISE)) else None


flat = Replay(FlatStop)
