"""Comparison of secondary metrics."""

from datetime import date
from itertools import product
from typing import Any

import numpy as np

from steady.compare import RULES, Change, Comparison, compare, to_json
from steady.compare.metric_changes import NOT_NAMED
from steady.judging import DEFAULT, apply_settings, parse_fail_on
from steady.model import Benchmark, ExecutionConfiguration, Metric, Suite
from steady.settings import RepoSettings
from steady.settings.repo_settings import Acceptance, Ignore, Threshold
from tests.compare.small_suites import make_benchmark
from tests.report.from_comparison import reasons_to_fail

ALLOCATION = "gc.alloc.rate.norm"
FORKS = 5
NAMES = {"mb_s": "MB/s", "b_op": "B/op", "allocs_op": "allocs/op"}
TODAY = date(2026, 11, 22)


def benchmark(*, time: float = 100.0, **metrics: Any) -> Benchmark:
    """Return a benchmark; a metric is a number, or (unit, values of the forks).

    Underscores of names stand for dots and slashes.
    """
    table = np.linspace(0.999, 1.001, 4 * FORKS).reshape(FORKS, 4) * time
    own = {}
    for key, given in metrics.items():
        unit, value = given if isinstance(given, tuple) else ("B/op", given)
        values = np.broadcast_to(np.reshape(np.asarray(value, np.float64), (-1, 1)), (FORKS, 4))
        own[NAMES.get(key, key.replace("_", "."))] = Metric(unit, values)
    run = ExecutionConfiguration(FORKS, 0, 4, 10.0, 10.0)
    return make_benchmark("p.C.m", table, configuration=run, metrics=own)


def compared(base: Benchmark, head: Benchmark, **more: object) -> Comparison:
    return compare(Suite((base,)), Suite((head,)), **more)  # type: ignore[arg-type]


def outcomes(comparison: Comparison) -> dict[str, str]:
    return {change.metric: change.outcome for change in comparison.metrics.changes}


def only(comparison: Comparison) -> Change:
    (change,) = comparison.metrics.changes
    return change


def allocating(base: Any, head: Any, **more: object) -> Comparison:
    return compared(benchmark(gc_alloc_rate_norm=base), benchmark(gc_alloc_rate_norm=head), **more)


def test_allocation_is_compared_apart_from_the_main_result() -> None:
    found = allocating(64.0, 96.0)
    change = only(found)
    assert (change.metric, change.unit, change.outcome) == (ALLOCATION, "B/op", "regression")
    assert change.ratio == 0.5
    assert (found.metric_verdict, found.verdict) == ("regression", "unchanged")
    assert [one.metric for one in found.changes] == [""]
    assert not found.regressions
    # The gate counts it only where that is asked for.
    assert reasons_to_fail(found, parse_fail_on(DEFAULT)) == ()
    asked = parse_fail_on("regression,metric-regression")
    assert reasons_to_fail(found, asked) == ("metric-regression",)
    # Surroundings that forbid a verdict forbid this one too.
    forbidden = Comparison(found.changes, found.ledger, comparable=False, metrics=found.metrics)
    assert forbidden.metric_verdict == "not comparable"
    assert reasons_to_fail(forbidden, asked) == ()
    assert allocating(96.0, 64.0).metric_verdict == "improvement"
    assert allocating(64.0, 64.0).metric_verdict == "unchanged"
    assert allocating(0.0, 32.0).metric_verdict == "regression"
    assert compared(benchmark(), benchmark()).metric_verdict is None


def test_other_metrics_are_compared_if_the_settings_name_them() -> None:
    base = benchmark(gc_alloc_rate=("MB/sec", 100.0), mb_s=("MB/s", 50.0))
    head = benchmark(gc_alloc_rate=("MB/sec", 150.0), mb_s=("MB/s", 25.0))
    assert outcomes(compared(base, head)) == {}
    named = RepoSettings(thresholds=(Threshold("*", 0.05, metric="MB/*"),))
    assert outcomes(compared(base, head, settings=named)) == {"MB/s": "regression"}
    wide = RepoSettings(thresholds=(Threshold("*", 0.6, metric="MB/*"),))
    assert outcomes(compared(base, head, settings=wide)) == {"MB/s": "unchanged"}


def test_requested_metrics_are_shown_without_a_verdict() -> None:
    base, head = (benchmark(gc_count=("counts", n), gc_time=("ms", n)) for n in (1.0, 9.0))
    found = compared(base, head, metrics=("gc.count",))
    (shown,) = found.metrics.shown
    assert (shown.metric, shown.outcome, shown.lacking) == ("gc.count", "unclear", NOT_NAMED)
    assert (shown.base.center, shown.head.center) == (1.0, 9.0)
    assert found.metric_verdict is None
    assert len(compared(base, head, metrics=("all",)).metrics.shown) == 2


