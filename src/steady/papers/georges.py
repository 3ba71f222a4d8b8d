"""Georges' rule: a window of iterations with a small coefficient of variation."""

from __future__ import annotations

import math
from collections import deque

from steady.number_checks import check_between, check_whole
from steady.papers.replay import NamedStop, Replay


class GeorgesStop(NamedStop):
    """The rule of Georges, Buytaert and Eeckhout.

    The steady state starts with the first window whose coefficient of variation is small.
    ``start`` is the first iteration of a window.

    Parameters
    ----------
    window : int
        Iterations in a window, at least 2.
    threshold : float
        The window's standard deviation (over n) must be below this share of its mean.
    overlap : bool
        Whether a window starts at every iteration, or only where the previous one ended. Traini et
        al. 2023 use ``window=30, overlap=False`` on single invocations.

    References
    ----------
    A. Georges, D. Buytaert, L. Eeckhout, *Statistically rigorous Java performance evaluation*,
    OOPSLA 2007.
    """

    name = "georges"

    def __init__(self, *, window: int = 10, threshold: float = 0.02, overlap: bool = True) -> None:
        super().__init__()
        check_whole(2, window=window)
        check_between(0, 1, threshold=threshold)
        self._threshold, self._overlap = threshold, overlap
        self._window: deque[float] = deque(maxlen=window)
        self.criterion = f"a coefficient of variation under {threshold:g} over {window} iterations"

    def _judge(self, value: float) -> int | None:
        self._window.append(value)
        size = len(self._window)
        if size < (self._window.maxlen or 0):
            return None
        mean = math.fsum(self._window) / size
        deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in self._window) / size)
        if deviation < self._threshold * abs(mean):
            return self.seen - size
        if not self._overlap:
            self._window.clear()
        return None


georges = Replay(GeorgesStop)
