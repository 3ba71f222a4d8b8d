"""Laaber's stops: the warm-up ends when a statistic of the iterations converges."""

import math

import numpy as np

from steady.model import FloatArray
from steady.number_checks import check_between
from steady.papers.stopping import BatchStop, Replay
from steady.stats import stability

OUTLIER_FACTOR = 10.0

HISTORY = 5
"""Number of latest values of the statistic that must be close to each other."""

_POINTS = 1000  # number of points at which densities are compared
_REACH = 1.5  # range of the points beyond the quartiles, in interquartile ranges
_BANDWIDTH = 1.06  # factor of Silverman's rule
_TRUNCATE = 6  # truncation of a kernel, in standard deviations
_WIDEST = (
    10_000  # maximum standard deviation of a kernel in points; wider kernels use a coarser grid
)
_NOISE = 1e-12  # fraction of the largest density below which values are rounding errors


class LaaberStop(BatchStop):
    """Base class of Laaber's stops: a statistic for each batch, compared with a threshold."""

    def __init__(self, batch: int, threshold: float, criterion: str) -> None:
        super().__init__(batch)
        check_between(0, 1, threshold=threshold)
        self._threshold = threshold
        self._results: list[float] = []
        self.criterion = f"{criterion} {threshold:g}"

    def _has_converged(self) -> bool:
        """Return whether the latest values differ by less than the threshold."""
        if len(self._results) < HISTORY:
            return False
        latest = np.array(self._results[-HISTORY:])
        return bool(
            np.isfinite(latest).all() and np.abs(latest - latest[-1]).max() < self._threshold
        )


class LaaberCvStop(LaaberStop):
    """Laaber's stop by the coefficient of variation.

    The warm-up ends when the last five values of the coefficient of variation, computed after each
    iteration from all iterations so far, differ from the latest by less than the threshold.
    ``start`` is the first iteration after the decision.

    Parameters
    ----------
    batch : int
        Number of values per iteration, such as 10 if a value is for 0.1 s and an iteration should
        be 1 s.
    threshold : float
        Maximum difference, as a fraction.

    References
    ----------
    C. Laaber, S. Würsten, H. C. Gall, P. Leitner, *Dynamically reconfiguring software
    microbenchmarks*, ESEC/FSE 2020, with the details of their JMH fork (sealuzh/jmh).
    """

    name = "laaber-cv"

    def __init__(self, *, batch: int = 1, threshold: float = 0.01) -> None:
        super().__init__(batch, threshold, "five consecutive coefficients of variation within")
        self._count, self._mean, self._scatter = 0, 0.0, 0.0

    def _judge_batch(self, batch: list[float]) -> int | None:
        self._pool(without_outliers(np.array(batch)))
        deviation = math.sqrt(self._scatter / max(self._count - 1, 1))
        self._results.append(deviation / abs(self._mean) if self._mean else math.inf)
        return self.seen if self._has_converged() else None

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

    The warm-up ends when the last five relative widths of the mean's bootstrap interval, computed
    after each iteration from all iterations so far, differ from the latest by less than the
    threshold. ``start`` is the first iteration after the decision.

    Parameters
    ----------
    batch : int
        Number of values per iteration, such as 10 if a value is for 0.1 s and an iteration should
        be 1 s.
    threshold : float
        Maximum difference, as a fraction.
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
        criterion = "five consecutive relative widths of the mean's confidence interval within"
        super().__init__(batch, threshold, criterion)
        check_between(0, 1, confidence=confidence)
        self._confidence = confidence
        self._values = np.array([])

    def _judge_batch(self, batch: list[float]) -> int | None:
        self._values = np.concatenate([self._values, batch])
        kept = without_outliers(self._values)
        # All values are dropped if the median is near 0 between values of both signs.
        width = stability(kept, "rciw1", confidence=self._confidence) if kept.size else math.inf
        self._results.append(width)
        return self.seen if self._has_converged() else None


laaber_rciw = Replay(LaaberRciwStop)


class LaaberKldStop(LaaberStop):
    """Laaber's stop by the Kullback-Leibler divergence.

    The warm-up ends when another iteration hardly changes the distribution of all iterations so
    far: five times in a row, the product of 2^-D in both directions is above the threshold.
    ``start`` is the first iteration after the decision.

    Parameters
    ----------
    batch : int
        Number of values per iteration, such as 10 if a value is for 0.1 s and an iteration should
        be 1 s.
    threshold : float
        Minimum similarity of the distributions, between 0 and 1.

    References
    ----------
    C. Laaber, S. Würsten, H. C. Gall, P. Leitner, *Dynamically reconfiguring software
    microbenchmarks*, ESEC/FSE 2020, with the details of their JMH fork (sealuzh/jmh).
    """

    name = "laaber-kld"

    def __init__(self, *, batch: int = 1, threshold: float = 0.99) -> None:
        super().__init__(batch, threshold, "five consecutive similarities above")
        self._values = np.array([])

    def _judge_batch(self, batch: list[float]) -> int | None:
        before, self._values = self._values, np.concatenate([self._values, batch])
        if before.size:
            self._results.append(density_similarity(self._values, before))
        latest = self._results[-HISTORY:]
        return self.seen if len(latest) == HISTORY and min(latest) > self._threshold else None


laaber_kld = Replay(LaaberKldStop)


def density_similarity(first: FloatArray, second: FloatArray) -> float:
    """Return the similarity 2^-D(p, q) · 2^-D(q, p) of two samples' densities p and q."""
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
    """Return the Gaussian kernel density at the grid points, computed on the grid.

    If a kernel is far wider than the grid, the density is computed on a coarser grid and
    interpolated linearly.
    """
    deviation = float(np.std(sample))
    spread = min(deviation, quartile_range / 1.34) or deviation
    width = _BANDWIDTH * spread * len(sample) ** -0.2 / step
    # A single outlier among equal values results in a kernel that would not fit in memory.
    apart = max(1, math.ceil(width / _WIDEST))
    step, width = step * apart, width / apart
    points = (_POINTS - 2) // apart + 2
    # Kernels centred outside the grid extend into it, and the Fourier transform is periodic, so the
    # width of a kernel is added at each end.
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


def without_outliers(values: FloatArray) -> FloatArray:
    """Drop values whose magnitude is above ten times or below a tenth of the median's."""
    middle = abs(float(np.median(values)))
    size = np.abs(values)
    return values[(size <= middle * OUTLIER_FACTOR) & (size >= middle / OUTLIER_FACTOR)]
