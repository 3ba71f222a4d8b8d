"""Comparison of secondary metrics, with remarks on rates that dropped by half."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

import numpy as np

from steady.compare.benchmark_change import Change, Estimate, Outcome
from steady.compare.bounds import Bounds, changed_outcome
from steady.compare.comparison import ALL, MetricComparison, is_asked_for
from steady.compare.counts import CountThreshold, judge_counts
from steady.compare.criteria import CompareOptions
from steady.compare.pair import Pair
from steady.compare.power import NOT_DETECTABLE
from steady.compare.rule import Judgement, Rule, RuleOptions, estimate, not_warm
from steady.compare.rules import RULES
from steady.harness.known_facts import CountMetric
from steady.harnesses import count_metrics
from steady.model import Benchmark, FloatArray, Identity, Metric, as_times, seconds_factor
from steady.stats.samples import row_medians
from steady.text.numbers import count, value

MIN_CHANGE = 0.01
"""Default of the smallest relative change of a count that is reported."""

_SMALLEST_OBJECT = 16.0
"""Size of the smallest Java object in bytes. Differences between forks up to this size are
attributed to the harness's own allocation."""

NOT_NAMED = "no verdict: not named in the settings"
"""Text in place of a verdict for a metric that is shown but not compared."""


@dataclass(frozen=True, slots=True, eq=False)
class _Row:
    """One metric of a benchmark, as the main result of `base` and `head`.

    Parameters
    ----------
    own : float, optional
        The metric's own threshold for a relative change.
    count : CountMetric, optional
        Properties of the metric if it is a count.
    harness : tuple of ndarray
        Approximate overhead of the harness in each value of base and of head.
    """

    name: str
    base: Benchmark
    head: Benchmark
    own: float | None
    compared: bool
    count: CountMetric | None
    harness: tuple[FloatArray, FloatArray]

    @property
    def bounds(self) -> Bounds:
        return Bounds(self.head.direction, 0.0, self.own, 0.0)

    @property
    def pair(self) -> Pair:
        return Pair.of(self.base, self.head)


def compare_metrics(
    pairs: Iterable[tuple[Benchmark, Benchmark]],
    asked: CompareOptions,
    options: RuleOptions,
    harness: str,
) -> tuple[MetricComparison, tuple[str, ...]]:
    """Compare the secondary metrics of benchmarks.

    Counts of allocations are judged by `judge_counts`; all other metrics are judged by the rule of
    the comparison, and only if the settings name them.

    Parameters
    ----------
    pairs : iterable of (Benchmark, Benchmark)
        Base and head of each compared benchmark.
    asked : CompareOptions
        Options of the comparison. The rule judges metrics that are not counts; the settings name
        metrics to compare or to ignore, with their thresholds; `metrics` names those to show even
        if they are not compared.
    options : RuleOptions
        Options of the rule; counts use only the confidence level.
    harness : str
        Name of the harness that produced the results.

    Returns
    -------
    metrics : MetricComparison
        Changes in the order of the benchmarks.
    remarks : tuple of str
        One sentence for each metric that is not comparable, for each name in `asked.metrics` that
        no benchmark has, and for each rate that dropped by half or more and is not compared, shown
        or ignored.
    """
    not_compared: Counter[tuple[str, str]] = Counter()
    counts = count_metrics(harness)
    pairs = list(pairs)
    rows = [row for pair in pairs for row in _rows(*pair, asked, counts, not_compared)]
    by_rule = _judged_by_rule([r for r in rows if r.compared and not r.count], asked, options)
    changes = tuple(
        _of_count(row, row.count, options.confidence)
        if row.count
        else _change(row, found := next(by_rule), row.bounds.outcome(found))
        for row in rows
        if row.compared
    )
    shown = tuple(_only_shown(row) for row in rows if not row.compared)
    seen = {(row.head.identity, row.name) for row in rows}
    drops = [one for pair in pairs for one in rate_drops(*pair) if one.key not in seen]
    unsaid = [one for one in drops if not _min_change(asked, *one.key)[1]]
    held = {name for pair in pairs for side in pair for name in side.metrics}
    remarks = (*_remarks(not_compared), *_not_held(asked, held), *rate_remarks(unsaid))
    return MetricComparison(changes, shown, tuple(asked.metrics)), remarks


