"""The windows of the learned stoppers, and the first one that a model calls stable."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, ParamSpec, Protocol

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model import FloatArray
from steady.number_checks import to_unit_scale
from steady.steadystate.detection import SteadyState, as_series, unjudged
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


def windows_within(length: int) -> int:
    """Return how many windows of a series of this length are tried at most."""
    return min(max(length - WINDOW + 1, 0), LONGEST)


class Scorer(Protocol):
    """A model: it scores windows, and a high score speaks for a stable one."""

    def scores(self, windows: Float32Array) -> FloatArray:
        """Return one score for each window, shape (windows,), of windows as `normalised`."""
        ...


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

    def judge(self, values: npt.ArrayLike) -> SteadyState:
        """Return the answer of a detector for one fork's series."""
        series = as_series(values)
        early = unjudged(series, self.name)
        if early is not None:
            return early
        if len(series) < WINDOW:
            reason = f"too few iterations to judge: {len(series)}, it takes {WINDOW}"
            return SteadyState(None, self.name, reason=reason)
        start = self.first_stable(series)
        if start is None:
            tried = windows_within(len(series))
            reason = f"not steady: the model calls none of the first {tried} windows stable"
            return SteadyState(None, self.name, reason=reason)
        return SteadyState(
            start,
            self.name,
            start - 1 if start else None,
            ((0, 0.0), (start, 1.0)) if start else ((0, 1.0),),
            f"steady from iteration {start} (counted from 0) on: its window of {WINDOW} "
            "iterations is the first that the model calls stable",
        )


class WindowStop(Stop):
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
        self.classifier = classifier
        self._window: deque[float] = deque(maxlen=WINDOW)

    def _judge(self, value: float) -> int | None:
        self._window.append(value)
        begin = self.seen - WINDOW
        if begin < 0:
            return None
        if self.classifier.stable(np.array([self._window]))[0]:
            return begin
        return LONGEST if begin + 1 >= LONGEST else None


@dataclass(frozen=True, slots=True)
class FirstStable(Generic[Options]):
    """The detector that finds the first stable window of a series.

    It takes the values, as every detector does, and the options of the stop.

    Parameters
    ----------
    stop : callable
        Makes the online stop of the same model from its options.
    """

    stop: Callable[Options, WindowStop]

    def __call__(
        self, values: npt.ArrayLike, *args: Options.args, **options: Options.kwargs
    ) -> SteadyState:
        """Find the end of one fork's warm-up."""
        return self.stop(*args, **options).classifier.judge(values)


def normalised(windows: FloatArray) -> Float32Array:
    """Return windows, shape (windows, WINDOW), each with mean 0 and standard deviation 1.

    A window whose values are all equal becomes zeros.
    """
    scaled = to_unit_scale(windows)
    with np.errstate(all="ignore"):
        apart = scaled - scaled.mean(axis=1, keepdims=True)
        values = apart / scaled.std(axis=1, keepdims=True)
        return np.where(np.isfinite(values), values, 0.0).astype(np.float32)
