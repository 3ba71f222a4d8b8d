from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from steady.errors import InputError
from steady.model import Benchmark, Identity, Level

LEVELS = (Level("fork", 0.5), Level("iteration"))


def bench(values: object, *, unit: str = "ns/op", warmup: int = 0) -> Benchmark:
    return Benchmark(Identity("org.B.a"), unit, np.array(values), LEVELS, warmup=warmup)


def test_measurements_are_copied_and_frozen() -> None:
    values = np.ones((2, 3))
    benchmark = bench(values)
    values[0, 0] = 7.0
    assert benchmark.measurements[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        benchmark.measurements[0, 0] = 7.0


def test_measured_leaves_out_what_ran_as_warmup() -> None:
    assert bench([[9, 1, 2], [9, 3, 4]], warmup=1).measured.tolist() == [[1, 2], [3, 4]]


def test_seconds_per_operation_in_both_directions() -> None:
    assert bench([[2.0]], unit="us/op").seconds_per_operation[0, 0] == pytest.approx(2e-6)
    assert bench([[4.0]], unit="ops/ms").seconds_per_operation[0, 0] == pytest.approx(2.5e-4)


def test_one_level_for_each_axis() -> None:
    with pytest.raises(InputError, match=r"org\.B\.a: 1 axes of measurements for 2 levels"):
        bench([1.0, 2.0])
    with pytest.raises(InputError, match="0 axes of measurements for 0 levels"):
        Benchmark(Identity("org.B.a"), "ns/op", np.array(1.0), ())


def test_warmup_cannot_be_longer_than_the_series() -> None:
    with pytest.raises(InputError, match="4 warm-up iterations of 3"):
        bench([[1, 2, 3]], warmup=4)


def test_an_array_that_nobody_can_change_is_not_copied() -> None:
    values = np.array([[1.0, 2.0]])
    copied = Benchmark(Identity("a"), "s/op", values, LEVELS)
    assert not np.shares_memory(copied.measurements, values)
    assert replace(copied, unit="ms/op").measurements is copied.measurements
    view = values[:]
    view.flags.writeable = False  # what it looks at can still change
    assert not np.shares_memory(replace(copied, measurements=view).measurements, values)
