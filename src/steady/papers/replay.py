"""A detector made of an online stop, which gets the series iteration by iteration."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Generic, ParamSpec

import numpy as np
import numpy.typing as npt

from steady.number_checks import to_unit_scale
from steady.steadystate.detection import SteadyState, as_series, unjudged
from steady.steadystate.online import Stop

Options = ParamSpec("Options")


class NamedStop(Stop, ABC):
    """Base of a stop that can also say where a whole series becomes steady, and why."""

    name: ClassVar[str]
    """Registered name of the detector."""

    criterion: str
    """The condition that holds from the start on, for the reason: ``"a slope under ..."``."""

    scalable: bool = True
    """Whether the values may be scaled; false if an option has their unit."""


@dataclass(frozen=True, slots=True)
class Replay(Generic[Options]):
    """The detector that feeds a series to a new stop until this says that the warm-up is over.

    It takes the values, as every detector does, and the options of the stop.

    Parameters
    ----------
    stop : callable
        Makes the stop from its options.
    """

    stop: Callable[Options, NamedStop]

    def __call__(
        self, values: npt.ArrayLike, *args: Options.args, **options: Options.kwargs
    ) -> SteadyState:
        """Find the steady state of one fork."""
        stop = self.stop(*args, **options)
        series = as_series(values)
        early = unjudged(series, stop.name)
        if early is not None:
            return early
        with np.errstate(under="ignore"):
            for value in (to_unit_scale(series) if stop.scalable else series).tolist():
                if stop.feed(value):
                    break
        start = stop.start
        if start is None or start >= len(series):
            reason = f"not steady within the series: never {stop.criterion}"
            return SteadyState(None, stop.name, reason=reason)
        return SteadyState(
            start,
            stop.name,
            start - 1 if start else None,
            ((0, 0.0), (start, 1.0)) if start else ((0, 1.0),),
            f"steady from iteration {start} (counted from 0) on: {stop.criterion}",
        )
