from __future__ import annotations

import numpy as np
import pytest

from steady.stats.samples import row_medians


@pytest.mark.parametrize("columns", [1, 2, 9, 10])
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_each_row_has_its_own_median_to_the_last_bit(
    columns: int, missing: float, scale: float
) -> None:
    random = np.random.default_rng(columns)
    table = random.exponential(size=(50, columns)) * scale
    table[:, 1:][random.random((50, columns - 1)) < missing] = np.nan
    expected = [np.median(row[~np.isnan(row)]) for row in table]
    assert row_medians(table).tolist() == expected
