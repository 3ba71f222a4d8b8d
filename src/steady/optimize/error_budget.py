"""The strategy `error-budget`: time is spent where it reduces the predicted error most.

Time has one price for the whole suite (a Lagrange multiplier): each benchmark gets the
configuration with the smallest ``error + price * sqrt(seconds)``. Errors fall with the square root
of time, so a benchmark that is twice as noisy gets twice the time; for equal errors it would need
four times the time. The strategy uses the highest price at which the median of the predicted errors
is within the error budget, or the lowest price at which the whole suite fits into a time budget.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from steady.model import FloatArray
from steady.optimize.error_model import Candidates, candidates
from steady.optimize.strategy import MIN_FORKS, Choice, Material
from steady.optimize.suite_parts import OverTimeError

NO_WORSE = 1.1
"""If even the full run exceeds the budget, configurations with up to this multiple of its error are
accepted: the error is then mostly the difference between forks, which more iterations do not
reduce."""

_PRICES = (1e-9, 1e9)  # negligible, and prohibitive
_HALVINGS = 60  # of the range of log prices: exact to machine precision


@dataclass(frozen=True, slots=True)
class ErrorBudget:
    """Strategy ``error-budget``.

    Parameters
    ----------
    budget : float
        Largest median of the predicted relative errors, as a fraction. Not used if there is a
        time budget.
    time_budget : float, optional
        Maximum seconds of base and head of the whole suite together. The errors are then
        minimized within it.
    """

    budget: float = 0.03
    time_budget: float | None = None

    min_forks: ClassVar[int] = MIN_FORKS
    interleaved: ClassVar[bool] = False

    def offer(self, material: Material) -> Candidates:
        """Return the Pareto-optimal configurations of a benchmark."""
        return candidates(material)

    def prepare(self, offers: Sequence[Candidates], kept_seconds: float) -> BudgetChooser:
        """Find the price of time for a suite.

        Parameters
        ----------
        offers : sequence of Candidates
            The candidate configurations of each benchmark to plan.
        kept_seconds : float
            Seconds of base and head of the suite's other benchmarks.

        Raises
        ------
        OverTimeError
            If the suite does not fit into the time budget.
        """
        if self.time_budget is not None:
            price = _price_of_time(offers, self.time_budget - kept_seconds)
            if price is None:
                least = kept_seconds + float(sum(_at(offers, _PRICES[1], "pair_seconds")))
                raise OverTimeError(self.time_budget, least)
            return BudgetChooser(None, price)
        price = _price_of_error(offers, self.budget)
        return BudgetChooser(self.budget, price)


@dataclass(frozen=True, slots=True)
class BudgetChooser:
    """The chooser of strategy ``error-budget``, with its price of time for a suite.

    Parameters
    ----------
    budget : float, optional
        Largest predicted error; None with a time budget.
    price : float, optional
        Price of time: ``price * sqrt(seconds)`` is added to the error, and the sum is minimized.
        None if every benchmark takes the cheapest configuration within the budget.
    """

    budget: float | None
    price: float | None

    def choose(self, _material: Material, offer: Candidates) -> Choice:
        """Choose warm-up, iterations and forks."""
        row = self._row(offer)
        error = float(offer.errors[row])
        return Choice(
            int(offer.warmups[row]),
            int(offer.iterations[row]),
            int(offer.forks[row]),
            True,
            f"predicted error {error:.2%}{self._compared(error, float(offer.errors[-1]))}",
            error,
        )

    def pair_seconds(self, offer: Candidates) -> float:
        """Return the seconds of base and head of a benchmark."""
        return float(offer.pair_seconds[self._row(offer)])

    def _row(self, offer: Candidates) -> int:
        return _cheapest(offer, self.budget) if self.price is None else _best(offer, self.price)

    def _compared(self, error: float, least: float) -> str:
        if self.budget is None:
            return ", the smallest within the time budget"
        if error <= self.budget:
            return f" is within {self.budget:.2%}"
        if least <= self.budget:
            return f", above {self.budget:.2%}: more time is better spent on other benchmarks"
        return f", above {self.budget:.2%}; the error of the full run is {least:.2%}"


def _best(offer: Candidates, price: float) -> int:
    """Return the index of the configuration that minimizes error plus price of time."""
    return int(np.argmin(offer.errors + price * np.sqrt(offer.seconds)))


def _cheapest(offer: Candidates, budget: float | None) -> int:
    """Return the index of the cheapest configuration within the budget.

    If even the full run exceeds the budget, up to `NO_WORSE` times its error is accepted.
    """
    if budget is None:
        return 0
    least = float(offer.errors[-1])
    accepted = budget if least <= budget else NO_WORSE * least
    return int(np.flatnonzero(offer.errors <= accepted)[0])


def _price_of_time(offers: Sequence[Candidates], seconds: float) -> float | None:
    """Return the lowest price at which the suite takes at most `seconds`; None if there is none."""

    def fits(price: float) -> bool:
        return sum(_at(offers, price, "pair_seconds")) <= seconds

    low, high = _PRICES
    if not fits(high):
        return None
    return low if fits(low) else bisect(fits, high, low)


def _price_of_error(offers: Sequence[Candidates], budget: float) -> float | None:
    """Return the highest price at which the median predicted error is within the budget.

    Return None if there is no such price, or if it is cheaper to bring each benchmark within the
    budget separately (see `_cheapest`).
    """

    def meets(price: float) -> bool:
        return float(np.median(_at(offers, price, "errors"))) <= budget

    low, high = _PRICES
    if not offers or not meets(low):
        return None
    price = high if meets(high) else bisect(meets, low, high)
    alone = [_cheapest(offer, budget) for offer in offers]
    singly = sum(float(offer.seconds[row]) for offer, row in zip(offers, alone, strict=True))
    return price if sum(_at(offers, price, "seconds")) < singly else None


def _at(offers: Sequence[Candidates], price: float, field: str) -> FloatArray:
    """Return a field of the best configuration of each benchmark at a price."""
    return np.array([getattr(offer, field)[_best(offer, price)] for offer in offers])


def bisect(holds: Callable[[float], bool], good: float, bad: float) -> float:
    """Return the value closest to `bad` for which `holds` is true, by bisection from `good`."""
    inner, outer = np.log(good), np.log(bad)
    for _ in range(_HALVINGS):
        middle = 0.5 * (inner + outer)
        if holds(float(np.exp(middle))):
            inner = middle
        else:
            outer = middle
    return float(np.exp(inner))
