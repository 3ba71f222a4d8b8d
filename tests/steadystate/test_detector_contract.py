"""Contract tests of all registered steady-state detectors, and validation of options."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from steady.errors import InputError
from steady.steadystate import METHODS, ONLINE, SteadyState, detect
from steady.steadystate.detection import MINIMUM_ITERATIONS
from tests.looped import looped
from tests.steadystate.series import those_in_time, warming_up

# Contract tests of all registered steady-state detectors.


each_method = pytest.mark.parametrize("method", those_in_time(METHODS))

LENGTHS = [*range(10, 20), 29, 30, 31, 39, 60, 99, 100, 101, 102, 299, 300, 500]
MANY = {10, 11, 30, 100}
"""Lengths with several test series; other lengths have one of each kind."""


def check(state: SteadyState, length: int, method: str) -> None:
    stands_for = {"recommended": {"onset"}, "by-length": {"by-length", "onset", "kb-kssd"}}
    assert state.method in stands_for.get(method, {method})
    assert state.reason
    assert "\n" not in state.reason
    assert state.start is None or (type(state.start) is int and 0 <= state.start < length)
    assert state.steady == (state.start is not None)
    if state.warmup_end is not None:
        assert type(state.warmup_end) is int
        assert 0 <= state.warmup_end < length
    starts = [start for start, _ in state.intervals]
    assert starts == sorted(set(starts))
    assert all(0 <= start < length for start in starts)
    assert all(0 <= probability <= 1 for _, probability in state.intervals)


@each_method
def test_result_is_in_range(method: str) -> None:
    for length in LENGTHS:
        for seed in range(5) if length in MANY else (length,):
            check(detect(warming_up(length, seed), method), length, method)
            noise = np.random.default_rng(seed).exponential(size=length)
            check(detect(noise, method), length, method)


@each_method
def test_repetition_type_and_missing_values_have_no_effect(method: str) -> None:
    values = warming_up(300)
    values[5] = 100
    before = values.copy()
    values.flags.writeable = False
    expected = detect(values, method)
    assert detect(before, method) == expected
    np.testing.assert_array_equal(values, before)
    assert detect(np.append(values, [np.nan] * 17), method) == expected
    assert detect([*values.tolist(), None], method) == expected
    counts = np.random.default_rng(3).integers(90, 110, 200)
    counts[:40] += 100
    expected = detect(counts.astype(np.float64), method)
    column = np.stack([counts, counts])[:, ::1].T[:, 0]
    for same in (counts, counts.tolist(), column, counts.astype(object)):
        assert detect(same, method) == expected


@each_method
def test_the_unit_has_no_effect(method: str) -> None:
    for length in (10, 60, 300, 1000):
        values = warming_up(length)
        expected = detect(values, method)
        for factor in (1e-200, 1e-9, 1e3, 1e200, 2.0**-1000):
            with np.errstate(all="raise"):
                assert detect(values * factor, method) == expected, (length, factor)


@each_method
def test_a_constant_series_is_steady_from_the_start(method: str) -> None:
    for value, length in product([0.0, 0.1, 1.0, 1 / 3, 1e-200, 1e300, -2.0], [10, 11, 60, 3000]):
        assert detect(np.full(length, value), method).start == 0, (value, length)


@each_method
def test_a_short_series_is_never_steady(method: str) -> None:
    assert detect(np.full(20, np.nan), method).start is None
    for length in range(MINIMUM_ITERATIONS):
        for values in (np.ones(length), np.arange(length, dtype=np.float64)):
            state = detect(values, method)
            assert state.start is None
            assert state.reason == f"too few iterations: {length}, but 10 are needed"


@each_method
def test_invalid_series_are_rejected(method: str) -> None:
    values = warming_up(100)
    for bad in (np.nan, np.inf, -np.inf):
        values[30] = values[50] = bad
        named = rf"iteration 30 \(counted from 0\) is {bad}; every iteration must be a finite"
        with pytest.raises(InputError, match=named):
            detect(values, method)
    refused: tuple[Any, ...] = (
        *(np.ones((2, 50)), 3.0, ["fast", "slow"] * 10, np.ones(20) * 1j, [[1.0], [1.0, 2.0]]),
        [10**400] * 20,
    )
    for other in refused:
        with pytest.raises(InputError):
            detect(other, method)


# Options of detectors that are out of range.


REFUSED: dict[str, dict[str, list[object]]] = {
    "kb-kssd": {
        "outlier_window": [0],
        "kernel": [0, 26],
        "step_window": [7.5],
        "probability_window": [2],
        "percentiles": [(60.0, 98.0)],
        "t_crit": [0.0, math.nan],
        "probability": [1.5],
    },
    "cp-ssd": {
        "outlier_window": [0],
        "outlier_factor": [0.0, math.inf],
        "unfiltered": [-1],
        "min_change": [0.0],
        "confidence": [1.0],
        "steady_share": [1.5],
        "resamples": [0],
        "seed": [-1, True],
    },
    "sdm": {"batch": [1], "slope_crit": [0.0]},
    "t-test": {"batch": [1], "t_crit": [-1.0]},
    "r-test": {"r_crit": [0.0], "settling": [8], "lambdas": [(0.03, 1.0, 0.05), (0.03, 0.05)]},
    "georges": {"window": [1], "threshold": [0.0]},
    "laaber-cv": {"batch": [0], "threshold": [0.0]},
    "laaber-rciw": {"batch": [0], "threshold": [0.0], "confidence": [1.0]},
    "laaber-kld": {"batch": [0], "threshold": [0.0]},
    "fcn": {"threshold": [math.nan, math.inf]},
    "oscnn": {"threshold": [math.nan, math.inf]},
    "rocket": {"threshold": [math.nan, math.inf]},
    "flat": {"tolerance": [0.0], "fewest": [9]},
    "onset": {"probability": [0.0, 1.0], "level_p": [0.0, 1.0]},
}


@looped("name", REFUSED)
def test_detectors_and_stops_name_an_invalid_option(name: str) -> None:
    for option, values in REFUSED[name].items():
        for value in values:
            with pytest.raises(InputError, match=rf"{option}.*must|{option} of 2 x 26"):
                detect(np.linspace(1, 2, 50), name, **{option: value})
            if value != 26:  # a stop runs again on longer series
                with pytest.raises(InputError, match=option):
                    ONLINE[name].value(**{option: value})


def test_messages_name_the_expected_values() -> None:
    for options, message in (
        ({"kernel": 0}, "kernel must be a whole number from 1 up"),
        ({"step_window": 7.5}, "step_window must be a whole number from 1 up, but is 7.5"),
        ({"percentiles": (60.0, 98.0)}, "percentiles must lie on either side of 50"),
        ({"t_crit": 0.0}, "t_crit must be above 0"),
        ({"probability": 1.5}, "probability must lie above 0 and not above 1"),
        ({"kernel": 26}, "a kernel of 2 x 26 iterations is longer than the series"),
    ):
        with pytest.raises(InputError, match=message):
            detect(np.linspace(1, 2, 50), "kb-kssd", **options)
