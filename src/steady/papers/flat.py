"""steady's own stop for short runs: the warm-up ends when nothing shows a trend any more."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steady.number_checks import check_between, check_whole
from steady.papers.replay import NamedStop, Replay

BLOCKS = 5
"""Parts of equal length into which the latest iterations are cut."""

SHARE = 2 / 3
"""Part of all iterations so far that is judged: a longer warm-up needs a longer level."""

DOUBT = 3.0
"""Five medians of noise alone lie within so many standard errors of each other, most times."""

NOISIEST = 0.2
"""No noise excuses medians that are further apart than this."""

_TO_DEVIATION = 1.4826 / np.sqrt(2)
_OF_MEDIAN = np.sqrt(np.pi / 2)


class FlatStop(NamedStop):
    """Stop at the first level.

    The latest two thirds of all iterations are cut into five blocks of equal length. The warm-up
    ends when their medians all lie within the tolerance. A trend, a step and a hump move one of
    the medians; what disturbs single iterations does not. The window grows with the warm-up, so
    that the criterion is the same whatever an iteration lasts. On a noisy machine the tolerance is
    larger: as large as the noise from iteration to iteration explains, up to 20 %.
    ``start`` is the first iteration after those that were needed to decide.

    Parameters
    ----------
    tolerance : float
        Largest ratio of two medians, less one.
    fewest : int
        Iterations before which it never says yes, at least 10.

    References
    ----------
    steady's own; `python -m evaluation.warm_up` judges it project by project.
    """

    name = "flat"

    def __init__(self, *, tolerance: float = 0.05, fewest: int = 10) -> None:
        super().__init__()
        check_between(0, 1, tolerance=tolerance)
        check_whole(10, fewest=fewest)
        self._tolerance = tolerance
        self.least = fewest
        self._values: list[float] = []
        self.criterion = f"five medians in a row within {100 * tolerance:g} %, or their noise"

    def _judge(self, value: float) -> int | None:
        self._values.append(value)
        if self.seen < self.least:
            return None
        spread, noise = spread_of_blocks(self._values)
        return self.seen if spread <= max(self._tolerance, min(noise, NOISIEST)) else None


def spread_of_blocks(values: npt.ArrayLike) -> tuple[float, float]:
    """Return how far the medians of the blocks are apart, and how far noise alone may move them.

    Parameters
    ----------
    values : array-like, shape (n,)
        All iterations so far, at least 10.

    Returns
    -------
    (float, float)
        The largest ratio of two medians, less one, infinite beside a zero; and `DOUBT` standard
        errors of a median, relative to their mean, by the differences of neighbours: a trend
        hardly adds to these.
    """
    series = np.asarray(values, dtype=np.float64)
    length = int(SHARE * len(series)) // BLOCKS
    latest = series[-BLOCKS * length :]
    medians = np.median(latest.reshape(BLOCKS, length), axis=1)
    low, high = float(medians.min()), float(medians.max())
    if low <= 0:
        return (0.0 if low == high else np.inf), 0.0
    deviation = _TO_DEVIATION * float(np.median(np.abs(np.diff(latest))))
    error = _OF_MEDIAN * deviation / np.sqrt(length) / float(medians.mean())
    return high / low - 1, float(DOUBT * error)


flat = Replay(FlatStop)
