from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from steady.optimize.cost import CostModel
from steady.optimize.error_budget import ErrorBudget
from steady.optimize.error_model import held_out_error
from steady.optimize.strategy import Choice, Material, Strategy
from steady.papers.uoptime import UOptime


class Fixed:
    """A strategy that always gives the same answer."""

    def choose(self, material: Material) -> Choice:
        return Choice(2, 5, 3, met=True, reason="")


def material(forks: int, seed: int = 0, *, spread: float = 0.01) -> Material:
    rng = np.random.default_rng(seed)
    series = rng.normal(100, 0.5, (forks, 40)) * rng.normal(1, spread, (forks, 1))
    return Material(series, 2, 0, CostModel(0.5, 0.0, np.arange(41.0)), 3)


def test_two_forks_cannot_judge_each_other() -> None:
    assert held_out_error(Fixed().choose, material(2), [2, 2], 2) is None


def test_the_error_is_the_formula_over_the_forks_left_out() -> None:
    m = material(5)
    errors = []
    for fork in range(5):
        others = [m.series[i] for i in range(5) if i != fork]
        truth = np.median([np.median(other[2:]) for other in others])
        errors.append(np.median(m.series[fork, 2:7]) / truth - 1)
    expected = np.sqrt(np.mean(errors) ** 2 + np.var(errors, ddof=1) / 3)
    assert held_out_error(Fixed().choose, m, [2] * 5, 3) == pytest.approx(expected)


@pytest.mark.parametrize("late", [1, 2])
def test_forks_that_still_warm_up_where_the_plan_measures_do_not_count(late: int) -> None:
    """On a busy machine, a fork may run uncompiled for most of its time, 400 times slower."""
    m = material(5)
    m.series[:late, :32] *= 400
    assert held_out_error(Fixed().choose, m, [2] * 5, 3) == pytest.approx(0.0, abs=0.03)


def test_where_too_few_forks_are_warm_the_error_is_not_known() -> None:
    m = material(5)
    m.series[:3, :32] *= 400
    assert held_out_error(Fixed().choose, m, [2] * 5, 3) is None


def test_a_fork_that_differs_as_a_whole_counts() -> None:
    """That is not a warm-up: a plan has to expect it again."""
    m = material(5)
    m.series[0] *= 3
    error = held_out_error(Fixed().choose, m, [2] * 5, 3)
    assert error is not None
    assert error > 0.3


def chooser_of(strategy: Strategy, known: Material) -> Callable[[Material], Choice]:
    chooser = strategy.prepare([strategy.offer(known)], 0.0)
    return lambda seen: chooser.choose(seen, strategy.offer(seen))


@pytest.mark.parametrize("strategy", [UOptime("cv", 0.02), ErrorBudget(0.03)])
def test_it_foretells_the_error_of_new_forks(strategy: Strategy) -> None:
    """Mean over suites of the predicted error against what fresh forks really missed by."""
    predicted, missed = [], []
    for seed in range(120):
        m = material(5, seed)
        choose = chooser_of(strategy, m)
        choice = choose(m)
        error = held_out_error(choose, m, [2] * 5, choice.forks)
        assert error is not None
        predicted.append(error)
        rng = np.random.default_rng(10_000 + seed)
        fresh = rng.normal(1, 0.01, choice.forks)
        missed.append(np.median(fresh) - 1)
    ratio = np.sqrt(np.mean(np.square(predicted))) / np.sqrt(np.mean(np.square(missed)))
    assert 0.7 < ratio < 1.6
