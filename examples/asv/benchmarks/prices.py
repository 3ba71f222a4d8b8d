"""Benchmarks for `asv run`."""

from shop import price, total


class Prices:
    """Two benchmarks, one of them in two cases; each runs in five processes."""

    rounds = 5
    repeat = 20

    def time_price(self) -> None:
        price(1_234_567)

    def time_total(self, lines: int) -> None:
        total([(2, 50)] * lines)

    time_total.params = [10, 10_000]
    time_total.param_names = ["lines"]
