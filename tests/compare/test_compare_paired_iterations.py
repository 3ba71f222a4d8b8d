"""Rounds in turn: against a literal reckoning, their error rates, and what takes the gain away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import brentq
from scipy.stats import norm, trim_mean

from steady.compare import RULES, compare, fork_effects
from steady.compare import fork_beliefs as module
from steady.compare.fork_effects import ForkEffects
from steady.compare.pair import Pair
from steady.compare.paired_t import judge_paired_t
from steady.compare.round_tables import (
    apparent_difference,
    middle_mean,
    round_tables,
    steadied,
)
from steady.compare.rule import Judgement, RuleOptions
from steady.model import Benchmark, Identity, Level
from steady.readers import load
from tests.looped import looped

FloatArray = npt.NDArray[np.float64]


def in_turn(base: FloatArray, head: FloatArray, *, unit: str = "ns/op") -> Pair:
    rounds = np.repeat(np.arange(len(base))[:, np.newaxis], 2, axis=1)
    return Pair(unit, base, head, rounds, turns=np.ones(len(base), dtype=bool))


def suite(
    generator: np.random.Generator,
    rounds: int,
    iterations: int,
    *,
    count: int = 40,
    forks: float = 0.005,
    noise: float = 0.05,
    bistable: float = 0.0,
    slowdown: float = 1.0,
) -> list[Pair]:
    """Draw forks that share what the machine does, and iterations of which some are disturbed.

    The spread between forks, and the noise within them, differ by benchmark and by round. Forks of
    bistable benchmarks run in one of two ways, 10 % apart.
    """
    spread = forks * np.exp(generator.normal(0, 0.5, (count, 1, 1, 1)))
    levels = spread * generator.normal(0, 1, (count, 2, rounds, 1))
    odd = np.arange(count) < np.floor(bistable * count + generator.random())
    ways = generator.choice([-0.05, 0.05], (count, 2, rounds, 1))
    levels += np.where(odd[:, np.newaxis, np.newaxis, np.newaxis], ways, 0.0)
    machine = np.cumsum(generator.normal(0, 0.05, (count, 1, rounds, iterations)), axis=-1)
    scale = noise * np.exp(generator.normal(0, 0.5, (count, 1, rounds, 1)))
    shape = count, 2, rounds, iterations
    single = scale * generator.standard_t(2.5, shape)
    woken = np.where(generator.random(shape) < 0.05, generator.exponential(0.5, shape), 0.0)
    values = 100 * np.exp(levels + machine + single + woken)
    return [in_turn(base, slowdown * head) for base, head in values]


def share_apart(suites: Sequence[list[Pair]], confidence: float = 0.99) -> float:
    judged = [j.apart for pairs in suites for j in judge_paired_t(pairs, RuleOptions(confidence))]
    return float(np.mean(judged))


def three_deviations(rate: float, count: int) -> float:
    return rate + 3 * float(np.sqrt(rate * (1 - rate) / count))


@looped("pairs", [1, 2, 3, 6, 7, 11, 60])
def test_a_round_is_the_mean_of_the_middle_half_of_its_pairs(pairs: int) -> None:
    row = np.random.default_rng(pairs).standard_t(2, pairs)
    location, variance, staying = middle_mean(np.append(row, [np.nan] * 3))
    cut = (pairs + 1) // 4
    ordered = sorted(row.tolist())
    drawn_in = [ordered[cut]] * cut + ordered[cut : pairs - cut] + [ordered[pairs - cut - 1]] * cut
    assert location == pytest.approx(trim_mean(row, cut / pairs + 1e-9))
    assert staying == pairs - 2 * cut
    if staying > 1:
        squares = np.sum(np.square(np.array(drawn_in) - np.mean(drawn_in)))
        assert variance == pytest.approx(squares / (staying * (staying - 1)))
    else:
        assert np.isnan(variance)


def test_a_row_without_any_pair_has_no_location() -> None:
    location, variance, _ = middle_mean(np.full((2, 4), np.nan))
    assert np.isnan(location).all()
    assert np.isnan(variance).all()


def test_noise_is_drawn_towards_that_of_the_other_rounds() -> None:
    noise = np.array([[1.0, 3.0, np.nan]])
    drawn = steadied(noise, np.array([[5, 9, 1]]))
    np.testing.assert_allclose(drawn, [[(4 * 1 + 4 * 2) / 8, (8 * 3 + 4 * 2) / 12, np.nan]])


def test_differences_are_those_of_neighbours_and_missing_ones_drop_their_pair() -> None:
    base = np.array([[1.0, 2.0, 4.0, 8.0], [1.0, 2.0, 4.0, np.nan], [3.0, 3.0, 3.0, 3.0]])
    head = np.array([[2.0, 4.0, 8.0], [3.0, 6.0, 12.0], [3.0, np.nan, np.nan]])
    [table] = round_tables({0: in_turn(base, head)})
    np.testing.assert_allclose(table.differences, [[0.0, np.log(2), np.log(3)]])
    assert np.isnan(table.noise).all()  # a single pair stays of three


def test_rounds_of_either_kind_in_one_benchmark() -> None:
    """Rounds that were not in turn stand by their medians, as they do in any file of JMH."""
    base, head = np.random.default_rng(1).lognormal(0, 0.2, (2, 4, 9))
    rounds = np.repeat(np.arange(4)[:, np.newaxis], 2, axis=1)
    mixed = Pair("ns/op", base, head, rounds, turns=np.array([True, False, True, False]))
    [table] = round_tables({0: mixed})
    logs = np.log(head) - np.log(base)
    medians = np.log(np.median(head, axis=1) / np.median(base, axis=1))
    expected = np.where(mixed.turns, middle_mean(logs)[0], medians)
    np.testing.assert_allclose(table.differences[0], np.sort(expected))
    assert not mixed.in_turn


def test_either_kind_in_one_suite_is_judged_beside_its_own_kind() -> None:
    turned = suite(np.random.default_rng(2), 4, 10, count=12)
    apart = [replace(pair, turns=np.empty(0, dtype=bool)) for pair in turned[:6]]
    together = judge_paired_t([*turned, *apart], RuleOptions())
    alone = judge_paired_t(turned, RuleOptions()), judge_paired_t(apart, RuleOptions())
    assert intervals(together) == intervals([*alone[0], *alone[1]])


def intervals(judgements: Sequence[Judgement]) -> list[tuple[float, float] | None]:
    return [judgement.interval for judgement in judgements]


def literal(pairs: list[Pair], confidence: float, harness: str) -> list[tuple[float, float]]:
    """Return change and half the interval of each benchmark, one possibility at a time."""
    rows = []
    for pair in pairs:
        logs = np.log(pair.head) - np.log(pair.base)
        rounds = [middle_mean(row) for row in logs]
        own = np.array([[float(variance) for _, variance, _ in rounds]])
        drawn = steadied(own, np.array([[staying for *_, staying in rounds]]))[0]
        rows.append((np.array([float(location) for location, *_ in rounds]), drawn))
    cells = list(product(module.NOISE_FACTORS, module.SPREADS))
    fits = [[fit(values, factor * noise + s**2) for factor, s in cells] for values, noise in rows]
    beliefs = list(zip(literal_beliefs(), literal_levels(harness), strict=True))
    factors, spreads = len(module.NOISE_FACTORS), len(module.SPREADS)
    answers = []
    for place_of_own in range(len(pairs)):
        prior = np.zeros((factors, spreads))
        for place, (belief, told) in product(range(factors), beliefs):
            for other in range(len(pairs)):
                if other != place_of_own:
                    stretch = fits[other][place * spreads : (place + 1) * spreads]
                    told *= sum(b * one[0] for b, one in zip(belief, stretch, strict=True))
            prior[place] += told * np.array(belief)
        weights = prior.ravel() * np.array([one[0] for one in fits[place_of_own]])
        weights /= weights.sum()
        answers.append(literal_interval(weights, fits[place_of_own], confidence))
    return answers


def fit(values: FloatArray, variances: FloatArray) -> tuple[float, float, float]:
    weights = 1 / variances
    mean = float(np.average(values, weights=weights))
    density = np.prod(norm.pdf(values, mean, np.sqrt(variances))) / np.sqrt(weights.sum())
    return float(density), mean, float(1 / np.sqrt(weights.sum()))


def literal_beliefs() -> list[list[float]]:
    beliefs = []
    logs = [float(np.log(spread)) for spread in module.SPREADS]
    share = module._ODD_SHARE
    for level, width in product(module._LEVELS, module._WIDTHS):
        usual = [norm.pdf((log - np.log(level)) / width) for log in logs]
        odd = [float(0 <= log - np.log(level) <= np.log(module._ODDEST)) for log in logs]
        beliefs.append(
            [
                float((1 - share) * one / sum(usual) + share * other / sum(odd))
                for one, other in zip(usual, odd, strict=True)
            ]
        )
    return beliefs


def literal_levels(harness: str) -> list[float]:
    """Return how much each belief counts beforehand; levels come first, as in `literal_beliefs`."""
    share, middle, width = module.PUBLISHED.get(harness, (0.0, 1.0, 1.0))
    near = [float(norm.pdf(np.log(level / middle) / width)) for level in module._LEVELS]
    shares = [share * one / sum(near) + (1 - share) / len(near) for one in near]
    return [one for one in shares for _ in module._WIDTHS]


def literal_interval(
    weights: FloatArray, fits: list[tuple[float, float, float]], confidence: float
) -> tuple[float, float]:
    means, deviations = (np.array([one[place] for one in fits]) for place in (1, 2))
    change = float(np.average(means, weights=weights))

    def inside(half: float) -> float:
        high, low = ((change + sign * half - means) / deviations for sign in (1, -1))
        return float(weights @ (norm.cdf(high) - norm.cdf(low))) - confidence

    return change, brentq(inside, 1e-8, 50.0, xtol=1e-12)


@pytest.mark.parametrize("harness", ["", "fork"])
def test_the_arrays_do_what_the_words_say(monkeypatch: pytest.MonkeyPatch, harness: str) -> None:
    for one in (module, fork_effects):
        monkeypatch.setattr(one, "SPREADS", np.geomspace(1e-3, 0.5, 9))
    monkeypatch.setattr(module, "_LEVELS", np.geomspace(2e-3, 0.2, 4))
    monkeypatch.setattr(fork_effects, "_MOST_CELLS", 200)
    module._beliefs.cache_clear()
    pairs = suite(np.random.default_rng(3), 4, 8, count=4)
    tables = round_tables(dict(enumerate(pairs)))
    [changes] = ForkEffects.of(tables, harness).changes(0.95)
    module._beliefs.cache_clear()
    for row, (change, half) in enumerate(literal(pairs, 0.95, harness)):
        assert changes.change[row] == pytest.approx(change, rel=1e-6)
        assert changes.half[row] == pytest.approx(half, rel=1e-5)


@pytest.mark.parametrize(
    ("rounds", "iterations"),
    [
        (3, 5),
        (3, 60),
        *(pytest.param(*one, marks=pytest.mark.thorough) for one in ((3, 20), (5, 10), (10, 5))),
    ],
)
def test_equal_benchmarks_lie_inside_their_interval(rounds: int, iterations: int) -> None:
    """With drift that both share, disturbed iterations, and forks that differ: 99 of 100."""
    generator = np.random.default_rng(rounds * iterations)
    suites = [suite(generator, rounds, iterations) for _ in range(25)]
    assert share_apart(suites) < three_deviations(0.01, 25 * 40)


@pytest.mark.parametrize(
    ("rounds", "forks"),
    [
        (3, 0.03),
        (10, 0.03),
        *(pytest.param(*one, marks=pytest.mark.thorough) for one in ((3, 0.001), (5, 0.01))),
    ],
)
def test_a_true_change_lies_inside_as_often(rounds: int, forks: float) -> None:
    generator = np.random.default_rng(rounds)
    suites = [suite(generator, rounds, 15, forks=forks, slowdown=1.1) for _ in range(15)]
    judged = [j for pairs in suites for j in judge_paired_t(pairs, RuleOptions(0.9))]
    missed = np.mean([not j.interval[0] <= 0.1 <= j.interval[1] for j in judged if j.interval])
    assert missed < three_deviations(0.1, len(judged))
    assert missed > 0.04


@pytest.mark.parametrize(
    "count",
    [5, pytest.param(10, marks=pytest.mark.thorough), pytest.param(40, marks=pytest.mark.thorough)],
)
def test_benchmarks_whose_forks_compile_in_two_ways_raise_no_more_alarms(count: int) -> None:
    """One in ten, 10 % apart, three rounds. In 1 of 32 all rounds show the same 10 % by chance."""
    generator = np.random.default_rng(count)
    suites = [suite(generator, 3, 20, count=count, bistable=0.1) for _ in range(1200 // count)]
    assert share_apart(suites) < three_deviations(0.01, 1200)


@pytest.mark.parametrize(
    ("count", "bistable"),
    [
        (1, 0.1),
        (4, 0.0),
        *(pytest.param(*one, marks=pytest.mark.thorough) for one in ((1, 0.0), (4, 0.1))),
    ],
)
def test_small_suites_with_a_prior_raise_no_more_alarms(count: int, bistable: float) -> None:
    """Also where forks differ by ten times what was published, or compile in two ways."""
    generator = np.random.default_rng(count)
    suites = [
        suite(generator, 3, 15, count=count, bistable=bistable, forks=forks)
        for forks in (0.001, 0.01, 0.05)
        for _ in range(120 // count)
    ]
    assert share_apart(suites) < three_deviations(0.01, 360)


def like_processes(pairs: list[Pair]) -> list[Pair]:
    """Take the forks for processes of Go, of which nothing is known beforehand."""
    return [replace(pair, alike=True) for pair in pairs]


def test_published_forks_narrow_the_widest_intervals_of_single_benchmarks() -> None:
    """Those whose three rounds lie apart by chance."""
    pairs = suite(np.random.default_rng(11), 3, 20, forks=0.008, noise=0.01)
    with_prior, without = (
        np.quantile([judge_paired_t([p], RuleOptions())[0].reach.rise for p in some], 0.9)
        for some in (pairs, like_processes(pairs))
    )
    assert with_prior < 0.95 * without


def test_many_benchmarks_override_what_was_published() -> None:
    pairs = suite(np.random.default_rng(12), 3, 20, count=80, forks=0.05, noise=0.01)
    halves = [
        [j.reach.rise for j in judge_paired_t(some, RuleOptions())]
        for some in (pairs, like_processes(pairs))
    ]
    np.testing.assert_allclose(halves[0], halves[1], rtol=0.02)


def test_two_rounds_in_turn_are_enough_for_go_alone() -> None:
    pairs = suite(np.random.default_rng(13), 2, 20, count=12, forks=0.0005, noise=0.02)
    [table] = round_tables(dict(enumerate(like_processes(pairs))))
    [expected] = ForkEffects.of([table]).changes(0.99)
    judged = judge_paired_t(like_processes(pairs), RuleOptions())
    found = [np.log1p(judged[index].reach.rise) for index in table.indices.tolist()]
    np.testing.assert_allclose(found, expected.half)
    alone = RULES["moderated-t"].value.judge(pairs, RuleOptions())
    assert intervals(judge_paired_t(pairs, RuleOptions())) == intervals(alone)


def test_shuffled_pairs_take_the_gain_away() -> None:
    generator = np.random.default_rng(4)
    pairs = suite(generator, 5, 20, count=60, forks=0.002, noise=0.01, slowdown=1.02)
    shuffled = [replace(p, base=generator.permuted(p.base, axis=1)) for p in pairs]
    halves = [
        float(np.median([j.reach.rise for j in judge_paired_t(some, RuleOptions())]))
        for some in (pairs, shuffled)
    ]
    assert halves[1] > 2 * halves[0]
    assert share_apart([pairs]) > 3 * share_apart([shuffled]) > 0


def test_a_disturbed_round_among_ten_decides_nothing() -> None:
    pairs = suite(np.random.default_rng(5), 10, 20, slowdown=1.1)
    third = np.arange(10)[:, np.newaxis] == 3
    disturbed = [replace(p, base=np.where(third, 2 * p.base, p.base)) for p in pairs]
    assert share_apart([pairs]) > 0.9
    assert share_apart([disturbed]) > 0.9


def test_counts_that_never_vary_need_no_statistics() -> None:
    counts = in_turn(np.full((3, 4), 64.0), np.full((3, 4), 96.0))
    same = in_turn(np.full((3, 4), 64.0), np.full((3, 4), 64.0))
    noisy = suite(np.random.default_rng(6), 3, 4, count=5)
    judged = judge_paired_t([counts, same, *noisy], RuleOptions())
    assert [j.apart for j in judged[:2]] == [True, False]
    assert judged[0].interval == pytest.approx((0.5, 0.5))
    assert judged[1].excluded == 0
    np.testing.assert_allclose(
        [j.reach.rise for j in judged[2:]],
        [j.reach.rise for j in judge_paired_t(noisy, RuleOptions())],
    )


@looped("size", [1e-9, 1e-4, 1.0, 30.0])
def test_a_benchmark_that_is_quite_unlike_the_others_is_judged_by_itself(size: float) -> None:
    generator = np.random.default_rng(9)
    noisy = suite(generator, 4, 10, count=10)
    values = np.exp(generator.normal(0, size, (2, 4, 1)) + generator.normal(0, size, (2, 4, 6)))
    judged = judge_paired_t([in_turn(*values), *noisy], RuleOptions())
    assert judged[0].interval is not None
    assert judged[0].interval[0] <= 0 <= judged[0].interval[1]
    assert np.isfinite([j.reach.rise for j in judged]).all()


@looped("others", [0, 10])
@looped("alike", [False, True])
def test_a_single_round_is_never_a_verdict(others: int, alike: bool) -> None:
    generator = np.random.default_rng(7)
    [single] = suite(generator, 1, 30, count=1, slowdown=3.0)
    pairs = [replace(single, alike=alike), *suite(generator, 3, 30, count=others)]
    judgement = RULES["paired-t"].value.judge(pairs, RuleOptions())[0]
    assert not judgement.apart
    assert judgement.interval is None
    assert judgement.lacking.startswith("too few")


def test_rounds_of_a_single_iteration_are_judged_by_how_far_they_lie_apart() -> None:
    """Nothing is known of the noise, and the rounds alone decide."""
    generator = np.random.default_rng(8)
    suites = [suite(generator, 3, 1, count=20) for _ in range(50)]
    assert share_apart(suites) < three_deviations(0.01, 1000)
    [one] = suite(generator, 1, 1, count=1, slowdown=3.0)
    [judgement] = RULES["paired-t"].value.judge([one], RuleOptions())
    assert (judgement.apart, judgement.interval) == (False, None)


def test_values_that_are_not_positive_leave_each_fork_its_median() -> None:
    base, head = np.full((3, 5), 2.0), np.full((3, 5), 3.0)
    head[0, 0] = 0.0
    [table] = round_tables({0: in_turn(base, head)})
    np.testing.assert_allclose(table.differences, np.log(1.5))
    [judgement] = judge_paired_t([in_turn(base, head)], RuleOptions())
    assert judgement.apart


FORK_BY_FORK = Path(__file__).with_name("recorded")

RECORDED = (
    (-0.4753472947139165, 0.9332043851226655),
    (-0.1829339568798677, 0.2634455011160394),
    (-0.39789794567619996, -0.2677091298977243),
    (-0.1648863529940996, 0.3872425323546215),
    (-0.4064834084348362, 0.7278947528185459),
    (0.06673495094156835, 0.1703859192940579),
    (-0.4995586274166413, 0.41334550934542724),
    (-0.11470628703326552, 0.2113260584125533),
    (0.14162421658325203, 0.44127017471887325),
    (-0.17091508319291052, 0.01932992513270691),
    (-0.4037082072094525, 0.20288801890477468),
    (-0.26435775001787304, 0.5478877159359712),
    (-0.0890285653719845, 0.43225420341206094),
    (-0.21068908716320134, 0.10070779991712363),
    (-0.12331746130277836, 0.21800494589850217),
    (-0.5254349224059696, 0.3471217009868685),
    (-0.2785867080642773, 0.2238587430810159),
    (-0.16494199356820677, 0.4130543635806889),
)
"""Intervals of the demo's recorded run, as they were before any run took turns."""


