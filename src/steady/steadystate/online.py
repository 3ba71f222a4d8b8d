"""Online stops: they get one iteration after the other, and say when the warm-up is over."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from steady.errors import InputError
from steady.model import FloatArray
from steady.number_checks import check_between, check_whole
from steady.stats import METRICS, Bootstrap, Samples
from steady.steadystate.detection import MINIMUM_ITERATIONS, SteadyState

BLOCKS = 5
"""Parts of equal length into which iterations are cut to see whether they show a trend."""

LATEST = 2 / 3
"""Part of all iterations so far that is judged: a longer warm-up needs a longer level."""

DOUBT = 3.0
"""Five medians of noise alone lie within so many standard errors of each other, most times."""

_TO_DEVIATION = 1.4826 / math.sqrt(2)
_OF_MEDIAN = math.sqrt(math.pi / 2)


class OnlineStop(Protocol):
    """An online stop: during a run, it says whether the warm-up is over by now."""

    @property
    def least(self) -> int:
        """Iterations before which it never says yes."""

    def feed(self, value: float, *, hold: bool = False) -> bool:
        """Take the next iteration; return whether the warm-up is over, and from then on True.

        Where something else shows that it is not over, `hold` is true: then a yes does not count.
        """

    @property
    def start(self) -> int | None:
        """First steady iteration, 0-based; None while the warm-up goes on.

        Methods that judge by a window give its first iteration; those that say when to start
        measuring give the next iteration, which has not been fed yet.
        """


class Stop(ABC):
    """Base of a stop: it counts, refuses what is not a number, and ignores all after the end."""

    least: int = 1
    """Iterations before which it never says yes."""

    def __init__(self) -> None:
        self.seen = 0
        """Iterations taken."""
        self._start: int | None = None

    @property
    def start(self) -> int | None:
        """First steady iteration, 0-based; None while the warm-up goes on."""
        return self._start

    def feed(self, value: float, *, hold: bool = False) -> bool:
        """Take the next iteration; return whether the warm-up is over, and from then on True.

        Parameters
        ----------
        value : float
            Its time per operation.
        hold : bool
            Whether something else shows that the warm-up is not over: then a yes does not count.

        Raises
        ------
        InputError
            If `value` is not a finite number.
        """
        _require_finite(value, self.seen)
        self.seen += 1
        if self._start is None:
            start = self._judge(float(value))
            self._start = None if hold else start
        return self._start is not None

    @abstractmethod
    def _judge(self, value: float) -> int | None:
        """Return the first steady iteration, or None; `seen` already includes `value`."""


class RerunStop(Stop):
    """Online stop of a detector that judges whole series, and runs again as the series grows.

    It runs at `minimum` iterations and then whenever the series has grown by the factor `growth`.
    The warm-up is over at the first run whose steady state starts no later than in the run
    before, because the new iterations confirm it. If a detector's time grows in proportion to the
    series, all runs together take at most growth / (growth - 1) times as long as the last one.

    Parameters
    ----------
    detector : callable
        Takes a series and options, returns a SteadyState.
    minimum : int
        Iterations at the first run, which cannot be the last one.
    growth : float
        Above 1.
    **options
        The detector's own options.

    Raises
    ------
    InputError
        If an option is out of its range.
    """

    def __init__(
        self,
        detector: Callable[..., SteadyState],
        *,
        minimum: int = 30,
        growth: float = 1.25,
        **options: object,
    ) -> None:
        super().__init__()
        check_whole(MINIMUM_ITERATIONS, minimum=minimum)
        if not 1 < growth < math.inf:
            raise InputError(f"growth must be above 1, but is {growth!r}")
        detector(np.zeros(minimum), **options)  # raises an error now if an option is wrong
        self._detector, self._options = detector, options
        self._growth = growth
        self._values: list[float] = []
        self._before: int | None = None
        self._next = minimum
        self.least = self._later(minimum)

    def _judge(self, value: float) -> int | None:
        self._values.append(value)
        if len(self._values) < self._next:
            return None
        state = self._detector(np.array(self._values), **self._options)
        self._next = self._later(self._next)
        before, self._before = self._before, state.start
        if state.start is None or before is None or state.start > before:
            return None
        return state.start

    def _later(self, iterations: int) -> int:
        """Return the number of iterations at the next run after the one at `iterations`."""
        return max(iterations + 1, math.ceil(iterations * self._growth))


class StabilityStop:
    """The stop of a measurement, not of a warm-up: when its iterations are stable enough.

    Parameters
    ----------
    metric : str
        A name in `steady.stats.METRICS`.
    threshold : float
        Largest value of the metric that is stable.
    minimum : int
        Iterations that are measured in any case.
    confidence : float
        Confidence level, for metrics with an interval.
    resamples, seed : int
        Used only by ``rciw2``, for more than 8 iterations.

    Raises
    ------
    InputError
        If an option is out of its range.
    """

    def __init__(
        self,
        metric: str = "rciw3",
        threshold: float = 0.01,
        minimum: int = 3,
        *,
        confidence: float = 0.99,
        resamples: int = 10_000,
        seed: int = 0,
    ) -> None:
        check_between(0, 1, threshold=threshold)
        check_whole(2, minimum=minimum)
        self._metric = METRICS[metric].value
        self._bootstrap = Bootstrap(confidence, resamples, seed)
        self._metric(Samples.of(0.0), self._bootstrap)  # raises an error now if there are too few
        self._threshold, self._minimum = threshold, minimum
        self._values: list[float] = []
        self.stability = math.inf
        """The metric's latest value; infinite before the minimum is reached."""

    def feed(self, value: float) -> bool:
        """Take the next iteration; return whether those taken so far are stable enough.

        Raises
        ------
        InputError
            If `value` is not a finite number.
        """
        _require_finite(value, len(self._values))
        self._values.append(float(value))
        if len(self._values) >= self._minimum:
            samples = Samples.of(self._values)
            self.stability = float(self._metric(samples, self._bootstrap)[0])
        return self.stability <= self._threshold


def block_medians(values: Sequence[float] | FloatArray) -> FloatArray:
    """Return the medians of five blocks of equal length; the first values may be left out."""
    length = len(values) // BLOCKS
    latest = np.asarray(values[-BLOCKS * length :], dtype=np.float64)
    return np.asarray(np.median(latest.reshape(BLOCKS, length), axis=1))


def spread_of_blocks(values: Sequence[float] | FloatArray) -> tuple[float, float]:
    """Return how far the medians of five blocks are apart, and how far noise alone may move them.

    Parameters
    ----------
    values : sequence of float
        Iterations in their order, at least 5.

    Returns
    -------
    (float, float)
        The largest ratio of two medians, less one, infinite beside a zero; and `DOUBT` standard
        errors of a median, relative to their mean, by the differences of neighbours: a trend
        hardly adds to these.
    """
    medians, length = block_medians(values), len(values) // BLOCKS
    latest = np.asarray(values[-BLOCKS * length :], dtype=np.float64)
    low, high = float(medians.min()), float(medians.max())
    if low <= 0:
        return (0.0 if low == high else math.inf), 0.0
    deviation = _TO_DEVIATION * float(np.median(np.abs(np.diff(latest))))
    error = _OF_MEDIAN * deviation / math.sqrt(length) / float(medians.mean())
    return high / low - 1, DOUBT * error


def _require_finite(value: float, iteration: int) -> None:
    if not math.isfinite(value):
        raise InputError(
            f"iteration {iteration} (counted from 0) is {value}; every iteration must be a "
            "finite number"
        )
