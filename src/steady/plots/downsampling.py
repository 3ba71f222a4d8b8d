"""Downsampling of long series that preserves extremes."""

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


def downsample(values: FloatArray, most: int) -> tuple[FloatArray, FloatArray]:
    """Keep the minimum and maximum of each of `most` / 2 intervals of a series.

    Parameters
    ----------
    values : ndarray of float64, shape (iterations,)
        Series; values that are not finite are dropped.
    most : int
        Maximum number of values to keep, at least 2.

    Returns
    -------
    positions, values : ndarray of float64
        Kept values with their positions, in order; all finite values if the series is short.
    """
    positions = np.flatnonzero(np.isfinite(values))
    if positions.size <= most:
        return positions.astype(np.float64), values[positions]
    starts = np.linspace(0, positions.size, most // 2, endpoint=False).astype(np.int64)
    ends = np.append(starts[1:], positions.size)
    kept = values[positions]
    chosen = {
        start + extreme(kept[start:end])
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        for extreme in (np.argmin, np.argmax)
    }
    indices = np.array(sorted(chosen), dtype=np.int64)
    return positions[indices].astype(np.float64), kept[indices]
