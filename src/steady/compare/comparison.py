"""What a comparison of two runs shows, and what it could not compare."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from steady.compare.acknowledgement import Acknowledgement
from steady.compare.outcomes import ByOutcome, MetricComparison
from steady.compare.records import COLUMNS, row_of
from steady.model import Direction, Environment, Identity, NotRun
from steady.text.counting import count
from steady.text.numbers import percent, value
from steady.text.shown import Overview, Shown, Span

Outcome = Literal["regression", "improvement", "unchanged", "unclear"]
"""Unchanged: a change of the smallest size that counts is excluded. Unclear: it cannot be told."""

_PLURALS: Mapping[Outcome, str] = {
    "regression": "regressions",
    "improvement": "improvements",
    "unclear": "unclear",
    "unchanged": "unchanged",
}

Side = Literal["base", "head", "both"]
"""Which of the two runs."""

MissingKind = Literal["missing", "failed", "incomparable"]
"""Why there is nothing to compare: no result, a failure, or results that measure other things."""

Verdict = Literal[
    "not comparable",
    "regression",
    "incomplete",
    "acknowledged",
    "improvement",
    "unclear",
    "unchanged",
    "same code",
]
"""Of a whole comparison; where several hold, the first in this order.

Same code: all benchmarks run the same code in base and in head, so that none can have changed.
"""


def relative_change(base: float, head: float) -> float:
    """Return (head - base) / base, as a signed fraction; from 0 to 0 nothing changed."""
    if base == 0:
        return 0.0 if head == 0 else math.copysign(math.inf, head)
    return (head - base) / abs(base)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A result with its confidence interval.

    Parameters
    ----------
    center, low, high : float
        In the benchmark's unit.
    forks, iterations : int
        Forks, and measurement iterations of all forks together, that stand behind it.
    score : float, optional
        What the harness's own tools show: JMH the mean of all iterations, benchstat the median.
        None where nobody knows it.
    """

    center: float
    low: float
    high: float
    forks: int
    iterations: int
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """Base and head of one benchmark side by side.

    Parameters
    ----------
    identity : Identity
        Which benchmark.
    unit : str
        Of both estimates.
    direction : {"lower", "higher"}
        Which way is better.
    base, head : Estimate
        The two results.
    outcome : {"regression", "improvement", "unchanged", "unclear"}
        By the rule of the comparison.
    smallest : float
        The smallest relative change of the sign observed, as a fraction, that these two results
        could have shown: a change is reported exactly where it is at least as large. Infinite
        where none could have been.
    notes : tuple of str
        What else a reader should know, one plain sentence each.
    interval : tuple of (float, float), optional
        Of `ratio`, at the confidence of the rule: zero lies outside it exactly where the rule
        tells the two sides apart. None where the base is not positive.
    min_change : float, optional
        The smallest relative change that counts, as a fraction, where it is one of this
        benchmark's own; None where it is that of the comparison.
    acknowledged : Acknowledgement, optional
        What accepts this regression or improvement: the outcome stays what the rule found, and
        no verdict counts it.
    excluded : float, optional
        Larger relative changes than this, of either sign, are excluded at the confidence of the
        rule, or at `exclusion` where the options say it; infinite where none is.
    lacking : str, optional
        What the rule would need to judge at all, and does not have; such a change is unclear.
    metric : str
        Which further result was compared: ``gc.alloc.rate.norm``, ``allocs/op``; empty for the
        main result. Of a count, the estimates hold the smallest and the largest fork.
    refused : tuple of str
        Why entries that are about this change do not accept it: it is larger, or they expired.

    Examples
    --------
    >>> import numpy as np
    >>> import steady
    >>> random = np.random.default_rng(1)
    >>> base = steady.Suite.of({"parse": 100 + random.standard_normal((10, 20))}, unit="ns/op")
    >>> head = steady.Suite.of({"parse": 110 + random.standard_normal((10, 20))}, unit="ns/op")
    >>> [change] = steady.compare(base, head).changes
    >>> change.outcome
    'regression'
    >>> [f"{side:.1%}" for side in change.interval]
    ['9.6%', '10.2%']
    """

    identity: Identity
    unit: str
    direction: Direction
    base: Estimate
    head: Estimate
    outcome: Outcome
    smallest: float
    notes: tuple[str, ...] = ()
    interval: tuple[float, float] | None = None
    min_change: float | None = None
    acknowledged: Acknowledgement | None = None
    excluded: float = math.inf
    lacking: str = ""
    metric: str = ""
    refused: tuple[str, ...] = ()

    @property
    def ratio(self) -> float:
        """Relative change of the value in its unit, head against base, as a signed fraction.

        Infinite where the base is 0 and the head is not.
        """
        return relative_change(self.base.center, self.head.center)

    @property
    def worsening(self) -> float:
        """`ratio` with its sign turned so that positive is worse."""
        return self.ratio if self.direction == "lower" else -self.ratio


