"""Who is looked at again, how often, and what that does to false alarms and power."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from steady.compare import RULES, Judgement, Pair, RuleOptions
from steady.compare.comparison import relative_change
from steady.compare.second_look import Wish, second_look, within_budget

RULE = RULES["paired-t"].value
OPTIONS = RuleOptions()
MIN_CHANGE = 0.03

FloatArray = npt.NDArray[np.float64]


def pairs_of(base: FloatArray, head: FloatArray) -> list[Pair]:
    """Make pairs from the medians of forks, shape (benchmarks, rounds)."""
    rounds = np.repeat(np.arange(base.shape[1])[:, np.newaxis], 2, axis=1)
    sides = zip(base[..., np.newaxis], head[..., np.newaxis], strict=True)
    return [Pair("ns/op", *both, rounds) for both in sides]


def noisy(
    seed: int, slowdowns: list[float], *, rounds: int = 5, spread: float = 0.02
) -> list[Pair]:
    shape = (2, len(slowdowns), rounds)
    logs = np.random.default_rng(seed).normal(0, spread, shape)
    return pairs_of(100 * np.exp(logs[0]), 100 * np.exp(logs[1]) * np.array(slowdowns)[:, None])


def test_what_is_apart_comes_first_and_what_is_equal_not_at_all() -> None:
    pairs = noisy(1, [1.0] * 8 + [1.5, 1.1], spread=0.005)
    wishes = second_look(pairs, RULE, OPTIONS, MIN_CHANGE)
    assert [wish.index for wish in wishes[:2]] == [8, 9]
    assert len(wishes) <= 4


def test_differences_too_small_to_count_are_not_looked_at() -> None:
    pairs = noisy(2, [1.01] * 10, spread=0.0005)
    assert all(judgement.apart for judgement in RULE.judge(pairs, OPTIONS))
    assert second_look(pairs, RULE, OPTIONS, MIN_CHANGE) == []


def test_at_least_as_many_rounds_again_and_at_most_four_times_as_many() -> None:
    clear = second_look(noisy(3, [1.0] * 8 + [2.0], spread=0.005), RULE, OPTIONS, MIN_CHANGE)[0]
    assert (clear.index, clear.rounds, clear.least) == (8, 5, 5)
    murky = second_look(noisy(4, [1.1] * 9, spread=0.1), RULE, OPTIONS, MIN_CHANGE)
    assert max(wish.rounds for wish in murky) == 20
    assert min(wish.rounds for wish in murky) >= 5


def test_a_change_from_zero_of_unknown_reach_is_looked_at_once_more_and_comes_first() -> None:
    sometimes = np.array([[0.0, 0.0, 16.0]] * 3)
    counts = Pair("errors/op", sometimes, np.full((3, 3), 100.0))
    clear = noisy(3, [1.0] * 8 + [2.0], spread=0.005)
    wishes = second_look([*clear, counts], RULE, OPTIONS, MIN_CHANGE)
    assert [(wish.index, wish.rounds) for wish in wishes[:2]] == [(9, 3), (8, 5)]


def test_the_budget_goes_to_the_most_suspicious_and_is_never_passed() -> None:
    wishes = [Wish(2, 10, 5), Wish(0, 20, 5), Wish(1, 5, 5)]
    granted = within_budget(wishes, [1.0, 2.0, 3.0], budget=47.0)
    assert granted == [(2, 10), (0, 17)]
    assert within_budget(wishes, [1.0, 2.0, 3.0], budget=42.0) == [(2, 10), (0, 12)]
    assert within_budget(wishes, [1.0, 2.0, 3.0], budget=14.0) == [(0, 14)]
    assert within_budget(wishes[::2], [1.0, 2.0, 3.0], budget=14.0) == [(1, 5)]
    assert within_budget(wishes, [1.0, 2.0, 3.0], budget=0.0) == []


def changed(judgement: Judgement) -> bool:
    ratio = relative_change(judgement.base.center, judgement.head.center)
    return judgement.apart and abs(ratio) >= MIN_CHANGE


@pytest.mark.parametrize(("slowdown", "gain"), [(1.0, False), (1.05, True)])
def test_false_alarms_fall_and_power_rises(slowdown: float, gain: bool) -> None:
    """2,000 benchmarks whose forks spread like real ones, in suites of 40."""
    generator = np.random.default_rng(11)
    once = twice = 0
    for _ in range(50):
        spread = 0.015 * np.sqrt(2 / generator.chisquare(2, (40, 1)))
        logs = generator.normal(0, 1, (2, 40, 25)) * spread
        base, head = 100 * np.exp(logs[0]), 100 * slowdown * np.exp(logs[1])
        first = pairs_of(base[:, :5], head[:, :5])
        once += sum(map(changed, RULE.judge(first, OPTIONS)))
        final = list(first)
        for wish in second_look(first, RULE, OPTIONS, MIN_CHANGE):
            count = 5 + wish.rounds
            row = slice(wish.index, wish.index + 1)
            [final[wish.index]] = pairs_of(base[row, :count], head[row, :count])
        twice += sum(map(changed, RULE.judge(final, OPTIONS)))
    if gain:
        assert twice > 1.2 * once
    else:
        assert twice < 0.5 * once
        assert twice <= 0.005 * 2000
