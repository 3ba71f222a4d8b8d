"""Tables of rounds and their weights, against literal computations."""

from statistics import median, variance
from typing import Any

import numpy as np
import pytest
from scipy.stats import trim_mean

from steady.compare import round_tables as module
from steady.compare.pair import Pair, fork_values
from steady.compare.paired_t import judge_paired_t
from steady.compare.round_means import relative_noise, variance_exponent, weighted_mean
from steady.compare.round_tables import RoundTable, round_tables, shrunk_noise
from steady.compare.rule import RuleOptions
from steady.model import Benchmark, FloatArray, Identity, Level
from steady.stats.trimmed import midmean
from tests.compare.small_suites import in_rounds, make_benchmark


def literal(base: FloatArray, head: FloatArray) -> tuple[float, float]:
    """Return difference and noise of one round, computed from single values."""
    ours, theirs = (
        [float(np.log(value)) for value in side if np.isfinite(value)] for side in (head, base)
    )
    noise = sum(
        variance(side) / len(side) if len(side) > 1 else float("nan") for side in (ours, theirs)
    )
    return median(one - other for one in ours for other in theirs), noise


@pytest.mark.parametrize("cells", [1, 100, 2**21])
def test_the_difference_of_a_round_is_the_hodges_lehmann_shift(
    monkeypatch: pytest.MonkeyPatch, cells: int
) -> None:
    monkeypatch.setattr(module, "_MOST_CELLS", cells)
    generator = np.random.default_rng(1)
    shapes = [(3, 4, 4), (5, 4, 4), (3, 1, 6), (3, 4, 4), (5, 7, 2), (3, 1, 1)]
    pairs = {
        3 * place: in_rounds(
            *(generator.lognormal(0, 1, (rounds, size)) for size in sizes), exchangeable=True
        )
        for place, (rounds, *sizes) in enumerate(shapes)
    }
    pairs[0].base[1, 2:] = np.nan
    pairs[12].head[0, 1] = np.nan
    found = {
        int(index): (table.differences[row], table.noise[row])
        for table in round_tables(pairs)
        for row, index in enumerate(table.indices)
    }
    assert found.keys() == pairs.keys()
    for place, pair in pairs.items():
        expected = sorted(map(literal, pair.base, pair.head))
        np.testing.assert_allclose(np.transpose(found[place]), expected)


def test_long_forks_are_reduced_to_quantiles_and_jvms_to_medians() -> None:
    generator = np.random.default_rng(2)
    base, head = generator.lognormal(0, 0.1, (2, 3, 6 * module.MOST_ITERATIONS))
    [table] = round_tables({0: in_rounds(base, 1.2 * head, exchangeable=True)})
    expected = sorted(literal(b, 1.2 * h)[0] for b, h in zip(base, head, strict=True))
    np.testing.assert_allclose(table.differences[0], expected, atol=0.01)
    base, head = generator.lognormal(0, 1, (2, 4, 7))
    [table] = round_tables({0: in_rounds(base, head)})
    medians = np.log(np.median(head, axis=1)) - np.log(np.median(base, axis=1))
    np.testing.assert_allclose(table.differences[0], np.sort(medians))
    assert np.isnan(table.noise).all()


def test_forks_with_zeros_are_reduced_to_medians() -> None:
    base, head = np.full((2, 3, 5), 2.0)
    head[:, 0] = 0.0
    head[:, 4] = 9.0
    [table] = round_tables({0: in_rounds(base, head, exchangeable=True)})
    np.testing.assert_array_equal(table.differences, 0.0)
    assert np.isnan(table.noise).all()
    assert np.isnan(table.typical_noise).all()
    head[0] = 0.0
    assert round_tables({0: in_rounds(base, head, exchangeable=True)}) == []
    base, head = np.full((3, 5), 2.0), np.full((3, 5), 3.0)
    head[0, 0] = 0.0
    turned = in_rounds(base, head, turns=True)
    [table] = round_tables({0: turned})
    np.testing.assert_allclose(table.differences, np.log(1.5))
    assert judge_paired_t([turned], RuleOptions())[0].apart
    # Typical noise is that of the rounds that tell.
    base = np.array([[1.0, 2.0], [1.0, np.nan], [3.0, 4.0]])
    [table] = round_tables({0: in_rounds(base, np.ones((3, 2)), exchangeable=True)})
    expected = (np.log(2) ** 2 + np.log(4 / 3) ** 2) / 4 / 2
    np.testing.assert_allclose(table.typical_noise, [expected])


