"""The contract of all registered rules."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.compare import RULES
from steady.compare.pair import Pair
from steady.compare.rule import Judgement, RuleOptions

pytestmark = pytest.mark.parametrize("rule", list(RULES))


def judge(rule: str, pairs: list[Pair], confidence: float = 0.99) -> list[Judgement]:
    return RULES[rule].value.judge(pairs, RuleOptions(confidence, resamples=2000))


def noisy_pairs(count: int = 8, forks: int = 4, slowdown: float = 1.0) -> list[Pair]:
    generator = np.random.default_rng(42)
    levels = generator.normal(0, 0.01, (count, 2, forks, 1))
    values = 50 * np.exp(levels + generator.normal(0, 0.01, (count, 2, forks, 12)))
    return [Pair("ns/op", base, slowdown * head) for base, head in values]


def test_a_rule_describes_its_method_and_counts_its_data(rule: str) -> None:
    entry = RULES[rule]
    assert entry.source
    assert entry.value.statement.endswith(".")
    assert "Measured" in entry.value.false_alarms
    assert judge(rule, []) == []
    base, head = np.full((3, 5), 10.0), np.full((2, 4), 10.0)
    base[2, 3:] = np.nan
    [judgement] = judge(rule, [Pair("ns/op", base, head)])
    assert (judgement.base.forks, judgement.base.iterations) == (3, 13)
    assert (judgement.head.forks, judgement.head.iterations) == (2, 8)


def test_higher_confidence_widens_the_interval_about_its_center(rule: str) -> None:
    judged = judge(rule, noisy_pairs())
    assert judged == judge(rule, noisy_pairs())
    for loose, strict in zip(judge(rule, noisy_pairs(), 0.9), judged, strict=True):
        for side in (strict.base, strict.head):
            assert side.low <= side.center <= side.high
        assert loose.interval is not None
        assert strict.interval is not None
        assert strict.interval[0] < loose.interval[0] < loose.interval[1] < strict.interval[1]


def test_equal_results_are_not_apart_and_a_factor_of_two_is(rule: str) -> None:
    slower = noisy_pairs(slowdown=2.0)
    faster = [Pair(p.unit, p.head, p.base) for p in slower]
    for pairs, sign in ((slower, 1), (faster, -1)):
        assert not any(j.apart for j in judge(rule, [Pair(p.unit, p.base, p.base) for p in pairs]))
        for judgement in judge(rule, pairs):
            assert judgement.apart
            assert sign * (judgement.head.center - judgement.base.center) > 0


def test_judgements_are_invariant_to_scale_and_order(rule: str) -> None:
    pairs = noisy_pairs(slowdown=1.04)
    scaled = [Pair(p.unit, p.base * 1e-9, p.head * 1e-9) for p in pairs]
    sides = judge(rule, pairs), judge(rule, scaled), judge(rule, pairs[::-1])[::-1]
    for one, small, other in zip(*sides, strict=True):
        assert one.apart == small.apart
        assert one.interval == pytest.approx(small.interval)
        assert one.detectable.decrease == pytest.approx(small.detectable.decrease)
        assert one.detectable.increase == pytest.approx(small.detectable.increase)
        assert one.interval == pytest.approx(other.interval)
    pairs = noisy_pairs(slowdown=1.3)
    turned = [Pair(p.unit, p.base[::-1], p.head[::-1]) for p in pairs]
    for one, other in zip(judge(rule, pairs), judge(rule, turned), strict=True):
        assert one.apart == other.apart
        assert one.base.center == pytest.approx(other.base.center)


def test_scaling_head_scales_the_interval(rule: str) -> None:
    """``evaluation/verdicts.py`` relies on this for simulated slowdowns."""
    judged = judge(rule, noisy_pairs()), judge(rule, noisy_pairs(slowdown=1.07))
    for plain, slowed in zip(*judged, strict=True):
        assert plain.interval is not None
        assert slowed.interval is not None
        assert slowed.interval == pytest.approx(1.07 * (1 + np.array(plain.interval)) - 1)
        assert slowed.apart == (slowed.interval[0] > 0 or slowed.interval[1] < 0)


def test_degenerate_shapes_and_zeros_are_judged(rule: str) -> None:
    for shape in ((1, 1), (1, 7), (5, 1), (2, 2)):
        values = np.random.default_rng(1).normal(100, 1, (2, *shape))
        [judgement] = judge(rule, [Pair("ns/op", *values)])
        assert np.isfinite([judgement.base.low, judgement.head.high]).all()
        known = np.isfinite([judgement.detectable.decrease, judgement.detectable.increase])
        assert known.all() if not judgement.lacking else not known.any()
    for base, head in ((0.0, 0.0), (0.0, 5.0), (5.0, 0.0)):
        [judgement] = judge(rule, [Pair("B/op", np.full((3, 4), base), np.full((3, 4), head))])
        assert judgement.apart == (base != head)
        assert (judgement.base.center, judgement.head.center) == (base, head)


def test_a_single_result_on_a_side_is_undecided(rule: str) -> None:
    """A single result per side must not give an interval of zero width."""
    for many in (1, 5):
        [judgement] = judge(rule, [Pair("ns/op", np.full((1, 1), 10.0), np.full((many, 1), 12.0))])
        assert (judgement.apart, judgement.interval) == (False, None)
        assert (judgement.detectable.decrease, judgement.detectable.increase) == (np.inf, np.inf)
        assert judgement.lacking.startswith("too few results: 1 ")
        assert judgement.lacking.endswith("; at least 2 are needed")


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.tuples(st.integers(1, 6), st.integers(1, 8)), st.booleans())
def test_a_change_is_significant_if_it_exceeds_the_detectable_one(
    rule: str, seed: int, shape: tuple[int, int], paired: bool
) -> None:
    """A change above the detectable one must be reported, and one below must not."""
    generator = np.random.default_rng(seed)
    noise = generator.choice([0.0, 0.003, 0.03, 0.3])
    slowdown = generator.choice([0.25, 0.8, 0.95, 1.0, 1.03, 1.3, 3.4])
    exchangeable = bool(generator.random() < 0.5)
    levels = generator.normal(0, noise, (4, 2, shape[0], 1))
    values = 50 * np.exp(levels + generator.normal(0, noise, (4, 2, *shape)))
    rounds = np.repeat(np.arange(shape[0] if paired else 0)[:, np.newaxis], 2, axis=1)
    pairs = [Pair("ns/op", b, slowdown * h, rounds, exchangeable=exchangeable) for b, h in values]
    for judgement in RULES[rule].value.judge(pairs, RuleOptions(resamples=200)):
        ratio = judgement.head.center / judgement.base.center - 1
        size = abs(ratio) + (1e-9 if judgement.apart else -1e-9)  # where it just touches
        assert judgement.apart == (ratio != 0 and size >= judgement.detectable.of(ratio))


def test_head_scaled_to_the_detectable_change_is_just_significant(rule: str) -> None:
    """The detectable effect holds even for very asymmetric intervals."""
    [first, *others] = pairs = noisy_pairs(4)
    judgement = judge(rule, pairs)[0]
    ratio = judgement.head.center / judgement.base.center
    for direction in (-1, 1):
        size = judgement.detectable.of(direction)
        for factor, found in ((1 + 1e-6, True), (1 - 1e-6, False)):
            scale = (1 + direction * size * factor) / ratio
            moved = Pair(first.unit, first.base, scale * first.head)
            assert judge(rule, [moved, *others])[0].apart is found
