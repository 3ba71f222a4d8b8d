"""Long series as few points, from which no extreme is missing."""

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


def thin(values: FloatArray, most: int) -> tuple[FloatArray, FloatArray]:
    """Keep the smallest and the largest value of each of `most` / 2 stretches of a series.

    Parameters
    ----------
    values : ndarray of float64, shape (iterations,)
        What is not finite is left out.
    most : int
        Most values that are kept, at least 2.

    Returns
    -------
    positions, values : ndarray of float64
        In the order of the series; all of it where it is short enough.
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
