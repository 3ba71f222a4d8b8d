"""Plans for a detectable effect, and the power of the rule in simulations."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steady.compare.alpha_spending import looks_of, nominal_confidence
from steady.compare.power import VerdictPower
from steady.compare.round_tables import round_tables
from steady.compare.variance import VarianceEstimate
from steady.compare.variance.posterior import RandomEffects
from steady.model import FloatArray, Suite
from steady.optimize import (
    BenchmarkPlan,
    OverTimeError,
    optimize,
    plan_from_json,
    plan_to_json,
    updated_plan,
)
from steady.optimize.detect import MIDMEAN_INFLATION, MOST_ROUNDS, Detect
from steady.optimize.strategy import Choice, Material
from steady.optimize.variance_components import VarianceComponents, from_rounds
from tests.compare.small_suites import in_rounds
from tests.optimize import small_plans
from tests.optimize.small_plans import benchmark, choices

STARTUP, WARMUP, LONGEST = 0.5, 10, 60


def material(
    between: float, noise: float, *, startup: float = STARTUP, forks: int = 10, known: float = 1e6
) -> Material:
    """Return a benchmark with known variance components of a pair."""
    levels = VarianceEstimate(between + math.pi / 2 * noise / 60, known)
    series = np.ones((forks, WARMUP + LONGEST))
    plain = small_plans.material(series, WARMUP, startup=startup, min_forks=3)
    return replace(plain, recorded=VarianceComponents(levels, noise, 60, 5))


def seconds(chosen: list[Choice], startup: float = STARTUP) -> float:
    return sum(2 * c.forks * (startup + WARMUP + c.iterations) for c in chosen)


def sizes(chosen: Sequence[Choice | BenchmarkPlan]) -> list[float]:
    return [math.inf if c.detectable is None else c.detectable for c in chosen]


def suite_of_noise(seed: int, count: int = 8) -> list[Material]:
    rng = np.random.default_rng(seed)
    scales = np.geomspace(0.003, 0.15, count) * rng.lognormal(0, 0.2, count)
    return [material(s**2, (2 * s) ** 2 * rng.lognormal()) for s in scales.tolist()]


def test_the_cheapest_configuration_that_detects_the_change_is_chosen() -> None:
    wish = Detect(detect=0.05)
    m = material(0.015**2, 0.03**2)
    offer = wish.offer(m)
    [choice] = choices(wish, [m])
    enough = offer.seconds[wish.prepare([offer], 0.0).sizes(offer) <= 0.05]
    assert seconds([choice]) == pytest.approx(enough.min())
    assert sizes([choice])[0] <= 0.05
    assert choice.met


@pytest.mark.parametrize("startup", [0.5, pytest.param(20.0, marks=pytest.mark.thorough), 200.0])
@pytest.mark.parametrize("share", [0.3, pytest.param(3.0, marks=pytest.mark.thorough), 10.0])
def test_iterations_are_near_those_of_kalibera_and_jones(startup: float, share: float) -> None:
    """The closed form holds for any number of pairs; this change requires about 15."""
    between = 0.01**2
    noise = (share * 0.01) ** 2
    m = material(between, noise, startup=startup, forks=1000)
    fork = 2 * (startup + WARMUP)
    best = math.sqrt(fork / 2 * MIDMEAN_INFLATION * noise / between)
    best = min(max(best, 5), 60)
    errors = math.sqrt((between + MIDMEAN_INFLATION * noise / best) / 15)
    [choice] = choices(Detect(detect=4.0 * errors, min_change=0.0), [m])
    assert 8 <= choice.forks <= 28
    assert best / 2.2 <= choice.iterations <= 2.2 * best


def test_an_undetectable_effect_gets_the_configuration_for_twice_the_effect() -> None:
    wish = Detect(detect=0.05)
    m = material(0.1**2, 0.1**2)
    [noisy] = choices(wish, [m])
    best = wish.prepare([], 0).sizes(wish.offer(m)).min()
    limit = 0.05
    while limit < best:
        limit *= 2
    assert limit / 2 < sizes([noisy])[0] <= limit
    assert "5.0\xa0% requires more time than the full run" in noisy.reason


def test_the_confidence_is_that_of_the_verdict() -> None:
    """The only changed benchmark is judged at its share of the suite's error rate."""
    m = material(0.01**2, 0.03**2)
    offer = Detect().offer(m)

    def sizes_in_a_suite_of(count: int, confidence: float | None) -> FloatArray:
        return Detect(confidence=confidence).prepare([offer] * count, 0.0).sizes(offer)

    alone, usual = sizes_in_a_suite_of(1, None), sizes_in_a_suite_of(1, 0.99)
    many, shared = sizes_in_a_suite_of(6, None), sizes_in_a_suite_of(6, 1 - 0.02 / 6)
    np.testing.assert_allclose(alone, usual)
    np.testing.assert_allclose(many, shared, rtol=1e-6)


