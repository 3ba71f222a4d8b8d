"""The rounds at which a run decides, and how sure each look must be for one rate of errors.

Whoever tests after every round, and stops at the first success, errs more often than each test
does. A group-sequential design says beforehand how much of the total error may be spent by when
(Lan and DeMets). The level of each look follows by integrating over all paths on which no look
has decided before (Armitage, McPherson and Rowe).
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise

import numpy as np

from steady.errors import InputError
from steady.model import FloatArray
from steady.scipy_special import ndtr

Spending = Callable[[FloatArray, float], FloatArray]
"""Takes looks as shares of the last one, and the total error; returns the error spent by then."""

_HALVINGS = 60
_FARTHEST = 40.0
"""Bounds are sought up to this many standard deviations; normal tails beyond are 0 in float64."""


FIRST_LOOK = 3
"""Rounds before a run decides for the first time."""


def spend_early(shares: FloatArray, error: float) -> FloatArray:
    """Spend half of the error in the first quarter of the rounds, since most runs end there."""
    return error * np.sqrt(shares)


def nominal_levels(
    looks: tuple[int, ...], error: float, spending: Spending = spend_early
) -> FloatArray:
    """Return the two-sided level at which each look must test.

    Parameters
    ----------
    looks : tuple of int
        Numbers of rounds, ascending. By the last one all of the error is spent.
    error : float
        Chance that any look finds a difference although there is none.
    spending : callable
        How much of it may be spent by when.

    Returns
    -------
    ndarray of float64, shape (looks,)
        The level of each look's own test, between 0 and `error`.

    Raises
    ------
    InputError
        If the looks are not ascending, or the error is not between 0 and 1.

    Notes
    -----
    The levels are exact for means of independent normal differences with a known variance. Tests
    by Student's t use the same levels, which keeps the total error nearly (the significance-level
    approach; simulated in ``tests/compare/test_compare_sequential.py``).

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
    """Return the confidence level of an interval, by the last look that was reached.

    Parameters
    ----------
    looks : tuple of int
        Numbers of rounds at which a run decides; empty if it decides once, at its end.
    rounds : int
        How many rounds there are. If some were lost, so that the number lies between two looks,
        the level of the earlier look holds. Before the first look, the level is that of the first.
    confidence : float
        Confidence level over all looks.

    Returns
    -------
    float
        The intervals of all looks contain the true value together with probability `confidence`
        (repeated confidence intervals). So each of them holds for whatever reason a run stops.

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
    """Return the standard deviation of the sum at each look, and of what was added since."""
    before = 0
    for look in looks:
        yield np.sqrt(look), np.sqrt(look - before)
        before = look


class _Path:
    """The sum of normal differences, as far as no look has decided.

    Its density is known at the nodes of a Gauss-Legendre quadrature between the last bounds. All
    bounds are in standard deviations of the sum (`size`); `added` is the standard deviation of
    what the sum gains until the next look.
    """

    def __init__(self) -> None:
        self._places, self._masses = np.zeros(1), np.ones(1)

    def passes(self, bound: float, size: float, added: float) -> float:
        """Return the chance that the sum is beyond a bound at the next look."""
        distance = bound * size
        above = ndtr((self._places - distance) / added)
        below = ndtr((-self._places - distance) / added)
        return float(self._masses @ (above + below))

    def bound_of(self, chance: float, size: float, added: float) -> float:
        """Return the bound that the sum is beyond with this chance at the next look."""
        low, high = 0.0, _FARTHEST
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            too_near = self.passes(middle, size, added) > chance
            low, high = (middle, high) if too_near else (low, middle)
        return high

    def go_on(self, bound: float, size: float, added: float) -> None:
        """Leave out the paths that are beyond the bound at the next look."""
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
    """Return the numbers of rounds after which a run looks at a benchmark.

    Parameters
    ----------
    planned_rounds : int
        How many forks of either version the plan gives it, at least one.

    Returns
    -------
    tuple of int
        Ascending: three rounds, what was planned, twice and four times as much.
    """
    first = min(FIRST_LOOK, planned_rounds)
    return tuple(sorted({first, planned_rounds, 2 * planned_rounds, 4 * planned_rounds}))
