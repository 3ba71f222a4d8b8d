"""Contract tests of all similarity methods, and tests of the five-measure heuristic."""

import numpy as np
import pytest

from steady.errors import InputError
from steady.model import FloatArray
from steady.similarity import METHODS, Similarity, heuristic, similarity
from tests.looped import looped

# Contract tests of all registered similarity methods.


by_method = looped("method", METHODS)


def forks_with_an_odd_one(forks: int = 5, iterations: int = 60, seed: int = 1) -> FloatArray:
    values = 1 + 0.02 * np.random.default_rng(seed).standard_normal((forks, iterations))
    values[-1] *= 2
    return values


def check(result: Similarity, forks: int, method: str) -> None:
    assert result.method == method
    assert result.reason
    assert "\n" not in result.reason
    assert type(result.similar) is bool
    assert result.measures
    assert all(type(v) is float and 0 <= v <= 1 for v in result.measures.values())
    assert all(type(fork) is int and 0 <= fork < forks for fork in result.odd_forks)
    assert list(result.odd_forks) == sorted(set(result.odd_forks))
    assert 2 * len(result.odd_forks) < forks


@by_method
@looped("count", [2, 3, 5, 10])
@looped("length", [10, 11, 31, 60, 300])
def test_result_is_in_range(method: str, count: int, length: int) -> None:
    for seed in range(3):
        check(similarity(forks_with_an_odd_one(count, length, seed), method), count, method)
        wild = np.random.default_rng(seed).normal(size=(count, length)) ** 3
        check(similarity(wild, method), count, method)


@by_method
def test_a_very_different_fork_is_found(method: str) -> None:
    result = similarity(forks_with_an_odd_one(), method)
    assert not result.similar
    assert result.odd_forks == (4,)


@by_method
def test_order_unit_and_type_have_no_effect(method: str) -> None:
    forks = forks_with_an_odd_one()
    before = forks.copy()
    forks.flags.writeable = False
    expected = similarity(forks, method)
    assert similarity(before, method) == expected
    np.testing.assert_array_equal(forks, before)
    order = [3, 4, 0, 2, 1]
    result = similarity(forks[order], method)
    assert result.similar == expected.similar
    assert [order[fork] for fork in result.odd_forks] == list(expected.odd_forks)
    assert result.measures == pytest.approx(expected.measures, abs=1e-12)
    for factor in (1e-200, 1e-9, 1e3, 1e200, 2.0**-1000):
        with np.errstate(all="raise"):
            result = similarity(forks * factor, method)
        assert (result.similar, result.odd_forks) == (expected.similar, expected.odd_forks)
        assert result.measures == pytest.approx(expected.measures, abs=1e-12)
    counts = np.random.default_rng(3).integers(90, 110, (4, 30))
    expected = similarity(counts.astype(np.float64), method)
    for same in (counts, counts.tolist(), np.asfortranarray(counts)):
        assert similarity(same, method) == expected


@by_method
def test_forks_are_cut_to_the_shortest(method: str) -> None:
    forks = forks_with_an_odd_one()
    expected = similarity(forks[:, :40], method)
    forks[1, 40:] = np.nan
    forks[3, 55:] = np.nan
    assert similarity(forks, method) == expected


@by_method
def test_invalid_forks_are_rejected(method: str) -> None:
    few: tuple[object, ...] = (np.ones((1, 30)), np.ones((0, 30)), np.ones(30), 3.0, [])
    refused: list[tuple[object, str | None]]
    refused = [(forks, "at least 2 forks, one per row, are needed") for forks in few]
    others = [["a"] * 20] * 2, [[1.0] * 20, [1.0] * 19], np.ones((2, 20)) * 1j, [[10**400] * 20] * 2
    refused += [(forks, None) for forks in others]
    refused.append((np.ones((3, 0)), r"fork 0 \(counted from 0\) has 0 iterations"))
    for there in (9, 0):
        short = forks_with_an_odd_one()
        short[1, there:] = np.nan
        refused.append((short, rf"fork 1 \(counted from 0\) has {there} iterations; at least 10"))
    for bad in (np.nan, np.inf, -np.inf):
        hole = forks_with_an_odd_one()
        hole[3, 30] = bad
        refused.append((hole, rf"iteration 30 of fork 3 \(both .*\) is {bad}"))
    for forks, message in refused:
        with pytest.raises(InputError, match=message):
            similarity(forks, method)  # type: ignore[arg-type]