def test_the_change_is_detected_in_as_many_benchmarks_as_possible() -> None:
    """Exhaustive search: no subset with more benchmarks fits into the time."""
    suite = suite_of_noise(3, 6)
    wish = Detect()
    offers = [wish.offer(m) for m in suite]
    chooser = wish.prepare(offers, 0.0)
    cheapest = [float(offer.seconds[0]) for offer in offers]
    enough = [
        float(offer.seconds[size <= 0.05].min()) if (size <= 0.05).any() else math.inf
        for offer, size in ((offer, chooser.sizes(offer)) for offer in offers)
    ]
    for budget in np.linspace(sum(cheapest), 2 * sum(cheapest), 4):
        most = max(
            bits.bit_count()
            for bits in range(2**6)
            if sum(enough[i] if bits >> i & 1 else cheapest[i] for i in range(6)) <= budget
        )
        found = choices(replace(wish, time_budget=float(budget)), suite, offers=offers)
        assert sum(size <= 0.05 for size in sizes(found)) == most
        assert seconds(found) <= budget


def test_a_time_that_is_too_short_is_rejected_with_the_time_required() -> None:
    suite = suite_of(np.random.default_rng(0).lognormal(0, 0.02, (5, 60)))
    with pytest.raises(OverTimeError, match="the suite take at least") as caught:
        optimize(suite, "detect", time_budget=1.0)
    least = float(caught.value.enough)
    plan = optimize(suite, "detect", time_budget=least)
    assert plan.pair_seconds <= least


def suite_of(values: FloatArray, **more: Any) -> Suite:
    return Suite((benchmark(100 * values, **more),))


class TestPlan:
    rng = np.random.default_rng(8)
    busy = rng.lognormal(0, 0.2, (5, 1)) * rng.lognormal(0, 0.02, (5, 60))

    def test_it_reports_the_detectable_effect_and_the_cost_of_a_pair(self) -> None:
        plan = optimize(suite_of(self.busy), "detect")
        [entry] = plan.benchmarks
        assert (entry.detectable is None, entry.recorded_rounds) == (False, 0)
        assert "or less" in entry.reason
        assert entry.pair_seconds == pytest.approx(2 * entry.seconds, rel=1e-3)
        assert plan.pair_seconds == entry.pair_seconds
        assert plan.wish == 0.05
        assert plan_to_json(plan_from_json(plan_to_json(plan))) == plan_to_json(plan)
        assert updated_plan(plan, plan).benchmarks == plan.benchmarks

    def test_recorded_rounds_replace_the_upper_bound(self) -> None:
        logs = np.log(self.busy[:, 20:])
        head = logs + self.rng.normal(0, 0.02, logs.shape)
        names = tuple(f"r:{i}" for i in range(5))
        base, beside = (
            suite_of(np.exp(side), blocks=names, in_turn=(True,) * 5) for side in (logs, head)
        )
        first = optimize(suite_of(self.busy), "detect")["B.a"]
        second = optimize(suite_of(self.busy), "detect", earlier=(base, beside))["B.a"]
        before, after = sizes([first, second])
        assert after < before / 3
        assert second.recorded_rounds == 5
        assert "or less" not in second.reason

    def test_the_plan_never_exceeds_the_full_run(self) -> None:
        entry = optimize(suite_of(self.busy), "detect", detect=0.04)["B.a"]
        assert entry.seconds < entry.full_seconds
        assert 3 <= entry.forks <= MOST_ROUNDS
        # Dissimilar forks need not all be kept.
        disagreeing = np.array([[1.0], [1.3], [0.8], [1.1], [1.5]])
        values = disagreeing * self.rng.lognormal(0, 0.01, (5, 60))
        entry = optimize(suite_of(values), "detect", detect=0.9)["B.a"]
        assert "all forks are kept" not in entry.reason
        # Other strategies do not provide it.
        text = plan_to_json(optimize(suite_of(self.busy)))
        assert not [word for word in ("detectable", "recorded_rounds") if word in text]