def test_settings_of_the_main_result_do_not_apply_to_metrics() -> None:
    usual = RepoSettings(thresholds=(Threshold("*", 0.5),))
    assert outcomes(allocating(1000.0, 1030.0, settings=usual)) == {ALLOCATION: "regression"}
    own = RepoSettings(thresholds=(Threshold("*", 0.05, metric=ALLOCATION),))
    found = allocating(1000.0, 1030.0, settings=own)
    assert outcomes(found) == {ALLOCATION: "unchanged"}
    assert found.changes[0].min_change is None
    # Where a metric is ignored, the benchmark is compared all the same.
    ignoring = RepoSettings(ignore=(Ignore("C.m", "known", metric="gc.*"),))
    found = allocating(64.0, 96.0, settings=ignoring)
    assert (outcomes(found), len(found.changes), found.ledger.ignored) == ({}, 1, ())


def test_acceptances_apply_to_the_named_metric() -> None:
    for metric, bound, base, accepted in (
        (ALLOCATION, 0.6, 64.0, True),
        ("*", 0.6, 64.0, True),
        (ALLOCATION, 0.4, 64.0, False),
        ("", 0.6, 64.0, False),
        (ALLOCATION, 0.2, 0.0, True),
    ):
        entry = Acceptance("C.m", "a cache", bound=bound, metric=metric)
        settings = RepoSettings(accepted=(entry,))
        marked = apply_settings(allocating(base, 96.0), settings, TODAY)
        assert (only(marked).accepted == entry) is accepted
        assert marked.metric_verdict == ("accepted" if accepted else "regression")
    slower = compared(benchmark(), benchmark(time=200.0))
    entry = Acceptance("C.m", "a cache", metric=ALLOCATION)
    accepting = RepoSettings(accepted=(entry,))
    assert apply_settings(slower, accepting, TODAY).verdict == "regression"


def test_a_metric_on_one_side_gets_one_remark() -> None:
    found = compared(benchmark(), benchmark(gc_alloc_rate_norm=9.0, gc_count=("counts", 1.0)))
    assert outcomes(found) == {}
    not_compared = f"{ALLOCATION} was not compared in 1 benchmark: it"
    assert found.remarks == (f"{not_compared} is only in head",)
    assert allocating(9.0, ("KB/op", 9.0)).remarks == (
        f"{not_compared} has different units in base and head",
    )


def test_forks_without_the_metric_are_ignored() -> None:
    change = only(allocating([64.0, 64.0, np.nan, np.nan, np.nan], 96.0))
    assert change.outcome == "unclear"
    assert change.lacking == "too few forks: 2 in base and 5 in head; at least 5 are needed"


def test_the_harness_overhead_is_not_a_change() -> None:
    """JMH allocates some kilobytes per iteration, which are divided among the operations."""

    def run(milliseconds: float, own: float) -> Benchmark:
        operations = 10_000 / milliseconds  # in an iteration of ten seconds
        measured = own + 5_500 / operations + np.arange(FORKS) * 0.01
        return benchmark(time=milliseconds * 1e6, gc_alloc_rate_norm=measured)

    assert only(compared(run(50.0, 100.0), run(200.0, 100.0))).outcome != "regression"
    assert only(compared(run(50.0, 100.0), run(200.0, 300.0))).outcome == "regression"
    assert only(compared(run(50.0, 100.0), run(50.0, 132.0))).outcome == "regression"


def test_bytes_and_allocations_of_go_are_compared() -> None:
    for base, head, outcome in (
        ((48, 1), (80, 2), "regression"),
        ((4800, 1000), (4801, 1001), "unchanged"),
    ):
        sides = (benchmark(b_op=size, allocs_op=("allocs/op", n)) for size, n in (base, head))
        assert outcomes(compared(*sides)) == {"B/op": outcome, "allocs/op": outcome}


def test_every_rule_judges_named_metrics_including_zeros() -> None:
    named = RepoSettings(thresholds=(Threshold("*", 0.05, metric="gc.count"),))
    values = (0.0, 0.0), (0.0, [0, 0, 1, 0, 2]), ([0, 1, 0, 2, 0], 0.0), (1.0, 3.0)
    for rule, sides in product(RULES, values):
        counts = (benchmark(gc_count=("counts", side)) for side in sides)
        found = compared(*counts, settings=named, rule=rule)
        assert outcomes(found).keys() == {"gc.count"}
        to_json(found)
