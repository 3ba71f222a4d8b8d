"""R-test: the ratio of two filtered estimates of the variance."""

from __future__ import annotations

import numpy as np

from steady.errors import InputError
from steady.number_checks import check_between, check_positive, check_whole
from steady.papers.replay import NamedStop, Replay

_FIRST = 10
"""Number of iterations whose mean and variance start the filters."""


class RTestStop(NamedStop):
    """The R-test of Cao and Rhinehart.

    The variance is estimated twice: from deviations from a filtered level, and from steps between
    neighbours. A trend raises only the first estimate, so their ratio is 1 in the steady state
    and larger before.
    ``start`` is the first iteration at which the ratio is low, so at least `settling` + 1.

    Parameters
    ----------
    lambdas : (float, float, float)
        Weights of a new value in the filters of level, deviations, and steps; between 0 and 1.
    r_crit : float
        Upper limit of the ratio.
    settling : int
        Iterations, from the second on, that the filters see before the ratio counts.

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
