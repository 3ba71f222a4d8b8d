"""The error rate of a whole comparison: its step-up procedure, its intervals, and its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from steady.compare import RULES, compare
from steady.compare.benchmark_change import Estimate
from steady.compare.pair import Pair
from steady.compare.rule import NO_REACH, Judgement, Rule, RuleOptions
from steady.compare.suite_wide import error_rates, judge_suite
from steady.errors import InputError
from steady.model import Benchmark, ExecutionConfiguration, Identity, Level, Suite
from steady.settings import RepoSettings


def rule_of(p_values: Sequence[float]) -> Rule:
    """Return a rule that tells benchmark i apart at every level above its p-value."""

    def decide(pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
        side = Estimate(1.0, 1.0, 1.0, 3, 3)
        error = 1 - options.confidence
        return [
            Judgement(side, side, p <= error * (1 + 1e-9), (-error, error), NO_REACH)
            for _, p in zip(pairs, p_values, strict=True)
        ]

    return Rule(decide, resampled=False, statement="", false_alarms="")


def reported(p_values: Sequence[float], false_alarms: float) -> tuple[int, float]:
    pair = Pair("ns/op", np.ones((3, 1)), np.ones((3, 1)))
    found = judge_suite(
        rule_of(p_values), [pair] * len(p_values), RuleOptions(), false_alarms, lambda _, j: j.apart
    )
    return sum(j.apart for j in found.judgements), 1 - found.confidence


def weighted(
    p_values: Sequence[float], is_far: Sequence[bool], q: float, most: float
) -> list[bool]:
    """Reject as Genovese, Roeder and Wasserman do: p by its weight is held against k q / m."""
    m, far = len(p_values), sum(is_far)
    share = min(0.5, far / m) if 0 < far < m else far / m
    weights = [m * (share / far if one else (1 - share) / (m - far)) for one in is_far]
    limits = [[min(k * q / m * w, most) * (1 + 1e-9) for w in weights] for k in range(m + 1)]
    count = max(k for k in range(m + 1) if sum(map(float.__le__, p_values, limits[k])) >= k)
    return [p <= limit for p, limit in zip(p_values, limits[max(count, 1)], strict=True)]


def test_what_is_far_has_half_of_the_error_at_the_most() -> None:
    generator = np.random.default_rng(2)
    pair = Pair("ns/op", np.ones((3, 1)), np.ones((3, 1)))
    for _ in range(200):
        m = int(generator.integers(1, 30))
        p_values = (generator.random(m) ** generator.integers(1, 6)).tolist()
        is_far = (generator.random(m) < generator.random()).tolist()
        for q in (0.02, 0.2):
            found = judge_suite(
                *(rule_of(p_values), [pair] * m, RuleOptions(), q, lambda _, j: j.apart), is_far
            )
            expected = weighted(p_values, is_far, q, 0.01)
            assert [j.apart for j in found.judgements] == expected
            errors = [j.interval[1] for j in found.judgements if j.interval is not None]
            assert 1 - found.confidence == pytest.approx(max(errors))
            assert sum(errors) <= q * max(sum(expected), 1) * (1 + 1e-9)


def benjamini_hochberg(p_values: Sequence[float], q: float, most: float) -> int:
    """Count the rejections as the article does: the largest k with p(k) <= k q / m."""
    m = len(p_values)
    ranks = np.arange(1, m + 1)
    below = np.sort(p_values) <= np.minimum(ranks * q / m, most) * (1 + 1e-9)
    return int(ranks[below].max(initial=0))


def test_it_rejects_what_benjamini_and_hochberg_reject() -> None:
    generator = np.random.default_rng(1)
    for _ in range(300):
        m = int(generator.integers(1, 40))
        p_values = (generator.random(m) ** generator.integers(1, 6)).tolist()
        for q in (0.02, 0.2):
            count, error = reported(p_values, q)
            assert count == benjamini_hochberg(p_values, q, 0.01)
            assert error == pytest.approx(min(q * max(count, 1) / m, 0.01))


def test_the_example_of_the_article() -> None:
    """Benjamini and Hochberg 1995, section 3.2: 15 hypotheses, of which four are rejected."""
    p_values = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    p_values += [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]
    pair = Pair("ns/op", np.ones((3, 1)), np.ones((3, 1)))
    options = RuleOptions(confidence=0.95)
    found = judge_suite(rule_of(p_values), [pair] * 15, options, 0.05, lambda _, j: j.apart)
    assert sum(j.apart for j in found.judgements) == 4


def test_no_suite_is_asked_for_less_than_a_single_benchmark() -> None:
    assert reported([0.011] * 5, 0.9)[0] == 0
    for p_values, false_alarms in (([0.009] * 5, 0.9), ([0.009], 0.02)):
        count, error = reported(p_values, false_alarms)
        assert count == len(p_values)
        assert error == pytest.approx(0.01)


def noisy(count: int, rounds: int, seed: int, slower: int = 0, **more: object) -> list[Suite]:
    """Return base and head of a suite in which the first benchmarks are 30 % slower."""
    generator = np.random.default_rng(seed)
    configuration = ExecutionConfiguration(rounds, 0, 4, 1.0, 1.0)
    sides = []
    for side in range(2):
        factors = np.where(np.arange(count) < slower * side, 1.3, 1.0)
        values = (
            100 * factors[:, None, None] * np.exp(generator.normal(0, 0.01, (count, rounds, 4)))
        )
        sides.append(
            Suite(
                tuple(
                    Benchmark(
                        Identity(f"a.B.m{index}"),
                        "ns/op",
                        table,
                        (Level("fork"), Level("iteration")),
                        configuration=configuration,
                        blocks=tuple(f"r:{n}" for n in range(rounds)),
                        **more,  # type: ignore[arg-type]
                    )
                    for index, table in enumerate(values)
                )
            )
        )
    return sides


LOOKS = (3, 5, 10, 20)


def test_a_run_that_took_turns_is_judged_as_a_whole_and_others_as_ever() -> None:
    usual = compare(*noisy(10, 5, 2)).options
    assert (usual["confidence"], "false_alarms" in usual) == (0.99, False)
    for more in ({"looks": LOOKS}, {"in_turn": (True,) * 5}):
        options = compare(*noisy(10, 5, 2, **more)).options
        assert options["false_alarms"] == 0.02
        assert options["confidence"] == pytest.approx(1 - 0.02 / 10)
        assert options["exclusion"] == 0.95
        assert options["error_rates"] == error_rates(0.02, 1 - 0.02 / 10)


def test_the_more_is_found_the_less_sure_each_must_be() -> None:
    found = compare(*noisy(10, 5, 2, slower=4, looks=LOOKS))
    assert len(found.regressions) == 4
    assert found.options["confidence"] == pytest.approx(1 - 0.02 * 4 / 10)


def test_zero_is_outside_an_interval_exactly_where_the_two_are_apart() -> None:
    sides = noisy(20, 5, 3, slower=3, looks=LOOKS)
    strict = compare(*sides, min_change=0.0)
    for change in strict.changes:
        low, high = change.interval or (0.0, 0.0)
        assert (low > 0 or high < 0) == (change.outcome in ("regression", "improvement"))
    assert len(strict.regressions) >= 3


def test_a_given_confidence_decides_alone_and_then_an_explicit_rate_and_then_the_settings() -> None:
    sides = noisy(10, 5, 2, looks=LOOKS)
    settings = RepoSettings(false_alarms=0.05)
    alone = compare(*sides, confidence=0.9, settings=settings).options
    assert (alone["confidence"], "false_alarms" in alone) == (0.9, False)
    assert compare(*sides, settings=settings).options["false_alarms"] == 0.05
    explicit = compare(*sides, false_alarms=0.1, settings=settings).options
    assert explicit["false_alarms"] == 0.1
    assert explicit["confidence"] == pytest.approx(0.99)
    without_turns = compare(*noisy(10, 5, 2), settings=settings).options
    assert without_turns["confidence"] == pytest.approx(0.995)
    with pytest.raises(InputError, match="false_alarms is 0; give a percentage above 0"):
        compare(*sides, false_alarms=0)


def test_an_interval_is_as_wide_as_its_look_asks_for() -> None:
    base, head = np.exp(np.random.default_rng(4).normal(0, 0.01, (2, 5, 1)))
    pair = Pair("ns/op", base, head, np.repeat(np.arange(5)[:, None], 2, axis=1))
    rule = RULES["paired-t"].value
    sequential = replace(pair, looks=LOOKS)
    [nominal] = rule.judge([pair], RuleOptions(confidence=sequential.nominal_confidence(0.99)))
    assert rule.judge([sequential], RuleOptions())[0].interval == nominal.interval
    mixed = rule.judge([pair, sequential], RuleOptions())
    assert mixed[0].reach.rise < mixed[1].reach.rise


def test_both_rates_are_said_in_words() -> None:
    words = error_rates(0.05, 1 - 0.05 / 20)
    assert words.startswith("Of 20 pull requests that change nothing, at most one gets a false ")
    assert "of 400 benchmarks that did not change, at most one is called changed" in words
