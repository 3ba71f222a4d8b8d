from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from steady.errors import InputError
from steady.model import FloatArray
from steady.optimize.cost import CostModel
from steady.optimize.error_budget import NO_WORSE, ErrorBudget
from steady.optimize.error_model import USELESS, Candidates, candidates
from steady.optimize.strategy import Choice, Material
from steady.optimize.time_budget import OverTimeError


def material(
    series: FloatArray, *, warmup: int = 0, min_forks: int = 1, startup: float = 0.5
) -> Material:
    elapsed = np.arange(series.shape[1] + 1, dtype=float)
    return Material(series, warmup, 0, CostModel(startup, 0.0, elapsed), min_forks)


def noisy(seed: int, noise: float = 1.0, spread: float = 0.01, forks: int = 5) -> FloatArray:
    rng = np.random.default_rng(seed)
    series = rng.normal(100, noise, (forks, 40)) * rng.normal(1, spread, (forks, 1))
    series[:, :5] *= np.linspace(1.3, 1.0, 5)
    return np.asarray(series)


def suite(seed: int, count: int = 9) -> list[Material]:
    """Return benchmarks of very different noise."""
    scales = np.geomspace(0.2, 8, count)
    return [material(noisy(100 * seed + k, x, x / 100)) for k, x in enumerate(scales)]


def choices(materials: list[Material], strategy: ErrorBudget, kept: float = 0.0) -> list[Choice]:
    offers = [strategy.offer(m) for m in materials]
    chooser = strategy.prepare(offers, kept)
    return [chooser.choose(*pair) for pair in zip(materials, offers, strict=True)]


def seconds(chosen: list[Choice]) -> float:
    return sum(c.forks * (0.5 + c.warmup + c.iterations) for c in chosen)


def both_seconds(chosen: list[Choice]) -> float:
    """Return the seconds of base and head, whose forks take turns."""
    return 2 * seconds(chosen)


def errors(chosen: list[Choice]) -> list[float]:
    return [c.stability for c in chosen if c.stability is not None]


def pairs_of(materials: list[Material]) -> list[list[tuple[float, float]]]:
    """Return seconds and error of everything that may be chosen, by benchmark."""
    return [
        list(zip(offer.seconds.tolist(), offer.errors.tolist(), strict=True))
        for offer in map(candidates, materials)
    ]


def at_price(
    offers: list[list[tuple[float, float]]], price: float
) -> tuple[list[float], list[float]]:
    """Return seconds and errors of the benchmarks' best at a price, with plain loops."""
    best = [min(pairs, key=lambda p: (p[1] + price * p[0] ** 0.5, p[0])) for pairs in offers]
    return [s for s, _ in best], [e for _, e in best]


@settings(max_examples=20, deadline=None)
@example(seed=96, min_forks=1, budget=0.01)  # the full run is inside by less than a tenth
@given(
    seed=st.integers(0, 10_000),
    min_forks=st.integers(1, 4),
    budget=st.sampled_from([0.002, 0.01, 0.03, 0.1]),
)
def test_a_benchmark_by_itself_takes_the_cheapest_inside_the_budget(
    seed: int, min_forks: int, budget: float
) -> None:
    m = material(noisy(seed, forks=4), min_forks=min_forks)
    (pairs,) = pairs_of([m])
    least = min(e for _, e in pairs)
    accepted = budget if least <= budget else max(budget, NO_WORSE * least)
    (choice,) = choices([m], ErrorBudget(budget))
    found = (seconds([choice]), choice.stability)
    assert found == pytest.approx(min(pair for pair in pairs if pair[1] <= accepted))


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), budget=st.sampled_from([0.006, 0.01, 0.02, 0.04]))
def test_the_middle_of_a_suite_is_inside_the_budget_and_no_price_is_cheaper(
    seed: int, budget: float
) -> None:
    materials = suite(seed)
    chosen = choices(materials, ErrorBudget(budget))
    if ErrorBudget(budget).prepare([candidates(m) for m in materials], 0.0).price is None:
        return  # it is out of reach, or it was cheaper to look at each by itself
    assert np.median(errors(chosen)) <= budget
    offers = pairs_of(materials)
    for price in np.geomspace(1e-5, 1, 60).tolist():
        prices, misses = at_price(offers, price)
        if np.median(misses) <= budget:
            assert seconds(chosen) <= sum(prices) + 1e-6


def test_a_suite_never_costs_more_than_its_benchmarks_one_by_one() -> None:
    shared = []
    for seed in range(4):
        for budget in (0.004, 0.01, 0.02):
            materials = suite(seed)
            together = choices(materials, ErrorBudget(budget))
            singly = [choices([m], ErrorBudget(budget))[0] for m in materials]
            assert seconds(together) <= seconds(singly) + 1e-6
            shared.append(together != singly)
    assert any(shared)
    assert not all(shared)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), limit=st.floats(110.0, 3000.0), kept=st.floats(0.0, 10.0))
