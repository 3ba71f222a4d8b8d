"""The comparison of two segments: whether their means differ by more than a share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steady.model import FloatArray
from steady.number_checks import check_between, check_whole

_CLEAR = 6.0  # beyond this many standard errors, no bootstrap is needed
_FIRST = 1000  # resamples that decide nearly always
_ROWS = 500  # resamples drawn together


class ResampledMeans:
    """Means of resamples of a segment, drawn as they are needed.

    Parameters
    ----------
    segment : ndarray of float64, shape (n,)
        The values.
    seed : sequence of int
        Of the draws. The first means are the same, however many are asked for.
    """

    def __init__(self, segment: FloatArray, seed: tuple[int, int]) -> None:
        self._segment, self._random = segment, np.random.default_rng(seed)
        self._means = np.empty(0)

    def first(self, count: int) -> FloatArray:
        """Return the first means, shape (count,)."""
        drawn = [self._means]
        for _ in range(len(self._means), count, _ROWS):
            size = (_ROWS, len(self._segment))
            picks = self._random.integers(len(self._segment), size=size, dtype=np.int32)
            drawn.append(self._segment[picks].mean(axis=1))
        self._means = np.concatenate(drawn)
        return self._means[:count]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether a segment's mean differs from the last one's.

    Parameters
    ----------
    min_change : float
        Means differ if the interval of last / segment lies completely outside 1 ± this share.
    confidence : float
        Confidence level of that percentile-bootstrap interval.
    resamples, seed : int
        Options of the bootstrap, which is used only if the standard errors of the means leave a
        doubt.
    """

    min_change: float = 0.05
    confidence: float = 0.95
    resamples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole(1, resamples=self.resamples)
        check_whole(0, seed=self.seed)
        check_between(0, 1, min_change=self.min_change, confidence=self.confidence)

    def at_once(self, last: FloatArray, segment: FloatArray) -> bool | None:
        """Answer from the standard errors; None if these leave a doubt."""
        distances = []
        for bound in (1 - self.min_change, 1 + self.min_change):
            error = np.hypot(_standard_error(last), bound * _standard_error(segment))
            distance = float(np.mean(last) - bound * np.mean(segment))
            distances.append(distance / error if error > 0 else np.copysign(np.inf, distance))
        beyond = max(-distances[0], distances[1])
        return None if 0 < beyond <= _CLEAR else beyond > 0

    def by_bootstrap(self, last: ResampledMeans, segment: FloatArray) -> bool:
        """Answer from the interval, with the last segment's resampled means."""
        other = self.resampled(segment, 1)
        count = min(_FIRST, self.resamples)
        early = self._clear(last.first(count) / other.first(count))
        if early is not None:
            return early
        ratios = last.first(self.resamples) / other.first(self.resamples)
        tail = (1 - self.confidence) / 2
        low, high = np.quantile(ratios, [tail, 1 - tail])
        return bool(high <= 1 - self.min_change or low >= 1 + self.min_change)

    def resampled(self, segment: FloatArray, stream: int) -> ResampledMeans:
        """Return resampled means of a segment; different streams are independent."""
        return ResampledMeans(segment, (self.seed, stream))

    def _clear(self, ratios: FloatArray) -> bool | None:
        """Answer if no further resamples can change the answer; None if they might.

        The interval lies outside if no more than a tail of all ratios lies on the wrong side of a
        bound. Chance moves the number in a sample by six standard deviations or more in one of a
        billion cases.
        """
        tail = (1 - self.confidence) / 2
        inside = min(
            int(np.count_nonzero(ratios > 1 - self.min_change)),
            int(np.count_nonzero(ratios < 1 + self.min_change)),
        )
        expected = tail * len(ratios)
        chance = _CLEAR * np.sqrt(expected * (1 - tail))
        if inside > expected + chance:
            return False
        return True if inside == 0 and expected >= 20 else None


def _standard_error(segment: FloatArray) -> float:
    return float(np.std(segment) / np.sqrt(len(segment)))
