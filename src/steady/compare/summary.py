"""The summary of a comparison: all of its counts, computed once and in one place.

Sentences, headings, outputs of the action and exit codes depend on a `Summary`; only lists of
benchmarks depend on the `Comparison`. The module belongs to `compare`, below `judging`, so that
the conditions that fail a job use the same counts as the sentences that explain them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from steady.compare.benchmark_change import CHANGED, Change, Outcome, meaning
from steady.compare.comparison import Comparison, MetricComparison, Narrowing, Verdict
from steady.compare.ledger import Lost
from steady.harnesses import count_metrics
from steady.model import Identity
from steady.model.changed_method import ChangedMethods, unreached
from steady.text.numbers import TENFOLD


@dataclass(frozen=True, slots=True)
class Changed:
    """Summary of the changes of one outcome; false if there are none.

    Parameters
    ----------
    changes, benchmarks : int
        Numbers of changes and of benchmarks; several metrics of one benchmark may have changed.
    largest : float
        Size of the largest relative change; infinite if base is zero.
    meaning : str
        ``slower``, ``faster``, ``worse`` or ``better``; one of the last two if changes differ.
    allocation : bool
        Whether only allocation changed.
    """

    changes: int = 0
    benchmarks: int = 0
    largest: float = 0.0
    meaning: str = ""
    allocation: bool = False

    def __bool__(self) -> bool:
        return self.changes > 0

    @classmethod
    def of(cls, changes: Sequence[Change]) -> Changed:
        """Summarize changes of one outcome."""
        if not changes:
            return cls()
        meanings = {meaning(change) for change in changes}
        general = "worse" if changes[0].outcome == "regression" else "better"
        return cls(
            changes=len(changes),
            benchmarks=len({change.identity for change in changes}),
            largest=max(abs(change.ratio) for change in changes),
            meaning=meanings.pop() if len(meanings) == 1 else general,
            allocation=is_allocation(changes),
        )


def is_allocation(changes: Iterable[Change]) -> bool:
    """Return whether all metrics of the changes are counts of allocation."""
    counts = count_metrics()
    return all(c.metric in counts and c.metric != "instructions" for c in changes)


@dataclass(frozen=True, slots=True)
class Unclear:
    """Numbers of unclear benchmarks by reason; false if there are none.

    Parameters
    ----------
    noisy, few, cold : int
        Benchmarks that are too noisy, have too few runs, or did not reach steady state in time.
    bounded : bool
        Whether large changes of a warm benchmark are excluded.
    """

    noisy: int
    few: int
    cold: int
    bounded: bool

    def __bool__(self) -> bool:
        return self.total > 0

    @property
    def warm(self) -> int:
        """Number of unclear benchmarks that reached steady state."""
        return self.noisy + self.few

    @property
    def total(self) -> int:
        """Number of unclear benchmarks."""
        return self.warm + self.cold

    @classmethod
    def of(cls, unclear: Sequence[Change]) -> Unclear:
        """Count unclear changes."""
        warm = [change for change in unclear if not change.cold_seconds]
        cold = len(unclear) - len(warm)
        few = sum(bool(change.lacking) for change in unclear) - cold
        bounded = any(math.isfinite(change.excluded) for change in warm)
        return cls(len(warm) - few, few, cold, bounded)


@dataclass(frozen=True, slots=True)
class UpperBounds:
    """Upper bounds on the changes of several benchmarks, as fractions.

    Parameters
    ----------
    benchmarks, known : int
        Number of benchmarks, and of those with a bound of at most `TENFOLD`.
    median, largest : float
        Lower median of all bounds, and largest known bound.
    """

    benchmarks: int
    known: int
    median: float
    largest: float

    @classmethod
    def of(cls, changes: Sequence[Change]) -> UpperBounds:
        """Summarize the bounds of changes."""
        sizes = sorted(change.excluded for change in changes)
        known = [size for size in sizes if size <= TENFOLD]
        if not known:
            return cls(len(sizes), 0, math.inf, math.inf)
        return cls(len(sizes), len(known), sizes[(len(sizes) - 1) // 2], known[-1])


@dataclass(frozen=True, slots=True)
class Controls:
    """Controls: benchmarks with an identical code path that were measured.

    Parameters
    ----------
    measured, alarms : int
        Number of controls, and of those with a false alarm.
    largest : float
        Largest relative change of the false alarms, with its sign.
    """

    measured: int
    alarms: int
    largest: float

    @classmethod
    def of(cls, controls: Sequence[Change]) -> Controls:
        """Count controls."""
        alarms = [change.ratio for change in controls if change.outcome in CHANGED]
        return cls(len(controls), len(alarms), max(alarms, key=abs, default=0.0))


@dataclass(frozen=True, slots=True)
class Metrics:
    """Summary of the changes of secondary metrics, such as allocation.

    Parameters
    ----------
    benchmarks : int
        Number of benchmarks with a compared metric.
    regressions, improvements : Changed
        Changes that are not accepted.
    accepted : int
        Number of accepted changes.
    unchanged, unclear : int
        Numbers of benchmarks, each with the most important outcome of its metrics.
    few : int
        Number of unclear changes with too few forks.
    allocation : bool
        Whether only allocation was compared.
    """

    benchmarks: int
    regressions: Changed
    improvements: Changed
    accepted: int
    unchanged: int
    unclear: int
    few: int
    allocation: bool

    @classmethod
    def of(cls, metrics: MetricComparison) -> Metrics:
        """Count the changes of metrics."""
        outcomes = Counter(_most_important(metrics.changes).values())
        return cls(
            benchmarks=outcomes.total(),
            regressions=Changed.of(metrics.regressions),
            improvements=Changed.of(metrics.improvements),
            accepted=len(metrics.accepted),
            unchanged=outcomes["unchanged"],
            unclear=outcomes["unclear"],
            few=sum(bool(change.lacking) for change in metrics.unclear),
            allocation=is_allocation(metrics.changes),
        )


_WORST_FIRST: tuple[Outcome, ...] = (*CHANGED, "unclear", "unchanged")


def _most_important(changes: Sequence[Change]) -> dict[Identity, str]:
    """Return the most important outcome of each benchmark's metrics."""
    worst: dict[Identity, str] = {}
    for outcome in reversed(_WORST_FIRST):
        for change in changes:
            if change.outcome == outcome:
                worst[change.identity] = "accepted" if change.accepted else outcome
    return worst


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """All counts and facts of a comparison.

    Parameters
    ----------
    verdict : Verdict
        The verdict; see `steady.compare.Verdict`.
    metric_verdict : Verdict, optional
        The verdict of all secondary metrics; None if none was compared.
    comparable : bool
        False if differing environments prevent a verdict.
    checked : bool
        Whether a benchmark was compared, or all have an identical code path.
    total : int
        Number of all benchmarks.
    compared, with_controls : int
        Number of compared benchmarks, without and with controls.
    regressions, improvements : Changed
        Changes that are not accepted.
    accepted, unchanged : int
        Numbers of accepted changes and of unchanged benchmarks.
    unclear : Unclear
        Unclear benchmarks.
    bounds : UpperBounds
        Upper bounds of the unclear benchmarks, or of the unchanged ones if none is unclear.
    deciding_percent : int, optional
        See `Comparison.deciding_percent`.
    lost : Lost
        Benchmarks without a result to compare.
    new, ignored, same_code : int
        Numbers of benchmarks that are only in head, ignored by the settings, and not measured
        because of an identical code path.
    not_run : mapping of str to int
        Numbers of benchmarks skipped in both runs, by reason.
    as_sum : str
        The number of benchmarks and its parts; see `Ledger.as_sum`.
    controls : Controls
        Measured benchmarks with an identical code path.
    metrics : Metrics
        Secondary metrics.
    differences : tuple of str
        Differing fields of the environments, such as ``CPU`` and ``JDK``.
    jdks, processors : tuple of str
        JDKs and processors of all environments, without duplicates; untrusted.
    rule, options
        The rule's registered name, and all of its options; see `Comparison`.
    own_thresholds : int
        Number of benchmarks with a threshold of their own.
    narrowed : Narrowing, optional
        Restriction of the comparison; None if it includes all results.
    changed_methods : tuple of ChangedMethod, optional
        See `Comparison`.
    """

    verdict: Verdict
    metric_verdict: Verdict | None
    comparable: bool
    checked: bool
    total: int
    compared: int
    with_controls: int
    regressions: Changed
    improvements: Changed
    accepted: int
    unchanged: int
    unclear: Unclear
    bounds: UpperBounds
    deciding_percent: int | None
    lost: Lost
    new: int
    ignored: int
    same_code: int
    not_run: Mapping[str, int]
    as_sum: str
    controls: Controls
    metrics: Metrics
    differences: tuple[str, ...]
    jdks: tuple[str, ...]
    processors: tuple[str, ...]
    rule: str
    options: Mapping[str, str | float | int | bool | None]
    own_thresholds: int
    narrowed: Narrowing | None
    changed_methods: ChangedMethods | None = None

    @classmethod
    def of(cls, comparison: Comparison) -> Summary:
        """Compute the summary of a comparison."""
        ledger = comparison.ledger
        environments = (*comparison.base_environments, *comparison.head_environments)
        return cls(
            verdict=comparison.verdict,
            metric_verdict=comparison.metric_verdict,
            comparable=comparison.comparable,
            checked=comparison.has_checked,
            total=len(ledger.identities),
            compared=len(comparison.changes),
            with_controls=len(ledger.compared),
            regressions=Changed.of(comparison.regressions),
            improvements=Changed.of(comparison.improvements),
            accepted=len(comparison.accepted),
            unchanged=len(comparison.unchanged),
            unclear=Unclear.of(comparison.unclear),
            bounds=UpperBounds.of(comparison.unclear or comparison.unchanged),
            deciding_percent=comparison.deciding_percent,
            lost=ledger.lost,
            new=len(ledger.new),
            ignored=len(ledger.ignored),
            same_code=len(ledger.same_code),
            not_run=dict(Counter(entry.reason for entry in ledger.not_run)),
            as_sum=ledger.as_sum,
            controls=Controls.of(comparison.controls),
            metrics=Metrics.of(comparison.metrics),
            differences=_distinct(difference.what for difference in comparison.differences),
            jdks=_distinct(environment.jdk for environment in environments),
            processors=_distinct(environment.cpu for environment in environments),
            rule=comparison.rule,
            options=comparison.options,
            own_thresholds=sum(change.min_change is not None for change in comparison.changes),
            narrowed=comparison.narrowed,
            changed_methods=comparison.changed_methods,
        )

    @property
    def min_change(self) -> float:
        """The smallest relative change to report."""
        return float(self.options.get("min_change") or 0)

    @property
    def confidence(self) -> float:
        """The confidence level of a change."""
        return float(self.options.get("confidence") or 0)

    @property
    def exclusion(self) -> float | None:
        """The confidence level of upper bounds; None if it is that of changes."""
        exclusion = self.options.get("exclusion")
        return None if exclusion is None else float(exclusion)

    @property
    def reaches_no_change(self) -> bool:
        """Whether no benchmark reaches a changed method, although there are some."""
        methods = self.changed_methods
        return bool(methods) and len(unreached(methods)) == len(methods or ())

    @property
    def lost_first(self) -> bool:
        """Whether a report lists lost benchmarks first, because they dominate the result."""
        few = self.verdict == "incomplete" or self.lost.total > self.with_controls
        return self.comparable and few

    @property
    def is_calm(self) -> bool:
        """Whether the result needs no action, so that one line is enough."""
        changed = self.metric_verdict in CHANGED
        return self.verdict in ("unchanged", "same code") and not changed

    @property
    def allocates_more(self) -> bool:
        """Whether a secondary metric has a regression, which is reported in any case."""
        return self.metric_verdict == "regression"


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
