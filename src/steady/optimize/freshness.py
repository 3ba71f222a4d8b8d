"""The freshness of a plan: whether it still fits its suite, and what to optimise again if not."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

import numpy as np

from steady.model import Benchmark, FloatArray, Identity, Suite
from steady.plan.suite_plan import BenchmarkPlan, Plan
from steady.scipy_special import gammaincinv, stdtrit

OLDEST_DAYS = 180
"""A plan of this age should be made again: code, compilers and machines have changed by then."""

DRIFT = 0.03
"""Largest difference between the halves of a fork's measured part, as for the planner."""

WORSE = 3.0
"""The present error may be at most this many times the plan's expected error."""

SIGNIFICANCE = 0.01
"""Probability that a benchmark of a suite is called unsettled although none is."""

MANY = 1 / 3
"""If this share of the benchmarks is affected, the whole suite should be optimised again."""

_FEWEST_FORKS, _FEWEST_ITERATIONS = 3, 4

Again = Literal["nothing", "some", "all"]


@dataclass(frozen=True, slots=True)
class Freshness:
    """The evidence for and against the fit of a plan.

    Parameters
    ----------
    plan : Plan
        The plan.
    drifting : tuple of Identity
        Reduced benchmarks whose forks no longer look steady in their measured part.
    unstable : tuple of Identity
        Other reduced benchmarks whose forks differ more than the plan expects.
    unplanned : tuple of Identity
        Benchmarks that ran but are not in the plan.
    checked : int
        Number of reduced benchmarks that could be checked.
    age_days : int, optional
        Since the plan was committed; None if that is not known.
    """

    plan: Plan
    drifting: tuple[Identity, ...]
    unstable: tuple[Identity, ...]
    unplanned: tuple[Identity, ...]
    checked: int
    age_days: int | None = None

    @property
    def again(self) -> Again:
        """What to optimise again: nothing, some benchmarks (`benchmarks`), or the whole suite."""
        unsettled = len(self.drifting) + len(self.unstable)
        known = self.checked + len(self.unplanned)
        if self.is_old or (unsettled + len(self.unplanned) > max(1, MANY * known)):
            return "all"
        return "some" if self.benchmarks else "nothing"

    @property
    def is_old(self) -> bool:
        """Whether the plan is so old that its age is a reason."""
        return self.age_days is not None and self.age_days >= OLDEST_DAYS

    @property
    def benchmarks(self) -> tuple[Identity, ...]:
        """The benchmarks that have a reason of their own."""
        return (*self.drifting, *self.unstable, *self.unplanned)


def check_freshness(
    plan: Plan,
    runs: Sequence[Suite],
    *,
    planned_on: date | None = None,
    today: date | None = None,
) -> Freshness:
    """Check in runs that followed a plan whether it still fits.

    Parameters
    ----------
    plan : Plan
        The plan that they followed.
    runs : sequence of Suite
        Such as base and head; the last one has all current benchmarks.
    planned_on, today : date, optional
        The day when the plan was committed, and the present day.

    Returns
    -------
    Freshness
        Only reduced benchmarks with at least 3 forks of 4 measured iterations are checked.

    Notes
    -----
    A benchmark drifts if the mean over forks of the logarithm of (first half / second half of the
    measured part) is beyond 3 % by Student's t. It is unstable if even the lower confidence bound
    (chi-squared) of the present standard error, for as many forks as planned, is more than three
    times the plan's expected error: a busier machine alone is not a reason to optimise again. Both
    levels are divided by the number of tests, so that only 1 % of all comparisons call a benchmark
    unsettled although none is.
    """
    seen = [
        (identity, table)
        for identity, entry in plan.items()
        if entry.status == "reduced"
        for table in _tables(suite[identity] for suite in runs if identity in suite)
    ]
    level = SIGNIFICANCE / max(1, 2 * len(seen))
    drifting = dict.fromkeys(i for i, table in seen if _drifts(table, level))
    unstable = dict.fromkeys(
        i for i, table in seen if i not in drifting and _is_unstable(table, plan[i], level)
    )
    return Freshness(
        plan,
        tuple(drifting),
        tuple(unstable),
        tuple(identity for identity in (runs[-1] if runs else ()) if identity not in plan),
        len(dict.fromkeys(identity for identity, _ in seen)),
        (today - planned_on).days if today and planned_on else None,
    )


def _tables(benchmarks: Iterable[Benchmark]) -> list[FloatArray]:
    """Return the measured times of each run that has enough, shape (forks, iterations)."""
    tables = []
    for benchmark in benchmarks:
        times = benchmark.fork_times[:, benchmark.warmup :]
        whole = times[:, np.isfinite(times).all(axis=0)]
        enough = whole.shape[0] >= _FEWEST_FORKS and whole.shape[1] >= _FEWEST_ITERATIONS
        if enough and whole.min() > 0:
            tables.append(whole)
    return tables


def _drifts(table: FloatArray, level: float) -> bool:
    forks, iterations = table.shape
    half = iterations // 2
    falls = np.log(table[:, :half].mean(axis=1) / table[:, -half:].mean(axis=1))
    error = falls.std(ddof=1) / np.sqrt(forks)
    reach = float(stdtrit(forks - 1, 1 - level / 2)) * error
    return bool(abs(falls.mean()) - reach > np.log1p(DRIFT))


def _is_unstable(table: FloatArray, entry: BenchmarkPlan, level: float) -> bool:
    if not entry.expected_error:
        return False
    forks = len(table)
    squares = (forks - 1) * np.log(table.mean(axis=1)).var(ddof=1)
    chi_squared = 2 * gammaincinv((forks - 1) / 2, 1 - level)  # its quantile
    least = squares / chi_squared / entry.forks  # a run may decide after fewer forks, or more
    return bool(np.sqrt(least) > WORSE * entry.expected_error)
