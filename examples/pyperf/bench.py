"""Benchmarks for `python bench.py`; requires pyperf."""

import pyperf
from shop import price, total

runner = pyperf.Runner()
runner.bench_func("price", price, 1_234_567)
for lines in (10, 10_000):
    runner.bench_func(f"total of {lines}", total, [(2, 50)] * lines)
