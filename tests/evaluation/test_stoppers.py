"""What the learned stoppers are trained on and judged by, beside hand-made cases."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from evaluation._stopper_calls import NO_STOPS, Judged, area_under_curve, youden_threshold
from evaluation._stopper_data import Forks, window_starts
from evaluation._stopper_quality import (
    Balance,
    Configuration,
    Effect,
    Judge,
    Judgement,
    resampled_means,
    stopped_like,
)
from evaluation._stopper_trials import TRIAL_FOLD, Trial
from evaluation.stoppers import renewed
from evaluation.train_rocket import ALPHA, fit
from steady.papers.stopping import LONGEST
from tests.looped import looped


def forks(benchmarks: int = 20, projects: int = 1, seed: int = 0) -> Forks:
    """Benchmarks of noise that become steady after 10 iterations."""
    names = [f"p{one % projects}#b{one:03d}" for one in range(benchmarks)]
    values = np.random.default_rng(seed).lognormal(-7, 0.01, (benchmarks, 10, 3000))
    values[:, :, :11] *= 2
    owners = np.array([name.split("#")[0] for name in names])
    return Forks(np.array(names), owners, values, np.full((benchmarks, 10), 10))


def test_a_fork_has_100_windows() -> None:
    for start in (0, 1, 30, 48, 49, 50, 700, 2499, 2880):
        starts, stable = window_starts(start)
        assert len(np.unique(starts)) == 100
        assert (starts.min(), starts.max()) == (0, 2900)
        np.testing.assert_array_equal(stable, starts > start)
        assert np.count_nonzero(~stable) == max(min(50, start + 1), 100 - (2900 - start))


def test_benchmarks_are_dealt_out_as_by_scikit_learn_and_a_project_lies_in_one_fold() -> None:
    """As scikit-learn 1.9 printed it."""
    assert "".join(map(str, forks(20).folds)) == "00213144134132402023"
    one = forks(100, projects=7)
    (chosen,) = np.nonzero(one.validation(one.folds != 2))
    names = [int(name.split("#b")[1]) for name in one.benchmarks[chosen].tolist()]
    expected = [2, 5, 22, 27, 30, 33, 40, 42, 43, 45, 46, 56, 59, 63, 64, 72, 74, 81, 83, 90]
    assert sorted(names) == expected
    many = forks(60, projects=15)
    for project in np.unique(many.projects):
        assert len(set(many.project_folds[many.projects == project].tolist())) == 1
    assert set(many.project_folds.tolist()) == set(range(5))


def test_the_paper_s_windows_and_folds(shared: Path) -> None:
    """Section 4.2: 521,900 windows, 376,925 stable and 144,975 unstable."""
    one = Forks.read(shared / "data" / "jmh-steady")
    steady = one.starts[one.starts >= 0]
    stable = sum(int(window_starts(start)[1].sum()) for start in steady.tolist())
    assert (100 * len(steady), stable) == (521_900, 376_925)
    folds = [one.folds == fold for fold in range(5)]
    assert [int(fold.sum()) for fold in folds] == [119, 118, 117, 117, 115]
    training = [100 * int((one.starts[~fold] >= 0).sum()) for fold in folds]
    assert training == [417_400, 416_600, 418_900, 418_800, 415_900]
    assert [int(one.validation(~fold).sum()) for fold in folds] == [117, 117, 118, 118, 118]


def test_a_trial_stops_each_fork_at_its_first_stable_window() -> None:
    random = np.random.default_rng(3)
    live = random.random((2, 10, LONGEST)).astype(np.float32)
    live[0, 1] = np.nan
    live[1, 0, 20], live[1, 0, 7] = np.inf, 0.9999
    live[1, 1] = 0.0
    stable = np.array([True, True, True, True, False])
    trial = Trial(Judged(stable, np.array([0.1, 0.4, 0.6, 0.8, 0.9]), 0.5, NO_STOPS), live)
    folds = np.array([1, TRIAL_FOLD, 2, TRIAL_FOLD])
    stops = trial.stops(folds, 0.999)
    assert stops[[0, 2]].max() == -1
    assert stops[3, :2].tolist() == [7, LONGEST]
    assert stops[1, 1] == LONGEST
    (later,) = np.nonzero(live[0, 4] >= 0.999)
    assert stops[1, 4] == (later[0] if len(later) else LONGEST)
    threshold = trial.threshold_of_recall(0.5)
    assert trial.judged.calls(threshold).sensitivity == 0.5


def test_the_page_is_the_one_that_its_sections_make() -> None:
    page = (Path(__file__).parents[2] / "docs" / "evaluation-stoppers.md").read_text("utf-8")
    assert renewed(page, {}) == page


def test_the_area_counts_pairs() -> None:
    random = np.random.default_rng(1)
    scores = random.integers(0, 8, 60).astype(np.float64)
    stable = random.random(60) < 0.6
    pairs = [(a > b) + 0.5 * (a == b) for a in scores[stable] for b in scores[~stable]]
    assert area_under_curve(scores, stable) == pytest.approx(np.mean(pairs))


@looped("seed", range(5))
def test_the_threshold_has_the_largest_sum(seed: int) -> None:
    random = np.random.default_rng(seed)
    stable = random.random(80) < 0.7
    scores = np.round(random.normal(stable, 1.0), 1)

    def index(threshold: float) -> float:
        called = scores >= threshold
        return float(called[stable].mean() - called[~stable].mean())

    found = youden_threshold(scores, stable)
    best = max(index(one) for one in scores.tolist())
    assert index(found) == pytest.approx(best)
    assert all(index(one) < best - 1e-12 for one in scores[scores > found].tolist())


def test_the_ridge_is_the_one_that_its_products_stand_for() -> None:
    random = np.random.default_rng(2)
    features = random.normal(3, [1.0, 5.0, 0.1], (2000, 3))
    truth = np.where(features[:, 0] + random.normal(size=2000) > 3, 1.0, -1.0)
    columns = np.column_stack([features, np.ones(2000), truth])
    rule = fit(columns.T @ columns)
    scaled = (features - features.mean(axis=0)) / features.std(axis=0)
    slopes = np.linalg.solve(scaled.T @ scaled + ALPHA * np.eye(3), scaled.T @ truth)
    expected = truth.mean() + scaled @ slopes
    np.testing.assert_allclose(rule.of(features.astype(np.float32)), expected, atol=1e-4)


def test_effects_are_counted_pair_by_pair() -> None:
    random = np.random.default_rng(4)
    ours, theirs = random.integers(0, 9, 40) / 1.0, random.integers(2, 12, 40) / 1.0
    effect = Effect.of(ours, theirs)
    pairs = [(a < b) + 0.5 * (a == b) for a in ours for b in theirs]
    assert effect.superiority == pytest.approx(np.mean(pairs))
    apart = (theirs - ours)[theirs != ours]
    ranks = stats.rankdata(np.abs(apart))
    assert effect.correlation == pytest.approx((ranks * np.sign(apart)).sum() / ranks.sum())
    assert effect.p < 0.05


def test_a_balance_counts_time_only_where_both_are_good() -> None:
    good = np.array([True, True, False, True, False])
    other = np.array([True, True, True, False, False])
    seconds = np.array([1.0, 3.0, 1.0, 1.0, 1.0])
    own = Judgement(good, np.zeros(5), seconds)
    baseline = Judgement(other, np.zeros(5), np.full(5, 2.0))
    balance = Balance.of(own, baseline)
    assert balance == Balance(0.2, 0.2, 0.2, 0.2)
    assert balance.net == pytest.approx(0)
    assert Balance.of(own, baseline, np.full(5, 1.0)).better_time == pytest.approx(0.4)


def test_a_stopper_measures_as_many_iterations_as_its_baseline() -> None:
    yes = np.ones((1, 3), dtype=np.bool_)
    starts, stops = np.array([[10, 10, 10]]), np.array([[40, 110, 510]])
    like = stopped_like(Configuration(starts, stops, yes, yes), np.array([[20, 20, 2800]]))
    assert like.starts.tolist() == [[90, 20, 2800]]
    assert like.stops.tolist() == [[120, 120, 3000]]


def test_the_truth_is_good_and_the_warm_up_is_not() -> None:
    judge = Judge(forks(3))
    yes = np.ones((3, 10), dtype=np.bool_)
    shape = np.ones((3, 10), dtype=np.int64)
    steady = judge.judge(Configuration(500 * shape, 700 * shape, yes, yes))
    assert steady.good.all()
    assert (steady.deviation < 0.01).all()
    np.testing.assert_allclose(steady.seconds, judge.elapsed[:, :, 700].sum(axis=1))
    warming = judge.judge(Configuration(0 * shape, 10 * shape, yes, yes))
    assert not warming.good.any()
    np.testing.assert_allclose(warming.deviation, 1, atol=0.05)
    np.testing.assert_allclose(judge.errors(11 * shape, yes), 0)
    assert (judge.errors(12 * shape, yes) > 0.09).all()


def test_resampled_means_spread_as_both_levels_say() -> None:
    random = np.random.default_rng(9)
    parts = [random.normal(level, 0.5, 200) for level in (1.0, 2.0, 3.0, 4.0)]
    means = resampled_means(parts, random)
    levels = np.array([part.mean() for part in parts])
    within = np.mean([part.var() / len(part) for part in parts])
    assert means.mean() == pytest.approx(levels.mean(), abs=0.05)
    assert means.std() == pytest.approx(np.sqrt(levels.var() / 4 + within / 4), rel=0.08)


@looped(("name", "parameters"), [("fcn", 264_833), ("oscnn", 291_172)])
def test_networks_are_the_paper_s_and_numpy_computes_what_pytorch_computes(
    name: str, parameters: int
) -> None:
    torch = pytest.importorskip("torch")
    networks = pytest.importorskip("evaluation._torch_networks", exc_type=ImportError)
    torch.manual_seed(3)
    net = networks.MODELS[name][0]()
    masked = sum(int((layer.mask == 0).sum()) for layer in net.layers)
    assert sum(one.numel() for one in net.parameters()) - masked == parameters
    windows = np.random.default_rng(1).normal(size=(16, 100)).astype(np.float32)
    net.train()
    for _ in range(3):
        net(torch.from_numpy(windows))  # the norms take averages other than 0 and 1
    for parameter in net.parameters():
        parameter.data += 0.02 * torch.randn_like(parameter)
    net.head.weight.data *= 30  # so that scores differ
    with torch.inference_mode():
        expected = torch.sigmoid(net.eval()(torch.from_numpy(windows))[:, -1]).numpy()
    assert np.ptp(expected) > 0.01
    found = net.network(0.5).scores(windows)
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)
    half = networks.TorchScorer(net).scores(windows)
    np.testing.assert_allclose(half, expected, atol=0.05)
