"""Laaber's stops: the warm-up ends when one more iteration hardly changes what is known so far."""

import math

import numpy as np

from steady.model import FloatArray
from steady.number_checks import check_between
from steady.papers.stopping import BatchStop, Replay
from steady.stats import stability

OUTLIER_FACTOR = 10.0

HISTORY = 5
"""Latest iterations whose results must be close to each other."""

_POINTS = 1000  # densities are compared at this many points
_REACH = 1.5  # the points reach this many interquartile ranges beyond the quartiles
_BANDWIDTH = 1.06  # of Silverman's rule
_TRUNCATE = 6  # standard deviations of a kernel
_WIDEST = 10_000  # points in a kernel's standard deviation; wider kernels use coarser points
_NOISE = 1e-12  # share of the largest density; less is rounding


class LaaberStop(BatchStop):
    """Base of the three: a result for each batch, and the limit that these are held against."""

    def __init__(self, batch: int, threshold: float, criterion: str) -> None:
        super().__init__(batch)
        check_between(0, 1, threshold=threshold)
        self._threshold = threshold
        self._results: list[float] = []
        self.criterion = f"{criterion} {threshold:g}"

    def _settled(self) -> bool:
        """Say whether the latest result is within the threshold of the others of the history."""
        if len(self._results) < HISTORY:
            return False
        latest = np.array(self._results[-HISTORY:])
        return bool(
            np.isfinite(latest).all() and np.abs(latest - latest[-1]).max() < self._threshold
        )


class LaaberCvStop(LaaberStop):
    """Laaber's stop by the coefficient of variation.

    The warm-up ends when one more iteration hardly changes the coefficient of variation of all
    iterations so far: its last five values differ from the latest by less than the threshold.
    ``start`` is the first iteration after those that were needed to decide.

    Parameters
    ----------
    batch : int
        Values in one iteration: 10 if a value is for 0.1 s and an iteration should be 1 s.
    threshold : float
        Largest difference, as a fraction.

    References
    ----------
    C. Laaber, S. Würsten, H. C. Gall, P. Leitner, *Dynamically reconfiguring software
    microbenchmarks*, ESEC/FSE 2020, with the details of their JMH fork (sealuzh/jmh).
    """

    name = "laaber-cv"

    def __init__(self, *, batch: int = 1, threshold: float = 0.01) -> None:
        super().__init__(batch, threshold, "five coefficients of variation in a row within")
        self._count, self._mean, self._scatter = 0, 0.0, 0.0

    def _judge_batch(self, batch: list[float]) -> int | None:
        self._pool(inlying(np.array(batch)))
        deviation = math.sqrt(self._scatter / max(self._count - 1, 1))
        self._results.append(deviation / abs(self._mean) if self._mean else math.inf)
        return self.seen if self._settled() else None

    def _pool(self, values: FloatArray) -> None:
        """Combine mean and scatter of the values with those of earlier ones (Chan et al. 1983)."""
        count = self._count + len(values)
        if count == self._count:
            return
        mean = float(np.mean(values))
        apart = mean - self._mean
        self._scatter += float(np.sum((values - mean) ** 2))
        self._scatter += apart**2 * self._count * len(values) / count
        self._mean += apart * len(values) / count
        self._count = count


laaber_cv = Replay(LaaberCvStop)


class LaaberRciwStop(LaaberStop):
    """Laaber's stop by the confidence interval.

    The warm-up ends when one more iteration hardly changes the width of the bootstrapped interval
    of the mean of all iterations so far, relative to that mean: its last five values differ from
    the latest by less than the threshold.
    ``start`` is the first iteration after those that were needed to decide.

    Parameters
    ----------
    batch : int
        Values in one iteration: 10 if a value is for 0.1 s and an iteration should be 1 s.
    threshold : float
        Largest difference, as a fraction.
    confidence : float
        Confidence level of the interval.

    References
    ----------
    C. Laaber, S. Würsten, H. C. Gall, P. Leitner, *Dynamically reconfiguring software
    microbenchmarks*, ESEC/FSE 2020, with the details of their JMH fork (sealuzh/jmh).
    """

    name = "laaber-rciw"

    def __init__(
        self, *, batch: int = 1, threshold: float = 0.03, confidence: float = 0.99
    ) -> None:
        what = "five relative widths of the mean's interval in a row within"
        super().__init__(batch, threshold, what)
        check_between(0, 1, confidence=confidence)
        self._confidence = confidence
        self._values = np.array([])

    def _judge_batch(self, batch: list[float]) -> int | None:
        self._values = np.concatenate([self._values, batch])
        kept = inlying(self._values)
        # None is kept where values of both signs lie around a median near 0.
        width = stability(kept, "rciw1", confidence=self._confidence) if kept.size else math.inf
        self._results.append(width)
        return self.seen if self._settled() else None


laaber_rciw = Replay(LaaberRciwStop)


class LaaberKldStop(LaaberStop):
    """Laaber's stop by the Kullback-Leibler divergence.

    The warm-up ends when one more iteration hardly changes the distribution of all iterations so
    far: five times in a row, 2^-D in both directions together is above the threshold.
    ``start`` is the first iteration after those that were needed to decide.

    Parameters
    ----------
    batch : int
        Values in one iteration: 10 if a value is for 0.1 s and an iteration should be 1 s.
    threshold : float
        Between 0 and 1.

    References
    ----------
    C. Laaber, S. Würsten, H. C. Gall, P. Leitner, *Dynamically reconfiguring software
    microbenchmarks*, ESEC/FSE 2020, with the details of their JMH fork (sealuzh/jmh).
    """

    name = "laaber-kld"

    def __init__(self, *, batch: int = 1, threshold: float = 0.99) -> None:
        super().__init__(batch, threshold, "five likenesses in a row above")
        self._values = np.array([])

    def _judge_batch(self, batch: list[float]) -> int | None:
        before, self._values = self._values, np.concatenate([self._values, batch])
        if before.size:
            self._results.append(likeness(self._values, before))
        latest = self._results[-HISTORY:]
        return self.seen if len(latest) == HISTORY and min(latest) > self._threshold else None


laaber_kld = Replay(LaaberKldStop)


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


def inlying(values: FloatArray) -> FloatArray:
    """Drop values above ten times the median or below a tenth of it, all without their sign."""
    middle = abs(float(np.median(values)))
    size = np.abs(values)
    return values[(size <= middle * OUTLIER_FACTOR) & (size >= middle / OUTLIER_FACTOR)]