def test_only_a_drift_of_the_benchmark_requires_more_warm_up() -> None:
    rng = np.random.default_rng(9)
    values = rng.lognormal(0, 0.005, (6, 60))
    values[:, :5] *= 2
    noisy = np.exp(np.cumsum(rng.normal(0, 0.03, (6, 60)), axis=1)) * values
    detect, result = (
        optimize(suite_of(noisy), name, unsteady="reduce")["B.a"] for name in ("detect", "uoptime")
    )
    assert 5 <= detect.warmup < result.warmup
    falling = 1 + np.exp(-np.arange(60) / 6)
    values = np.random.default_rng(10).lognormal(0, 0.005, (6, 60)) * falling
    assert optimize(suite_of(values), "detect")["B.a"].warmup >= 10


def test_forks_without_interleaving_get_more_iterations_than_the_bound_requires() -> None:
    m = material(0.02**2, 0.06**2, startup=20.0, forks=1000)
    assert m.recorded is not None
    alone = replace(m, recorded=replace(m.recorded, rounds=0))
    wish = Detect(detect=0.05)
    [in_turn], [without] = choices(wish, [m]), choices(wish, [alone])
    assert without.iterations > in_turn.iterations
    assert sizes([without])[0] <= 0.05


ITERATIONS = 12


def confidence_of(benchmarks: int, rounds: int) -> float:
    return nominal_confidence(looks_of(rounds), rounds, 1 - 0.02 / max(benchmarks, 2))


def drawn(
    rng: np.random.Generator, between: FloatArray, noise: FloatArray, shape: tuple[int, int]
) -> FloatArray:
    """Return simulated rounds, shape (benchmarks, rounds, iterations)."""
    forks = rng.normal(0, between[:, np.newaxis, np.newaxis], (len(between), shape[0], 1))
    return forks + rng.normal(0, noise[:, np.newaxis, np.newaxis], (len(noise), *shape))


def detectable_logarithms(known: list[VarianceComponents], rounds: int) -> FloatArray:
    """Return the detectable effect of each benchmark, as a logarithm."""
    noise = [np.array([MIDMEAN_INFLATION * one.iterations / ITERATIONS]) for one in known]
    suite = [one.historical for one in known]
    power = VerdictPower.of(suite, noise, [rounds], lambda n: confidence_of(len(known), n))
    sizes = (
        power.detectable(one, own, np.array([rounds]), 0.8, 0.0)
        for one, own in zip(suite, noise, strict=True)
    )
    return np.concatenate(list(sizes))


