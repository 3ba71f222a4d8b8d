"""The error rate of a whole comparison, and the noise floor."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from steady.compare import RULES, compare
from steady.compare.benchmark_change import Estimate
from steady.compare.bounds import LEAST_RUNS, NOTE, noise_floors
from steady.compare.multiple_testing import SuiteJudgement, error_rates, judge_jointly
from steady.compare.pair import Pair
from steady.compare.power import NOT_DETECTABLE
from steady.compare.rule import Judgement, Rule, RuleOptions
from steady.errors import InputError
from steady.model import ExecutionConfiguration, FloatArray, Identity, Suite
from steady.settings import RepoSettings
from tests.compare.small_suites import in_rounds, make_benchmark


def rule_of(p_values: Sequence[float]) -> Rule:
    """Return a rule by which benchmark i is apart at every level above its p-value."""

    def decide(pairs: Sequence[Pair], options: RuleOptions) -> list[Judgement]:
        side = Estimate(1.0, 1.0, 1.0, 3, 3)
        error = 1 - options.confidence
        return [
            Judgement(side, side, p <= error * (1 + 1e-9), (-error, error), NOT_DETECTABLE)
            for _, p in zip(pairs, p_values, strict=True)
        ]

    return Rule(decide, resampled=False, statement="", false_alarms="")


def judged(
    p_values: Sequence[float], q: float, is_far: Sequence[bool] = (), confidence: float = 0.99
) -> SuiteJudgement:
    pairs = [Pair("ns/op", np.ones((3, 1)), np.ones((3, 1)))] * len(p_values)
    options = RuleOptions(confidence)
    return judge_jointly(rule_of(p_values), pairs, options, q, lambda _, j: j.apart, is_far)


def weighted(
    p_values: Sequence[float], is_far: Sequence[bool], q: float, most: float
) -> list[bool]:
    """Return the rejections of Genovese, Roeder and Wasserman (p / weight against k q / m)."""
    m, far = len(p_values), sum(is_far)
    share = min(0.5, far / m) if 0 < far < m else far / m
    weights = [m * (share / far if one else (1 - share) / (m - far)) for one in is_far]
    limits = [[min(k * q / m * w, most) * (1 + 1e-9) for w in weights] for k in range(m + 1)]
    count = max(k for k in range(m + 1) if sum(map(float.__le__, p_values, limits[k])) >= k)
    return [p <= limit for p, limit in zip(p_values, limits[max(count, 1)], strict=True)]


def test_weighted_benjamini_hochberg_matches_a_literal_procedure() -> None:
    """Far benchmarks get at most half of the error; without any, it is Benjamini and Hochberg's."""
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


def test_benjamini_and_hochbergs_published_example() -> None:
    """Benjamini and Hochberg 1995, section 3.2: four of 15 hypotheses are rejected."""
    p_values = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    p_values += [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]
    assert sum(j.apart for j in judged(p_values, 0.05, confidence=0.95).judgements) == 4


def test_errors_of_a_suite_never_exceed_those_of_one_benchmark() -> None:
    for p_values, false_alarms, all_apart in (
        ([0.011] * 5, 0.9, False),
        ([0.009] * 5, 0.9, True),
        ([0.009], 0.02, True),
    ):
        found = judged(p_values, false_alarms)
        assert {j.apart for j in found.judgements} == {all_apart}
        assert found.confidence == pytest.approx(0.99)


def noisy(count: int, rounds: int, seed: int, slower: int = 0, **more: Any) -> list[Suite]:
    """Return base and head of a suite in which the first `slower` benchmarks are 30 % slower."""
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


def test_interleaved_runs_are_judged_jointly_and_others_separately() -> None:
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


def test_precedence_of_confidence_explicit_rate_and_settings() -> None:
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


def test_an_interval_has_the_level_of_its_look() -> None:
    base, head = np.exp(np.random.default_rng(4).normal(0, 0.01, (2, 5, 1)))
    pair = in_rounds(base, head)
    rule = RULES["paired-t"].value
    sequential = replace(pair, looks=LOOKS)
    [nominal] = rule.judge([pair], RuleOptions(confidence=sequential.nominal_confidence(0.99)))
    assert rule.judge([sequential], RuleOptions())[0].interval == nominal.interval
    mixed = rule.judge([pair, sequential], RuleOptions())
    assert mixed[0].detectable.increase < mixed[1].detectable.increase


def suite_of(values: dict[str, npt.ArrayLike], unit: str = "ns/op") -> Suite:
    """Return a suite of benchmarks with these measurements, shape (forks, iterations)."""
    return Suite(tuple(make_benchmark(name, table, unit) for name, table in values.items()))


