"""Online stops, which detect the end of the warm-up from one iteration at a time."""

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
"""Number of blocks of equal length in the test for a trend."""

JUDGED_FRACTION = 2 / 3
"""Fraction of the iterations so far that is judged; after a longer warm-up, a longer level part is
required."""

NOISE_FACTOR = 3.0
"""Number of standard errors within which five medians of pure noise usually lie."""

_TO_DEVIATION = 1.4826 / math.sqrt(2)
_OF_MEDIAN = math.sqrt(math.pi / 2)


class OnlineStop(Protocol):
    """An online stop, which detects the end of the warm-up during a run."""

    @property
    def least(self) -> int:
        """Minimum number of iterations before the warm-up can end."""

    def feed(self, value: float, *, hold: bool = False) -> bool:
        """Add the next iteration; return whether the warm-up has ended in this or an earlier one.

        If `hold` is True, other evidence shows that the warm-up continues, and a positive result is
        ignored.
        """

    @property
    def start(self) -> int | None:
        """First steady iteration, 0-based; None during the warm-up.

        Methods that judge a window return its first iteration; those that decide when to start
        measuring return the next iteration, which has not been fed yet.
        """


class Stop(ABC):
    """Base class of stops, which counts iterations and validates values."""

    least: int = 1
    """Minimum number of iterations before the warm-up can end."""

    def __init__(self) -> None:
        self.seen = 0
        """Number of iterations so far."""
        self._start: int | None = None

    @property
    def start(self) -> int | None:
        """First steady iteration, 0-based; None during the warm-up."""
        return self._start

    def feed(self, value: float, *, hold: bool = False) -> bool:
        """Add the next iteration; return whether the warm-up has ended in this or an earlier one.

        Parameters
        ----------
        value : float
            Time per operation of the iteration.
        hold : bool
            Whether other evidence shows that the warm-up continues, so a positive result is
            ignored.

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
    """Online stop that reruns a detector for whole series as the series grows.

    The detector runs at `minimum` iterations, and then whenever the series has grown by the factor
    `growth`. The warm-up ends at the first run whose steady state starts no later than that of the
    previous run, because the new iterations confirm it. For a detector of linear complexity, all
    runs together take at most growth / (growth - 1) times as long as the last one.

    Parameters
    ----------
    detector : callable
        Function from a series and keyword options to a SteadyState.
    minimum : int
        Number of iterations at the first run, which cannot end the warm-up.
    growth : float
        Growth factor between runs, above 1.
    **options
        Options of the detector.

    Raises
    ------
    InputError
        If an option is out of range.
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
        detector(np.zeros(minimum), **options)  # validates the options early
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
    """Online stop of the measurement phase: it ends when the iterations are stable enough.

    Parameters
    ----------
    metric : str
        A name in `steady.stats.METRICS`.
    threshold : float
        Maximum value of the metric that counts as stable.
    minimum : int
        Minimum number of measured iterations.
    confidence : float
        Confidence level, for metrics with an interval.
    resamples, seed : int
        Number of resamples and seed, used only by ``rciw2`` for more than 8 iterations.

    Raises
    ------
    InputError
        If an option is out of range.
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
        self._metric(Samples.of(0.0), self._bootstrap)  # validates the options early
        self._threshold, self._minimum = threshold, minimum
        self._values: list[float] = []
        self.stability = math.inf
        """The metric's latest value; infinite before the minimum is reached."""

    def feed(self, value: float) -> bool:
        """Add the next iteration, and return whether those so far are stable enough.

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
    """Return the medians of the last five blocks of equal length."""
    length = len(values) // BLOCKS
    latest = np.asarray(values[-BLOCKS * length :], dtype=np.float64)
    return np.asarray(np.median(latest.reshape(BLOCKS, length), axis=1))


def block_range(values: Sequence[float] | FloatArray) -> tuple[float, float]:
    """Return the relative range of five block medians, and the range expected from noise.

    Parameters
    ----------
    values : sequence of float
        Iterations in order, at least 5.

    Returns
    -------
    (float, float)
        The largest ratio of two medians minus 1, infinite if one is 0; and `NOISE_FACTOR` standard
        errors of a median, relative to their mean. The standard error is estimated from successive
        differences, which a trend hardly affects.
    """
    medians, length = block_medians(values), len(values) // BLOCKS
    latest = np.asarray(values[-BLOCKS * length :], dtype=np.float64)
    low, high = float(medians.min()), float(medians.max())
    if low <= 0:
        return (0.0 if low == high else math.inf), 0.0
    deviation = _TO_DEVIATION * float(np.median(np.abs(np.diff(latest))))
    error = _OF_MEDIAN * deviation / math.sqrt(length) / float(medians.mean())
    return high / low - 1, NOISE_FACTOR * error


def _require_finite(value: float, iteration: int) -> None:
    if not math.isfinite(value):
        raise InputError(
            f"iteration {iteration} (counted from 0) is {value}; every iteration must be a "
            "finite number"
        )
