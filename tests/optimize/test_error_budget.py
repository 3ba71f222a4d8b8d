"""Predicted errors, compared with their formula; choices within a budget; held-out errors."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from steady.errors import InputError
from steady.model import FloatArray
from steady.optimize import error_model
from steady.optimize.error_budget import NO_WORSE, ErrorBudget
from steady.optimize.error_model import USELESS, Candidates, candidates, held_out_error, windows
from steady.optimize.strategy import Choice, Material, Strategy
from steady.optimize.suite_parts import OverTimeError
from steady.papers.uoptime import UOptime
from tests.optimize.small_plans import choices, material


def noisy(
    seed: int, noise: float = 1.0, spread: float = 0.01, forks: int = 5, iterations: int = 40
) -> FloatArray:
    rng = np.random.default_rng(seed)
    series = rng.normal(100, noise, (forks, iterations)) * rng.normal(1, spread, (forks, 1))
    series[:, :5] *= np.linspace(1.3, 1.0, 5)
    return np.asarray(series)


def literal_error(m: Material, w: int, i: int, f: int) -> float:
    """Return the predicted error of one configuration, by its formula and with plain loops."""
    shortest = min(sum(np.isfinite(fork)) for fork in m.series)
    truths = [np.nanmean(fork[shortest // 2 :]) for fork in m.series]
    misses = [np.mean(fork[w : w + i]) / t - 1 for fork, t in zip(m.series, truths, strict=True)]
    between = np.var([truth / np.mean(truths) for truth in truths], ddof=1)
    spread = between + np.var(misses, ddof=1)
    return float(np.sqrt(np.mean(misses) ** 2 + spread / f))


@settings(max_examples=20)
@given(
    seed=st.integers(0, 10_000),
    forks=st.integers(2, 4),
    missing=st.integers(0, 6),
    min_forks=st.integers(1, 5),
    first=st.integers(0, 14),
    least=st.integers(1, 6),
)
def test_candidates_are_pareto_optimal(
    seed: int, forks: int, missing: int, min_forks: int, first: int, least: int
) -> None:
    assume(first < 20 - missing)  # a fork that ended in its warm-up: the planner keeps all
    series = noisy(seed, forks=forks, iterations=20)
    if missing:
        series[0, -missing:] = np.nan
    m = material(series, first=first, min_forks=min_forks, least=least)
    tried = [
        (f * (0.5 + w + i), literal_error(m, w, i, f))
        for w, i in windows(m).tolist()
        for f in range(min(min_forks, forks), forks + 1)
    ]
    found = candidates(m)
    expected = [
        (s, e) for s, e in sorted(tried) if not any(t <= s and d < e - 1e-13 for t, d in tried)
    ]
    worst = max(USELESS, 2 * min(e for _, e in expected))
    expected = [(s, e) for s, e in expected if e <= worst]
    assert set(np.round(found.seconds, 6)) == {round(s, 6) for s, _ in expected}
    assert found.errors == pytest.approx(sorted({e for _, e in expected}, reverse=True), rel=1e-9)
    for row in range(found.seconds.size):
        w, i, f = (int(x[row]) for x in (found.warmups, found.iterations, found.forks))
        assert found.seconds[row] == pytest.approx(f * (0.5 + w + i))
        assert found.errors[row] == pytest.approx(literal_error(m, w, i, f), rel=1e-9)


def test_windows_fit_the_shortest_fork_and_start_at_the_first_allowed_iteration() -> None:
    series = noisy(1, iterations=20)
    series[1, 14:] = np.nan
    rows = windows(material(series, first=3, least=1))
    assert rows.sum(axis=1).max() == 14
    assert (rows[:, 0].min(), rows[:, 0].max(), rows[:, 1].min()) == (3, 7, 1)
    assert windows(material(series, least=5))[:, 1].min() == 5
    # If fewer than the minimum remain, the remaining iterations are measured.
    assert windows(material(noisy(1, iterations=10), first=7, least=5)).tolist() == [[7, 3]]
    for most in (1, 2, 5, 60, 3000):
        tried = error_model.steps(most)
        assert (tried[0], tried[-1]) == (1, most)
        assert np.all(np.diff(tried) >= 1)
        assert np.all(
            tried[1:] <= np.maximum(tried[:-1] + 1, np.ceil(tried[:-1] * error_model.STEP) + 1)
        )


def test_the_predicted_error_is_unbiased() -> None:
    """Mean square over many suites: fork effects of 2 %, iterations of 4 %, five in a fork."""
    predicted = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        series = 100 * np.exp(rng.normal(0, 0.04, (5, 60)) + rng.normal(0, 0.02, (5, 1)))
        errors = error_model.predicted_errors(series, np.array([[0, 5]]), np.array([3]))
        predicted.append(errors[0, 0] ** 2)
    between, distance = 0.02**2 + 0.04**2 / 30, 0.04**2 / 5 + 0.04**2 / 30
    # There is no bias; its estimated square is due to chance in five forks.
    assert np.mean(predicted) == pytest.approx((between + distance) / 3 + distance / 5, rel=0.1)


def suite(seed: int, count: int = 9) -> list[Material]:
    """Return benchmarks of very different noise."""
    scales = np.geomspace(0.2, 8, count)
    return [material(noisy(100 * seed + k, x, x / 100)) for k, x in enumerate(scales)]


def seconds(chosen: list[Choice]) -> float:
    return sum(c.forks * (0.5 + c.warmup + c.iterations) for c in chosen)


def errors(chosen: list[Choice]) -> list[float]:
    return [c.stability for c in chosen if c.stability is not None]


Offer = list[tuple[float, float, float]]


def offers_of(materials: list[Material]) -> list[Offer]:
    """Return seconds, error and seconds when interleaved of all possible choices."""
    offers = map(candidates, materials)
    return [list(zip(c.seconds, c.errors, c.pair_seconds, strict=True)) for c in offers]


def at_price(offers: list[Offer], price: float) -> FloatArray:
    """Return the rows of the best configurations at a price, with plain loops."""
    return np.array([min(one, key=lambda p: (p[1] + price * p[0] ** 0.5, p[0])) for one in offers])


@settings(max_examples=20)
@example(96, 1, 0.01)  # the full run is within the budget by less than a tenth
@given(st.integers(0, 10_000), st.integers(1, 4), st.sampled_from([0.002, 0.01, 0.03, 0.1]))
def test_a_single_benchmark_gets_the_cheapest_configuration_within_the_budget(
    seed: int, min_forks: int, budget: float
) -> None:
    m = material(noisy(seed, forks=4), min_forks=min_forks)
    pairs = [row[:2] for row in offers_of([m])[0]]
    least = min(e for _, e in pairs)
    accepted = budget if least <= budget else max(budget, NO_WORSE * least)
    (choice,) = choices(ErrorBudget(budget), [m])
    found = (seconds([choice]), choice.stability)
    assert found == pytest.approx(min(pair for pair in pairs if pair[1] <= accepted))


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), budget=st.sampled_from([0.006, 0.01, 0.02, 0.04]))
def test_the_median_error_is_within_the_budget_at_the_lowest_cost(seed: int, budget: float) -> None:
    materials = suite(seed)
    chosen = choices(ErrorBudget(budget), materials)
    if ErrorBudget(budget).prepare([candidates(m) for m in materials], 0.0).price is None:
        return  # it is unreachable, or separate choices were cheaper
    assert np.median(errors(chosen)) <= budget
    offers = offers_of(materials)
    for price in np.geomspace(1e-5, 1, 60).tolist():
        alone, misses, _ = at_price(offers, price).T
        if np.median(misses) <= budget:
            assert seconds(chosen) <= alone.sum() + 1e-6


def test_a_suite_never_costs_more_than_separate_choices() -> None:
    shared = []
    for seed in range(4):
        for budget in (0.004, 0.01, 0.02):
            materials = suite(seed)
            together = choices(ErrorBudget(budget), materials)
            singly = [choices(ErrorBudget(budget), [m])[0] for m in materials]
            assert seconds(together) <= seconds(singly) + 1e-6
            shared.append(together != singly)
    assert any(shared)
    assert not all(shared)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), limit=st.floats(110.0, 3000.0), kept=st.floats(0.0, 10.0))
def test_a_time_budget_is_kept_and_used(seed: int, limit: float, kept: float) -> None:
    materials = suite(seed)
    chosen = choices(ErrorBudget(time_budget=limit), materials, kept)
    assert 2 * seconds(chosen) + kept <= limit + 1e-6
    assert all(c.met for c in chosen)
    offers = offers_of(materials)
    for price in np.geomspace(1e-5, 1, 60).tolist():
        _, misses, in_turn = at_price(offers, price).T
        if in_turn.sum() + kept <= limit:
            assert sum(errors(chosen)) <= misses.sum() + 1e-9


def test_a_time_budget_that_is_too_short_is_rejected_with_the_time_required() -> None:
    materials = suite(0, 4)
    offers = [candidates(m) for m in materials]
    with pytest.raises(InputError, match="is 10 s; base and head of the suite take at least 51 s"):
        ErrorBudget(time_budget=10.0).prepare(offers, 7.0)
    assert 2 * seconds(choices(ErrorBudget(time_budget=51.0), materials, 7.0)) == 4 * 11.0
    offers = [candidates(m) for m in suite(3)]
    with pytest.raises(InputError, match="the suite take at least") as refused:
        ErrorBudget(time_budget=10.0).prepare(offers, 0.8)
    needed = re.search(r"at least (\d+) s", str(refused.value))
    assert needed is not None
    ErrorBudget(time_budget=float(needed[1])).prepare(offers, 0.8)
    # A suite without choices needs no price.
    assert choices(ErrorBudget(), []) == choices(ErrorBudget(time_budget=10.0), [], 9.0) == []


def test_the_reported_minimum_time_is_sufficient() -> None:
    counts, seconds = np.array([5, 5]), np.array([2.0, 2.00001])
    offer = Candidates(counts, counts, counts, seconds, 2 * seconds, np.array([0.5, 0.01]))
    with pytest.raises(OverTimeError) as caught:
        ErrorBudget(time_budget=7.0).prepare([offer, offer], 0.0)
    assert caught.value.least == pytest.approx(8.0, rel=1e-9)
    chooser = ErrorBudget(time_budget=caught.value.least * (1 + 1e-9)).prepare([offer] * 2, 0.0)
    assert chooser.pair_seconds(offer) == 4.0


def test_forks_that_differ_too_much_for_the_budget_do_not_get_more_time() -> None:
    series = np.array([[100.0] * 12, [120.0] * 12])
    (choice,) = choices(ErrorBudget(0.01), [material(series, warmup=2)])
    assert (choice.warmup, choice.iterations, choice.forks, choice.met) == (0, 5, 2, True)
    expected = np.std([100 / 110, 120 / 110], ddof=1) / np.sqrt(2)
    assert choice.stability == pytest.approx(expected)
    text = f"predicted error {expected:.2%}, above 1.00%; the error of the full run is"
    assert choice.reason.startswith(text)


def test_the_reason_compares_the_error_with_the_budget() -> None:
    materials = suite(2)
    reasons = [c.reason for c in choices(ErrorBudget(0.02), materials)]
    assert any("is within 2.00%" in reason for reason in reasons)
    assert any("more time is better spent on other benchmarks" in reason for reason in reasons)
    (limited,) = choices(ErrorBudget(time_budget=60.0), materials[:1])
    assert limited.reason.endswith("the smallest within the time budget")


def test_no_benchmark_is_measured_during_warm_up_to_save_time() -> None:
    series = noisy(7)
    series[:, :10] *= 20.0
    offer = candidates(material(series))
    assert offer.errors.max() <= USELESS
    assert offer.warmups.min() >= 9
    # A benchmark that cannot become precise gets its cheapest useful configuration.
    offer = candidates(material(noisy(3, spread=0.8)))
    assert offer.errors[-1] > USELESS / 2
    assert USELESS < offer.errors.max() <= 2 * offer.errors[-1]


def held_out(m: Material) -> float | None:
    """Return the held-out error of a plan of 2 + 5 iterations in 3 forks."""

    def choose(_: Material) -> Choice:
        return Choice(2, 5, 3, met=True, reason="")

    return held_out_error(choose, m, [2] * len(m.series), 3)


def settled(seed: int = 0, forks: int = 5) -> Material:
    rng = np.random.default_rng(seed)
    series = rng.normal(100, 0.5, (forks, 40)) * rng.normal(1, 0.01, (forks, 1))
    return material(series, 2, min_forks=3)


def test_the_held_out_error_follows_the_formula() -> None:
    assert held_out(settled(forks=2)) is None  # two are too few for cross-validation
    m = settled()
    errors = []
    for fork in range(5):
        others = [m.series[i] for i in range(5) if i != fork]
        truth = np.median([np.median(other[2:]) for other in others])
        errors.append(np.median(m.series[fork, 2:7]) / truth - 1)
    expected = np.sqrt(np.mean(errors) ** 2 + np.var(errors, ddof=1) / 3)
    assert held_out(m) == pytest.approx(expected)


def test_forks_in_warm_up_during_the_planned_window_are_omitted() -> None:
    """On a busy machine, a fork can run interpreted most of its time, 400 times slower."""
    for late in (1, 2, 3):
        m = settled()
        m.series[:late, :32] *= 400
        assert held_out(m) == (None if late == 3 else pytest.approx(0.0, abs=0.03))
    # A fork that differs as a whole is included, because it can happen again.
    m = settled()
    m.series[0] *= 3
    error = held_out(m)
    assert error is not None
    assert error > 0.3


def chooser_of(strategy: Strategy, known: Material) -> Callable[[Material], Choice]:
    chooser = strategy.prepare([strategy.offer(known)], 0.0)
    return lambda seen: chooser.choose(seen, strategy.offer(seen))


@pytest.mark.parametrize("strategy", [UOptime("cv", 0.02), ErrorBudget(0.03)])
def test_it_predicts_the_error_of_new_forks(strategy: Strategy) -> None:
    """Mean predicted error over suites against the real error of new forks."""
    predicted, missed = [], []
    for seed in range(60):
        m = settled(seed)
        choose = chooser_of(strategy, m)
        choice = choose(m)
        error = held_out_error(choose, m, [2] * 5, choice.forks)
        assert error is not None
        predicted.append(error)
        fresh = np.random.default_rng(10_000 + seed).normal(1, 0.01, choice.forks)
        missed.append(np.median(fresh) - 1)
    ratio = np.sqrt(np.mean(np.square(predicted))) / np.sqrt(np.mean(np.square(missed)))
    assert 0.7 < ratio < 1.6