def _rows(
    base: Benchmark,
    head: Benchmark,
    asked: CompareOptions,
    counts: Mapping[str, CountMetric],
    not_compared: Counter[tuple[str, str]],
) -> Iterator[_Row]:
    """Yield the requested metrics of a benchmark, and count those that are not comparable."""
    for name in dict.fromkeys((*head.metrics, *base.metrics)):
        counted = counts.get(name)
        own, ignored = _min_change(asked, head.identity, name)
        compared = (counted is not None or own is not None) and not ignored
        if not compared and not is_asked_for(name, asked.metrics):
            continue
        ours, theirs = base.metrics.get(name), head.metrics.get(name)
        if not (_has_values(ours) and _has_values(theirs)):
            obstacle = "is only in head" if _has_values(theirs) else "is only in base"
        elif ours.unit != theirs.unit:
            obstacle = "has different units in base and head"
        else:
            sides = _as_main(base, ours), _as_main(head, theirs)
            if all(side.in_range for side in sides):
                added = _of_harness(counted, base), _of_harness(counted, head)
                yield _Row(name, *sides, own, compared, counted, added)
                continue
            obstacle = "has an invalid value"
        not_compared[name, obstacle] += 1


def _min_change(asked: CompareOptions, identity: Identity, name: str) -> tuple[float | None, bool]:
    """Return the metric's own threshold, if any, and whether the settings ignore the metric."""
    settings = asked.settings
    own = None if settings is None else settings.min_change(identity, name)
    return own, settings is not None and settings.why_ignored(identity, name) is not None


def seems_changed(change: Change, harness: str) -> bool:
    """Return whether the ranges of a count do not overlap although its outcome is unclear.

    More forks may then give a verdict.

    Parameters
    ----------
    change : Change
        One of `MetricComparison.changes`.
    harness : str
        Name of the harness.
    """
    counted = count_metrics(harness).get(change.metric)
    if counted is None or change.outcome != "unclear":
        return False
    base, head = change.base, change.head
    fraction = MIN_CHANGE if change.min_change is None else change.min_change
    least = max(fraction * base.center, counted.least)
    gap = max(head.low - base.high, base.low - head.high)
    return gap >= least


def _has_values(metric: Metric | None) -> TypeGuard[Metric]:
    return metric is not None and bool(np.isfinite(metric.values).any())


def _as_main(benchmark: Benchmark, metric: Metric) -> Benchmark:
    """Return a benchmark with a metric in place of its main result."""
    return replace(
        benchmark, unit=metric.unit, measurements=metric.values, warmup=0, metrics={}, left_out=()
    )


def _of_harness(counted: CountMetric | None, benchmark: Benchmark) -> FloatArray:
    """Return the approximate overhead of the harness per operation, 0 if unknown.

    The allocation of the harness per iteration is divided among the operations, so a slower
    benchmark appears to allocate more.
    """
    configured, threads = benchmark.configuration, benchmark.identity.threads
    if counted is None or configured is None or configured.iteration_seconds == 0:
        return np.zeros(())
    times = as_times(benchmark.measured, benchmark.direction)
    seconds = times * seconds_factor(benchmark.unit, threads)
    share = counted.own * seconds / (configured.iteration_seconds * threads)
    return np.where(np.isfinite(share), share, 0.0)


def _judged_by_rule(
    rows: Sequence[_Row], asked: CompareOptions, options: RuleOptions
) -> Iterator[Judgement]:
    """Return the judgements of the rows by the comparison's rule, applied to each metric."""
    rule: Rule = RULES[asked.rule].value
    judged: dict[int, Judgement] = {}
    for name in dict.fromkeys(row.name for row in rows):
        places = [place for place, row in enumerate(rows) if row.name == name]
        judgements = rule.judge([rows[place].pair for place in places], options)
        judged |= dict(zip(places, judgements, strict=True))
    return (judged[place] for place in range(len(rows)))


