"""When a running fork may end, against the literal definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.engine import StopRule
from steady.engine.live_stop import LiveStop, Stopped
from steady.errors import InputError
from steady.model import ExecutionConfiguration
from steady.stats import stability
from steady.steadystate import ONLINE

METHODS = ("georges", "laaber-cv", "kb-kssd", "t-test")


def bound(warmup: int, iterations: int) -> ExecutionConfiguration:
    return ExecutionConfiguration(1, warmup, iterations, 1.0, 1.0)


def stopped(rule: StopRule, times: list[float], most: ExecutionConfiguration) -> Stopped | None:
    stop = LiveStop(rule, most)
    for time in times:
        stop.feed(time)
    return stop.stopped


def literal(
    rule: StopRule, times: list[float], warmup: int, most: int
) -> tuple[int, int | None, int, int]:
    """Look at every prefix anew; return seen, start, left out and kept iterations."""
    longest = warmup or max(0, most - rule.minimum - 2)
    left_out = None if longest else 0
    total = most - 2 if longest and not warmup else warmup + most
    for seen in range(1, total + 1):
        online = ONLINE[rule.method].value()
        start = None
        for time in times[: min(seen, longest)]:
            if start is None:
                online.feed(time)
                start = online.start
        if left_out is None:
            if start is not None or seen >= longest:
                left_out = seen
            continue
        measured = times[left_out:seen]
        if len(measured) >= rule.minimum:
            stable = stability(measured, rule.metric) <= rule.threshold
        else:
            stable = False
        if stable or seen == total or len(measured) >= most:
            return seen, start, left_out, len(measured)
    raise AssertionError("the last prefix always ends it")


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(METHODS),
    st.sampled_from(["cv", "rciw3"]),
    st.sampled_from([0.001, 0.02, 0.2]),
    st.integers(3, 6),
    st.integers(0, 45),
    st.integers(1, 20),
    st.integers(0, 2**32),
)
def test_every_prefix_is_judged_as_the_definition_says(
    method: str,
    metric: str,
    threshold: float,
    minimum: int,
    warmup: int,
    most: int,
    seed: int,
) -> None:
    rule = StopRule(method, metric, threshold, minimum)
    generator = np.random.default_rng(seed)
    noise = np.exp(threshold * generator.standard_normal(warmup + most))
    times = [float(x) * (3.0 if i < 8 else 1.0) for i, x in enumerate(noise)]
    seen, start, left_out, kept = literal(rule, times, warmup, most)
    found = stopped(rule, times, bound(warmup, most))
    assert found is not None
    assert (found.start, found.warmup, found.iterations) == (start, left_out, kept)
    assert left_out + kept == seen
    assert stopped(rule, times[: seen - 1], bound(warmup, most)) is None


def test_it_ends_when_what_is_measured_is_stable() -> None:
    rule = StopRule("georges", "cv", 0.05)
    found = stopped(rule, [9.0] * 3 + [1.0] * 50, bound(20, 30))
    assert found is not None
    assert found.start is not None
    assert found.start <= 3 < found.warmup
    assert found.reason.endswith("at or under 0.05")


def test_never_steady_measures_after_the_longest_warmup() -> None:
    rule = StopRule("georges", "cv", 0.001)
    times = [1.0 + i % 2 for i in range(30)]
    found = stopped(rule, times, bound(20, 10))
    assert found is not None
    assert (found.start, found.warmup, found.iterations) == (None, 20, 10)
    assert found.reason.startswith("not steady within 20 iterations; as many iterations")


def test_without_a_warmup_of_its_own_the_least_number_is_kept() -> None:
    rule = StopRule("georges", "cv", 0.001, 4)
    found = stopped(rule, [1.0 + i % 2 for i in range(30)], bound(0, 30))
    assert found is not None
    assert (found.warmup, found.iterations) == (24, 4)


def test_a_score_that_is_no_number_is_refused() -> None:
    stop = LiveStop(StopRule("laaber-cv"), bound(5, 5))
    with pytest.raises(InputError, match="finite"):
        stop.feed(math.inf)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "mine"}, "unknown online stop 'mine'"),
        ({"metric": "mine"}, "unknown stability metric 'mine'"),
        ({"minimum": 2}, "2 measured iterations are too few"),
        ({"threshold": 0.0}, "threshold must lie between 0 and 1"),
    ],
)
def test_a_rule_that_cannot_be_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        StopRule(**{"method": "georges", **options})  # type: ignore[arg-type]
