"""KB-KSSD, second stage: the step down that ends the warm-up."""

from __future__ import annotations

import numpy as np

from steady.model import FloatArray


def find_step(series: FloatArray, kernel: int, window: int) -> int | None:
    """Find the last iteration before the step down; None if there is no step.

    The centred series is convolved with two kernels of 1s followed by -1s, one as long as the
    series and one of length ``2 * kernel``. The minimum of each convolution proposes a step, and
    medians around the two steps decide.

    Parameters
    ----------
    series : ndarray of float64, shape (n,)
        Without outliers, n >= 2 * kernel.
    kernel : int
        Half the length of the short kernel.
    window : int
        Iterations on each side of the later step whose medians give its height.

    Returns
    -------
    int or None
        0-based index of the last iteration of the warm-up.
    """
    centred = series - np.mean(series)
    sums = np.concatenate(([0.0], np.cumsum(centred)))
    large = _large_kernel_step(sums)
    small = _small_kernel_step(centred, sums, kernel)
    if large is None or abs(large - small) <= 1:
        return small if _is_significant(centred, small) else None
    earlier, later = sorted((small, large))
    if earlier == 0:
        return later
    if not _prefers_later(centred, earlier, later, window):
        return earlier if _is_significant(centred, earlier) else None
    return later if _is_significant(centred, later) else earlier


def _large_kernel_step(sums: FloatArray) -> int | None:
    """Return where the long kernel has its minimum; None if that is at either end.

    The values sum to zero, so this is where the sum of all earlier values is largest.
    """
    step = int(np.argmax(sums)) - 1
    return step if 0 <= step < len(sums) - 2 else None


def _small_kernel_step(centred: FloatArray, sums: FloatArray, kernel: int) -> int:
    """Return where the short kernel has its minimum; it always has one."""
    fall = sums[: -2 * kernel] - 2 * sums[kernel:-kernel] + sums[2 * kernel :]
    # Two of the reference's results are ties that the rounding of its own sums decides. So if
    # rounding could change the result here, the convolution itself is computed.
    rounding = 8 * np.finfo(np.float64).eps * len(sums) * np.max(np.abs(sums))
    near = np.flatnonzero(fall <= fall.min() + rounding)
    first, last = int(near[0]), int(near[-1])
    if first < last:
        # The kernel is reversed first, which halves the time of a convolution.
        turned = np.concatenate((-np.ones(kernel), np.ones(kernel)))
        part = centred[first : last + 2 * kernel]
        first += int(np.argmin(np.correlate(part, turned, mode="valid")))
    return first + kernel - 1


def _prefers_later(centred: FloatArray, earlier: int, later: int, window: int) -> bool:
    """Tell whether the part between the steps lies clearly above what follows the later one."""
    before = _median(centred[max(0, later - window) : later + 1])
    after = _median(centred[later + 1 : later + 1 + window])
    between = _median(centred[earlier + 1 : later])
    return bool(between > 2 * abs(before - after) + _median(centred[later + 1 :]))


def _is_significant(centred: FloatArray, step: int) -> bool:
    """Tell whether the median falls at the step by at least half the centred series' median."""
    fall = _median(centred[:step]) - _median(centred[step:])
    return bool(fall >= abs(_median(centred) / 2))


def _median(values: FloatArray) -> float:
    """Return the median of finite values; NaN if there are none.

    `numpy.median` does the same, but its search for NaN takes longer than the median itself.
    """
    if len(values) == 0:
        return np.nan
    half = len(values) // 2
    parted = np.partition(values, half)
    upper = float(parted[half])
    return upper if len(values) % 2 else (float(parted[:half].max()) + upper) / 2
