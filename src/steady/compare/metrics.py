"""Further results of base against head: rows of their own beside the main ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from steady.compare.comparison import Change, Outcome
from steady.compare.counts import judge_counts
from steady.compare.outcomes import MetricComparison
from steady.compare.pair import NO_REACH, Judgement, Pair, Rule, RuleOptions, estimate
from steady.model import Benchmark, Identity, Metric, seconds_factor
from steady.text.counting import count

if TYPE_CHECKING:  # settings stand above this package; only their types are needed
    from steady.settings.settings import RepoSettings

JMH_ALLOCATION = "gc.alloc.rate.norm"

COMPARED = (JMH_ALLOCATION, "B/op", "allocs/op")
"""What is compared unless the settings say otherwise: what an operation allocates, by the names of
JMH and of Go."""

MIN_CHANGE = 0.01
"""Smallest relative change of a count that counts."""

_LEAST = {"B/op": 1.0, "allocs/op": 0.5}
"""Smallest change of a count that counts, in its unit: half an allocation, and a byte, since the
smallest object of either harness, allocated in every eighth operation, has more."""

_HARNESS_BYTES = 8192.0
"""More than JMH itself allocates in an iteration (``docs/measured.md``). Each operation has its
share, so a benchmark that becomes slower seems to allocate more."""

NOT_NAMED = "not judged, because the settings do not name it"
"""What a metric lacks that is shown, but not compared."""


def no_metric(_: str) -> bool:
    """Tell that only what is compared is listed."""
    return False


@dataclass(frozen=True, eq=False)
class MetricOptions:
    """How metrics are compared.

    Parameters
    ----------
    rule : Rule
        Judges what is not a count.
    options : RuleOptions
        Its options; counts use the confidence.
    settings : RepoSettings, optional
        Which metrics are compared or ignored, and their smallest changes.
    shown : callable
        Whether to list a metric of this name that is not compared.
    """

    rule: Rule
    options: RuleOptions
    settings: RepoSettings | None = None
    shown: Callable[[str], bool] = no_metric

    def min_change(self, identity: Identity, name: str) -> tuple[float | None, bool]:
        """Return a metric's own smallest change, if it has one, and whether it is compared."""
        own = None if self.settings is None else self.settings.metric_min_change(identity, name)
        ignored = self.settings is not None and self.settings.ignores_metric(identity, name)
        return own, (name in COMPARED or own is not None) and not ignored


@dataclass(frozen=True, slots=True, eq=False)
class _Row:
    """A metric of one benchmark on both sides, in the place of the main result.

    Parameters
    ----------
    own : float, optional
        Its own smallest relative change.
    floor, blur : float
        Smallest change of a count, and what the harness adds to each value, in its unit.
    """

    name: str
    base: Benchmark
    head: Benchmark
    own: float | None
    compared: bool
    floor: float = 0.0
    blur: float = 0.0

    @property
    def is_count(self) -> bool:
        return self.head.unit in _LEAST

    @property
    def pair(self) -> Pair:
        return Pair.of(self.base, self.head)


def compare_metrics(
    pairs: Iterable[tuple[Benchmark, Benchmark]], options: MetricOptions
) -> tuple[MetricComparison, tuple[str, ...]]:
    """Compare the further results of benchmarks.

    Counts of allocations are judged by `judge_counts`, everything else by the rule of the
    comparison, and only where the settings name it.

    Parameters
    ----------
    pairs : iterable of (Benchmark, Benchmark)
        Base and head of each benchmark that is compared.
    options : MetricOptions
        What is compared, and how.

    Returns
    -------
    metrics : MetricComparison
        In the order of the benchmarks.
    remarks : tuple of str
        What could not be compared, one plain sentence each.
    """
    one_sided: Counter[tuple[str, str]] = Counter()
    rows = [row for pair in pairs for row in _rows(*pair, options, one_sided)]
    by_rule = _judged_by_rule([r for r in rows if r.compared and not r.is_count], options)
    confidence = options.options.confidence
    changes = tuple(
        _of_count(row, confidence) if row.is_count else _of_rule(row, next(by_rule))
        for row in rows
        if row.compared
    )
    shown = tuple(_only_shown(row) for row in rows if not row.compared)
    return MetricComparison(changes, shown), tuple(_remarks(one_sided))


