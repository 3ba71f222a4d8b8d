"""The bases of online stops, and a detector made of one, which gets the series step by step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Generic, ParamSpec

import numpy as np
import numpy.typing as npt

from steady.number_checks import check_whole, to_unit_scale
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
