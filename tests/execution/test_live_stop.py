"""The end of running forks and of their warm-up, compared with the literal definition."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.engine import StopRule
from steady.errors import InputError
from steady.execution.live_stop import LevelQuotient, LiveStop, Stopped
from steady.model import ExecutionConfiguration, FloatArray
from steady.papers.stops import FlatStop
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
    """Evaluate every prefix; return all, the first steady, omitted and kept iterations."""
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
def test_every_prefix_is_judged_by_the_definition(
    method: str, metric: str, threshold: float, minimum: int, warmup: int, most: int, seed: int
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


def test_it_ends_when_results_are_stable_or_complete() -> None:
    found = stopped(StopRule("georges", "cv", 0.05), [9.0] * 3 + [1.0] * 50, bound(20, 30))
    assert found is not None
    assert found.start is not None
    assert found.start <= 3 < found.warmup
    assert found.reason.endswith("at or under 0.05")
    never_steady = [1.0 + i % 2 for i in range(30)]
    found = stopped(StopRule("georges", "cv", 0.001), never_steady, bound(20, 10))
    assert found is not None
    assert (found.start, found.warmup, found.iterations) == (None, 20, 10)
    assert found.reason.startswith("not steady within 20 iterations; iteration limit")
    # Without warm-up iterations, the minimum number is kept.
    found = stopped(StopRule("georges", "cv", 0.001, 4), never_steady, bound(0, 30))
    assert found is not None
    assert (found.warmup, found.iterations) == (24, 4)


def test_invalid_rules_and_scores_are_rejected() -> None:
    for options, message in (
        ({"method": "mine"}, "unknown online stop 'mine'"),
        ({"metric": "mine"}, "unknown stability metric 'mine'"),
        ({"minimum": 2}, "2 measured iterations are too few"),
        ({"threshold": 0.0}, "threshold must lie between 0 and 1"),
    ):
        with pytest.raises(InputError, match=message):
            StopRule(**{"method": "georges", **options})  # type: ignore[arg-type]
    with pytest.raises(InputError, match="finite"):
        LiveStop(StopRule("laaber-cv"), bound(5, 5)).feed(math.inf)


ITERATIONS, HELD = 60, 27


def machine(seed: int) -> FloatArray:
    """Return the slowdown of both forks by other load in some iterations."""
    random = np.random.default_rng(seed)
    level = np.repeat(1 + 0.3 * random.random(20), random.integers(2, 9, 20))[:ITERATIONS]
    return np.asarray(level, dtype=np.float64)


def noise(seed: int) -> FloatArray:
    random = np.random.default_rng(seed)
    return np.asarray(np.exp(0.005 * random.standard_normal(ITERATIONS)), dtype=np.float64)


def start(base: FloatArray, head: FloatArray) -> int | None:
    quotient = LevelQuotient()
    for place, (one, other) in enumerate(zip(base.tolist(), head.tolist(), strict=True)):
        quotient.feed(one, other, hold=place < HELD)
    return quotient.start


def test_common_slowdowns_are_no_trend() -> None:
    for seed in range(5):
        busy = machine(seed)
        assert start(busy * noise(1), 3 * busy * noise(2)) == HELD + 1
        flat = FlatStop()
        assert not any(flat.feed(v, hold=n < HELD) for n, v in enumerate(busy.tolist()))


def test_forks_that_still_become_faster_are_not_warm() -> None:
    places = np.arange(ITERATIONS)
    falling = 1 + 9 * np.exp(-places / 40)
    assert start(falling * noise(1), falling * noise(2)) is None
    late = np.where(places < 24, 5.0, 1.0)
    assert start(noise(1), late * noise(2)) in range(40, 60)
    early = np.where(places < 12, 5.0, 1.0)
    assert start(noise(1), early * noise(2)) in range(
        HELD + 1, 40
    )  # the last two thirds no longer contain any of it
    assert start(np.zeros(ITERATIONS), np.ones(ITERATIONS)) is None


def test_the_time_limit_ends_the_warm_up_and_active_compilers_prolong_it() -> None:
    bound = ExecutionConfiguration(1, 50, 10, 0.1, 0.1)
    busy = machine(1)
    warm = {}
    for timed in (True, False):
        stop = LiveStop(StopRule("flat", timed=timed), bound, 2)
        for place, level in enumerate(busy.tolist()):
            if stop.warm:
                break
            stop.feed(level, 2 * level, hold=place < 30)
        warm[timed] = place if stop._start is not None else None
    assert warm == {True: 31, False: None}