def test_the_difference_of_a_round_with_turns_is_the_midmean() -> None:
    for pairs in (1, 2, 3, 6, 7, 11, 60):
        row = np.random.default_rng(pairs).standard_t(2, pairs)
        location, variance, staying = midmean(np.append(row, [np.nan] * 3))
        cut = (pairs + 1) // 4
        middle = sorted(row.tolist())[cut : pairs - cut]
        drawn_in = np.array([middle[0]] * cut + middle + [middle[-1]] * cut)
        assert location == pytest.approx(trim_mean(row, cut / pairs + 1e-9))
        assert staying == len(middle) == pairs - 2 * cut
        if staying > 1:
            squares = np.sum(np.square(drawn_in - np.mean(drawn_in)))
            assert variance == pytest.approx(squares / (staying * (staying - 1)))
        else:
            assert np.isnan(variance)
    assert np.isnan(midmean(np.full((2, 4), np.nan))[:2]).all()
    # Noise is drawn towards that of the other rounds.
    drawn = shrunk_noise(np.array([[1.0, 3.0, np.nan]]), np.array([[5, 9, 1]]))
    np.testing.assert_allclose(drawn, [[(4 * 1 + 4 * 2) / 8, (8 * 3 + 4 * 2) / 12, np.nan]])


def test_differences_of_neighbouring_iterations() -> None:
    base = np.array([[1.0, 2.0, 4.0, 8.0], [1.0, 2.0, 4.0, np.nan], [3.0, 3.0, 3.0, 3.0]])
    head = np.array([[2.0, 4.0, 8.0], [3.0, 6.0, 12.0], [3.0, np.nan, np.nan]])
    [table] = round_tables({0: in_rounds(base, head, turns=True)})
    np.testing.assert_allclose(table.differences, [[0.0, np.log(2), np.log(3)]])
    assert np.isnan(table.noise).all()  # a single pair stays of three


def test_rounds_with_and_without_turns_in_one_benchmark() -> None:
    """Rounds without turns use the forks' medians, as for JMH."""
    base, head = np.random.default_rng(1).lognormal(0, 0.2, (2, 4, 9))
    rounds = np.repeat(np.arange(4)[:, np.newaxis], 2, axis=1)
    mixed = Pair("ns/op", base, head, rounds, turns=np.array([True, False, True, False]))
    [table] = round_tables({0: mixed})
    logs = np.log(head) - np.log(base)
    medians = np.log(np.median(head, axis=1) / np.median(base, axis=1))
    expected = np.where(mixed.turns, midmean(logs)[0], medians)
    np.testing.assert_allclose(table.differences[0], np.sort(expected))
    assert not mixed.in_turn


def test_apparent_difference_resists_stalled_iterations() -> None:
    """On a busy machine, the means of two equal forks of a real suite differed by 88 %."""
    base, head = np.full((1, 40), 100.0), np.full((1, 40), 110.0)
    head[0, ::8] = 1_000.0
    turned: dict[str, Any] = {"blocks": ("r0",), "in_turn": (True,)}
    turns = [make_benchmark("b", side, **turned) for side in (base, head)]
    alone = [make_benchmark("b", side) for side in (base, head)]
    for sides in (turns, turns[::-1], alone):
        assert module.apparent_difference(*sides) == pytest.approx(np.log(1.1))
    for nothing in (np.nan, 0.0):
        side = make_benchmark("b", [[nothing] * 40], **turned)
        assert np.isinf(module.apparent_difference(side, turns[1]))


def table_of(differences: FloatArray, noise: FloatArray) -> RoundTable:
    order = np.argsort(differences, axis=1)
    first, second = (np.take_along_axis(side, order, axis=1) for side in (differences, noise))
    return RoundTable(np.arange(len(order)), first, second, order)


def suite(seed: int, count: int, rounds: int, power: float) -> RoundTable:
    """Return simulated rounds whose variance is a power of their noise."""
    generator = np.random.default_rng(seed)
    noise = np.exp(generator.normal(0, 1, (count, rounds)))
    scale = np.exp(generator.normal(0, 1, (count, 1)))
    return table_of(generator.normal(0, scale * noise ** (power / 2)), noise)


def test_the_variance_exponent_is_recovered_or_underestimated() -> None:
    for power in (0.0, 0.5, 1.0):
        found = [variance_exponent([suite(seed, 60, 5, power)]) for seed in range(12)]
        assert power - 0.25 < np.mean(found) <= power + 0.05
    # Tables of unlike numbers of rounds tell together, and few benchmarks nothing.
    whole = suite(1, 300, 6, 0.7)
    parts = [
        table_of(whole.differences[rows, :size], whole.noise[rows, :size])
        for rows, size in ((slice(150), 6), (slice(150, None), 4))
    ]
    assert variance_exponent(parts) == pytest.approx(0.7, abs=0.2)
    assert variance_exponent([]) == variance_exponent([suite(1, 9, 25, 1.0)]) == 0
    assert variance_exponent([suite(1, 10, 25, 1.0)]) > 0


def test_rounds_without_noise_have_equal_weights() -> None:
    differences = np.random.default_rng(2).normal(size=(20, 5))
    for noise in (np.nan, 0.0, 3.0):
        table = table_of(differences, np.full((20, 5), noise))
        assert (relative_noise(table) == 0).all() or noise == 0
        assert variance_exponent([table]) == 0
        np.testing.assert_allclose(weighted_mean(table, 1.0).weights, 0.2)


