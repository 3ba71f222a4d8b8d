"""Further results of base against head: which are compared, and how."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np

from steady.compare import RULES, Acceptance, Change, Comparison, compare, to_json
from steady.compare.metric_changes import NOT_NAMED
from steady.judging import DEFAULT, parse_fail_on, reasons_to_fail
from steady.model import Benchmark, ExecutionConfiguration, Identity, Level, Metric, Suite
from steady.settings import RepoSettings, apply_settings
from steady.settings.repo_settings import Ignore, Threshold
from tests.looped import looped

LEVELS = (Level("fork"), Level("iteration"))
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
    return Benchmark(
        Identity("p.C.m"),
        "ns/op",
        table,
        LEVELS,
        configuration=ExecutionConfiguration(FORKS, 0, 4, 10.0, 10.0),
        metrics=own,
    )


def compared(base: Benchmark, head: Benchmark, **more: object) -> Comparison:
    return compare(Suite((base,)), Suite((head,)), **more)  # type: ignore[arg-type]


def outcomes(comparison: Comparison) -> dict[str, str]:
    return {change.metric: change.outcome for change in comparison.metrics.changes}


def only(comparison: Comparison) -> Change:
    (change,) = comparison.metrics.changes
    return change


def test_allocation_is_compared_and_the_main_result_does_not_know() -> None:
    found = compared(benchmark(gc_alloc_rate_norm=64.0), benchmark(gc_alloc_rate_norm=96.0))
    change = only(found)
    assert (change.metric, change.unit, change.outcome) == (ALLOCATION, "B/op", "regression")
    assert change.ratio == 0.5
    assert (found.metric_verdict, found.verdict) == ("regression", "unchanged")
    assert [one.metric for one in found.changes] == [""]
    assert not found.regressions


@looped(
    ("base", "head", "verdict"),
    [(96.0, 64.0, "improvement"), (64.0, 64.0, "unchanged"), (0.0, 32.0, "regression")],
)
def test_the_verdict_of_metrics_follows_from_their_direction(
    base: float, head: float, verdict: str
) -> None:
    found = compared(benchmark(gc_alloc_rate_norm=base), benchmark(gc_alloc_rate_norm=head))
    assert found.metric_verdict == verdict


def test_without_metrics_there_is_no_verdict_of_them() -> None:
    assert compared(benchmark(), benchmark()).metric_verdict is None


def test_surroundings_that_forbid_a_verdict_forbid_this_one_too() -> None:
    found = compared(benchmark(gc_alloc_rate_norm=1.0), benchmark(gc_alloc_rate_norm=9.0))
    forbidden = Comparison(found.changes, found.ledger, comparable=False, metrics=found.metrics)
    assert forbidden.metric_verdict == "not comparable"
    assert reasons_to_fail(forbidden, parse_fail_on("metric-regression")) == ()


def test_the_gate_counts_it_only_where_that_is_asked_for() -> None:
    found = compared(benchmark(gc_alloc_rate_norm=64.0), benchmark(gc_alloc_rate_norm=96.0))
    assert reasons_to_fail(found, parse_fail_on(DEFAULT)) == ()
    assert reasons_to_fail(found, parse_fail_on("regression,metric-regression")) == (
        "metric-regression",
    )


def test_other_metrics_are_compared_where_the_settings_name_them() -> None:
    base = benchmark(gc_alloc_rate=("MB/sec", 100.0), mb_s=("MB/s", 50.0))
    head = benchmark(gc_alloc_rate=("MB/sec", 150.0), mb_s=("MB/s", 25.0))
    assert outcomes(compared(base, head)) == {}
    named = RepoSettings(thresholds=(Threshold("*", 0.05, metric="MB/*"),))
    assert outcomes(compared(base, head, settings=named)) == {"MB/s": "regression"}
    wide = RepoSettings(thresholds=(Threshold("*", 0.6, metric="MB/*"),))
    assert outcomes(compared(base, head, settings=wide)) == {"MB/s": "unchanged"}


def test_what_is_asked_for_is_shown_and_not_judged() -> None:
    base, head = (benchmark(gc_count=("counts", n), gc_time=("ms", n)) for n in (1.0, 9.0))
    found = compared(base, head, metrics=("gc.count",))
    (shown,) = found.metrics.shown
    assert (shown.metric, shown.outcome, shown.lacking) == ("gc.count", "unclear", NOT_NAMED)
    assert (shown.base.center, shown.head.center) == (1.0, 9.0)
    assert found.metric_verdict is None
    assert len(compared(base, head, metrics=("all",)).metrics.shown) == 2


def test_a_threshold_without_a_metric_is_of_the_main_result_alone() -> None:
    base, head = benchmark(gc_alloc_rate_norm=1000.0), benchmark(gc_alloc_rate_norm=1030.0)
    usual = RepoSettings(thresholds=(Threshold("*", 0.5),))
    assert outcomes(compared(base, head, settings=usual)) == {ALLOCATION: "regression"}
    own = RepoSettings(thresholds=(Threshold("*", 0.05, metric=ALLOCATION),))
    found = compared(base, head, settings=own)
    assert outcomes(found) == {ALLOCATION: "unchanged"}
    assert found.changes[0].min_change is None


def test_an_ignored_metric_leaves_the_benchmark_compared() -> None:
    base, head = benchmark(gc_alloc_rate_norm=64.0), benchmark(gc_alloc_rate_norm=96.0)
    ignoring = RepoSettings(ignore=(Ignore("C.m", "known", metric="gc.*"),))
    found = compared(base, head, settings=ignoring)
    assert outcomes(found) == {}
    assert len(found.changes) == 1
    assert found.ledger.ignored == ()


@looped(
    ("metric", "bound", "base", "accepted"),
    [
        (ALLOCATION, 0.6, 64.0, True),
        ("*", 0.6, 64.0, True),
        (ALLOCATION, 0.4, 64.0, False),
        ("", 0.6, 64.0, False),
        (ALLOCATION, 0.2, 0.0, True),
    ],
)
def test_an_acceptance_names_the_metric(
    metric: str, bound: float, base: float, accepted: bool
) -> None:
    entry = Acceptance("C.m", "a cache", bound=bound, metric=metric)
    found = compared(benchmark(gc_alloc_rate_norm=base), benchmark(gc_alloc_rate_norm=96.0))
    marked = apply_settings(found, RepoSettings(accepted=(entry,)), TODAY)
    assert (only(marked).accepted == entry) is accepted
    assert marked.metric_verdict == ("accepted" if accepted else "regression")


def test_an_acceptance_of_a_metric_accepts_no_slowdown() -> None:
    entry = Acceptance("C.m", "a cache", metric=ALLOCATION)
    found = compared(benchmark(), benchmark(time=200.0))
    marked = apply_settings(found, RepoSettings(accepted=(entry,)), TODAY)
    assert marked.verdict == "regression"


def test_what_only_one_side_has_is_said_once_and_not_compared() -> None:
    found = compared(benchmark(), benchmark(gc_alloc_rate_norm=9.0, gc_count=("counts", 1.0)))
    assert outcomes(found) == {}
    assert found.remarks == (f"{ALLOCATION} was not compared in 1 benchmark: it is only in head",)
    units = compared(
        benchmark(gc_alloc_rate_norm=9.0), benchmark(gc_alloc_rate_norm=("KB/op", 9.0))
    )
    assert units.remarks == (f"{ALLOCATION} was not compared in 1 benchmark: it has two units",)


def test_forks_without_the_metric_do_not_count() -> None:
    values = [64.0, 64.0, np.nan, np.nan, np.nan]
    change = only(
        compared(benchmark(gc_alloc_rate_norm=values), benchmark(gc_alloc_rate_norm=96.0))
    )
    assert change.outcome == "unclear"
    assert change.lacking == "too few forks: 2 in base and 5 in head; give 5 or more"


def test_a_slower_benchmark_seems_to_allocate_more_and_that_is_no_change() -> None:
    """JMH allocates some kilobytes in each iteration, which all its operations share."""

    def run(milliseconds: float, own: float) -> Benchmark:
        operations = 10_000 / milliseconds  # in an iteration of ten seconds
        measured = own + 5_500 / operations + np.arange(FORKS) * 0.01
        return benchmark(time=milliseconds * 1e6, gc_alloc_rate_norm=measured)

    assert only(compared(run(50.0, 100.0), run(200.0, 100.0))).outcome != "regression"
    assert only(compared(run(50.0, 100.0), run(200.0, 300.0))).outcome == "regression"
    assert only(compared(run(50.0, 100.0), run(50.0, 132.0))).outcome == "regression"


def test_go_has_bytes_and_allocations() -> None:
    def run(size: float, number: float) -> Benchmark:
        return benchmark(b_op=size, allocs_op=("allocs/op", number))

    assert outcomes(compared(run(48, 1), run(80, 2))) == {
        "B/op": "regression",
        "allocs/op": "regression",
    }
    assert outcomes(compared(run(4800, 1000), run(4801, 1001))) == {
        "B/op": "unchanged",
        "allocs/op": "unchanged",
    }


@looped("rule", RULES)
def test_every_rule_judges_what_the_settings_name_zeros_included(rule: str) -> None:
    named = RepoSettings(thresholds=(Threshold("*", 0.05, metric="gc.count"),))
    for base, head in ((0.0, 0.0), (0.0, [0, 0, 1, 0, 2]), ([0, 1, 0, 2, 0], 0.0), (1.0, 3.0)):
        found = compared(
            benchmark(gc_count=("counts", base)),
            benchmark(gc_count=("counts", head)),
            settings=named,
            rule=rule,
        )
        assert outcomes(found).keys() == {"gc.count"}
        to_json(found)
