"""Contract tests of all registered online stops, and of `StabilityStop`."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from steady.errors import InputError, UnknownNameError
from steady.model import FloatArray
from steady.stats import METRICS as STABILITY_METRICS
from steady.stats import stability
from steady.steadystate import METHODS, ONLINE, OnlineStop, RerunStop, StabilityStop, detect
from tests.looped import looped
from tests.steadystate.series import those_in_time, warming_up

every_stop = pytest.mark.parametrize("name", those_in_time(ONLINE))
RERUN = [name for name in ONLINE if isinstance(ONLINE[name].value(), RerunStop)]


def fed(stop: OnlineStop, values: FloatArray) -> int | None:
    """Feed a stop until it ends, and return the number of iterations."""
    for count, value in enumerate(values.tolist(), 1):
        if stop.feed(value):
            return count
        assert stop.start is None
    return None


def test_every_method_has_an_online_stop() -> None:
    assert list(ONLINE) == list(METHODS)
    assert {"kb-kssd", "cp-ssd"} <= set(RERUN)
    assert not {"sdm", "t-test", "r-test", "georges", "laaber-cv"} & set(RERUN)


@every_stop
def test_the_start_is_within_the_series_and_constant(name: str) -> None:
    for seed in range(3):
        stop = ONLINE[name].value()
        values = warming_up(120, seed)
        count = fed(stop, values)
        if count is None:
            assert stop.start is None
            continue
        start = stop.start
        assert type(start) is int
        assert 0 <= start <= count
        assert stop.feed(50.0)
        assert stop.start == start


@every_stop
@looped("bad", [math.nan, math.inf, -math.inf])
def test_invalid_values_are_rejected(name: str, bad: float) -> None:
    for stop in (ONLINE[name].value(), StabilityStop()):
        stop.feed(1.0)
        with pytest.raises(InputError, match=r"iteration 1 \(counted from 0\) is -?(nan|inf)"):
            stop.feed(bad)


@pytest.mark.parametrize("name", those_in_time(one for one in ONLINE if one not in RERUN))
@looped("length", [40, 61, 150])
def test_own_stops_agree_with_their_detectors(name: str, length: int) -> None:
    for seed in range(5):
        values = warming_up(length, seed)
        stop = ONLINE[name].value()
        fed(stop, values)
        start = stop.start if stop.start != length else None
        assert start == detect(values, name).start


@looped("name", RERUN)
@looped(("minimum", "growth"), [(10, 1.25), (30, 1.5), (20, 1.01)])
def test_reruns_are_the_documented_ones(name: str, minimum: int, growth: float) -> None:
    values = warming_up(80)
    lengths = [minimum]
    while lengths[-1] <= len(values):
        lengths.append(max(lengths[-1] + 1, math.ceil(lengths[-1] * growth)))
    expected = None
    starts = [detect(values[:length], name).start for length in lengths if length <= len(values)]
    for (before, start), length in zip(pairwise(starts), lengths[1:], strict=False):
        if start is not None and before is not None and start <= before:
            expected = (length, start)
            break
    stop = ONLINE[name].value(minimum=minimum, growth=growth)
    count = fed(stop, values)
    assert (None if count is None else (count, stop.start)) == expected


def test_a_rerun_waits_for_the_end_of_the_warm_up() -> None:
    values = np.random.default_rng(0).normal(1, 0.01, 200)
    values[:60] += np.linspace(2, 1, 60)
    stop = ONLINE["cp-ssd"].value()
    count = fed(stop, values)
    assert count is not None
    assert count > 60
    assert stop.start is not None
    assert stop.start >= 58


@looped("metric", list(STABILITY_METRICS))
def test_the_measurement_stops_when_the_metric_is_stable(metric: str) -> None:
    values = warming_up(40)[8:]
    stop = StabilityStop(metric, 0.02, 5, resamples=200)
    for count, value in enumerate(values.tolist(), 1):
        stable = stop.feed(value)
        expected = stability(values[:count], metric, resamples=200) if count >= 5 else math.inf
        assert stop.stability == expected
        assert stable == (expected <= 0.02)


def test_the_measurement_is_never_shorter_than_the_minimum() -> None:
    stop = StabilityStop("cv", 0.5, 7)
    assert [stop.feed(1.0) for _ in range(8)] == [False] * 6 + [True] * 2


@looped(
    ("options", "message"),
    [
        ({"threshold": 0.0}, "threshold"),
        ({"minimum": 1}, "minimum"),
        ({"confidence": 1.0}, "confidence"),
        ({"metric": "rciw2", "resamples": 50}, r"50 resamples cannot show a confidence of 0\.99"),
        ({"metric": "x"}, "x"),
    ],
)
def test_options_of_the_measurement_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, UnknownNameError), match=message):
        StabilityStop(**options)