def runs_at(levels: FloatArray) -> list[Suite]:
    """Return a run for each row, with a benchmark for each column; levels are logarithms."""
    return [
        suite_of({f"b{number}": [[value]] for number, value in enumerate(np.exp(row))})
        for row in levels
    ]


def test_two_runs_of_one_version_differ_by_less_than_the_floor_at_the_nominal_rate() -> None:
    random = np.random.default_rng(1)
    outside = total = 0
    for _ in range(15):
        sizes = 0.02 * np.exp(0.5 * random.standard_normal(60))
        levels = sizes * random.standard_normal((10, 60))
        floors = noise_floors(runs_at(levels[:8]))
        change = np.abs(np.expm1(levels[8] - levels[9]))
        floor = np.array([floors[Identity(f"b{number}")] for number in range(60)])
        outside += int(np.sum(change > floor))
        total += 60
    assert outside / total <= 0.01
    # The floor is of use all the same: not everything lies far below it.
    assert outside > 0


def test_a_single_permanent_change_is_not_noise() -> None:
    noise = 0.01 * np.random.default_rng(2).standard_normal((12, 2))
    noise[6:, 1] += 0.5
    forth, back = noise_floors(runs_at(noise)), noise_floors(runs_at(noise[::-1]))
    assert forth[Identity("b1")] < 0.1
    assert back == pytest.approx(forth)
    same = [suite_of({"bytes": [[64.0]]}, "B/op")] * LEAST_RUNS
    assert noise_floors(same)[Identity("bytes")] == 0


def test_too_few_earlier_runs_give_no_floor() -> None:
    for runs in (
        runs_at(0.02 * np.random.default_rng(5).standard_normal((LEAST_RUNS - 1, 3))),
        [suite_of({"b": [[0.0], [1.0]]})] * LEAST_RUNS,
        [suite_of({"b": [[1.0]]})] * 9 + [suite_of({"b": [[1.0]]}, "ms/op")],
        [suite_of({"b": np.empty((0, 0))})] * LEAST_RUNS,
    ):
        assert noise_floors(runs) == {}
    # Units do not mix.
    random = np.random.default_rng(6)
    times, sizes = np.exp(0.02 * random.standard_normal((2, 8)))
    alone = [suite_of({"t": [[v]]}) for v in times]
    both = [
        Suite((*own, *suite_of({"m": [[w]]}, "B/op").benchmarks))
        for own, w in zip((one.benchmarks for one in alone), sizes, strict=True)
    ]
    assert noise_floors(both)[Identity("t")] == noise_floors(alone)[Identity("t")]


def restless(random: np.random.Generator, shift: float = 0.0) -> Suite:
    """Return a run with equal forks, whose level varies between runs."""
    level = 0.05 * random.standard_normal((20, 1, 1)) + shift
    tables = np.exp(level + 0.002 * random.standard_normal((20, 5, 10)))
    return suite_of({f"b{number}": table for number, table in enumerate(tables)})


def test_a_change_between_runs_must_exceed_the_floor() -> None:
    random = np.random.default_rng(7)
    earlier = [restless(random) for _ in range(10)]
    base, head = restless(random), restless(random)
    without = compare(base, head)
    with_floor = compare(base, head, earlier=earlier)
    assert len(without.regressions) + len(without.improvements) > 5
    assert not with_floor.regressions + with_floor.improvements
    assert all(NOTE in change.notes for change in with_floor.changes)
    slower = compare(base, restless(random, shift=0.5), earlier=earlier)
    assert len(slower.regressions) == 20
    # What could have been seen is told: the floor, no less.
    floors = noise_floors(earlier)
    assert all(change.smallest >= floors[change.identity] for change in slower.changes)


def test_the_floor_does_not_apply_within_rounds() -> None:
    random = np.random.default_rng(8)
    earlier = [restless(random) for _ in range(10)]
    blocks = tuple(f"run:{number}" for number in range(5))
    base = restless(random).benchmarks
    sides = (
        Suite(tuple(replace(b, measurements=x * b.measurements, blocks=blocks) for b in base))
        for x in (1.0, 1.1)
    )
    assert len(compare(*sides, earlier=earlier).regressions) == 20


def test_a_floor_above_the_threshold_prevents_unchanged() -> None:
    random = np.random.default_rng(7)
    table, head = (x + 0.01 * random.standard_normal((5, 20)) for x in (100, 100.1))
    quiet, other = suite_of({"t": table}), suite_of({"t": head})
    levels = (1.0, 1.2, 0.9, 1.15, 1.0, 1.2, 0.95, 1.1)
    earlier = [suite_of({"t": level * table}) for level in levels]
    assert compare(quiet, other).changes[0].outcome == "unchanged"
    [change] = compare(quiet, other, earlier=earlier).changes
    assert change.outcome == "unclear"
    assert change.excluded > 0.1