@pytest.mark.parametrize("rounds", [3, 9, 10, 25])
def test_weighted_mean_and_variance_match_a_literal_computation(rounds: int) -> None:
    generator = np.random.default_rng(rounds)
    table = table_of(generator.normal(size=(1, rounds)), np.exp(generator.normal(size=(1, rounds))))
    [differences], [noise] = table.differences.tolist(), table.noise.tolist()
    cut = rounds // 10
    kept = range(cut, rounds - cut)
    typical = sum(noise) / rounds
    drawn_in = [min(max(d, differences[cut]), differences[rounds - 1 - cut]) for d in differences]
    for exponent in (0.0, 0.4, 1.0):
        found = weighted_mean(table, exponent)
        weights = [max(one / typical, 0.05) ** -exponent for one in noise]
        mean = sum(weights[k] * differences[k] for k in kept) / sum(weights[k] for k in kept)
        center = sum(w * d for w, d in zip(weights, drawn_in, strict=True)) / sum(weights)
        squares = sum(w * (d - center) ** 2 for w, d in zip(weights, drawn_in, strict=True))
        variance = squares / sum(weights) * rounds / (len(kept) * (len(kept) - 1))
        assert found.mean[0] == pytest.approx(mean)
        assert found.variance[0] == pytest.approx(variance)
        assert found.freedom == len(kept) - 1
        assert found.weights.sum() == pytest.approx(1)
        assert np.flatnonzero(found.weights[0]).tolist() == list(kept)


def of(values: object, *levels: str, warmup: int = 0) -> Benchmark:
    table = np.asarray(values, dtype=np.float64)
    return Benchmark(Identity("b"), "ns/op", table, tuple(map(Level, levels)), warmup=warmup)


def test_forks_are_rows_without_warm_up() -> None:
    table = fork_values(of([[9, 1, 2], [9, 3, 4]], "fork", "iteration", warmup=1))
    np.testing.assert_array_equal(table, [[1, 2], [3, 4]])
    # The outermost repeated level is what counts as a fork.
    values = np.arange(24.0).reshape(1, 2, 3, 4)
    table = fork_values(of(values, "instance", "suite run", "iteration", "second"))
    np.testing.assert_array_equal(table, values.reshape(2, 12))
    assert fork_values(of([1, 2, 3], "iteration")).shape == (1, 3)
    assert fork_values(of([[1, 2, 3]], "fork", "iteration")).shape == (1, 3)
    assert fork_values(of([[7]], "fork", "iteration")).shape == (1, 1)
    assert fork_values(of([[1], [2], [3]], "fork", "iteration")).shape == (3, 1)  # single shots
    # What is not finite counts as missing.
    gaps = [[1, np.nan, np.nan], [np.inf, np.nan, np.nan], [3, 4, np.nan]]
    table = fork_values(of(gaps, "fork", "iteration"))
    np.testing.assert_array_equal(table, [[1, np.nan], [3, 4]])
    for nothing in ([[np.nan, np.nan]], np.empty((2, 0)), np.empty((0, 3))):
        assert fork_values(of(nothing, "fork", "iteration")).size == 0


def turned(values: list[list[float]], blocks: str, *marks: bool) -> Benchmark:
    return make_benchmark("b", values, blocks=tuple(blocks), in_turn=marks)


def test_turns_stay_with_their_forks_when_others_are_dropped() -> None:
    nan = np.nan
    base = turned([[nan, nan], [1, 2], [3, 4], [5, 6]], "0123", True, True, False, True)
    head = turned([[7, 8], [9, 1], [2, 3]], "321", True, True, True)
    pair = Pair.of(base, head)
    assert pair.rounds.tolist() == [[0, 2], [1, 1], [2, 0]]
    assert pair.turns.tolist() == [True, False, True]


def test_turns_must_be_marked_on_both_sides() -> None:
    values = [[1.0, 2.0], [3.0, 4.0]]
    marked = turned(values, "01", True, True)
    for marks in ((), (False, False)):
        pair = Pair.of(marked, turned(values, "01", *marks))
        assert (len(pair.rounds), len(pair.turns), pair.in_turn) == (2, 0, False)


def test_iterations_stay_aligned_if_one_side_lacks_a_column() -> None:
    """An iteration without a value on one side must not shift those after it."""
    base = turned([[1, np.inf, 3, np.nan]] * 2, "01", True, True)
    head = turned([[1, 2, 3]] * 2, "01", True, True)
    pair = Pair.of(base, head)
    np.testing.assert_array_equal(pair.base, [[1, np.nan, 3], [1, np.nan, 3]])
    np.testing.assert_array_equal(pair.head, [[1, 2, 3], [1, 2, 3]])
    [table] = round_tables({0: pair})
    np.testing.assert_array_equal(table.differences, 0.0)