def _rows(
    base: Benchmark,
    head: Benchmark,
    options: MetricOptions,
    one_sided: Counter[tuple[str, str]],
) -> Iterator[_Row]:
    """Yield the metrics of a benchmark that are asked for, and count those without a partner."""
    for name in dict.fromkeys((*head.metrics, *base.metrics)):
        own, compared = options.min_change(head.identity, name)
        if not compared and not options.shown(name):
            continue
        ours, theirs = base.metrics.get(name), head.metrics.get(name)
        if _has_values(ours) and _has_values(theirs):
            if ours.unit == theirs.unit:
                sides = _as_main(base, ours), _as_main(head, theirs)
                seeming, blur = _of_harness(name, base, head)
                floor = _LEAST.get(theirs.unit, 0.0) + seeming
                yield _Row(name, *sides, own, compared, floor, blur)
            elif compared:
                one_sided[name, "in two units"] += 1
        elif compared:
            one_sided[name, "only in head" if _has_values(theirs) else "only in base"] += 1


def _has_values(metric: Metric | None) -> TypeGuard[Metric]:
    return metric is not None and bool(np.isfinite(metric.values).any())


def _as_main(benchmark: Benchmark, metric: Metric) -> Benchmark:
    """Return a benchmark with a metric in the place of its main result."""
    return replace(
        benchmark, unit=metric.unit, measurements=metric.values, warmup=0, metrics={}, left_out=()
    )


def _of_harness(name: str, base: Benchmark, head: Benchmark) -> tuple[float, float]:
    """Return what JMH's own allocation adds to that of an operation.

    Returns
    -------
    seeming : float
        By how much the two sides seem to differ because one of them is slower.
    share : float
        Of an operation on the slower side.
    """
    if name != JMH_ALLOCATION:
        return 0.0, 0.0
    ours, theirs = (_operations(side) for side in (base, head))
    if ours <= 0 or theirs <= 0:
        return 0.0, 0.0
    return _HARNESS_BYTES * abs(1 / ours - 1 / theirs), _HARNESS_BYTES / min(ours, theirs)


def _operations(benchmark: Benchmark) -> float:
    """Return about how many operations an iteration has; 0 if that is unknown."""
    configured, threads = benchmark.configuration, benchmark.identity.threads
    values = benchmark.measured[np.isfinite(benchmark.measured)]
    factor = seconds_factor(benchmark.unit, threads)
    if configured is None or not values.size or not np.isfinite(factor):
        return 0.0
    middle = float(np.median(values))
    if middle <= 0:
        return 0.0
    seconds = factor * (middle if benchmark.direction == "lower" else 1 / middle)
    return configured.iteration_seconds * threads / seconds


def _judged_by_rule(rows: Sequence[_Row], options: MetricOptions) -> Iterator[Judgement]:
    """Yield what the comparison's rule says of each row; it learns from rows of one metric."""
    judged: dict[int, Judgement] = {}
    for name in dict.fromkeys(row.name for row in rows):
        places = [place for place, row in enumerate(rows) if row.name == name]
        judgements = options.rule.judge([rows[place].pair for place in places], options.options)
        judged |= dict(zip(places, judgements, strict=True))
    return (judged[place] for place in range(len(rows)))


def _of_count(row: _Row, confidence: float) -> Change:
    min_change = MIN_CHANGE if row.own is None else row.own
    found = judge_counts(row.pair, confidence, min_change, row.floor, row.blur)
    return _change(row, found.judgement, changed=found.judgement.apart, unchanged=found.unchanged)


def _of_rule(row: _Row, judgement: Judgement) -> Change:
    min_change = row.own or 0.0
    changed = judgement.apart and abs(judgement.ratio) >= min_change and judgement.ratio != 0
    unchanged = judgement.excluded < min_change or judgement.excluded == 0
    return _change(row, judgement, changed=changed, unchanged=unchanged)


def _only_shown(row: _Row) -> Change:
    pair = row.pair
    base, head = (
        estimate(side, center := float(np.nanmedian(side)), center, center)
        for side in (pair.base, pair.head)
    )
    return _change(row, Judgement(base, head, False, None, NO_REACH, lacking=NOT_NAMED))


def _change(
    row: _Row, judgement: Judgement, *, changed: bool = False, unchanged: bool = False
) -> Change:
    outcome: Outcome = "unchanged" if unchanged else "unclear"
    if changed:
        worse = (judgement.head.center > judgement.base.center) == (row.head.direction == "lower")
        outcome = "regression" if worse else "improvement"
    return Change(
        identity=row.head.identity,
        metric=row.name,
        unit=row.head.unit,
        direction=row.head.direction,
        base=judgement.base,
        head=judgement.head,
        outcome=outcome,
        smallest=max(row.own or 0.0, judgement.reach_of_ratio),
        notes=judgement.notes,
        interval=judgement.interval,
        min_change=row.own,
        excluded=judgement.excluded,
        lacking=judgement.lacking,
    )


def _remarks(one_sided: Counter[tuple[str, str]]) -> Iterator[str]:
    for (name, how), number in sorted(one_sided.items()):
        yield f"{name} was not compared in {count(number, 'benchmark')}: it is {how}"
