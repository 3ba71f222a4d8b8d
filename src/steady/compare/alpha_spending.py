"""Interim analyses of a run, and the level of each by alpha spending.

If tests are repeated until one is significant, the total error exceeds that of each test. A
group-sequential design fixes in advance how much of the total error each analysis spends (Lan and
DeMets). The level of each test follows by integration over all paths on which no earlier analysis
was significant (Armitage, McPherson and Rowe). Code and results call an interim analysis a look.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise

import numpy as np

from steady.errors import InputError
from steady.model import FloatArray
from steady.scipy_special import ndtr

Spending = Callable[[FloatArray, float], FloatArray]
"""Spending function. It takes the looks, as fractions of the last one, and the total error, and
returns the error spent up to each look."""

_HALVINGS = 60
_FARTHEST = 40.0
"""Largest bound in standard deviations; normal tails beyond it are 0 in float64."""

FIRST_LOOK = 3
"""Number of rounds at the first interim analysis."""


def spend_early(shares: FloatArray, error: float) -> FloatArray:
    """Spend half of the error in the first quarter of the rounds, where most runs end."""
    return error * np.sqrt(shares)


def nominal_levels(
    looks: tuple[int, ...], error: float, spending: Spending = spend_early
) -> FloatArray:
    """Return the two-sided level of the test at each look.

    Parameters
    ----------
    looks : tuple of int
        Numbers of rounds, ascending. At the last look, all of the error is spent.
    error : float
        Probability that any look is significant if there is no difference.
    spending : callable
        The spending function.

    Returns
    -------
    ndarray of float64, shape (looks,)
        Level of the test at each look, between 0 and `error`.

    Raises
    ------
    InputError
        If the looks are not ascending, or the error is not between 0 and 1.

    Notes
    -----
    The levels are exact for means of independent normal differences with a known variance. Tests
    by Student's t use the same levels; the total error then holds approximately (the
    significance-level approach; simulated in ``tests/compare/test_compare_sequential.py``).

    References
    ----------
    Armitage, McPherson, Rowe: "Repeated significance tests on accumulating data", Journal of the
    Royal Statistical Society A 132 (1969).
    Lan, DeMets: "Discrete sequential boundaries for clinical trials", Biometrika 70 (1983).
    Jennison, Turnbull: "Group Sequential Methods with Applications to Clinical Trials", 2000,
    chapter 7, and section 3.8 for Student's t.
    """
    if not looks or looks[0] < 1 or any(later <= earlier for earlier, later in pairwise(looks)):
        raise InputError(f"looks are {looks}; give ascending numbers of rounds, such as 3, 5, 10")
    if not 0 < error < 1:
        raise InputError(f"error is {error}; give a fraction between 0 and 1, such as 0.01")
    spent = np.diff(spending(np.array(looks) / looks[-1], error), prepend=0.0)
    path = _Path()
    bounds = []
    for (size, added), part in zip(_steps(looks), spent.tolist(), strict=True):
        bounds.append(path.bound_of(part, size, added))
        path.go_on(bounds[-1], size, added)
    return np.asarray(2 * ndtr(-np.array(bounds)))


def nominal_confidence(looks: tuple[int, ...], rounds: int, confidence: float) -> float:
    """Return the confidence level of the interval at the last look reached.

    Parameters
    ----------
    looks : tuple of int
        Numbers of rounds at interim analyses; empty if the only analysis is at the end.
    rounds : int
        Number of rounds. Between two looks, which is possible if rounds were lost, the level of the
        earlier one applies; before the first look, the level of the first one applies.
    confidence : float
        Confidence level over all looks.

    Returns
    -------
    float
        With this level, all intervals of a run together contain the true value with probability
        `confidence` (repeated confidence intervals), regardless of why the run ended.

    References
    ----------
    Jennison, Turnbull: "Interim analyses: the repeated confidence interval approach", Journal of
    the Royal Statistical Society B 51 (1989).
    """
    if not looks:
        return confidence
    levels = _levels(looks, 1 - confidence)
    return 1 - levels[max(sum(look <= rounds for look in looks) - 1, 0)]


@lru_cache(maxsize=1024)
def _levels(looks: tuple[int, ...], error: float) -> tuple[float, ...]:
    return tuple(nominal_levels(looks, error).tolist())


def _steps(looks: tuple[int, ...]) -> Iterator[tuple[float, float]]:
    """Return the standard deviations of the sum at each look and of its increment."""
    before = 0
    for look in looks:
        yield np.sqrt(look), np.sqrt(look - before)
        before = look


class _Path:
    """The density of the sum of normal differences on paths without a significant look.

    It is stored at the nodes of a Gauss-Legendre quadrature between the last bounds. Bounds are in
    units of the sum's standard deviation (`size`); `added` is the standard deviation of the
    increment up to the next look.
    """

    def __init__(self) -> None:
        self._places, self._masses = np.zeros(1), np.ones(1)

    def passes(self, bound: float, size: float, added: float) -> float:
        """Return the probability that the sum is beyond a bound at the next look."""
        distance = bound * size
        above = ndtr((self._places - distance) / added)
        below = ndtr((-self._places - distance) / added)
        return float(self._masses @ (above + below))

    def bound_of(self, chance: float, size: float, added: float) -> float:
        """Return the bound that the sum exceeds with this probability at the next look."""
        low, high = 0.0, _FARTHEST
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            too_near = self.passes(middle, size, added) > chance
            low, high = (middle, high) if too_near else (low, middle)
        return high

    def go_on(self, bound: float, size: float, added: float) -> None:
        """Remove the paths beyond the bound at the next look."""
        nodes, weights = _quadrature()
        places = bound * size * nodes
        distances = (places[:, np.newaxis] - self._places) / added
        density = np.exp(-0.5 * distances**2) @ self._masses / (added * np.sqrt(2 * np.pi))
        self._places, self._masses = places, density * bound * size * weights


@lru_cache
def _quadrature() -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(128)
    return nodes, weights


def looks_of(planned_rounds: int) -> tuple[int, ...]:
    """Return the numbers of rounds at the interim analyses of a benchmark.

    Parameters
    ----------
    planned_rounds : int
        Forks of either version in the plan, at least one.

    Returns
    -------
    tuple of int
        Ascending: three rounds, the planned number, twice and four times as many.
    """
    first = min(FIRST_LOOK, planned_rounds)
    return tuple(sorted({first, planned_rounds, 2 * planned_rounds, 4 * planned_rounds}))
