"""Features for the onset detector: of the whole series, and at each part of it."""

from dataclasses import dataclass

import numpy as np

from steady.model import FloatArray
from steady.scipy_special import chdtrc

PARTS = 300
"""Number of parts of every series; in short series, several parts share an iteration."""

SPANS = (3, 10, 30, 100)
"""Numbers of parts before and after each moment: 1, 3.3, 10 and 33 % of the series."""

LINES = {"low": 0.1, "middle": 0.5, "high": 0.9, "top": 1.0}
"""Lines through the parts, each a quantile of the values of a part."""

LOCAL = ("level", "fall", "above_after", "above_before")
WHOLE = ("peak", "spread", "contrast", "quartiles")

FEATURES = (
    *(f"{line}_{what}_{span}" for line in LINES for span in SPANS for what in LOCAL),
    "position",
    *WHOLE,
)
"""Names of the columns of `part_features`."""

LEAST_SHARE = 1e-3
"""Lower limit of differences, as a fraction of the level."""

FARTHEST = 8.0
"""Upper limit of distances from the late level, in widths of the late band."""

GROUPS, LEAST_GROUP = 10, 5
"""Number of groups in the comparison of levels, and minimum number of iterations per group."""


@dataclass(frozen=True, slots=True)
class SeriesFeatures:
    """Features of the whole series, which compare the warm-up with the rest.

    Parameters
    ----------
    scale : float
        Magnitude of the level, the median of the last two thirds; above 0.
    peak : float
        Height of the greatest value of the first tenth above the level.
    spread : float
        Distance of the 1st and 99th percentile of the last third.
    quartiles : float
        Distance of the quartiles of the last two thirds.
    level_p, whole_level_p : float
        p-values of the Kruskal-Wallis test for one level, in the second half and in the whole
        series.
    """

    scale: float
    peak: float
    spread: float
    quartiles: float
    level_p: float
    whole_level_p: float

    @property
    def contrast(self) -> float:
        """Height of the warm-up divided by the late range."""
        return self.peak / self.spread


def series_features(series: FloatArray) -> SeriesFeatures:
    """Compute the features of a whole series of at least 10 values, not all equal."""
    n = len(series)
    late = series[n // 3 :]
    lower, level, upper = np.percentile(late, (25, 50, 75))
    scale = max(abs(float(level)), LEAST_SHARE * float(np.max(np.abs(series))))
    low, high = np.percentile(series[2 * n // 3 :], (1, 99))
    return SeriesFeatures(
        scale,
        max(float(np.max(series[: max(1, n // 10)]) - level), LEAST_SHARE * scale),
        float(high - low) + LEAST_SHARE * scale,
        float(upper - lower) + LEAST_SHARE * scale,
        _level_p(series[n // 2 :]),
        _level_p(series),
    )


def _level_p(series: FloatArray) -> float:
    n = len(series)
    count = max(2, min(GROUPS, n // LEAST_GROUP))
    edges = np.arange(count) * n // count
    offset = _ranks(series) - (n + 1) / 2
    total = float(np.sum(offset**2))
    if total == 0:
        return 1.0
    sums = np.add.reduceat(offset, edges)
    sizes = np.diff(np.append(edges, n))
    # The tie-corrected statistic H is n - 1 times the between-group fraction of the variance.
    return float(chdtrc(count - 1, (n - 1) * float(np.sum(sums**2 / sizes)) / total))


def _ranks(series: FloatArray) -> FloatArray:
    """Return the ranks of the values from 1; ties get the mean rank."""
    _, places, counts = np.unique(series, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[places]


def part_features(series: FloatArray, whole: SeriesFeatures) -> FloatArray:
    """Compute the features of the values before and after the start of each part.

    Parameters
    ----------
    series : ndarray of float64, shape (n,)
        Series with n >= 10 values, not all equal.
    whole : SeriesFeatures
        `series_features` of the series.

    Returns
    -------
    ndarray of float64, shape (PARTS, len(FEATURES))
        For each line and span: ``level`` is the mean distance of the line in the next parts from
        its late median, in widths of the late band (10th to 90th percentile of the last 200 parts);
        ``fall`` is the decrease from the mean before to this mean; ``above_after`` and
        ``above_before`` are the fractions of parts a quarter of a width above the band. Then follow
        logarithms: of ``position`` as a fraction of the series, and of the features of the whole
        series, with lengths relative to the level.
    """
    lines = lines_of(series)
    low, middle, high = np.percentile(lines[:, PARTS // 3 :], (10, 50, 90), axis=1)[..., np.newaxis]
    width = high - low + LEAST_SHARE * whole.scale
    distance = np.clip((lines - middle) / width, -FARTHEST, FARTHEST)
    above = (lines > high + width / 4).astype(np.float64)
    columns = []
    for span in SPANS:
        (after, above_after), (before, above_before) = _means_around(
            np.stack((distance, above)), span
        )
        columns.append((after, before - after, above_after, above_before))
    local = np.array(columns).transpose(2, 0, 1, 3).reshape(-1, PARTS)
    lengths = np.array([whole.peak, whole.spread, whole.contrast * whole.scale, whole.quartiles])
    rest = np.broadcast_to(np.log(lengths / whole.scale)[:, np.newaxis], (len(WHOLE), PARTS))
    position = np.log((np.arange(PARTS) + 1) / PARTS)
    return np.concatenate((local, position[np.newaxis], rest)).T


def lines_of(series: FloatArray) -> FloatArray:
    """Return the quantiles of `LINES` of each part, shape (len(LINES), PARTS)."""
    n = len(series)
    begin = np.arange(PARTS) * n // PARTS
    sizes = np.maximum(1, np.diff(np.append(begin, n)))
    first = np.cumsum(sizes) - sizes
    part = np.repeat(np.arange(PARTS), sizes)
    values = series[(begin - first)[part] + np.arange(len(part))]
    ordered = values[np.lexsort((values, part))]
    places = np.rint(np.outer(list(LINES.values()), sizes - 1)).astype(np.intp)
    return np.asarray(ordered[first + places], dtype=np.float64)


def _means_around(values: FloatArray, span: int) -> tuple[FloatArray, FloatArray]:
    """Return the means of `span` parts from each part on and before it; 0 before the first part."""
    none = np.zeros((*values.shape[:-1], 1))
    sums = np.concatenate((none, np.cumsum(values, axis=-1)), axis=-1)
    here = np.arange(PARTS)
    end, begin = np.minimum(here + span, PARTS), np.maximum(here - span, 0)
    after = (sums[..., end] - sums[..., here]) / (end - here)
    before = (sums[..., here] - sums[..., begin]) / np.maximum(here - begin, 1)
    return after, before