def intervals(differences: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the rule's changes of a suite's rounds, and the half-widths of their intervals."""
    sides = ((np.ones_like(rows), np.exp(rows)) for rows in differences)
    [table] = round_tables(dict(enumerate(in_rounds(*both, turns=True) for both in sides)))
    confidence = confidence_of(*differences.shape[:2])
    [(change, half, _)] = RandomEffects.of([table]).intervals(confidence)
    return change, half


@pytest.mark.parametrize(("benchmarks", "rounds"), [(1, 5), (8, 3), (24, 5), (24, 12)])
def test_the_rule_detects_the_planned_effect(benchmarks: int, rounds: int) -> None:
    """Suites of different benchmarks, planned and judged on different rounds.

    Information is pooled over the benchmarks of a suite, so results are not independent; over
    seeds, the share varied by 0.05.
    """
    rng = np.random.default_rng(100 * benchmarks + rounds)
    found = []
    for _ in range(min(160 // benchmarks, 80)):
        between = 0.02 * rng.lognormal(0, 0.6, benchmarks)
        noise = 0.06 * rng.lognormal(0, 0.6, benchmarks)
        seen = drawn(rng, between, noise, (6, 40))
        known = [one for table in seen if (one := from_rounds(table)) is not None]
        change, half = intervals(drawn(rng, between, noise, (rounds, ITERATIONS)))
        found += list(change + detectable_logarithms(known, rounds) > half)
    assert 0.7 <= np.mean(found) <= 0.9


def test_an_outlying_benchmark_does_not_distort_the_others() -> None:
    """The rule allows for 30 % outliers; a common variance would fit no benchmark."""
    rng = np.random.default_rng(3)
    noise = np.full(12, 0.03)
    alike, odd = np.full(12, 0.01), np.full(12, 0.01)
    odd[:2] = 0.3
    sizes = []
    for between in (alike, odd):
        seen = drawn(rng, between, noise, (8, 40))
        known = [one for table in seen if (one := from_rounds(table)) is not None]
        sizes.append(float(np.median(detectable_logarithms(known, 3)[2:])))
    assert sizes[1] < 2 * sizes[0]


def test_the_detectable_effect_decreases_with_rounds_and_with_less_noise_or_power() -> None:
    spread = VarianceEstimate(0.02**2 + math.pi / 2 * 0.05**2 / 40, 30)
    known = [VarianceComponents(spread, 0.05**2, 40, 6).historical] * 6
    noise = [MIDMEAN_INFLATION * 0.05**2 / np.array([40.0, 20.0, 10.0, 5.0])] * 6
    verdicts = VerdictPower.of(known, noise, range(3, 31), lambda n: confidence_of(6, n))

    def sizes(own_noise: FloatArray, rounds: list[int], power: float = 0.8) -> list[float]:
        found = verdicts.detectable(known[0], own_noise, np.array(rounds), power, 0.0)
        return [float(size) for size in found]

    by_rounds = sizes(np.full(28, noise[0][0]), list(range(3, 31)))
    assert by_rounds == sorted(by_rounds, reverse=True)
    by_noise = sizes(noise[0], [5] * 4)
    assert by_noise == sorted(by_noise)
    by_power = [sizes(noise[0][:1], [5], power)[0] for power in (0.5, 0.8, 0.95)]
    assert by_power == sorted(by_power)


def size_of(
    known: VarianceComponents, count: int, rounds: int, noise: float, least: float
) -> float:
    """Return the detectable effect of a benchmark in a suite of such benchmarks."""
    own = np.array([noise])
    power = VerdictPower.of([known.historical] * count, [own] * count, [rounds], lambda _: 0.99)
    return float(power.detectable(known.historical, own, np.array([rounds]), 0.8, least)[0])


def test_a_well_known_variance_determines_the_detectable_effect() -> None:
    """With many rounds and little noise, threshold and power follow from normal quantiles."""
    known = VarianceComponents(VarianceEstimate(0.02**2, 1e6), 1e-8, 60, 10)
    expected = (2.576 + 0.84) * 0.02 / math.sqrt(30)
    assert size_of(known, 30, 30, 1e-8, 0.0) == pytest.approx(expected, rel=0.2)
    # A change below the smallest reported one is not detected.
    known = VarianceComponents(VarianceEstimate(1e-8, 50), 1e-8, 60, 10)
    assert size_of(known, 5, 5, 1e-9, 0.03) == pytest.approx(math.log(1.03), rel=0.02)


def test_forks_without_any_noise_get_the_fewest_pairs_and_iterations() -> None:
    values = np.full((5, 60), 100.0)
    suite = Suite.of({"still": values}, unit="ns/op", iteration_seconds=1)
    entry = optimize(suite, "detect", detect=0.05)["still"]
    assert (entry.forks, entry.warmup, entry.iterations) == (3, 0, 5)