def test_files_without_turns_are_judged_as_before() -> None:
    """A recording of the demo, from before forks took turns."""
    base, head = (load(FORK_BY_FORK / f"{side}.json.gz") for side in ("base", "head"))
    comparison = compare(base, head)
    found = np.array([change.interval for change in comparison.changes])
    np.testing.assert_allclose(found, RECORDED, rtol=1e-12)


def benchmark(values: object, blocks: Sequence[str], marks: Sequence[bool]) -> Benchmark:
    return Benchmark(
        Identity("b"),
        "ns/op",
        np.asarray(values, dtype=np.float64),
        (Level("fork"), Level("iteration")),
        blocks=tuple(blocks),
        in_turn=tuple(marks),
    )


def test_what_a_glance_shows_is_not_what_stalled() -> None:
    """On a busy machine the means of two equal forks of a real suite differed by 88 %."""
    base, head = np.full((1, 40), 100.0), np.full((1, 40), 110.0)
    head[0, ::8] = 1_000.0
    turns = [benchmark(side, ["r0"], [True]) for side in (base, head)]
    assert apparent_difference(*turns) == pytest.approx(np.log(1.1))
    assert apparent_difference(*turns[::-1]) == pytest.approx(np.log(1.1))
    apart = [benchmark(side, [], []) for side in (base, head)]
    assert apparent_difference(*apart) == pytest.approx(np.log(1.1))
    nothing = benchmark([[np.nan] * 40], ["r0"], [True])
    assert np.isinf(apparent_difference(nothing, turns[1]))
    assert np.isinf(apparent_difference(benchmark([[0.0] * 40], ["r0"], [True]), turns[1]))


