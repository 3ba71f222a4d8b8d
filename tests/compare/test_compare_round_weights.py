"""What weights rounds get, against a literal reckoning, and when a suite tells them apart."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from steady.compare.round_tables import RoundTable
from steady.compare.round_weights import learnt_exponent, relative_noise, round_mean
from tests.looped import looped

FloatArray = npt.NDArray[np.float64]


def table_of(differences: FloatArray, noise: FloatArray) -> RoundTable:
    order = np.argsort(differences, axis=1)
    return RoundTable(
        np.arange(len(order)),
        np.take_along_axis(differences, order, axis=1),
        np.take_along_axis(noise, order, axis=1),
        order,
    )


def suite(seed: int, count: int, rounds: int, power: float) -> RoundTable:
    """Draw rounds whose variance is a power of their noise."""
    generator = np.random.default_rng(seed)
    noise = np.exp(generator.normal(0, 1, (count, rounds)))
    scale = np.exp(generator.normal(0, 1, (count, 1)))
    return table_of(generator.normal(0, scale * noise ** (power / 2)), noise)


@looped("power", [0.0, 0.5, 1.0])
def test_the_power_is_found_again_and_rather_too_small(power: float) -> None:
    found = [learnt_exponent([suite(seed, 60, 5, power)]) for seed in range(12)]
    assert power - 0.25 < np.mean(found) <= power + 0.05


def test_tables_of_unlike_numbers_of_rounds_tell_together() -> None:
    whole = suite(1, 300, 6, 0.7)
    parts = [
        table_of(whole.differences[rows, :size], whole.noise[rows, :size])
        for rows, size in ((slice(150), 6), (slice(150, None), 4))
    ]
    assert learnt_exponent(parts) == pytest.approx(0.7, abs=0.2)


def test_few_benchmarks_tell_nothing() -> None:
    assert learnt_exponent([]) == 0
    assert learnt_exponent([suite(1, 9, 25, 1.0)]) == 0
    assert learnt_exponent([suite(1, 10, 25, 1.0)]) > 0


def test_without_noise_all_rounds_count_alike() -> None:
    differences = np.random.default_rng(2).normal(size=(20, 5))
    for noise in (np.nan, 0.0, 3.0):
        table = table_of(differences, np.full((20, 5), noise))
        assert (relative_noise(table) == 0).all() or noise == 0
        assert learnt_exponent([table]) == 0
        np.testing.assert_allclose(round_mean(table, 1.0).weights, 0.2)


@looped("rounds", [3, 9, 10, 25])
@looped("exponent", [0.0, 0.4, 1.0])
def test_the_mean_and_its_variance_value_by_value(rounds: int, exponent: float) -> None:
    generator = np.random.default_rng(rounds)
    table = table_of(generator.normal(size=(1, rounds)), np.exp(generator.normal(size=(1, rounds))))
    found = round_mean(table, exponent)
    [differences], [noise] = table.differences.tolist(), table.noise.tolist()
    cut = rounds // 10
    kept = range(cut, rounds - cut)
    typical = sum(noise) / rounds
    weights = [max(one / typical, 0.05) ** -exponent for one in noise]
    mean = sum(weights[k] * differences[k] for k in kept) / sum(weights[k] for k in kept)
    drawn_in = [min(max(d, differences[cut]), differences[rounds - 1 - cut]) for d in differences]
    center = sum(w * d for w, d in zip(weights, drawn_in, strict=True)) / sum(weights)
    squares = sum(w * (d - center) ** 2 for w, d in zip(weights, drawn_in, strict=True))
    variance = squares / sum(weights) * rounds / (len(kept) * (len(kept) - 1))
    assert found.mean[0] == pytest.approx(mean)
    assert found.variance[0] == pytest.approx(variance)
    assert found.freedom == len(kept) - 1
    assert found.weights.sum() == pytest.approx(1)
    assert np.flatnonzero(found.weights[0]).tolist() == list(kept)
