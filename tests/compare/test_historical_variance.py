"""Historical variance between forks, against literal computations, and its error rates."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from steady.compare import Comparison, compare
from steady.compare.pair import Pair
from steady.compare.paired_t import judge_paired_t
from steady.compare.round_tables import round_tables, shrunk_noise
from steady.compare.rule import RuleOptions
from steady.compare.variance import historical, posterior, prior
from steady.compare.variance.historical import historical_variance, run_names, without_busy_machines
from steady.compare.variance.posterior import RandomEffects
from steady.model import Benchmark, ExecutionConfiguration, FloatArray, Suite
from steady.optimize import Plan
from steady.plan.historical_variance import HistoricalVariance
from steady.stats.trimmed import midmean
from tests.compare.small_suites import apart, in_rounds, make_benchmark, three_deviations
from tests.compare.test_compare_t_tests import suite_in_turn
from tests.optimize.small_plans import planned

WARMED = ExecutionConfiguration(5, 3, 8, 1.0, 1.0)


def benchmark(
    values: FloatArray, blocks: Sequence[str] = (), unit: str = "ns/op", name: str = "b"
) -> Benchmark:
    run = replace(WARMED, forks=len(values))
    turns: dict[str, Any] = {"blocks": tuple(blocks), "in_turn": (True,) * len(blocks)}
    return make_benchmark(name, values, unit, configuration=run, **turns)


def forks(generator: np.random.Generator, count: int = 5, spread: float = 0.02) -> FloatArray:
    levels = spread * generator.standard_normal((count, 1))
    return np.exp(levels + 0.01 * generator.standard_normal((count, 8)))


TODAY = benchmark(np.ones((3, 8)), ["today:1", "today:2", "today:3"])


def test_variance_from_forks_and_from_rounds_with_turns() -> None:
    generator = np.random.default_rng(1)
    base, head = forks(generator), forks(generator)
    known = historical_variance([benchmark(base)], TODAY, TODAY)
    location, noise, _ = midmean(np.log(base))
    assert known.variance == pytest.approx(2 * location.var(ddof=1))
    assert known.noise == pytest.approx(2 * noise.mean())
    assert known.freedom == 4
    assert known.steps == pytest.approx(np.median(np.abs(np.diff(np.log(base)))))
    names = [f"run:{number}" for number in range(5)]
    earlier = [benchmark(base, names), benchmark(forks(generator)), benchmark(head, names)]
    location, noise, _ = midmean(np.log(head) - np.log(base))
    known = historical_variance(earlier, TODAY, TODAY)
    assert known.variance == pytest.approx(location.var(ddof=1))
    assert known.noise == pytest.approx(noise.mean())
    assert (known.freedom, known.steps) == (4, 0)


def test_runs_are_pooled_about_their_own_means() -> None:
    generator = np.random.default_rng(3)
    runs = [forks(generator, 3), 7 * forks(generator, 5)]
    one, two = (historical_variance([benchmark(run)], TODAY, TODAY) for run in runs)
    known = historical_variance([benchmark(run) for run in runs], TODAY, TODAY)
    assert known.freedom == 6
    assert known.variance == pytest.approx((2 * one.variance + 4 * two.variance) / 6)
    assert known.noise == pytest.approx((2 * one.noise + 4 * two.noise) / 6)
    assert known.steps == pytest.approx((2 * one.steps + 4 * two.steps) / 6)
    assert HistoricalVariance() + HistoricalVariance() == HistoricalVariance()
    # A history of a hundred runs is not read to its end.
    many = [benchmark(forks(np.random.default_rng(seed))) for seed in range(100)]
    assert historical_variance(many, TODAY, TODAY) == historical_variance(many[:4], TODAY, TODAY)


def test_incomparable_results_are_ignored() -> None:
    values = forks(np.random.default_rng(4))
    negative = np.where(values == values.max(), -1.0, values)
    for earlier in (
        benchmark(values, unit="ops/s"),
        benchmark(negative),
        benchmark(values[:1]),
        benchmark(np.full((5, 8), np.nan)),
        benchmark(1e300 * values),
        benchmark(values[:3], ["today:1", "today:2", "other:3"]),
    ):
        assert not historical_variance([earlier], TODAY, TODAY)
    counts = benchmark(np.full((4, 8), 64.0))  # they never vary
    assert not historical_variance([counts], TODAY, TODAY)
    # Forks of a busy machine neither, unless they took turns.
    known = [HistoricalVariance(1e-4, 4.0, 1e-5, steps) for steps in (0.01, 0.04, 0.05, 0.0)]
    assert without_busy_machines(known) == [HistoricalVariance()] * 3 + known[3:]
    assert without_busy_machines([*known, *known[:1] * 2]) == [*known, *known[:1] * 2]


def test_forks_without_warm_up_use_their_second_half() -> None:
    values = forks(np.random.default_rng(5))
    cold = values.copy()
    cold[:, :4] *= 3.0
    as_recorded = replace(benchmark(cold), configuration=replace(WARMED, warmup_iterations=0))
    expected = historical_variance([benchmark(values[:, 4:])], TODAY, TODAY)
    assert historical_variance([as_recorded], TODAY, TODAY) == expected
    assert run_names([TODAY, benchmark(np.ones((2, 8)), ["b:1", "b:2+1"])]) == ("b", "today")


TOLD = {0: HistoricalVariance(2e-4, 4.0, 1e-5), 1: HistoricalVariance(1e-2, 20.0, 1e-4)}


UNRELATED = {99: HistoricalVariance(1e-4, 4.0)}


@pytest.mark.parametrize(
    ("harness", "known"),
    [("", {}), ("fork", UNRELATED), ("fork", TOLD)],
    ids=["alone", "prior", "told"],
)
def test_arrays_match_a_literal_posterior(
    monkeypatch: pytest.MonkeyPatch, harness: str, known: dict[int, HistoricalVariance]
) -> None:
    for module in (prior, posterior, historical):
        monkeypatch.setattr(module, "DEVIATIONS", np.geomspace(1e-3, 0.5, 7))
    monkeypatch.setattr(prior, "_LEVELS", np.geomspace(2e-3, 0.2, 3))
    monkeypatch.setattr(posterior, "_MOST_CELLS", 200)
    prior._densities.cache_clear()
    pairs = suite_in_turn(np.random.default_rng(3), 4, 8, count=3)
    tables = round_tables(dict(enumerate(pairs)))
    [(changes, halves, _)] = RandomEffects.of(tables, harness, known).intervals(0.95)
    answers = literal(pairs, known, 0.95, harness)
    prior._densities.cache_clear()
    for row, (change, half) in enumerate(answers):
        assert changes[row] == pytest.approx(change, rel=1e-6)
        assert halves[row] == pytest.approx(half, rel=1e-5)


def literal(
    pairs: list[Pair], known: dict[int, HistoricalVariance], confidence: float, harness: str
) -> list[tuple[float, float]]:
    """Return the change and the half-width, by a loop over all cases."""
    spreads, factors = prior.DEVIATIONS, list(prior.NOISE_FACTORS)
    rows = []
    for pair in pairs:
        rounds = [midmean(row) for row in np.log(pair.head) - np.log(pair.base)]
        location, variance, staying = (np.array(column) for column in zip(*rounds, strict=True))
        rows.append((location, shrunk_noise(variance[np.newaxis], staying[np.newaxis])[0]))
    fits = [
        [[fit(values, f * noise + s**2) for s in spreads] for f in factors]
        for values, noise in rows
    ]
    before = [literal_earlier(known[i]) if i in known else None for i in range(len(pairs))]
    beliefs = list(zip(literal_beliefs(), literal_levels(harness), strict=True))
    moves = [*historical.SCALES, (None, 1 - sum(p for _, p in historical.SCALES))]

    def joint(i: int, factor: int, belief: FloatArray, by: float | None) -> FloatArray:
        """Return the joint probability of earlier forks, new rounds and each new deviation."""
        new, old = np.array([one[0] for one in fits[i][factor]]), before[i]
        if old is None:
            return np.asarray(belief * new)
        anew = belief * float(belief @ old)
        if by is None:
            return np.asarray(anew * new)
        stays = np.zeros(len(spreads))
        for start, earlier in enumerate(spreads):
            near = np.exp(-((np.log(spreads / earlier / by) / 0.25) ** 2) / 2)
            stays += belief[start] * old[start] * near / near.sum()
        return np.asarray((0.1 * anew + 0.9 * stays) * new)

    answers = []
    for own in range(len(pairs)):
        weights = np.zeros((len(factors), len(spreads)))
        for (by, chance), factor, (belief, share) in product(moves, range(len(factors)), beliefs):
            others = (joint(i, factor, belief, by).sum() for i in range(len(pairs)) if i != own)
            counts = chance * share * float(np.prod(list(others)))
            weights[factor] += counts * joint(own, factor, belief, by)
        flat = weights.ravel() / weights.sum()
        cells = [one for row in fits[own] for one in row]
        answers.append(literal_interval(flat, cells, confidence))
    return answers


def literal_earlier(known: HistoricalVariance) -> FloatArray:
    """Return the density of the historical variance, with at most eight degrees of freedom."""
    freedom, total = min(known.freedom, 8.0), np.zeros(len(prior.DEVIATIONS))
    for factor in prior.NOISE_FACTORS:
        variances = prior.DEVIATIONS**2 + factor * known.noise
        total += variances ** (-freedom / 2) * np.exp(-freedom * known.variance / variances / 2)
    return total


def fit(values: FloatArray, variances: FloatArray) -> tuple[float, float, float]:
    weights = 1 / variances
    mean = float(np.average(values, weights=weights))
    density = np.prod(norm.pdf(values, mean, np.sqrt(variances))) / np.sqrt(weights.sum())
    return float(density), mean, float(1 / np.sqrt(weights.sum()))


def literal_beliefs() -> list[FloatArray]:
    beliefs = []
    share = prior._OUTLIER_SHARE
    for level, width in product(prior._LEVELS, prior._WIDTHS):
        steps = np.log(prior.DEVIATIONS) - np.log(level)
        usual = norm.pdf(steps / width)
        odd = (steps >= 0) & (steps <= np.log(prior._OUTLIER_FACTOR))
        beliefs.append((1 - share) * usual / usual.sum() + share * odd / odd.sum())
    return beliefs


def literal_levels(harness: str) -> list[float]:
    """Return the prior weight of each hyperparameter, levels first, as in `literal_beliefs`."""
    share, middle, width = prior.PUBLISHED.get(harness, (0.0, 1.0, 1.0))
    near = [float(norm.pdf(np.log(level / middle) / width)) for level in prior._LEVELS]
    shares = [share * one / sum(near) + (1 - share) / len(near) for one in near]
    return [one for one in shares for _ in prior._WIDTHS]


def literal_interval(
    weights: FloatArray, fits: list[tuple[float, float, float]], confidence: float
) -> tuple[float, float]:
    means, deviations = (np.array([one[place] for one in fits]) for place in (1, 2))
    change = float(np.average(means, weights=weights))

    def inside(half: float) -> float:
        high, low = ((change + sign * half - means) / deviations for sign in (1, -1))
        return float(weights @ (norm.cdf(high) - norm.cdf(low))) - confidence

    return change, brentq(inside, 1e-8, 50.0, xtol=1e-12)


def told_suite(
    generator: np.random.Generator, count: int, *, earlier: float = 1.0, spread: float = 0.02
) -> list[Pair]:
    """Return three simulated rounds, and five earlier forks with a multiple of their deviation."""
    own = spread * np.exp(generator.normal(0, 0.7, (count, 1, 1)))
    pairs = []
    for one in own:
        sides = np.exp(
            one * generator.standard_normal((2, 3, 1)) + 0.01 * generator.standard_normal((2, 3, 8))
        )
        before = benchmark(forks(generator, 5, earlier * float(one[0, 0])))
        known = historical_variance([before], TODAY, TODAY)
        pairs.append(in_rounds(*sides, turns=True, known=known))
    return pairs


@pytest.mark.parametrize(
    ("count", "earlier"),
    [(4, 1.0), pytest.param(1, 1.0, marks=pytest.mark.thorough), (40, 1.0), (40, 0.5)],
)
def test_intervals_of_equal_benchmarks_have_nominal_coverage(count: int, earlier: float) -> None:
    """Also if all forks differ twice as much as the earlier ones, as on another machine."""
    generator = np.random.default_rng(count)
    suites = (told_suite(generator, count, earlier=earlier) for _ in range(600 // count))
    outside = [apart(judge_paired_t(pairs, RuleOptions(0.99))) for pairs in suites]
    assert np.mean(outside) < three_deviations(0.01, 600)


def test_historical_data_narrow_the_intervals() -> None:
    pairs = told_suite(np.random.default_rng(8), 40)
    told, not_told = (
        np.median([j.detectable.increase for j in judge_paired_t(some, RuleOptions(0.999))])
        for some in (pairs, [replace(pair, known=HistoricalVariance()) for pair in pairs])
    )
    assert told < 0.8 * not_told


def test_contradicting_rounds_override_historical_data() -> None:
    pairs = told_suite(np.random.default_rng(9), 12, spread=0.005)
    _, *others = pairs
    levels = np.array([[0.3], [-0.4], [0.1]])
    wild = np.exp(levels + 0.01 * np.random.default_rng(10).standard_normal((3, 8)))
    odd = in_rounds(np.ones((3, 8)), wild, turns=True, known=HistoricalVariance(1e-5, 8.0, 1e-6))
    judgement = judge_paired_t([odd, *others], RuleOptions(0.99))[0]
    assert not judgement.apart
    assert judgement.excluded > 0.5


def runs(seed: int, name: str = "today") -> tuple[Suite, Suite]:
    generator = np.random.default_rng(seed)
    blocks = [f"{name}:{number}" for number in range(3)]
    base, head = (
        Suite(tuple(benchmark(forks(generator, 3), blocks, name=f"b{n}") for n in range(6)))
        for _ in range(2)
    )
    return base, head


SENTENCE = "historical data were used for 6 benchmarks, weighted by their agreement with this run"


def test_a_comparison_uses_earlier_runs_and_has_a_remark() -> None:
    base, head = runs(11)
    earlier = [one for seed in (12, 13, 14) for one in runs(seed, f"run{seed}")]
    plain = compare(base, head)
    told = compare(base, head, earlier=earlier)
    again = compare(base, head, earlier=[base, head])
    assert told.remarks == (SENTENCE,)
    assert median_reach(told) < median_reach(plain)
    assert (again.changes, again.remarks) == (plain.changes, ())
    assert compare(base, head, earlier=earlier, rule="moderated-t").remarks == ()
    # What the plan knows too, unless it learnt from this run.
    known = HistoricalVariance(8e-4, 8.0)
    plan = Plan(tuple(planned(one.name, WARMED, known_forks=known) for one in base), "detect")
    told = compare(base, head, plan=plan)
    not_told = compare(base, head, plan=replace(plan, learnt_from=("today",)))
    assert (told.remarks, not_told.remarks) == ((SENTENCE,), ())
    assert median_reach(told) < median_reach(not_told) == median_reach(plain)


def median_reach(comparison: Comparison) -> float:
    return float(np.median([change.smallest for change in comparison.changes]))