def _plain(value: str | int | float) -> str | int | float | None:
    """Return what JSON can hold: no number where it is not finite."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


@dataclass(frozen=True, slots=True)
class Missing:
    """A benchmark that was expected and of which there is no result to compare.

    Parameters
    ----------
    identity : Identity
        Which benchmark.
    side : {"base", "head", "both"}
        Which side lacks a result to compare.
    reason : str
        Why. In the harness's own words where the benchmark failed, otherwise in ours.
    kind : {"missing", "failed", "incomparable"}
        Its place in the `Ledger`.
    """

    identity: Identity
    side: Side
    reason: str
    kind: MissingKind = "missing"

    @property
    def what_happened(self) -> str:
        """The reason, introduced as a failure where it is one."""
        return f"failed: {self.reason}" if self.kind == "failed" else self.reason


@dataclass(frozen=True, slots=True)
class Ignored:
    """A benchmark that no verdict counts, whatever became of it.

    Parameters
    ----------
    identity : Identity
        Which benchmark.
    reason : str
        Why, as the settings say.
    """

    identity: Identity
    reason: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """Every benchmark in exactly one place; missing is never green.

    Parameters
    ----------
    compared : tuple of Identity
        Seen in base and in head.
    failed : tuple of Missing
        The harness started them and they left no result.
    missing : tuple of Missing
        Expected by the plan, and without a result in base, in head, or in both.
    new : tuple of Identity
        Only in head, and not in the plan.
    gone : tuple of Identity
        In base, not in head, and not reported as failed.
    unplanned : tuple of Identity
        Compared, but the plan does not know them; empty without a plan.
    incomparable : tuple of Missing
        With a result on both sides that cannot be compared: another unit, another
        warm-up or length of an iteration, or no number.
    renamed : tuple of (Identity, Identity)
        A hint, base first: what is gone or missing in head, and what is new and looks like it.
        Both stand in their own places too: a guess is not a comparison.
    ignored : tuple of Ignored
        As the settings ask, in whatever place they would be.
    not_run : tuple of NotRun
        Left out of both runs on purpose.
    same_code : tuple of Identity
        Not measured, because base and head run the same code: they cannot have changed.
    controls : tuple of Identity
        Compared, although base and head run the same code: they tell what a false alarm looks
        like on this machine. They stand in `compared` too.
    """

    compared: tuple[Identity, ...]
    failed: tuple[Missing, ...] = ()
    missing: tuple[Missing, ...] = ()
    new: tuple[Identity, ...] = ()
    gone: tuple[Identity, ...] = ()
    unplanned: tuple[Identity, ...] = ()
    incomparable: tuple[Missing, ...] = ()
    renamed: tuple[tuple[Identity, Identity], ...] = ()
    ignored: tuple[Ignored, ...] = ()
    not_run: tuple[NotRun, ...] = ()
    same_code: tuple[Identity, ...] = ()
    controls: tuple[Identity, ...] = ()

    @property
    def identities(self) -> tuple[Identity, ...]:
        """Every benchmark, each once."""
        lost = (*self.failed, *self.missing, *self.incomparable)
        return (
            *(*self.compared, *self.new, *self.gone, *self.same_code),
            *(missing.identity for missing in lost),
            *(ignored.identity for ignored in self.ignored),
            *(entry.identity for entry in self.not_run),
        )

    @property
    def complete(self) -> bool:
        """Whether every benchmark that was expected could be compared."""
        return not (self.failed or self.missing or self.gone or self.incomparable)


@dataclass(frozen=True, slots=True)
class Difference:
    """A way in which the two runs' surroundings differ.

    Parameters
    ----------
    what : str
        ``CPU``, ``operating system``, ``JDK``, ``JVM``, ``JVM arguments``.
    base, head : str
        The two values, in plain text.
    benchmarks : int
        How many compared benchmarks it touches.
    """

    what: str
    base: str
    head: str
    benchmarks: int


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Shown, ByOutcome):
    """All that there is to say about head against base.

    Its outcomes and its verdict are those of the main results.

    Parameters
    ----------
    changes : tuple of Change
        One for each benchmark compared, in the suite's order.
    ledger : Ledger
        What became of every benchmark.
    differences : tuple of Difference
        In which ways the two runs' surroundings differ.
    rule : str
        Registered name of the rule that decided.
    options : mapping of str to JSON scalars
        All options of the rule, defaults included.
    comparable : bool
        False where differing surroundings were asked to forbid a verdict.
    remarks : tuple of str
        What else a reader should know that is of no single benchmark, one plain sentence each.
    metrics : MetricComparison
        Further results, such as allocation, with outcomes and a verdict of their own.
    controls : tuple of Change
        One for each benchmark that was measured although base and head run the same code. No
        verdict counts them: what seems changed is a false alarm.

    Examples
    --------
    >>> import numpy as np
    >>> import steady
    >>> random = np.random.default_rng(1)
    >>> base = steady.Suite.of({"parse": 100 + random.standard_normal((10, 20))}, unit="ns/op")
    >>> head = steady.Suite.of({"parse": 110 + random.standard_normal((10, 20))}, unit="ns/op")
    >>> comparison = steady.compare(base, head)
    >>> len(comparison.regressions), len(comparison.unchanged)
    (1, 0)
    >>> comparison.to_dict()["verdict"]
    'regression'
    """

    steady_comparison: ClassVar[Literal[2]] = 2
    """The version of its file."""

    changes: tuple[Change, ...]
    ledger: Ledger
    differences: tuple[Difference, ...] = ()
    rule: str = "overlap"
    options: Mapping[str, str | float | int | bool | None] = field(default_factory=dict)
    comparable: bool = True
    base_environments: tuple[Environment, ...] = ()
    head_environments: tuple[Environment, ...] = ()
    remarks: tuple[str, ...] = ()
    metrics: MetricComparison = field(default_factory=MetricComparison)
    controls: tuple[Change, ...] = ()

    def overview(self) -> Overview:
        """Return a row for each benchmark, what changed first, with its interval drawn."""
        groups = (self.regressions, self.improvements, self.acknowledged, self.unclear)
        changes = [change for group in (*groups, self.unchanged) for change in group]
        counts = Counter(change.outcome for change in self.changes)
        listed = ", ".join(
            count(counts[outcome], outcome, plural)
            for outcome, plural in _PLURALS.items()
            if counts[outcome]
        )
        rows, pictures = [], []
        for change in changes:
            low, high = change.interval or (math.nan, math.nan)
            by = (
                ""
                if change.interval is None
                else (f"{percent(low, signed=True)} to {percent(high, signed=True)}")
            )
            sides = (f"{value(side.center)} {change.unit}" for side in (change.base, change.head))
            ratio = percent(change.ratio, signed=True)
            rows.append((change.identity.label, change.outcome, ratio, by, *sides))
            pictures.append(Span(change.ratio, low, high))
        columns = ("benchmark", "outcome", "change", "interval", "base", "head")
        return Overview(f"Comparison: {self.verdict} ({listed})", columns, rows, pictures)

    def tables(self) -> Iterator[Mapping[str, Any]]:
        """Yield one table: a row for each benchmark and each further result."""
        rows = [row_of(change) for change in (*self.changes, *self.metrics.changes)]
        yield {name: [row[index] for row in rows] for index, name in enumerate(COLUMNS)}

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict and a mapping for each result; `to_json` gives everything there is."""
        rows = [row_of(change) for change in (*self.changes, *self.metrics.changes)]
        return {
            "verdict": self.verdict,
            "rule": self.rule,
            "options": dict(self.options),
            "changes": [dict(zip(COLUMNS, map(_plain, row), strict=True)) for row in rows],
        }

    @property
    def has_checked(self) -> bool:
        """Whether anything is known: a benchmark was compared, or runs the same code."""
        return bool(self.changes or self.controls or self.ledger.same_code)

    @property
    def metric_verdict(self) -> Verdict | None:
        """The one word for all metrics; None where none was compared."""
        verdict = self.metrics.verdict
        return verdict if verdict is None or self.comparable else "not comparable"

    @property
    def verdict(self) -> Verdict:
        """The one word for it all; see `Verdict`."""
        if not self.comparable:
            return "not comparable"
        if self.regressions:
            return "regression"
        if not self.ledger.complete or not self.has_checked:
            return "incomplete"
        if not self.changes:
            return "same code"
        if any(change.outcome == "regression" for change in self.acknowledged):
            return "acknowledged"
        if self.improvements:
            return "improvement"
        return "unclear" if self.unclear else "unchanged"
