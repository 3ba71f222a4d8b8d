"""What intervals alone can say."""

from __future__ import annotations

from steady.compare import Estimate
from steady.compare.rule import NO_REACH, Reach, apart_intervals
from tests.looped import looped


def estimate(center: float, low: float, high: float) -> Estimate:
    return Estimate(center, low, high, 1, 10)


@looped(
    ("base", "head", "apart"),
    [
        ((10, 9, 11), (12, 11.5, 13), True),
        ((10, 9, 11), (12, 11, 13), True),  # touching: the paper's prototype counts it as apart
        ((10, 9, 11), (12, 10.9, 13), False),
        ((10, 9, 11), (8, 7, 9), True),
        ((10, 10, 10), (10, 9, 11), False),  # zero width inside another: overlap
    ],
)
def test_intervals_are_apart_where_they_share_at_most_one_point(
    base: tuple[float, float, float], head: tuple[float, float, float], apart: bool
) -> None:
    judgement = apart_intervals(estimate(*base), estimate(*head))
    assert judgement.apart is apart
    assert judgement.interval is not None
    low, high = judgement.interval
    assert (low >= 0 or high <= 0) is apart


def test_reach_is_the_change_at_which_head_just_touches_base() -> None:
    base = estimate(10, 9, 10.5)
    reach = apart_intervals(base, estimate(20, 19, 22)).reach
    for change in (-reach.fall, reach.rise):
        moved = estimate(*(x / 2 * (1 + change) for x in (20, 19, 22)))
        assert min(abs(moved.low - base.high), abs(moved.high - base.low)) < 1e-12
    assert (reach.of(-0.1), reach.of(0.1)) == (reach.fall, reach.rise)
    assert reach.of(0.0) == max(reach.fall, reach.rise)


def test_a_base_of_zero_has_no_relative_interval() -> None:
    judgement = apart_intervals(estimate(0, 0, 0), estimate(5, 5, 5))
    assert (judgement.interval, judgement.apart, judgement.reach) == (None, True, Reach(0, 0))
    assert apart_intervals(estimate(0, -1, 6), estimate(5, 5, 5)).reach == NO_REACH
    assert apart_intervals(estimate(0, 0, 0), estimate(0, 0, 0)).reach == Reach(0, 0)