def _of_count(row: _Row, counted: CountMetric, confidence: float) -> Change:
    """Judge a count after subtracting the harness's overhead; the estimates shown include it."""
    base, head = (float(np.median(side)) for side in row.harness)
    least = CountThreshold(
        MIN_CHANGE if row.own is None else row.own,
        counted.least,
        uncertainty=abs(head - base),
        tolerance=min(max(base, head), _SMALLEST_OBJECT),
    )
    alone = Pair.of(
        row.base.with_measurements(row.base.measurements - row.harness[0]),
        row.head.with_measurements(row.head.measurements - row.harness[1]),
    )
    found = judge_counts(alone, confidence, least)
    shown, judgement = row.pair, found.judgement
    judgement = replace(
        judgement,
        base=_as_shown(judgement.base, shown.base),
        head=_as_shown(judgement.head, shown.head),
    )
    outcome: Outcome = "unchanged" if found.unchanged else "unclear"
    if judgement.apart and judgement.ratio * found.judgement.ratio > 0:
        outcome = changed_outcome(judgement, row.head.direction)
    if shown.cold_seconds:
        judgement, outcome = judgement.undecided(not_warm(shown.cold_seconds)), "unclear"
    return _change(row, judgement, outcome)


def _as_shown(side: Estimate, table: FloatArray) -> Estimate:
    """Return an estimate with the median, minimum and maximum of the forks of a table."""
    forks = row_medians(table)
    middle, low, high = np.median(forks), forks.min(), forks.max()
    return replace(side, center=float(middle), low=float(low), high=float(high))


def _only_shown(row: _Row) -> Change:
    pair = row.pair
    base, head = (
        estimate(side, center := float(np.nanmedian(side)), center, center)
        for side in (pair.base, pair.head)
    )
    judgement = Judgement(base, head, False, None, NOT_DETECTABLE, lacking=NOT_NAMED)
    return _change(row, judgement, "unclear")


def _change(row: _Row, judgement: Judgement, outcome: Outcome) -> Change:
    return row.bounds.change(row.head, judgement, outcome, judgement.excluded, metric=row.name)


def _not_held(asked: CompareOptions, held: Collection[str]) -> Iterator[str]:
    for name in asked.metrics:
        if name != ALL and name not in held:
            yield f"--metrics names {name!r}, which no benchmark has"


def _remarks(not_compared: Counter[tuple[str, str]]) -> Iterator[str]:
    for (name, obstacle), number in sorted(not_compared.items()):
        yield f"{name} was not compared in {count(number, 'benchmark')}: it {obstacle}"


HALVED = 0.5
"""A remark is given if a rate in head is at most this fraction of the rate in base."""

_BEYOND_TIME = 1.5
"""A rate must drop by this factor more than the slowdown explains, since ``MB/s`` drop whenever the
time increases."""

_OF_ALLOCATION = "MB/sec"
"""Unit of JMH's ``gc.alloc.rate``, a rate for which lower is better."""


@dataclass(frozen=True, slots=True)
class RateDrop:
    """A rate of one benchmark that dropped by half or more.

    Parameters
    ----------
    key : tuple of (Identity, str)
        The benchmark and the name of the metric.
    before, after : float
        Medians in base and in head.
    """

    key: tuple[Identity, str]
    before: float
    after: float


def rate_drops(base: Benchmark, head: Benchmark) -> Iterator[RateDrop]:
    """Yield the rates whose median dropped by half or more, and by more than the slowdown explains.

    Every value in head is below every value in base.
    """
    for name in [one for one in head.metrics if one in base.metrics]:
        ours, theirs = base.metrics[name], head.metrics[name]
        if ours.unit != theirs.unit or ours.direction != "higher" or ours.unit == _OF_ALLOCATION:
            continue
        with np.errstate(all="ignore"):
            before, after = _median(ours), _median(theirs)
            slower = _median_time(head) / _median_time(base)
            fell = np.nanmax(theirs.values) < np.nanmin(ours.values) and after <= HALVED * before
        if fell and before >= _BEYOND_TIME * after * slower:
            yield RateDrop((head.identity, name), before, after)


def rate_remarks(drops: Sequence[RateDrop]) -> Iterator[str]:
    """Yield a remark for each metric that dropped."""
    for name in dict.fromkeys(one.key[1] for one in drops):
        first, *others = (one for one in drops if one.key[1] == name)
        rest = count(len(others), "other benchmark")
        more = f", and so did {name} of {rest}" if others else ""
        yield (
            f"{name} of {first.key[0].label} fell from {value(first.before)} to "
            f"{value(first.after)}{more}; name it under `thresholds` in the settings to compare it"
        )


def _median(metric: Metric) -> float:
    known = metric.values[np.isfinite(metric.values)]
    return float(np.median(known)) if known.size else np.nan


def _median_time(benchmark: Benchmark) -> float:
    times = as_times(benchmark.measured, benchmark.direction)
    known = times[np.isfinite(times)]
    return float(np.median(known)) if known.size else np.nan
