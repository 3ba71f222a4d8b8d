"""A time budget that is too short for any plan, and the options with which a plan would fit."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from steady.errors import InputError

Ways = tuple[Mapping[str, int | str], ...]
"""Options that make a plan fit, each set by itself."""


class OverTimeError(InputError):
    """A time budget that is too short.

    Parameters
    ----------
    time_budget : float
        The given seconds.
    least : float
        The seconds that it has to be at least.
    ways : tuple of mapping of str to int or str
        Options of `steady.optimize` that make it fit; the first one is a longer `time_budget`.
    one_by_one : bool
        Whether it is too short even for a part of the suite in each pull request.
    important : bool
        Whether some benchmarks are in every part.
    """

    def __init__(
        self,
        time_budget: float,
        least: float,
        ways: Ways = (),
        *,
        one_by_one: bool = False,
        important: bool = False,
    ) -> None:
        self.time_budget, self.least = time_budget, least
        beside = ", and the important ones each time" if important else ""
        self._what = (
            f"one benchmark at a time{beside}, base and head take"
            if one_by_one
            else "base and head of the suite take"
        )
        self.ways: Ways = ({"time_budget": math.ceil(least)}, *ways)
        remedies = " or ".join(
            " with ".join(f"{name}={value!r}" for name, value in way.items()) for way in self.ways
        )
        super().__init__(f"{self.complaint}; give {remedies}")

    @property
    def complaint(self) -> str:
        """What is wrong, without advice."""
        return (
            f"time_budget is {self.time_budget:g} s; {self._what} at least "
            f"{math.ceil(self.least)} s"
        )


def ways_to_fit(
    least: Callable[[int, bool], float], time_budget: float, min_forks: int, reduced: bool
) -> Ways:
    """Return the options that make a suite fit into its time budget, the most forks first.

    Parameters
    ----------
    least : callable
        Takes a number of forks, and whether benchmarks without steady state are reduced; returns
        the shortest time budget that the suite then fits into.
    time_budget : float
        Seconds.
    min_forks : int
        The given minimum of forks.
    reduced : bool
        Whether benchmarks without steady state are already reduced.
    """
    ways: list[Mapping[str, int | str]] = []
    most = 0
    for reduce in (True,) if reduced else (False, True):
        fits = (n for n in range(min_forks, most, -1) if least(n, reduce) <= time_budget)
        forks = next(fits, 0)
        if forks > most:  # otherwise the reduction does not help
            fewer: dict[str, int | str] = {} if forks == min_forks else {"min_forks": forks}
            ways.append(fewer | ({"unsteady": "reduce"} if reduce and not reduced else {}))
            most = forks
    return tuple(ways)
