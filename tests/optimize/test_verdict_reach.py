from __future__ import annotations

import math

import numpy as np
import pytest

from steady.compare.alpha_spending import looks_of, nominal_confidence
from steady.compare.fork_effects import ForkEffects
from steady.compare.round_tables import RoundTable, middle_mean, steadied
from steady.compare.spread import Spread
from steady.model import FloatArray
from steady.optimize.detect import MIDDLE_MEAN_COST
from steady.optimize.pair_components import PairComponents, of_rounds
from steady.optimize.verdict_reach import Reach

ITERATIONS = 12


def confidence_of(benchmarks: int, rounds: int) -> float:
    return nominal_confidence(looks_of(rounds), rounds, 1 - 0.02 / max(benchmarks, 2))


def drawn(
    rng: np.random.Generator, between: FloatArray, noise: FloatArray, shape: tuple[int, int]
) -> FloatArray:
    """Return rounds by the model, shape (benchmarks, rounds, iterations)."""
    forks = rng.normal(0, between[:, np.newaxis, np.newaxis], (len(between), shape[0], 1))
    return forks + rng.normal(0, noise[:, np.newaxis, np.newaxis], (len(noise), *shape))


def promises(known: list[PairComponents], rounds: int) -> FloatArray:
    """Return the change, as a logarithm, that each benchmark should find."""
    noise = [np.array([MIDDLE_MEAN_COST * one.iterations / ITERATIONS]) for one in known]
    reach = Reach.of(known, noise, [rounds], lambda number: confidence_of(len(known), number))
    sizes = (
        reach.sizes(one, own, np.array([rounds]), 0.8, 0.0)
        for one, own in zip(known, noise, strict=True)
    )
    return np.concatenate(list(sizes))


def intervals(differences: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return what the rule makes of a suite's rounds: changes, and half their intervals."""
    location, variance, staying = middle_mean(differences)
    benchmarks, rounds, _ = differences.shape
    order = np.argsort(location, axis=1)
    table = RoundTable(
        np.arange(benchmarks),
        np.take_along_axis(location, order, axis=1),
        np.take_along_axis(steadied(variance, staying), order, axis=1),
        order,
    )
    [changes] = ForkEffects.of([table]).changes(confidence_of(benchmarks, rounds))
    return changes.change, changes.half


@pytest.mark.parametrize(("benchmarks", "rounds"), [(1, 5), (8, 3), (24, 5), (24, 12)])
def test_the_promised_change_is_what_the_rule_finds(benchmarks: int, rounds: int) -> None:
    """Suites of unlike benchmarks: planned from other rounds than those that are judged.

    Benchmarks of one suite learn from each other, so that what they find is not independent; over
    seeds, the share strayed by 0.05.
    """
    rng = np.random.default_rng(100 * benchmarks + rounds)
    found = []
    for _ in range(min(160 // benchmarks, 80)):
        between = 0.02 * rng.lognormal(0, 0.6, benchmarks)
        noise = 0.06 * rng.lognormal(0, 0.6, benchmarks)
        seen = drawn(rng, between, noise, (6, 40))
        known = [one for table in seen if (one := of_rounds(table)) is not None]
        change, half = intervals(drawn(rng, between, noise, (rounds, ITERATIONS)))
        found += list(change + promises(known, rounds) > half)
    assert 0.7 <= np.mean(found) <= 0.9


def test_an_odd_benchmark_does_not_spoil_the_promises_of_the_others() -> None:
    """The rule keeps three tenths for odd ones; a shared variance would be of no use to anyone."""
    rng = np.random.default_rng(3)
    noise = np.full(12, 0.03)
    alike, odd = np.full(12, 0.01), np.full(12, 0.01)
    odd[:2] = 0.3
    sizes = []
    for between in (alike, odd):
        seen = drawn(rng, between, noise, (8, 40))
        known = [one for table in seen if (one := of_rounds(table)) is not None]
        sizes.append(float(np.median(promises(known, 3)[2:])))
    assert sizes[1] < 2 * sizes[0]


def test_more_rounds_less_noise_and_less_power_need_less() -> None:
    spread = Spread(0.02**2 + math.pi / 2 * 0.05**2 / 40, 30)
    known = [PairComponents(spread, 0.05**2, 40, 6)] * 6
    noise = [MIDDLE_MEAN_COST * 0.05**2 / np.array([40.0, 20.0, 10.0, 5.0])] * 6
    reach = Reach.of(known, noise, range(3, 31), lambda number: confidence_of(6, number))

    def sizes(own_noise: FloatArray, rounds: list[int], power: float = 0.8) -> list[float]:
        found = reach.sizes(known[0], own_noise, np.array(rounds), power, 0.0)
        return [float(size) for size in found]

    by_rounds = sizes(np.full(28, noise[0][0]), list(range(3, 31)))
    assert by_rounds == sorted(by_rounds, reverse=True)
    by_noise = sizes(noise[0], [5] * 4)
    assert by_noise == sorted(by_noise)
    by_power = [sizes(noise[0][:1], [5], power)[0] for power in (0.5, 0.8, 0.95)]
    assert by_power == sorted(by_power)


def size_of(known: PairComponents, count: int, rounds: int, noise: float, least: float) -> float:
    """Return what a benchmark finds in a suite of such benchmarks."""
    own = np.array([noise])
    reach = Reach.of([known] * count, [own] * count, [rounds], lambda _: 0.99)
    return float(reach.sizes(known, own, np.array([rounds]), 0.8, least)[0])


def test_a_spread_that_is_known_well_is_the_one_that_counts() -> None:
    """With many rounds and little noise, it is Gauss's: limit and power by normal quantiles."""
    known = PairComponents(Spread(0.02**2, 1e6), 1e-8, 60, 10)
    expected = (2.576 + 0.84) * 0.02 / math.sqrt(30)
    assert size_of(known, 30, 30, 1e-8, 0.0) == pytest.approx(expected, rel=0.2)
    # A change below what is reported is not found.
    known = PairComponents(Spread(1e-8, 50), 1e-8, 60, 10)
    assert size_of(known, 5, 5, 1e-9, 0.03) == pytest.approx(math.log(1.03), rel=0.02)
