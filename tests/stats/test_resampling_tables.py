"""What the bootstrap metrics share: resamples, products of matrices, medians of rows."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from steady.stats.mean_bootstrap import all_resamples
from steady.stats.quantiles import outer_places
from steady.stats.samples import matrix_product, row_medians
from tests.looped import looped


@looped("size", range(1, 7))
def test_resamples_are_those_of_all_ordered_draws(size: int) -> None:
    draws = itertools.product(range(size), repeat=size)
    tally = Counter(tuple(draw.count(value) for value in range(size)) for draw in draws)
    counts, probabilities = all_resamples(size)
    found = dict(zip(map(tuple, counts.T.astype(int).tolist()), probabilities, strict=True))
    assert found == pytest.approx({key: n / size**size for key, n in tally.items()}, rel=1e-12)


@looped("shape", [(1, 1, 1), (3, 8, 6435), (700, 900, 3), (2, 400_000, 2)])
def test_product_in_pieces_is_the_product(shape: tuple[int, int, int]) -> None:
    rows, inner, columns = shape
    random = np.random.default_rng(0)
    left = random.normal(size=(rows, inner))
    right = random.integers(0, 5, (inner, columns)).astype(np.uint8)
    assert matrix_product(left, right) == pytest.approx(left @ right.astype(float), abs=1e-9)


@looped(
    ("tail", "expected"),
    [(0.05, (1, 4)), (0.1, (1, 4)), (0.1001, (2, 4)), (0.2, (2, 4)), (0.3, (2, 4)), (0.45, (3, 3))],
)
def test_quantiles_take_the_outer_value_where_probabilities_meet(
    tail: float, expected: tuple[float, float]
) -> None:
    values = np.array([[3.0, 1.0, 4.0, 2.0]])
    probabilities = np.array([0.4, 0.1, 0.3, 0.2])
    [lower], [upper] = outer_places(values, probabilities, tail)
    assert (values[0, lower], values[0, upper]) == expected


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
