"""The bases of online stops that are detectors, too: they get a series step by step.

A learned stop hands the latest window to a model, and as a detector all windows of a series.
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
from steady.steadystate.detection import SteadyState, as_series, never_steady, steady_from, unjudged
from steady.steadystate.online import Stop

WINDOW = 100
"""Iterations in a window."""

LONGEST = 500
"""Windows that are tried, one at each iteration; then the warm-up ends in any case."""

LARGEST_BLOCK = 64
"""Windows that are scored at once, at most: many models are faster so, but the first stable
window ends the search."""

Float32Array = npt.NDArray[np.float32]

Options = ParamSpec("Options")


class NamedStop(Stop, ABC):
    """Base of a stop that can also say where a whole series becomes steady, and why."""

    name: str
    """Registered name of the detector."""

    criterion: str
    """The condition that holds from the start on, for the reason: ``"a slope under ..."``."""

    scalable: bool = True
    """Whether the values may be scaled; false if an option has their unit."""

    def judge(self, series: FloatArray) -> SteadyState:
        """Return where a whole series is steady: it is fed until the warm-up is over."""
        with np.errstate(under="ignore"):
            for value in (to_unit_scale(series) if self.scalable else series).tolist():
                if self.feed(value):
                    break
        if self.start is None or self.start >= len(series):
            return never_steady(self.name, f"not steady within the series: never {self.criterion}")
        return steady_from(self.start, self.name, self.criterion)


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
    """The detector that asks a new stop about a whole series.

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
        return unjudged(series, stop.name) or stop.judge(series)


class Scorer(Protocol):
    """A model: it scores windows, and a high score speaks for a stable one."""

    def scores(self, windows: Float32Array) -> FloatArray:
        """Return one score for each window, shape (windows,), of windows as `normalised`."""


@dataclass(frozen=True, slots=True)
class Classifier:
    """A model with the threshold that its scores are held against.

    Parameters
    ----------
    name : str
        Registered name of the detector.
    scorer : Scorer
        The model.
    threshold : float
        Least score of a stable window.
    """

    name: str
    scorer: Scorer
    threshold: float

    def __post_init__(self) -> None:
        if not np.isfinite(self.threshold):
            raise InputError(f"threshold must be a finite number, but is {self.threshold!r}")

    def stable(self, windows: FloatArray) -> npt.NDArray[np.bool_]:
        """Tell of each window of raw values, shape (windows, WINDOW), whether it is stable.

        A window whose values are all equal is stable, whatever the model says.
        """
        constant = np.min(windows, axis=1) == np.max(windows, axis=1)
        with np.errstate(under="ignore"):
            scores = self.scorer.scores(normalised(windows))
        return np.asarray((scores >= self.threshold) | constant)

    def first_stable(self, series: FloatArray) -> int | None:
        """Return the start of the first stable window among the first `LONGEST`; None: no one."""
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
    """Online stop of a classifier: it judges the latest window after every iteration.

    If no window that begins in the first `LONGEST` iterations is stable, the warm-up ends after
    these, as in the paper.

    Parameters
    ----------
    classifier : Classifier
        The model, and its threshold.
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
        """Return where a whole series is steady: from its first stable window on."""
        if len(series) < WINDOW:
            few = f"too few iterations to judge: {len(series)}, it takes {WINDOW}"
            return never_steady(self.name, few)
        start = self.classifier.first_stable(series)
        if start is None:
            tried = min(max(len(series) - WINDOW + 1, 0), LONGEST)
            none = f"not steady: the model calls none of the first {tried} windows stable"
            return never_steady(self.name, none)
        first = f"its window of {WINDOW} iterations is the first that the model calls stable"
        return steady_from(start, self.name, first)


def normalised(windows: FloatArray) -> Float32Array:
    """Return windows, shape (windows, WINDOW), each with mean 0 and standard deviation 1.

    A window whose values are all equal becomes zeros.
    """
    scaled = to_unit_scale(windows)
    with np.errstate(all="ignore"):
        apart = scaled - scaled.mean(axis=1, keepdims=True)
        values = apart / scaled.std(axis=1, keepdims=True)
        return np.where(np.isfinite(values), values, 0.0).astype(np.float32)
