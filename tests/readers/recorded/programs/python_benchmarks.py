"""What `record.sh` runs with pytest-benchmark."""

from typing import Any

import pytest


def test_work(benchmark: Any) -> None:
    benchmark.pedantic(sum, (range(10_000),), rounds=3)


@pytest.mark.parametrize("size", [10, "a/b [ä]"])
def test_sizes(benchmark: Any, size: object) -> None:
    benchmark.pedantic(sum, (range(1_000),), rounds=2, iterations=2)


class TestKind:
    def test_method(self, benchmark: Any) -> None:
        benchmark.pedantic(sum, (range(1_000),), rounds=1)

    @pytest.mark.xfail
    def test_failing(self, benchmark: Any) -> None:
        benchmark(int, "x")
