"""Laaber's stop of forks: no more of them once their measurements stay alike."""

from __future__ import annotations

from collections.abc import Callable

import numpy.typing as npt

from steady.errors import InputError
from steady.inputs import check_positive, check_whole
from steady.registry import Registered, Registry
from steady.steadystate._laaber import FORK_HISTORY, Criterion
from steady.steadystate._validation import as_series
from steady.steadystate.laaber_cv import CvCriterion
from steady.steadystate.laaber_kld import KldCriterion
from steady.steadystate.laaber_rciw import RciwCriterion

_SOURCE = "Laaber et al. 2020"

FORK_CRITERIA: Registry[Callable[[float | None], Criterion]] = Registry(
    "fork criterion",
    Registered(
        "cv",
        "the coefficient of variation changes by less than 0.01",
        _SOURCE,
        lambda threshold: CvCriterion(threshold or 0.01, FORK_HISTORY),
    ),
    Registered(
        "rciw",
        "the relative width of the mean's 99 % interval changes by less than 0.03",
        _SOURCE,
        lambda threshold: RciwCriterion(threshold or 0.03, FORK_HISTORY, 0.99),
    ),
    Registered(
        "kld",
        "the densities' likeness is above 0.99",
        _SOURCE,
        lambda threshold: KldCriterion(threshold or 0.99, FORK_HISTORY - 1),
    ),
)
"""Criteria by name; each is made with a threshold, or None for the published one."""


class ForkStop:
    """Says after each fork whether one more would still change the picture.

    Parameters
    ----------
    criterion : str
        A name in `FORK_CRITERIA`.
    threshold : float, optional
        By default the published one.
    minimum : int
        Forks that run in any case.

    Raises
    ------
    InputError
        If an option is out of its range.
    UnknownNameError
        If no criterion is called so.
    """

    def __init__(
        self, criterion: str = "cv", *, threshold: float | None = None, minimum: int = 2
    ) -> None:
        check_whole(2, minimum=minimum)
        if threshold is not None:
            check_positive(threshold=threshold)
        self._criterion = FORK_CRITERIA[criterion].value(threshold)
        self._minimum = minimum
        self._over = False
        self.forks = 0
        """Forks taken."""

    def feed(self, measurements: npt.ArrayLike) -> bool:
        """Take a fork's measured iterations; return whether it was the last one needed.

        Parameters
        ----------
        measurements : array-like, shape (n,)
            Without the warm-up. NaN at the end marks iterations that did not run.

        Raises
        ------
        InputError
            If they are not one series of finite numbers, or there is none.
        """
        values = as_series(measurements)
        if values.size == 0:
            raise InputError(f"fork {self.forks} (counted from 0) has no measured iteration")
        self.forks += 1
        self._over = self._over or (self._criterion.add(values) and self.forks >= self._minimum)
        return self._over
