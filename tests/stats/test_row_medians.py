from __future__ import annotations

import numpy as np

from steady.stats.samples import row_medians
from tests.looped import looped


@looped("columns", [1, 2, 9, 10])
@looped("missing", [0.0, 0.3])
@looped("scale", [1e-300, 1.0, 1e300])
def test_each_row_has_its_own_median_to_the_last_bit(
    columns: int, missing: float, scale: float
) -> None:
    random = np.random.default_rng(columns)
    table = random.exponential(size=(50, columns)) * scale
    table[:, 1:][random.random((50, columns - 1)) < missing] = np.nan
    expected = [np.median(row[~np.isnan(row)]) for row in table]
    assert row_medians(table).tolist() == expected