# The five-measure heuristic: Algorithm 1, odd forks, and options.


TIME = np.arange(60) / 60


def noise(forks: int = 5, spread: float = 0.02, seed: int = 1) -> FloatArray:
    return 1 + spread * np.random.default_rng(seed).standard_normal((forks, 60))


def above(result: Similarity) -> list[str]:
    return [name for name, value in result.measures.items() if value > 0.25]


def test_figure_1_of_the_paper_and_identical_forks() -> None:
    """Offsets in level and time and a double frequency are dissimilar, and low noise is similar."""
    wave = np.sin(2 * np.pi * 4 * TIME)
    quarter_later = np.sin(2 * np.pi * (4 * TIME - 0.25))
    double = np.sin(2 * np.pi * 8 * TIME)
    noisy = wave + 0.1 * np.random.default_rng(1).standard_normal(60)
    assert above(heuristic([wave, wave + 1])) == ["fourier", "cosine", "kolmogorov-smirnov"]
    later = above(heuristic([wave, quarter_later]))
    assert {"correlation", "fourier", "cosine"} <= set(later)
    assert "kolmogorov-smirnov" not in later
    assert not heuristic([wave, double]).similar
    assert heuristic([wave, noisy]).similar
    same = heuristic(np.tile(noise(1), (4, 1)))
    assert (same.similar, same.odd_forks, same.reason) == (True, (), "0 of 5 measures above 0.25")
    np.testing.assert_allclose(list(same.measures.values()), 0, atol=1e-12)


def test_a_majority_is_three_of_five() -> None:
    forks = noise()
    two = heuristic(forks)
    assert above(two) == ["correlation", "compression"]
    assert two.similar
    forks[2] *= 1.1
    three = heuristic(forks)
    assert above(three) == ["correlation", "compression", "kolmogorov-smirnov"]
    assert not three.similar
    assert three.odd_forks == (2,)
    assert three.reason.startswith("3 of 5 measures above 0.25: correlation 0.9")


def test_aggregates_are_means_over_the_pairs() -> None:
    forks = noise(4)
    forks[0] *= 1.5
    pairs = [heuristic(forks[[i, j]]).measures for i in range(4) for j in range(i + 1, 4)]
    for name, value in heuristic(forks).measures.items():
        assert value == pytest.approx(np.mean([pair[name] for pair in pairs]), abs=1e-12)


def test_odd_forks_are_a_minority_and_the_whole_may_be_similar() -> None:
    ten, five = noise(10), noise(5)
    ten[7] *= 2
    five[[1, 4]] *= 1.5
    assert heuristic(ten, tolerance=0.05).similar
    for forks, odd in (
        (ten, (7,)),
        (five, (1, 4)),
        (five[:4], (1,)),
        (five[[0, 1]], ()),  # a tie
        (five[[0, 1, 3, 4]], ()),
    ):
        assert heuristic(forks, tolerance=0.05).odd_forks == odd


def test_tolerance_is_a_share_of_the_median() -> None:
    forks = noise() * np.array([[0.98], [1.0], [1.01], [1.02], [0.99]])
    assert not heuristic(forks).similar
    assert heuristic(forks, tolerance=0.05).similar
    forks[3] *= 1.2
    assert heuristic(forks, tolerance=0.05).odd_forks == (3,)
    forks[:, 10] = 1000
    for sign in (1, -1):
        measures = heuristic(sign * forks, tolerance=0.05).measures
        assert measures["kolmogorov-smirnov"] > 0.25
        equal = heuristic(sign * forks[[0, 0]], tolerance=0.05).measures
        assert equal["kolmogorov-smirnov"] == 0


def test_the_alphabet_affects_only_m2() -> None:
    default, other = heuristic(noise()), heuristic(noise(), segments=12, alphabet=7)
    changed = [name for name, value in default.measures.items() if other.measures[name] != value]
    assert changed == ["compression"]


@looped(
    ("options", "message"),
    [
        ({"threshold": 0.0}, "threshold must be above 0"),
        ({"tolerance": -0.1}, "tolerance must be 0 or above"),
        ({"tolerance": float("nan")}, "tolerance must be 0 or above"),
        ({"segments": 1}, "segments must be a whole number from 2 up"),
        ({"alphabet": 3.5}, "alphabet must be a whole number from 2 up, but is 3.5"),
    ],
)
def test_options_out_of_range(options: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        heuristic(noise(), **options)  # type: ignore[arg-type]
