"""Laaber's stop by the Kullback-Leibler divergence."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray
from steady.number_checks import check_between
from steady.steadystate._laaber import HISTORY
from steady.steadystate._replay import replay
from steady.steadystate.online import BatchStop
from steady.steadystate.result import SteadyState

NAME = "laaber-kld"

_POINTS = 1000  # densities are compared at this many points
_REACH = 1.5  # the points reach this many interquartile ranges beyond the quartiles
_BANDWIDTH = 1.06  # of Silverman's rule
_TRUNCATE = 6  # standard deviations of a kernel
_WIDEST = 10_000  # points in a kernel's standard deviation; wider kernels use coarser points
_NOISE = 1e-12  # share of the largest density; less is rounding


class LaaberKldStop(BatchStop):
    """Online stop of `laaber_kld`; same options."""

    def __init__(self, *, batch: int = 1, threshold: float = 0.99) -> None:
        super().__init__(batch)
        check_between(0, 1, threshold=threshold)
        self._threshold = threshold
        self._values = np.array([])
        self._results: list[float] = []

    def _judge_batch(self, batch: list[float]) -> int | None:
        before, self._values = self._values, np.concatenate([self._values, batch])
        if before.size:
            self._results.append(likeness(self._values, before))
        latest = self._results[-HISTORY:]
        return self.seen if len(latest) == HISTORY and min(latest) > self._threshold else None


def likeness(first: FloatArray, second: FloatArray) -> float:
    """Return 2^-D(p, q) · 2^-D(q, p) of two samples' densities p and q: 1 if they are equal."""
    samples = first, second
    quartiles = np.array([np.quantile(sample, [0.25, 0.75]) for sample in samples])
    ranges = quartiles[:, 1] - quartiles[:, 0]
    low = float(np.min(quartiles[:, 0] - _REACH * ranges))
    high = float(np.max(quartiles[:, 1] + _REACH * ranges))
    step = (high - low) / (_POINTS - 1)
    if step == 0:
        return 1.0
    p, q = (_density(*sample, low, step) for sample in zip(samples, ranges, strict=True))
    both = (p > 0) & (q > 0)
    if not both.any():
        return 0.0
    divergence = np.sum((p[both] - q[both]) * np.log(p[both] / q[both])) * step
    return float(np.exp2(-divergence))


def _density(sample: FloatArray, quartile_range: float, low: float, step: float) -> FloatArray:
    """Return the Gaussian kernel density at the points, computed on the points themselves.

    If a kernel is far wider than all points together, the density is computed at fewer points
    with larger distances, and interpolated linearly.
    """
    deviation = float(np.std(sample))
    spread = min(deviation, quartile_range / 1.34) or deviation
    width = _BANDWIDTH * spread * len(sample) ** -0.2 / step
    # An outlier beside equal values has such a kernel: its points would not fit in memory.
    apart = max(1, math.ceil(width / _WIDEST))
    step, width = step * apart, width / apart
    points = (_POINTS - 2) // apart + 2
    # Kernels that are centred beyond the ends reach in, and the Fourier transform is periodic. So
    # the width of a kernel is added at each end.
    margin = int(np.ceil(_TRUNCATE * width)) + 1
    from scipy.fft import next_fast_len  # slow to import, and rarely used

    size = next_fast_len(points + 2 * margin, real=True)
    places = np.rint((sample - low) / step) + margin
    places = places[(places >= 0) & (places < points + 2 * margin)].astype(np.int64)
    counts = np.bincount(places, minlength=size) / (len(sample) * step)
    frequencies = 2 * np.pi * np.arange(size // 2 + 1) / size
    smooth = np.fft.irfft(np.fft.rfft(counts) * np.exp(-0.5 * (frequencies * width) ** 2), size)
    smooth[smooth < _NOISE * smooth.max()] = 0.0
    density = smooth[margin : margin + points]
    if apart > 1:
        density = np.interp(np.arange(_POINTS) / apart, np.arange(points), density)
    return np.asarray(density, dtype=np.float64)


def laaber_kld(values: npt.ArrayLike, *, batch: int = 1, threshold: float = 0.99) -> SteadyState:
    """Find the end of one fork's warm-up with Laaber's stop by the Kullback-Leibler divergence.

    The warm-up ends when one more iteration hardly changes the distribution of all iterations so
    far: five times in a row, 2^-D in both directions together is above the threshold.

    Parameters
    ----------
    values : array-like, shape (n,)
        Time per operation of each iteration, in any unit, warm-up first. NaN at the end marks
        iterations that did not run. Never modified.
    batch : int
        Values in one iteration: 10 if a value is for 0.1 s and an iteration should be 1 s.
    threshold : float
        Between 0 and 1.

    Returns
    -------
    SteadyState
        ``start`` is the first iteration after those that were needed to decide.

    Raises
    ------
    InputError
        If `values` is not one series of finite numbers, or an option is out of its range.

    References ---------- C. Laaber, S. Würsten, H. C. Gall, P. Leitner, *Dynamically reconfiguring
    software microbenchmarks*, ESEC/FSE 2020, with the details of their JMH fork (sealuzh/jmh).
    """
    stop = LaaberKldStop(batch=batch, threshold=threshold)
    return replay(values, stop, NAME, f"five likenesses in a row above {threshold:g}")
