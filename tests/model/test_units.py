from __future__ import annotations

import numpy as np

from steady.model import as_times, direction_of, seconds_factor
from steady.model.units import SECONDS_PER_UNIT
from tests.looped import looped


@looped(
    ("unit", "direction"),
    [
        ("ns/op", "lower"),
        ("us/op", "lower"),
        ("s/op", "lower"),
        ("min/op", "lower"),
        ("ops/s", "higher"),
        ("ops/us", "higher"),
        ("ops/day", "higher"),
        ("MB/s", "higher"),
        ("B/op", "lower"),
        ("allocs/op", "lower"),
        ("", "lower"),
        ("/", "lower"),
    ],
)
def test_the_unit_tells_the_direction(unit: str, direction: str) -> None:
    assert direction_of(unit) == direction


@looped("time", ["ns", "us", "ms", "s", "min", "hr", "day"])
def test_every_time_unit_of_jmh_has_its_seconds_in_both_directions(time: str) -> None:
    assert seconds_factor(f"{time}/op") == SECONDS_PER_UNIT[time]
    assert seconds_factor(f"ops/{time}") == SECONDS_PER_UNIT[time]


def test_throughput_of_several_threads_is_turned_into_the_time_of_one() -> None:
    # 4 threads that do 8 operations a second together need half a second for each.
    assert (1.0 / 8.0) * seconds_factor("ops/s", threads=4) == 0.5
    assert seconds_factor("s/op", threads=4) == 1.0


def test_units_without_a_time_have_no_seconds() -> None:
    assert np.isnan(seconds_factor("MB/s"))
    assert np.isnan(seconds_factor("B/op"))


def test_throughput_is_turned_round_and_zero_becomes_infinite() -> None:
    assert as_times(np.array([2.0, 0.0]), "higher").tolist() == [0.5, np.inf]
    assert as_times(np.array([2.0, 0.0]), "lower").tolist() == [2.0, 0.0]
