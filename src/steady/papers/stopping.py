"""Base classes of online stops that also serve as detectors of whole series.

A learned stop passes the latest window to a model; as a detector, it passes all windows of a
series.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, ParamSpec, Protocol

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model import FloatArray
from steady.number_checks import check_whole, to_unit_scale
from steady.steadystate.detection import (
    SteadyState,
    as_series,
    never_steady,
    steady_from,
    trivial_result,
)
from steady.steadystate.online import Stop

WINDOW = 100
"""Number of iterations in a window."""

LONGEST = 500
"""Number of windows to try, one per iteration; afterwards the warm-up ends in any case."""

LARGEST_BLOCK = 64
"""Maximum number of windows scored at once: larger blocks are faster for many models, but the
search ends at the first stable window."""

Float32Array = npt.NDArray[np.float32]

Options = ParamSpec("Options")


class NamedStop(Stop, ABC):
    """Base class of stops that can also judge a whole series."""

    name: str
    """Registered name of the detector."""

    criterion: str
    """Criterion of the stop in the reason, such as ``"a slope under ..."``."""

    scalable: bool = True
    """Whether the method is scale-invariant; false if an option has the values' unit."""

    def judge(self, series: FloatArray) -> SteadyState:
        """Return the steady state of a series by feeding it until the warm-up is over."""
        with np.errstate(under="ignore"):
            for value in (to_unit_scale(series) if self.scalable else series).tolist():
                if self.feed(value):
                    break
        if self.start is None or self.start >= len(series):
            return never_steady(self.name, f"not steady within the series: never {self.criterion}")
        return steady_from(self.start, self.name, self.criterion)


class BatchStop(NamedStop):
    """Base class of stops that judge batches of iterations.

    Parameters
    ----------
    batch : int
        Number of iterations in a batch; incomplete batches are not judged.
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
    """A detector that feeds a whole series to a new stop.

    Its arguments are the values and the options of the stop.

    Parameters
    ----------
    stop : callable
        Function that creates the stop from its options.
    """

    stop: Callable[Options, NamedStop]

    def __call__(
        self, values: npt.ArrayLike, *args: Options.args, **options: Options.kwargs
    ) -> SteadyState:
        """Detect the steady state of one fork."""
        stop = self.stop(*args, **options)
        series = as_series(values)
        return trivial_result(series, stop.name) or stop.judge(series)


class Scorer(Protocol):
    """A model that scores windows; higher scores are more likely stable."""

    def scores(self, windows: Float32Array) -> FloatArray:
        """Return the score of each window from `normalised`, shape (windows,)."""


@dataclass(frozen=True, slots=True)
class Classifier:
    """A model with a threshold on its scores.

    Parameters
    ----------
    name : str
        Registered name of the detector.
    scorer : Scorer
        The model.
    threshold : float
        Minimum score of a stable window.
    """

    name: str
    scorer: Scorer
    threshold: float

    def __post_init__(self) -> None:
        if not np.isfinite(self.threshold):
            raise InputError(f"threshold must be a finite number, but is {self.threshold!r}")

    def stable(self, windows: FloatArray) -> npt.NDArray[np.bool_]:
        """Return a mask of stable windows; `windows` has raw values, shape (windows, WINDOW).

        A constant window is always stable.
        """
        constant = np.min(windows, axis=1) == np.max(windows, axis=1)
        with np.errstate(under="ignore"):
            scores = self.scorer.scores(normalised(windows))
        return np.asarray((scores >= self.threshold) | constant)

    def first_stable(self, series: FloatArray) -> int | None:
        """Return the start of the first stable window among the first `LONGEST`, or None."""
        if len(series) < WINDOW:
            return None
        windows = np.lib.stride_tricks.sliding_window_view(series, WINDOW)[:LONGEST]
        begin, block = 0, 1
        while begin < len(windows):
            stable = self.stable(windows[begin : begin + block])
            if stable.any():
                return begin + int(np.argmax(stable))
            begin, block = begin + block, min(2 * block, LARGEST_BLOCK)
        return None


class WindowStop(NamedStop):
    """Online stop that classifies the latest window after every iteration.

    If no window that starts within the first `LONGEST` iterations is stable, the warm-up ends after
    these, as in the paper.

    Parameters
    ----------
    classifier : Classifier
        Model and threshold.
    """

    least = WINDOW

    def __init__(self, classifier: Classifier) -> None:
        super().__init__()
        self.classifier, self.name = classifier, classifier.name
        self._window: deque[float] = deque(maxlen=WINDOW)

    def _judge(self, value: float) -> int | None:
        self._window.append(value)
        begin = self.seen - WINDOW
        if begin < 0:
            return None
        if self.classifier.stable(np.array([self._window]))[0]:
            return begin
        return LONGEST if begin + 1 >= LONGEST else None

    def judge(self, series: FloatArray) -> SteadyState:
        """Return the steady state of a series, which starts with its first stable window."""
        if len(series) < WINDOW:
            few = f"too few iterations: {len(series)}, but {WINDOW} are needed"
            return never_steady(self.name, few)
        start = self.classifier.first_stable(series)
        if start is None:
            tried = min(max(len(series) - WINDOW + 1, 0), LONGEST)
            none = f"not steady: the model classifies none of the first {tried} windows as stable"
            return never_steady(self.name, none)
        first = f"the first window of {WINDOW} iterations that the model classifies as stable"
        return steady_from(start, self.name, first)


def normalised(windows: FloatArray) -> Float32Array:
    """Scale each window to mean 0 and standard deviation 1, shape (windows, WINDOW).

    A constant window becomes zeros.
    """
    scaled = to_unit_scale(windows)
    with np.errstate(all="ignore"):
        apart = scaled - scaled.mean(axis=1, keepdims=True)
        values = apart / scaled.std(axis=1, keepdims=True)
        return np.where(np.isfinite(values), values, 0.0).astype(np.float32)
