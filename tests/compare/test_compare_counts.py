"""The rule for counts: exact if forks agree, undecided if chance may explain a difference."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from steady.compare.counts import (
    CountJudgement,
    CountThreshold,
    fewest_values,
    judge_counts,
    lowest_rank,
)
from steady.compare.pair import Pair
from steady.model import FloatArray

LEAST = CountThreshold(0.01, 1.0)
counts = st.floats(0, 1e6, allow_subnormal=False)
sides = st.lists(counts, min_size=2, max_size=9)


def judged(
    base: object,
    head: object,
    least: CountThreshold = LEAST,
    confidence: float = 0.99,
    exchangeable: bool = False,
) -> CountJudgement:
    """Judge values of forks, or of their iterations with a row for each fork."""
    sides = (np.array(side, dtype=np.float64) for side in (base, head))
    ours, theirs = (side if side.ndim == 2 else side[:, None] for side in sides)
    return judge_counts(Pair("B/op", ours, theirs, exchangeable=exchangeable), confidence, least)


def changed(base: object, head: object, **more: object) -> bool:
    return judged(base, head, **more).judgement.apart  # type: ignore[arg-type]


def ranks_by_definition(base: int, head: int) -> FloatArray:
    """Return the number of pairs with a lower head, for every order of both sides."""
    places = range(base + head)
    below = np.zeros(base * head + 1)
    for ours in combinations(places, base):
        theirs = set(places) - set(ours)
        below[sum(h < b for b in ours for h in theirs)] += 1
    return np.cumsum(below / below.sum())


def test_ranks_match_enumeration() -> None:
    for numbers in ((2, 2), (3, 5), (5, 3), (5, 5), (4, 6), (6, 6)):
        below = ranks_by_definition(*numbers)
        for confidence in (0.8, 0.95, 0.99, 0.999):
            rank = lowest_rank(*numbers, confidence)
            alpha = (1 - confidence) / 2 * (1 + 1e-9)
            assert rank == 0 or below[rank - 1] <= alpha
            assert below[rank] > alpha
    # Many forks take the normal distribution where the exact one ends.
    assert abs(lowest_rank(20, 20, 0.99) - lowest_rank(21, 20, 0.99)) < 15
    assert lowest_rank(300, 300, 0.99) == pytest.approx(39_500, rel=0.01)
    assert [fewest_values(confidence) for confidence in (0.9, 0.95, 0.99, 0.999)] == [3, 4, 5, 7]


def test_one_more_object_is_detected_with_five_forks_per_side() -> None:
    found = judged([64.0] * 5, [96.0] * 5)
    assert (found.judgement.apart, found.judgement.interval) == (True, (0.5, 0.5))
    assert not found.unchanged
    # From nothing to something is a change without a ratio.
    found = judged([0.0] * 5, [32.0] * 5)
    assert (found.judgement.apart, found.judgement.interval) == (True, None)
    assert found.judgement.ratio == np.inf
    assert judged([0.0] * 5, [0.2] * 5).unchanged


def test_fewer_than_five_forks_may_be_unchanged_but_never_changed() -> None:
    for forks in (2, 3, 4):
        found = judged([64.0] * forks, [96.0] * forks)
        assert (found.judgement.apart, found.unchanged) == (False, False)
        assert (
            found.judgement.lacking == f"too few forks: {forks} on each side; at least 5 are needed"
        )
        assert judged([64.0] * forks, [64.0] * forks).unchanged


def test_results_of_a_single_go_process_count_individually() -> None:
    assert changed([[48.0] * 5], [[80.0] * 5], exchangeable=True)
    assert not changed([[48.0] * 4], [[80.0] * 4], exchangeable=True)
    # With enough processes, each stands by its median.
    base = [[48.0, 48.0, 99.0]] * 5
    assert judged(base, base, exchangeable=True).judgement.base.high == 48.0


def test_single_iterations_and_common_values_are_no_change() -> None:
    """Only some iterations allocate more."""
    base = np.full((5, 5), 64.0)
    head = base.copy()
    head[:, :2] = 4096.0
    assert judged(base, head).unchanged
    assert not changed([64, 64, 64, 64, 96], [96, 96, 96, 96, 96])
    assert changed([64] * 9 + [96], [96] * 10)


def test_thresholds_of_a_change() -> None:
    for base, head, expected in (
        (10_000, 10_090, False),
        (10_000, 10_100, True),
        (50, 50.9, False),
        (50, 51, True),
    ):
        assert changed([base] * 5, [head] * 5) is expected
        assert judged([base] * 5, [head] * 5).unchanged is not expected
    doubtful = CountThreshold(0.01, 1.0, uncertainty=40.0)
    found = judged([64.0] * 5, [96.0] * 5, doubtful)
    assert (found.judgement.apart, found.unchanged) == (False, False)
    assert changed([64.0] * 5, [106.0] * 5, least=doubtful)
    # What the harness adds does not count unless a side is above the other.
    blurred = CountThreshold(0.01, 1.0, tolerance=40.0)
    assert judged([10, 20, 25, 30, 35], [12, 18, 26, 31, 36], blurred).unchanged
    assert not judged([10, 12, 13, 14, 15], [16, 18, 26, 31, 36], blurred).unchanged


@given(sides, sides)
def test_sides_are_symmetric_and_outcomes_exclusive(base: list[float], head: list[float]) -> None:
    for least in (LEAST, CountThreshold(0.0, 1.0)):
        there, back = judged(base, head, least), judged(head, base, least)
        if least.fraction == 0:
            assert there.judgement.apart == back.judgement.apart
            assert there.unchanged == back.unchanged
        assert not (there.judgement.apart and there.unchanged)
        if there.judgement.apart:
            ours, theirs = np.median(base), np.median(head)
            assert abs(theirs - ours) >= max(1.0, least.fraction * ours)


@settings(max_examples=25, deadline=None)
@given(st.lists(counts, min_size=10, max_size=10, unique=True))
def test_few_permutations_of_forks_raise_an_alarm(forks: list[float]) -> None:
    """At most 2 of the 252 permutations of any forks are apart: 0.8 %."""
    alarms = 0
    for ours in combinations(range(10), 5):
        base = [forks[i] for i in ours]
        head = [forks[i] for i in range(10) if i not in ours]
        if min(head) - max(base) >= 1.0 or min(base) - max(head) >= 1.0:
            alarms += 1
            assert judged(base, head, CountThreshold(0.0, 1.0)).judgement.apart
    assert alarms <= 2


def test_bimodal_forks_rarely_raise_an_alarm() -> None:
    """Escape analysis succeeds in the same share of the forks of both versions."""
    runs = 1_000
    for share in (0.1, 0.5, 0.8):
        rng = np.random.default_rng(1)
        sides = np.where(rng.random((runs, 2, 5)) < share, 64.0, 88.0)
        alarms = sum(changed(base, head) for base, head in sides)
        assert alarms <= binom.ppf(0.9999, runs, 2 * (share * (1 - share)) ** 5)
