"""Benchmarks for `pytest benchmarks`; requires pytest-benchmark."""

from typing import Any

import pytest
from shop import price, total


def test_price(benchmark: Any) -> None:
    assert benchmark(price, 1_234_567) == "12,345.67"


@pytest.mark.parametrize("lines", [10, 10_000])
def test_total(benchmark: Any, lines: int) -> None:
    assert benchmark(total, [(2, 50)] * lines) == 100 * lines
