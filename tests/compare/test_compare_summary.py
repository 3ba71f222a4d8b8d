"""The summary of a comparison, against counts of the lists."""

import math
from dataclasses import replace

from steady.compare import Comparison, Missing
from steady.compare.ledger import IN_DOUBT, Lost
from steady.compare.summary import Changed, Metrics, Summary, Unclear, UpperBounds
from steady.model import Identity, NotRun
from steady.model.suite import RESUMES
from steady.settings.repo_settings import Acceptance
from tests.looped import looped
from tests.report.made import change, counted, eventful, of
from tests.report.situations import SITUATIONS, metric, with_metrics


def counted_by_hand(found: Comparison) -> dict[str, int]:
    """Return counts computed literally from the changes and the ledger."""
    counts = dict.fromkeys(("regressions", "improvements", "unchanged", "unclear", "accepted"), 0)
    plural = {"regression": "regressions", "improvement": "improvements"}
    for one in found.changes:
        counts["accepted" if one.accepted else plural.get(one.outcome, one.outcome)] += 1
    ledger = found.ledger
    counts["lost"] = sum(map(len, (ledger.failed, ledger.missing, ledger.gone)))
    counts["lost"] += len(ledger.incomparable)
    counts["not run"] = len(ledger.not_run)
    return counts


@looped("name", SITUATIONS)
def test_counts_match_the_lists(name: str) -> None:
    found = SITUATIONS[name]()
    summary = Summary.of(found)
    assert counted_by_hand(found) == {
        "regressions": summary.regressions.changes,
        "improvements": summary.improvements.changes,
        "unchanged": summary.unchanged,
        "unclear": summary.unclear.total,
        "accepted": summary.accepted,
        "lost": summary.lost.total,
        "not run": sum(summary.not_run.values()),
    }
    assert (summary.verdict, summary.metric_verdict) == (found.verdict, found.metric_verdict)
    assert summary.total == len(set(found.ledger.identities))


def test_changes_have_a_largest_and_a_meaning() -> None:
    slower, less = change("a", 0.1, "regression"), change("b", -0.3, "regression", unit="ops/s")
    assert Changed.of([slower, less]) == Changed(2, 2, less.ratio * -1, "slower")
    assert not Changed.of([])
    grown = change("c", 0.2, "regression", unit="MB")
    assert Changed.of([slower, grown]).meaning == "worse"
    zero = replace(slower, base=replace(slower.base, center=0.0))
    assert math.isinf(Changed.of([zero]).largest)
    # A benchmark is counted once, however many of its metrics changed.
    both = [metric(0, "regression", 64, 96, name=name) for name in ("B/op", "allocs/op")]
    assert Changed.of(both) == Changed(2, 1, 0.5, "worse", allocation=True)
    assert not Changed.of([replace(both[0], metric="instructions")]).allocation


def test_unclear_benchmarks_are_counted_by_reason() -> None:
    noisy = change("a", 0.05, "unclear")
    few = replace(noisy, lacking="too few forks", excluded=math.inf)
    cold = replace(few, lacking="not warm after 3 s", cold_seconds=3.0)
    assert Unclear.of([noisy, few, few, cold]) == Unclear(1, 2, 1, bounded=True)
    assert Unclear.of([few, cold]) == Unclear(0, 1, 1, bounded=False)
    assert (Unclear.of([noisy, cold]).warm, Unclear.of([noisy, cold]).total) == (1, 2)


def test_bounds_of_unclear_or_otherwise_unchanged_benchmarks() -> None:
    sizes = (0.2, 0.5, math.inf, 0.1)
    unclear = [replace(change(f"a{n}", 0.05, "unclear"), excluded=n) for n in sizes]
    assert UpperBounds.of(unclear) == UpperBounds(4, 3, 0.2, 0.5)
    assert UpperBounds.of([]).known == 0
    same = replace(change("b", 0.0, "unchanged"), excluded=0.01)
    assert Summary.of(of(*unclear, same)).bounds.benchmarks == 4
    assert Summary.of(of(same)).bounds == UpperBounds(1, 1, 0.01, 0.01)


def test_lost_benchmarks_are_counted_by_list_and_cause() -> None:
    one, two, three, four = (Identity(name) for name in "abcd")
    found = of(
        failed=(Missing(one, "base", "x", "failed"), Missing(two, "head", f"x{RESUMES}", "failed")),
        missing=(Missing(three, "head", "skipped in head: slow"),),
        gone=(four,),
    )
    lost = found.ledger.lost
    assert lost == Lost(2, 1, 1, 0, failed_in_base=1, skipped=1, unfinished=1)
    assert (lost.total, bool(lost), found.ledger.complete) == (4, True, False)
    assert not counted(1).ledger.lost


def test_lost_benchmarks_come_first_if_they_dominate() -> None:
    assert Summary.of(counted()).lost_first
    assert not Summary.of(eventful()).lost_first  # 4 of 8, and a regression
    lost = SITUATIONS["half-lost"]()
    assert lost.verdict == "regression"
    assert Summary.of(lost).lost_first
    assert not Summary.of(replace(lost, comparable=False)).lost_first


def test_metrics_are_counted_by_benchmark() -> None:
    kept = Acceptance("*", "meant", metric="B/op")
    found = with_metrics(
        counted(unchanged=4),
        metric(0, "regression", 64, 96, name="B/op"),
        metric(0, "unchanged", name="allocs/op"),
        replace(metric(1, "regression", 64, 80, name="B/op"), accepted=kept),
        metric(2, "unchanged"),
        replace(metric(3, "unclear"), lacking="too few forks"),
    )
    metrics = Metrics.of(found.metrics)
    assert (metrics.benchmarks, metrics.unchanged, metrics.unclear) == (4, 1, 1)
    assert (metrics.regressions.benchmarks, metrics.accepted, metrics.few) == (1, 1, 1)
    summary = Summary.of(found)
    assert summary.allocates_more
    assert not summary.is_calm
    assert Summary.of(counted(unchanged=1)).is_calm


def test_controls_and_doubted_benchmarks() -> None:
    found = SITUATIONS["false-alarm"]()
    doubted = tuple(NotRun(Identity(name), IN_DOUBT) for name in "ab")
    summary = Summary.of(replace(found, ledger=replace(found.ledger, not_run=doubted)))
    assert (summary.controls.measured, summary.controls.alarms) == (1, 1)
    assert math.isclose(summary.controls.largest, 0.1)
    assert summary.not_run == {IN_DOUBT: 2}