def test_marks_follow_their_forks_when_forks_are_dropped() -> None:
    nan = np.nan
    base = benchmark(
        [[nan, nan], [1, 2], [3, 4], [5, 6]], ["r0", "r1", "r2", "r3"], [True, True, False, True]
    )
    head = benchmark([[7, 8], [9, 1], [2, 3]], ["r3", "r2", "r1"], [True, True, True])
    pair = Pair.of(base, head)
    assert pair.rounds.tolist() == [[0, 2], [1, 1], [2, 0]]
    assert pair.turns.tolist() == [True, False, True]


def test_without_a_mark_on_both_sides_no_turns_were_taken() -> None:
    values, blocks = [[1, 2], [3, 4]], ["r0", "r1"]
    marked = benchmark(values, blocks, [True, True])
    for marks in ([], [False, False]):
        pair = Pair.of(marked, benchmark(values, blocks, marks))
        assert len(pair.rounds) == 2
        assert not len(pair.turns)
        assert not pair.in_turn


def test_iterations_keep_their_place_where_one_side_lost_a_column() -> None:
    """An iteration without a value on one side must not shift those after it."""
    base = benchmark([[1, np.inf, 3, np.nan], [1, np.inf, 3, np.nan]], ["r0", "r1"], [True] * 2)
    head = benchmark([[1, 2, 3], [1, 2, 3]], ["r0", "r1"], [True, True])
    pair = Pair.of(base, head)
    np.testing.assert_array_equal(pair.base, [[1, np.nan, 3], [1, np.nan, 3]])
    np.testing.assert_array_equal(pair.head, [[1, 2, 3], [1, 2, 3]])
    [table] = round_tables({0: pair})
    np.testing.assert_array_equal(table.differences, 0.0)