def test_a_time_budget_is_kept_and_used(seed: int, limit: float, kept: float) -> None:
    materials = suite(seed)
    chosen = choices(materials, ErrorBudget(time_budget=limit), kept)
    assert both_seconds(chosen) + kept <= limit + 1e-6
    assert all(c.met for c in chosen)
    offers = pairs_of(materials)
    both = [dict(zip(c.seconds.tolist(), c.pair_seconds.tolist(), strict=True))
            for c in map(candidates, materials)]  # fmt: skip
    for price in np.geomspace(1e-5, 1, 60).tolist():
        prices, misses = at_price(offers, price)
        if sum(own[price] for own, price in zip(both, prices, strict=True)) + kept <= limit:
            assert sum(errors(chosen)) <= sum(misses) + 1e-9


def test_more_time_never_makes_a_benchmark_worse() -> None:
    materials = suite(4)
    worst = [np.inf] * len(materials)
    for limit in (110, 200, 400, 800, 1600, 3200, 1e6):
        now = errors(choices(materials, ErrorBudget(time_budget=limit)))
        assert all(a <= b for a, b in zip(now, worst, strict=True))
        worst = now
    assert worst == [float(candidates(m).errors[-1]) for m in materials]


def test_a_time_budget_too_small_says_how_much_is_needed() -> None:
    materials = suite(0, 4)
    offers = [candidates(m) for m in materials]
    with pytest.raises(InputError, match="is 10 s; base and head of the suite take at least 51 s"):
        ErrorBudget(time_budget=10.0).prepare(offers, 7.0)
    assert both_seconds(choices(materials, ErrorBudget(time_budget=51.0), 7.0)) == 4 * 11.0


def test_the_least_time_is_enough_where_a_little_more_buys_much() -> None:
    counts, seconds = np.array([5, 5]), np.array([2.0, 2.00001])
    offer = Candidates(counts, counts, counts, seconds, 2 * seconds, np.array([0.5, 0.01]))
    with pytest.raises(OverTimeError) as caught:
        ErrorBudget(time_budget=7.0).prepare([offer, offer], 0.0)
    assert caught.value.least == pytest.approx(8.0, rel=1e-9)
    chooser = ErrorBudget(time_budget=caught.value.least * (1 + 1e-9)).prepare([offer] * 2, 0.0)
    assert chooser.pair_seconds(offer) == 4.0


def test_a_suite_without_anything_to_choose_needs_no_price() -> None:
    assert choices([], ErrorBudget()) == []
    assert choices([], ErrorBudget(time_budget=10.0), 9.0) == []


def test_forks_too_different_for_the_budget_are_run_no_longer_for_it() -> None:
    series = np.array([[100.0] * 12, [120.0] * 12])
    (choice,) = choices([material(series, warmup=2)], ErrorBudget(0.01))
    assert (choice.warmup, choice.iterations, choice.forks, choice.met) == (0, 5, 2, True)
    expected = np.std([100 / 110, 120 / 110], ddof=1) / np.sqrt(2)
    assert choice.stability == pytest.approx(expected)
    text = f"predicted error {expected:.2%}, above 1.00%, where the full run's own is"
    assert choice.reason.startswith(text)


def test_the_reason_says_which_side_of_the_budget() -> None:
    materials = suite(2)
    reasons = [c.reason for c in choices(materials, ErrorBudget(0.02))]
    assert any("is within 2.00%" in reason for reason in reasons)
    assert any("more time is better spent on other benchmarks" in reason for reason in reasons)
    (limited,) = choices(materials[:1], ErrorBudget(time_budget=60.0))
    assert limited.reason.endswith("the least that the time budget allows")


def test_the_dearer_a_start_the_fewer_forks() -> None:
    fewer = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        series = rng.normal(100, 4, (6, 40)) * rng.normal(1, 0.01, (6, 1))
        forks = [
            choices([material(series, startup=startup)], ErrorBudget(0.02))[0].forks
            for startup in (0.0, 5.0, 50.0)
        ]
        assert forks == sorted(forks, reverse=True)
        fewer += forks[-1] < forks[0]
    assert fewer >= 3


def test_the_time_that_is_said_to_be_needed_is_enough() -> None:
    offers = [candidates(m) for m in suite(3)]
    with pytest.raises(InputError, match="the suite take at least") as refused:
        ErrorBudget(time_budget=10.0).prepare(offers, 0.8)
    needed = re.search(r"at least (\d+) s", str(refused.value))
    assert needed is not None
    ErrorBudget(time_budget=float(needed[1])).prepare(offers, 0.8)


def test_a_benchmark_is_never_measured_while_it_warms_up_only_to_save_time() -> None:
    series = noisy(7)
    series[:, :10] *= 20.0
    offer = candidates(material(series))
    assert offer.errors.max() <= USELESS
    assert offer.warmups.min() >= 9


def test_a_benchmark_that_no_time_makes_exact_keeps_its_cheaper_half() -> None:
    offer = candidates(material(noisy(3, spread=0.8)))
    assert offer.errors[-1] > USELESS / 2
    assert USELESS < offer.errors.max() <= 2 * offer.errors[-1]
