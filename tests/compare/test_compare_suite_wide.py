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
from steady.compare.suite_wide import SuiteJudgement, error_rates, judge_suite
from steady.errors import InputError
from steady.model import ExecutionConfiguration, Suite
from steady.settings import RepoSettings
from tests.compare.small_suites import in_rounds, make_benchmark


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


def judged(
    p_values: Sequence[float], q: float, is_far: Sequence[bool] = (), confidence: float = 0.99
) -> SuiteJudgement:
    pairs = [Pair("ns/op", np.ones((3, 1)), np.ones((3, 1)))] * len(p_values)
    options = RuleOptions(confidence)
    return judge_suite(rule_of(p_values), pairs, options, q, lambda _, j: j.apart, is_far)


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


def test_it_rejects_what_the_procedure_with_weights_rejects() -> None:
    """What is far has half of the error at the most; without it, it is Benjamini and Hochberg's."""
    generator = np.random.default_rng(2)
    for _ in range(200):
        m = int(generator.integers(1, 30))
        p_values = (generator.random(m) ** generator.integers(1, 6)).tolist()
        for is_far in ((generator.random(m) < generator.random()).tolist(), [False] * m):
            for q in (0.02, 0.2):
                found = judged(p_values, q, is_far)
                expected = weighted(p_values, is_far, q, 0.01)
                assert [j.apart for j in found.judgements] == expected
                errors = [j.interval[1] for j in found.judgements if j.interval is not None]
                assert 1 - found.confidence == pytest.approx(max(errors))
                assert sum(errors) <= q * max(sum(expected), 1) * (1 + 1e-9)
                if not any(is_far):
                    each = min(q * max(sum(expected), 1) / m, 0.01)
                    assert 1 - found.confidence == pytest.approx(each)


def test_the_example_of_the_article() -> None:
    """Benjamini and Hochberg 1995, section 3.2: 15 hypotheses, of which four are rejected."""
    p_values = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    p_values += [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]
    assert sum(j.apart for j in judged(p_values, 0.05, confidence=0.95).judgements) == 4


def test_no_suite_is_asked_for_less_than_a_single_benchmark() -> None:
    for p_values, false_alarms, all_apart in (
        ([0.011] * 5, 0.9, False),
        ([0.009] * 5, 0.9, True),
        ([0.009], 0.02, True),
    ):
        found = judged(p_values, false_alarms)
        assert {j.apart for j in found.judgements} == {all_apart}
        assert found.confidence == pytest.approx(0.99)


def noisy(count: int, rounds: int, seed: int, slower: int = 0, **more: object) -> list[Suite]:
    """Return base and head of a suite in which the first benchmarks are 30 % slower."""
    generator = np.random.default_rng(seed)
    run = ExecutionConfiguration(rounds, 0, 4, 1.0, 1.0)
    blocks = tuple(f"r:{n}" for n in range(rounds))
    sides = []
    for side in range(2):
        factors = np.where(np.arange(count) < slower * side, 1.3, 1.0)[:, None, None]
        tables = 100 * factors * np.exp(generator.normal(0, 0.01, (count, rounds, 4)))
        benchmarks = (
            make_benchmark(f"a.B.m{index}", table, configuration=run, blocks=blocks, **more)
            for index, table in enumerate(tables)
        )
        sides.append(Suite(tuple(benchmarks)))
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
    # The more is found, the less sure each must be.
    found = compare(*noisy(10, 5, 2, slower=4, looks=LOOKS))
    assert len(found.regressions) == 4
    assert found.options["confidence"] == pytest.approx(1 - 0.02 * 4 / 10)


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
    pair = in_rounds(base, head)
    rule = RULES["paired-t"].value
    sequential = replace(pair, looks=LOOKS)
    [nominal] = rule.judge([pair], RuleOptions(confidence=sequential.nominal_confidence(0.99)))
    assert rule.judge([sequential], RuleOptions())[0].interval == nominal.interval
    mixed = rule.judge([pair, sequential], RuleOptions())
    assert mixed[0].reach.rise < mixed[1].reach.rise
