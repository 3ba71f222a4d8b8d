"""What every registered rule owes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.compare import RULES
from steady.compare.pair import Pair
from steady.compare.rule import Judgement, RuleOptions
from tests.looped import looped

pytestmark = pytest.mark.parametrize("rule", list(RULES))

FloatArray = npt.NDArray[np.float64]


def judge(rule: str, pairs: list[Pair], confidence: float = 0.99) -> list[Judgement]:
    return RULES[rule].value.judge(pairs, RuleOptions(confidence, resamples=2000))


def noisy_pairs(count: int = 8, forks: int = 4, slowdown: float = 1.0) -> list[Pair]:
    generator = np.random.default_rng(42)
    levels = generator.normal(0, 0.01, (count, 2, forks, 1))
    values = 50 * np.exp(levels + generator.normal(0, 0.01, (count, 2, forks, 12)))
    return [Pair("ns/op", base, slowdown * head) for base, head in values]


def test_says_how_it_decides_and_how_often_it_errs(rule: str) -> None:
    entry = RULES[rule]
    assert entry.source
    assert entry.value.statement.endswith(".")
    assert "Measured" in entry.value.false_alarms


def test_no_pairs_no_judgements(rule: str) -> None:
    assert judge(rule, []) == []


def test_one_judgement_a_pair_with_what_stands_behind_it(rule: str) -> None:
    base, head = np.full((3, 5), 10.0), np.full((2, 4), 10.0)
    base[2, 3:] = np.nan
    [judgement] = judge(rule, [Pair("ns/op", base, head)])
    assert (judgement.base.forks, judgement.base.iterations) == (3, 13)
    assert (judgement.head.forks, judgement.head.iterations) == (2, 8)


def test_intervals_hold_their_centers(rule: str) -> None:
    for judgement in judge(rule, noisy_pairs()):
        for side in (judgement.base, judgement.head):
            assert side.low <= side.center <= side.high


def test_the_same_results_are_never_apart(rule: str) -> None:
    pairs = [Pair(p.unit, p.base, p.base) for p in noisy_pairs()]
    assert not any(judgement.apart for judgement in judge(rule, pairs))


def test_twice_as_slow_is_found_in_both_directions(rule: str) -> None:
    slower = noisy_pairs(slowdown=2.0)
    faster = [Pair(p.unit, p.head, p.base) for p in slower]
    for judgements, sign in ((judge(rule, slower), 1), (judge(rule, faster), -1)):
        for judgement in judgements:
            assert judgement.apart
            assert sign * (judgement.head.center - judgement.base.center) > 0


def test_scale_does_not_matter(rule: str) -> None:
    pairs = noisy_pairs(slowdown=1.04)
    scaled = [Pair(p.unit, p.base * 1e-9, p.head * 1e-9) for p in pairs]
    for one, other in zip(judge(rule, pairs), judge(rule, scaled), strict=True):
        assert one.apart == other.apart
        assert one.interval == pytest.approx(other.interval)
        assert one.reach.fall == pytest.approx(other.reach.fall)
        assert one.reach.rise == pytest.approx(other.reach.rise)


def test_slowing_head_down_multiplies_the_interval(rule: str) -> None:
    """So that ``evaluation/verdicts.py`` needs one judgement for every slowdown."""
    for plain, slowed in zip(
        judge(rule, noisy_pairs()), judge(rule, noisy_pairs(slowdown=1.07)), strict=True
    ):
        assert plain.interval is not None
        assert slowed.interval is not None
        assert slowed.interval == pytest.approx(1.07 * (1 + np.array(plain.interval)) - 1)
        assert slowed.apart == (slowed.interval[0] > 0 or slowed.interval[1] < 0)


def test_order_of_benchmarks_does_not_matter(rule: str) -> None:
    pairs = noisy_pairs(slowdown=1.04)
    backwards = judge(rule, pairs[::-1])[::-1]
    for one, other in zip(judge(rule, pairs), backwards, strict=True):
        assert one.interval == pytest.approx(other.interval)


def test_order_of_forks_does_not_matter_for_what_is_decided(rule: str) -> None:
    pairs = noisy_pairs(slowdown=1.3)
    turned = [Pair(p.unit, p.base[::-1], p.head[::-1]) for p in pairs]
    for one, other in zip(judge(rule, pairs), judge(rule, turned), strict=True):
        assert one.apart == other.apart
        assert one.base.center == pytest.approx(other.base.center)


def test_more_confidence_is_a_wider_interval(rule: str) -> None:
    for loose, strict in zip(
        judge(rule, noisy_pairs(), 0.9), judge(rule, noisy_pairs(), 0.99), strict=True
    ):
        assert loose.interval is not None
        assert strict.interval is not None
        assert strict.interval[0] < loose.interval[0] < loose.interval[1] < strict.interval[1]


def test_same_input_same_answer(rule: str) -> None:
    assert judge(rule, noisy_pairs()) == judge(rule, noisy_pairs())


@looped("shape", [(1, 1), (1, 7), (5, 1), (2, 2)])
def test_degenerate_shapes_get_an_answer(rule: str, shape: tuple[int, int]) -> None:
    values = np.random.default_rng(1).normal(100, 1, (2, *shape))
    [judgement] = judge(rule, [Pair("ns/op", *values)])
    assert np.isfinite([judgement.base.low, judgement.head.high]).all()
    known = np.isfinite([judgement.reach.fall, judgement.reach.rise])
    assert known.all() if not judgement.lacking else not known.any()


@looped("many", [1, 5])
def test_a_single_result_on_a_side_decides_nothing(rule: str, many: int) -> None:
    """One result a side was ``+20.0 % (+20.0 to +20.0)``, and equal ones an exact "unchanged"."""
    [judgement] = judge(rule, [Pair("ns/op", np.full((1, 1), 10.0), np.full((many, 1), 12.0))])
    assert not judgement.apart
    assert judgement.interval is None
    assert (judgement.reach.fall, judgement.reach.rise) == (np.inf, np.inf)
    assert judgement.lacking.startswith("too few results: 1 ")
    assert judgement.lacking.endswith("; give 2 or more")


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    shape=st.tuples(st.integers(1, 6), st.integers(1, 8)),
    noise=st.sampled_from([0.0, 0.003, 0.03, 0.3]),
    slowdown=st.sampled_from([0.25, 0.8, 0.95, 1.0, 1.03, 1.3, 3.4]),
    alike=st.booleans(),
    paired=st.booleans(),
)
def test_a_change_is_found_exactly_where_it_is_beyond_the_reach(
    rule: str,
    seed: int,
    shape: tuple[int, int],
    noise: float,
    slowdown: float,
    alike: bool,
    paired: bool,
) -> None:
    """+244 % was unchanged beside "detectable 196 %", -38.7 % reported beside "393.6 %"."""
    generator = np.random.default_rng(seed)
    levels = generator.normal(0, noise, (4, 2, shape[0], 1))
    values = 50 * np.exp(levels + generator.normal(0, noise, (4, 2, *shape)))
    rounds = np.repeat(np.arange(shape[0] if paired else 0)[:, np.newaxis], 2, axis=1)
    pairs = [Pair("ns/op", b, slowdown * h, rounds, alike=alike) for b, h in values]
    options = RuleOptions(resamples=200)
    for judgement in RULES[rule].value.judge(pairs, options):
        ratio = judgement.head.center / judgement.base.center - 1
        size = abs(ratio) + (1e-9 if judgement.apart else -1e-9)  # where it just touches
        beyond = ratio != 0 and size >= judgement.reach.of(ratio)
        assert judgement.apart == beyond


@looped("direction", [-1, 1])
def test_head_scaled_to_the_reach_is_just_found(rule: str, direction: int) -> None:
    """The reach is a size of the change itself, however lopsided the two intervals are."""
    [first, *_] = pairs = noisy_pairs(4)
    judgement = judge(rule, pairs)[0]
    size = judgement.reach.of(direction)
    ratio = judgement.head.center / judgement.base.center
    for factor, found in ((1 + 1e-6, True), (1 - 1e-6, False)):
        scale = (1 + direction * size * factor) / ratio
        moved = [Pair(first.unit, first.base, scale * first.head), *pairs[1:]]
        assert judge(rule, moved)[0].apart is found


@looped(("base", "head"), [(0.0, 0.0), (0.0, 5.0), (5.0, 0.0)])
def test_zeros_get_an_answer(rule: str, base: float, head: float) -> None:
    tables = np.full((3, 4), base), np.full((3, 4), head)
    [judgement] = judge(rule, [Pair("B/op", *tables)])
    assert judgement.apart == (base != head)
    assert (judgement.base.center, judgement.head.center) == (base, head)
