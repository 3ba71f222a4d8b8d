"""Downsampling preserves all extremes and adds none."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from steady.plots.downsampling import downsample


@given(arrays(np.float64, st.integers(0, 300), elements=st.floats(-10, 10)), st.integers(2, 60))
def test_downsampling_keeps_order_extremes_and_limit(values: np.ndarray, most: int) -> None:
    positions, kept = downsample(values, most)
    assert len(kept) <= max(most, 2)
    assert (np.diff(positions) > 0).all()
    np.testing.assert_array_equal(values[positions.astype(int)], kept)
    if values.size:
        assert kept.min() == values.min()
        assert kept.max() == values.max()


def test_missing_values_are_dropped() -> None:
    positions, kept = downsample(np.array([1.0, np.nan, 3.0, np.inf]), 10)
    assert (positions.tolist(), kept.tolist()) == ([0, 2], [1, 3])
