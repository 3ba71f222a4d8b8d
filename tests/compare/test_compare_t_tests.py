"""The paired and the moderated t-test: special cases, error rates and power."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, trim_mean, ttest_ind
from scipy.stats import t as student

from steady.compare import RULES, compare
from steady.compare.moderated_t import judge_moderated_t
from steady.compare.pair import Pair
from steady.compare.paired_t import judge_paired_t
from steady.compare.round_tables import round_tables
from steady.compare.rule import Judgement, RuleOptions, judge_overlap
from steady.compare.variance.posterior import RandomEffects
from steady.model import FloatArray
from steady.readers import load
from steady.stats.samples import IntArray
from tests.compare.small_suites import apart, in_rounds, three_deviations


def suite(
    generator: np.random.Generator,
    count: int,
    forks: int,
    *,
    drift: float,
    slowdown: float = 1.0,
    exchangeable: bool = False,
) -> list[Pair]:
    """Return simulated benchmarks with a machine effect common to base and head of a round."""
    spread = 0.01 * np.sqrt(2 / generator.chisquare(2, (count, 1, 1, 1)))
    levels = generator.normal(0, 1, (count, 2, forks, 1)) * spread
    machine = generator.normal(0, drift, (count, 1, forks, 1))
    noise = generator.normal(0, 0.005, (count, 2, forks, 10))
    values = 100 * np.exp(levels + machine + noise)
    return [in_rounds(base, slowdown * head, exchangeable=exchangeable) for base, head in values]


def differences_of(pair: Pair) -> FloatArray:
    """Return what each round shows, value by value.

    Forks of JMH stand by their medians, processes that are alike by all their iterations.
    """
    rounds = zip(np.log(pair.base), np.log(pair.head), strict=True)
    if pair.exchangeable:
        return np.array([np.median(np.subtract.outer(head, base)) for base, head in rounds])
    return np.array([np.median(head) - np.median(base) for base, head in rounds])


@pytest.mark.parametrize("exchangeable", [False, True])
@pytest.mark.parametrize("count", [6, 10, 19, 20])
def test_a_single_benchmark_gets_the_trimmed_t_test(count: int, exchangeable: bool) -> None:
    base, head = np.random.default_rng(count).standard_t(2, (2, count, 9)) + 100
    pair = in_rounds(base, head, exchangeable=exchangeable)
    [judgement] = judge_paired_t([pair], RuleOptions(0.95))
    differences = differences_of(pair)
    # Yuen's test against a side that never varies is the one of a single trimmed sample.
    reference = ttest_ind(differences, np.zeros(count), equal_var=False, trim=0.1)
    mean = trim_mean(differences, 0.1)
    half = student.ppf(0.975, reference.df) * abs(float(mean / reference.statistic))
    assert judgement.interval == pytest.approx((np.expm1(mean - half), np.expm1(mean + half)))
    assert judgement.apart == (reference.pvalue < 0.05)
    assert judgement.head.center / judgement.base.center == pytest.approx(np.exp(mean))
    assert (judgement.base.forks, judgement.base.iterations) == (count, 9 * count)


def test_a_disturbed_round_is_trimmed() -> None:
    pairs = suite(np.random.default_rng(9), 60, 12, drift=0.1, slowdown=1.1)
    third = np.arange(12)[:, np.newaxis] == 3
    disturbed = [replace(p, base=np.where(third, 3 * p.base, p.base)) for p in pairs]
    assert apart(judge_paired_t(pairs, RuleOptions())) > 0.9
    assert apart(judge_paired_t(disturbed, RuleOptions())) > 0.9


def thorough(*values: Any) -> Any:
    return pytest.param(*values, marks=pytest.mark.thorough)


@pytest.mark.parametrize(
    ("forks", "drift", "exchangeable"),
    [
        (3, 0.2, False),
        (12, 0.2, True),
        *(thorough(*one) for one in ((12, 0.2, False), (3, 0.2, True), (5, 0.2, True))),
        *(thorough(forks, 0.0, False) for forks in (3, 5, 12)),
    ],
)
def test_false_alarms_keep_the_nominal_rate(forks: int, drift: float, exchangeable: bool) -> None:
    """2,400 benchmarks in suites of 40 for each number of rounds: about one in twenty at 95 %."""
    generator = np.random.default_rng(forks)
    suites = (
        suite(generator, 40, forks, drift=drift, exchangeable=exchangeable) for _ in range(60)
    )
    rates = [apart(judge_paired_t(pairs, RuleOptions(0.95))) for pairs in suites]
    assert np.mean(rates) == pytest.approx(0.05, abs=0.015)


def bursty(generator: np.random.Generator, count: int, forks: int) -> tuple[FloatArray, FloatArray]:
    """Return simulated equal processes on a busy machine, which disturbs some of them."""
    load = np.exp(generator.normal(0, 1, (count, 2, forks, 1)))
    noise = load * generator.gamma(1, 0.15, (count, 2, forks, 5))
    values = 100 * np.exp(noise + load * generator.gamma(1, 0.05, (count, 2, forks, 1)))
    return values[:, 0], values[:, 1]


def bursty_pairs(sides: tuple[FloatArray, FloatArray], slowdown: float = 1.0) -> list[Pair]:
    return [in_rounds(b, slowdown * h, exchangeable=True) for b, h in zip(*sides, strict=True)]


@pytest.mark.parametrize("forks", [3, thorough(5), 12])
def test_false_alarms_on_a_busy_machine_keep_the_nominal_rate(forks: int) -> None:
    generator = np.random.default_rng(forks)
    rates = [
        apart(judge_paired_t(bursty_pairs(bursty(generator, 40, forks)), RuleOptions(0.95)))
        for _ in range(50)
    ]
    assert np.mean(rates) < 0.065


def test_disturbed_rounds_have_more_power_than_a_rank_sum_test() -> None:
    """The rank-sum test of benchstat treats 25 results per side as independent."""
    generator = np.random.default_rng(10)
    load = np.exp(generator.normal(0, 1, (400, 1, 5, 1)))
    noise = generator.normal(0, 0.2, (400, 1, 5, 1)) + generator.normal(0, 0.2, (400, 2, 5, 5))
    values = 100 * np.exp(load * noise)
    sides = values[:, 0], values[:, 1]
    assert apart(judge_paired_t(bursty_pairs(sides), RuleOptions())) <= 0.015
    found = apart(judge_paired_t(bursty_pairs(sides, 1.3), RuleOptions()))
    base, head = values.reshape(400, 2, -1).swapaxes(0, 1)
    ranks = mannwhitneyu(base, 1.3 * head, axis=1, method="asymptotic").pvalue < 0.01
    assert found > 1.2 * ranks.mean()


def test_drift_does_not_reduce_the_power() -> None:
    generator = np.random.default_rng(5)
    pairs = suite(generator, 200, 5, drift=0.2, slowdown=1.05)
    assert apart(judge_paired_t(pairs, RuleOptions())) > 0.5
    assert apart(judge_moderated_t(pairs, RuleOptions())) < 0.05


def test_rounds_pair_forks_in_any_order_of_rows() -> None:
    [pair] = suite(np.random.default_rng(6), 1, 5, drift=0.1)
    order = np.column_stack([np.arange(5)[::-1], np.arange(5)])
    turned = Pair(pair.unit, pair.base[::-1], pair.head, order)
    [one], [other] = (judge_paired_t([p], RuleOptions()) for p in (pair, turned))
    assert one.interval == pytest.approx(other.interval)
    # A fork without a partner is left out.
    lost = Pair(pair.unit, pair.base, pair.head[1:], np.column_stack([range(1, 5), range(4)]))
    less = in_rounds(pair.base[1:], pair.head[1:])
    assert judge_paired_t([lost], RuleOptions()) == judge_paired_t([less], RuleOptions())


def test_without_rounds_the_test_is_unpaired() -> None:
    pairs = suite(np.random.default_rng(8), 10, 4, drift=0.0, slowdown=1.04)
    for known in (0, 1, 2):
        alone = [replace(p, rounds=p.rounds[:known]) for p in pairs]
        assert judge_paired_t(alone, RuleOptions()) == judge_moderated_t(alone, RuleOptions())


def unpaired(values: FloatArray, slowdown: float = 1.0, **more: Any) -> list[Pair]:
    return [Pair("ns/op", base, slowdown * head, **more) for base, head in values]


def test_a_single_benchmark_gets_students_t_test() -> None:
    base, head = np.random.default_rng(1).normal(100, 3, (2, 4, 9))
    [judgement] = judge_moderated_t([Pair("ns/op", base, head)], RuleOptions(0.95))
    logs = np.log(np.median(head, axis=1)), np.log(np.median(base, axis=1))
    reference = ttest_ind(*logs)
    low, high = reference.confidence_interval(0.95)
    assert judgement.interval == pytest.approx((np.expm1(low), np.expm1(high)))
    assert judgement.apart == (reference.pvalue < 0.05)
    assert judgement.base.center == pytest.approx(np.exp(logs[1].mean()))


def test_false_alarms_of_unpaired_forks_keep_the_nominal_rate() -> None:
    """4,000 benchmarks in suites of 40 for each number of forks: about one in twenty at 95 %."""
    for forks in (2, 3, 5):
        generator = np.random.default_rng(forks)
        suites = (suite(generator, 40, forks, drift=0.0) for _ in range(100))
        rates = [apart(judge_moderated_t(pairs, RuleOptions(0.95))) for pairs in suites]
        assert np.mean(rates) == pytest.approx(0.05, abs=0.015)


def test_a_suite_has_more_power_and_units_are_separate() -> None:
    slower = suite(np.random.default_rng(3), 200, 2, drift=0.0, slowdown=1.1)
    together = judge_moderated_t(slower, RuleOptions())
    alone = apart(judge_moderated_t([pair], RuleOptions())[0] for pair in slower)
    assert apart(together) > alone + 0.15
    bytes_ = [Pair("B/op", 1e3 * p.base**3, 1e3 * p.head**3) for p in slower[:6]]
    assert judge_moderated_t([*slower, *bytes_], RuleOptions())[:200] == together


def test_exact_counts_are_compared_exactly() -> None:
    noisy = suite(np.random.default_rng(6), 10, 3, drift=0.0)
    counts = [Pair("ns/op", np.full((3, 5), 100.0), np.full((3, 5), n)) for n in (104.0, 100.0)]
    *_, changed, unchanged = judge_moderated_t([*noisy, *counts], RuleOptions())
    assert (changed.apart, unchanged.apart) == (True, False)
    assert changed.interval == pytest.approx((0.04, 0.04))


def test_a_single_fork_per_side_is_undecided_for_java() -> None:
    """Iterations alone would give 17 to 20 % false alarms (measured)."""
    values = np.random.default_rng(7).normal(100, 1, (4, 2, 1, 30))
    for judgement in judge_moderated_t(unpaired(values, 1.2), RuleOptions()):
        assert judgement.lacking == "too few forks: 1 on each side; at least 2 are needed"
        assert (judgement.apart, judgement.interval) == (False, None)
    # Where all processes are alike, their results decide.
    pairs = unpaired(values, 1.2, exchangeable=True)
    for judgement, pair in zip(judge_moderated_t(pairs, RuleOptions()), pairs, strict=True):
        [pooled] = judge_overlap([pair], RuleOptions())
        assert (judgement.base, judgement.apart) == (pooled.base, pooled.apart)
        assert "one process on each side" in judgement.notes[0]


def test_one_process_needs_as_many_results_as_a_rank_test() -> None:
    for confidence, enough in ((0.95, 4), (0.99, 5)):
        for count in (enough - 1, enough):
            base = np.linspace(100, 101, count)[np.newaxis]
            pair = Pair("ns/op", base, 1.2 * base, exchangeable=True)
            [judgement] = judge_moderated_t([pair], RuleOptions(confidence))
            few = f"too few results: {count} on each side; at least {enough} are needed"
            assert judgement.lacking == ("" if count == enough else few)
            assert judgement.apart == (count == enough)


def test_a_single_fork_per_side_uses_the_suites_variance() -> None:
    generator = np.random.default_rng(8)
    known, [single] = (suite(generator, *size, drift=0.0) for size in ((30, 3), (1, 1)))
    *_, judgement = judge_moderated_t([*known, single], RuleOptions())
    assert "the suite's other benchmarks" in judgement.notes[0]
    assert judgement.detectable.increase > 0.1


def test_zeros_use_pooled_medians_and_wide_intervals_are_finite() -> None:
    zero = Pair("B/op", np.zeros((3, 4)), np.full((3, 4), 16.0))
    [judgement] = judge_moderated_t([zero], RuleOptions())
    assert judgement.apart
    assert "not all values are positive" in judgement.notes[0]
    base = np.exp(np.array([[-300.0], [300.0]]))
    [judgement] = judge_moderated_t([Pair("ns/op", base, base)], RuleOptions(0.9999))
    ends = (judgement.detectable.increase, judgement.base.high, *(judgement.interval or ()))
    assert np.isfinite(ends).all()
    assert not judgement.apart


def suite_in_turn(
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
    return [in_rounds(base, slowdown * head, turns=True) for base, head in values]


def share_apart(pairs: list[Pair], confidence: float = 0.99) -> float:
    return apart(judge_paired_t(pairs, RuleOptions(confidence)))


def intervals(judgements: Sequence[Judgement]) -> list[tuple[float, float] | None]:
    return [judgement.interval for judgement in judgements]


def rises(pairs: list[Pair]) -> list[float]:
    return [judgement.detectable.increase for judgement in judge_paired_t(pairs, RuleOptions())]


def test_benchmarks_with_and_without_turns_do_not_share_variances() -> None:
    turned = suite_in_turn(np.random.default_rng(2), 4, 10, count=12)
    alone = [replace(pair, turns=np.empty(0, dtype=bool)) for pair in turned[:6]]
    parts = (turned, alone, [*turned, *alone])
    one, other, together = (intervals(judge_paired_t(pairs, RuleOptions())) for pairs in parts)
    assert together == [*one, *other]


@pytest.mark.parametrize(
    ("rounds", "iterations", "total", "more"),
    [
        (3, 5, 1000, {}),
        (3, 60, 1000, {}),
        *(thorough(*shape, 1000, {}) for shape in ((3, 20), (5, 10), (10, 5))),
        # One in ten has forks that compile in two ways, 10 % apart. In 1 of 32 all three rounds
        # show the same 10 % by chance.
        (3, 20, 1200, {"count": 10, "bistable": 0.1}),
        *(thorough(3, 20, 1200, {"count": count, "bistable": 0.1}) for count in (5, 40)),
        # Nothing is known of the noise, and the rounds alone decide.
        (3, 1, 1000, {"count": 20}),
    ],
    ids=str,
)
def test_intervals_of_equal_benchmarks_have_nominal_coverage(
    rounds: int, iterations: int, total: int, more: dict[str, Any]
) -> None:
    """99 of 100, with common drift, disturbed iterations, and differing forks."""
    generator = np.random.default_rng(rounds * iterations)
    suites = total // more.get("count", 40)
    found = [
        share_apart(suite_in_turn(generator, rounds, iterations, **more)) for _ in range(suites)
    ]
    assert np.mean(found) < three_deviations(0.01, total)


@pytest.mark.parametrize(
    ("count", "bistable"), [(1, 0.1), (4, 0.0), thorough(1, 0.0), thorough(4, 0.1)]
)
def test_small_suites_with_a_prior_keep_the_nominal_rate(count: int, bistable: float) -> None:
    """Also if forks differ ten times as much as published ones, or compile in two ways."""
    generator = np.random.default_rng(count)
    found = [
        share_apart(suite_in_turn(generator, 3, 15, count=count, bistable=bistable, forks=forks))
        for forks in (0.001, 0.01, 0.05)
        for _ in range(120 // count)
    ]
    assert np.mean(found) < three_deviations(0.01, 360)


@pytest.mark.parametrize(
    ("rounds", "forks"), [(3, 0.03), (10, 0.03), thorough(3, 0.001), thorough(5, 0.01)]
)
def test_intervals_of_true_changes_have_nominal_coverage(rounds: int, forks: float) -> None:
    generator = np.random.default_rng(rounds)
    suites = [suite_in_turn(generator, rounds, 15, forks=forks, slowdown=1.1) for _ in range(15)]
    judged = [j for pairs in suites for j in judge_paired_t(pairs, RuleOptions(0.9))]
    missed = np.mean([not j.interval[0] <= 0.1 <= j.interval[1] for j in judged if j.interval])
    assert 0.04 < missed < three_deviations(0.1, len(judged))


def like_processes(pairs: list[Pair]) -> list[Pair]:
    """Return the pairs as processes of Go, which have no informative prior."""
    return [replace(pair, exchangeable=True) for pair in pairs]


def test_published_forks_narrow_the_widest_intervals() -> None:
    """These are intervals of benchmarks whose three rounds differ by chance."""
    pairs = suite_in_turn(np.random.default_rng(11), 3, 20, forks=0.008, noise=0.01)
    with_prior, without = (
        np.quantile([rises([pair])[0] for pair in some], 0.9)
        for some in (pairs, like_processes(pairs))
    )
    assert with_prior < 0.95 * without
    # Many benchmarks override what was published.
    pairs = suite_in_turn(np.random.default_rng(12), 3, 20, count=80, forks=0.05, noise=0.01)
    np.testing.assert_allclose(rises(pairs), rises(like_processes(pairs)), rtol=0.02)


def test_two_rounds_with_turns_suffice_only_for_go() -> None:
    pairs = suite_in_turn(np.random.default_rng(13), 2, 20, count=12, forks=0.0005, noise=0.02)
    [table] = round_tables(dict(enumerate(like_processes(pairs))))
    [(_, expected, _)] = RandomEffects.of([table]).intervals(0.99)
    found = np.log1p(rises(like_processes(pairs)))[table.indices]
    np.testing.assert_allclose(found, expected)
    alone = RULES["moderated-t"].value.judge(pairs, RuleOptions())
    assert intervals(judge_paired_t(pairs, RuleOptions())) == intervals(alone)


def test_shuffled_pairs_lose_the_gain_of_turns() -> None:
    generator = np.random.default_rng(4)
    pairs = suite_in_turn(generator, 5, 20, count=60, forks=0.002, noise=0.01, slowdown=1.02)
    shuffled = [replace(p, base=generator.permuted(p.base, axis=1)) for p in pairs]
    assert np.median(rises(shuffled)) > 2 * np.median(rises(pairs))
    assert share_apart(pairs) > 3 * share_apart(shuffled) > 0


def test_a_disturbed_round_among_ten_is_trimmed() -> None:
    pairs = suite_in_turn(np.random.default_rng(5), 10, 20, slowdown=1.1)
    third = np.arange(10)[:, np.newaxis] == 3
    disturbed = [replace(p, base=np.where(third, 2 * p.base, p.base)) for p in pairs]
    assert share_apart(pairs) > 0.9
    assert share_apart(disturbed) > 0.9


def test_constant_counts_are_compared_exactly() -> None:
    counts, same = (
        in_rounds(np.full((3, 4), 64.0), np.full((3, 4), head), turns=True) for head in (96.0, 64.0)
    )
    noisy = suite_in_turn(np.random.default_rng(6), 3, 4, count=5)
    judged = judge_paired_t([counts, same, *noisy], RuleOptions())
    assert [j.apart for j in judged[:2]] == [True, False]
    assert judged[0].interval == pytest.approx((0.5, 0.5))
    assert judged[1].excluded == 0
    np.testing.assert_allclose([j.detectable.increase for j in judged[2:]], rises(noisy))


def test_an_outlying_benchmark_is_judged_by_its_own_variance() -> None:
    for size in (1e-9, 1e-4, 1.0, 30.0):
        generator = np.random.default_rng(9)
        noisy = suite_in_turn(generator, 4, 10, count=10)
        values = np.exp(generator.normal(0, size, (2, 4, 1)) + generator.normal(0, size, (2, 4, 6)))
        judged = judge_paired_t([in_rounds(*values, turns=True), *noisy], RuleOptions())
        assert judged[0].interval is not None
        assert judged[0].interval[0] <= 0 <= judged[0].interval[1]
        assert np.isfinite([j.detectable.increase for j in judged]).all()


def permutations(generator: np.random.Generator, size: int, total: int) -> list[IntArray]:
    return [generator.permutation(size) for _ in range(-(-total // size))]


def suite_in_layouts(rounds: int, layouts: int, *, effect: float, known: bool) -> list[Pair]:
    """Return pairs without a change; in each cycle of rounds, a version uses each layout once."""
    generator = np.random.default_rng(12)
    pairs = []
    for _ in range(300):
        order = [(cycle, np.roll(cycle, 1)) for cycle in permutations(generator, layouts, rounds)]
        places = np.concatenate(order, axis=1)[:, :rounds]
        own = np.take_along_axis(generator.normal(0, effect, (2, layouts)), places, axis=1)
        processes = own + generator.normal(0, 0.003, (2, rounds))
        logs = processes[:, :, np.newaxis] + generator.normal(0, 0.01, (2, rounds, 8))
        base, head = np.exp(logs)
        own_layouts = layouts if known else 0
        pairs.append(in_rounds(base, head, turns=True, exchangeable=True, layouts=own_layouts))
    return pairs


@pytest.mark.parametrize("rounds", [3, 12])
def test_rounds_that_repeat_layouts_keep_the_nominal_rate(rounds: int) -> None:
    for effect in (0.0, 0.01, 0.05):
        pairs = suite_in_layouts(rounds, 3, effect=effect, known=True)
        assert share_apart(pairs) <= three_deviations(0.01, len(pairs))
    # As if each round had a layout of its own, twelve rounds raise many false alarms.
    unknown = share_apart(suite_in_layouts(rounds, 3, effect=0.05, known=False))
    assert unknown > 0.2 if rounds == 12 else unknown <= three_deviations(0.01, 300)


def test_a_layout_for_each_round_changes_no_interval() -> None:
    pairs = suite_in_layouts(6, 6, effect=0.02, known=True)
    alone = [replace(pair, layouts=0) for pair in pairs]
    judged = [[j.interval for j in judge_paired_t(p, RuleOptions())] for p in (pairs, alone)]
    assert judged[0] == judged[1]


@pytest.mark.parametrize("iterations", [1, 30])
def test_a_single_round_is_undecided(iterations: int) -> None:
    generator = np.random.default_rng(7)
    [single] = suite_in_turn(generator, 1, iterations, count=1, slowdown=3.0)
    others = suite_in_turn(generator, 3, 30, count=10)
    for own in (single, replace(single, exchangeable=True)):
        for pairs in ([own], [own, *others]):
            judgement = RULES["paired-t"].value.judge(pairs, RuleOptions())[0]
            assert (judgement.apart, judgement.interval) == (False, None)
            assert judgement.lacking.startswith("too few")


def test_results_without_turns_keep_their_recorded_intervals() -> None:
    """An old recording of the demo without turns, and its intervals at that time."""
    folder = Path(__file__).with_name("recorded")
    base, head = (load(folder / f"{side}.json.gz") for side in ("base", "head"))
    found = np.array([change.interval for change in compare(base, head).changes])
    recorded = json.loads((folder / "intervals.json").read_text())
    np.testing.assert_allclose(found, recorded, rtol=1e-12)
