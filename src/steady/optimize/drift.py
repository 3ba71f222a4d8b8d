"""Whether the first iterations after a warm-up still differ from the last ones."""

from __future__ import annotations

from bisect import bisect_left, insort

import numpy as np

from steady.model import FloatArray
from steady.optimize.trend import is_common, noise_of_one
from steady.stats.samples import IntArray

LEAST = 3
"""Each median is taken over at least this many iterations."""

_BLOCK = 32  # starts that are computed together


class Drift:
    """How much each fork's first iterations after a start differ from its last ones.

    A fork's drift is the ratio of two medians: of the first and the last third of the iterations
    after the start, with at least three iterations each. From one start to the next only a few
    values change, so medians are updated, and kept for later calls about groups of forks.

    Parameters
    ----------
    series : ndarray, shape (forks, iterations)
        Times; NaN at the end of a shorter fork.
    """

    def __init__(self, series: FloatArray) -> None:
        self._iterations = series.shape[1]
        self._forks = [fork[np.isfinite(fork)].tolist() for fork in series]
        self._blocks: dict[int, FloatArray] = {}
        self._noises = noise_of_one(series)
        self.lengths = np.array([len(fork) for fork in self._forks])

    def __call__(self, start: int, forks: IntArray) -> float:
        """Return a group's drift: how far its median ratio is from 1, as a fraction."""
        return float(self._of_block(start // _BLOCK, forks)[start % _BLOCK])

    def is_real(self, start: int, forks: IntArray, most: float) -> bool:
        """Return whether a drift above `most` is common to a group of forks, not noise."""
        if self(start, forks) <= most:
            return False
        ratios = self._of_forks(start // _BLOCK)[forks, start % _BLOCK]
        with np.errstate(divide="ignore", invalid="ignore"):
            drifts = np.log(ratios)
        return is_common(drifts, self._noises[forks] / np.sqrt(self._window(start)))

    def _window(self, start: int) -> int:
        """Return over how many iterations each of the two medians is taken."""
        return max(int(self._iterations - start) // 3, LEAST)

    def settled(self, first: int, last: int, forks: IntArray, most: float) -> int | None:
        """Return the first start from `first` to `last` with a drift of at most `most`."""
        for block in range(first // _BLOCK, last // _BLOCK + 1):
            starts = np.arange(block * _BLOCK, (block + 1) * _BLOCK)
            fits = (starts >= first) & (starts <= last)
            fits[fits] = self._of_block(block, forks)[fits] <= most
            if fits.any():
                return int(starts[np.argmax(fits)])
        return None

    def _of_block(self, block: int, forks: IntArray) -> FloatArray:
        ratios = np.median(self._of_forks(block)[forks], axis=0)
        return np.asarray(np.abs(ratios - 1.0), dtype=np.float64)

    def _of_forks(self, block: int) -> FloatArray:
        if block not in self._blocks:
            starts = np.arange(block * _BLOCK, (block + 1) * _BLOCK)
            self._blocks[block] = np.array([self._ratios(fork, starts) for fork in self._forks])
        return self._blocks[block]

    def _ratios(self, fork: list[float], starts: IntArray) -> FloatArray:
        """Return one fork's ratios; NaN for starts after its end."""
        ratios = np.full(len(starts), np.nan)
        starts = starts[starts < len(fork)]
        windows = np.array([self._window(start) for start in starts.tolist()], dtype=np.int64)
        ends = np.minimum(starts + windows, len(fork))
        first = _medians(fork, starts.tolist(), ends.tolist())
        lasts = np.maximum(len(fork) - windows, 0).tolist()
        last = _medians(fork, lasts, [len(fork)] * len(lasts))
        with np.errstate(divide="ignore", invalid="ignore"):  # a fork that ends at 0 is unsettled
            ratios[: len(starts)] = first / last
        return ratios


def _medians(values: list[float], starts: list[int], ends: list[int]) -> FloatArray:
    """Return the medians of ``values[start:end]``; starts and ends never decrease."""
    medians = np.empty(len(starts))
    ordered: list[float] = []
    begin = end = starts[0] if starts else 0
    for number, (new_begin, new_end) in enumerate(zip(starts, ends, strict=True)):
        if not ordered:
            ordered = sorted(values[new_begin:new_end])
        else:
            for value in values[end:new_end]:
                insort(ordered, value)
            for value in values[begin:new_begin]:
                del ordered[bisect_left(ordered, value)]
        begin, end = new_begin, new_end
        half = len(ordered) // 2
        medians[number] = (ordered[half] + ordered[-1 - half]) / 2
    return medians
