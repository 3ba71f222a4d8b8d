"""Results of steady's own detector for many settings at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluation._calls import BoolArray
from steady.model import FloatArray
from steady.number_checks import to_unit_scale
from steady.papers.onset_features import series_features
from steady.papers.onset_model import plot_properties, stored_points


def called_steady(
    series: Sequence[FloatArray], probability: FloatArray, level_p: FloatArray
) -> BoolArray:
    """Return whether `steady.papers.onset` detects a steady state, shape (series, settings).

    Parameters
    ----------
    series : sequence of ndarray of float64, shape (n,)
        Forks, none constant.
    probability, level_p : ndarray of float64, shape (settings,)
        The detector's two options.
    """
    rows = []
    for values in series:
        with np.errstate(under="ignore"):
            scaled = to_unit_scale(values)
            whole = series_features(scaled)
            likely = stored_points().probability(plot_properties(scaled, whole))
        rows.append((likely >= probability) | (whole.level_p >= level_p))
    return np.array(rows)
