"""The freshness of a plan: whether it still fits, and which benchmarks to optimise again."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

import numpy as np

from steady.model import Benchmark, FloatArray, Identity, Suite
from steady.plan.suite_plan import BenchmarkPlan, Plan
from steady.scipy_special import gammaincinv, stdtrit

OLDEST_DAYS = 180
"""Age in days at which a plan should be made again, because code and machines have changed."""

DRIFT = 0.03
"""Largest relative difference between the halves of a fork's measured part, as in planning."""

WORSE = 3.0
"""Largest acceptable ratio of the current error to the plan's expected error."""

SIGNIFICANCE = 0.01
"""Family-wise error rate: the probability of any false warning in a suite."""

MANY = 1 / 3
"""Fraction of affected benchmarks above which the whole suite should be optimised again."""

_FEWEST_FORKS, _FEWEST_ITERATIONS = 3, 4

Again = Literal["nothing", "some", "all"]


@dataclass(frozen=True, slots=True)
class Freshness:
    """The evidence for and against the assumption that a plan still fits.

    Parameters
    ----------
    plan : Plan
        The plan.
    drifting : tuple of Identity
        Reduced benchmarks that are no longer steady in their measured part.
    unstable : tuple of Identity
        Other reduced benchmarks whose forks differ more than the plan expects.
    unplanned : tuple of Identity
        Benchmarks that ran but are not in the plan.
    checked : int
        Number of reduced benchmarks that could be checked.
    age_days : int, optional
        Days since the plan was committed; None if unknown.
    """

    plan: Plan
    drifting: tuple[Identity, ...]
    unstable: tuple[Identity, ...]
    unplanned: tuple[Identity, ...]
    checked: int
    age_days: int | None = None

    @property
    def again(self) -> Again:
        """Scope of a new optimisation: nothing, some benchmarks (`benchmarks`), or the suite."""
        unsettled = len(self.drifting) + len(self.unstable)
        known = self.checked + len(self.unplanned)
        if self.is_old or (unsettled + len(self.unplanned) > max(1, MANY * known)):
            return "all"
        return "some" if self.benchmarks else "nothing"

    @property
    def is_old(self) -> bool:
        """Whether the plan's age alone is a reason."""
        return self.age_days is not None and self.age_days >= OLDEST_DAYS

    @property
    def benchmarks(self) -> tuple[Identity, ...]:
        """The benchmarks to optimise again."""
        return (*self.drifting, *self.unstable, *self.unplanned)


def check_freshness(
    plan: Plan,
    runs: Sequence[Suite],
    *,
    planned_on: date | None = None,
    today: date | None = None,
) -> Freshness:
    """Check whether a plan still fits, from runs that used it.

    Parameters
    ----------
    plan : Plan
        The plan that was run.
    runs : sequence of Suite
        Runs such as base and head; the last one has all current benchmarks.
    planned_on, today : date, optional
        Date of the plan's commit, and the current date.

    Returns
    -------
    Freshness
        Result for the reduced benchmarks with at least 3 forks of 4 measured iterations.

    Notes
    -----
    A benchmark drifts if the mean over forks of log(first half / second half of the measured part)
    exceeds 3 % by Student's t-test. It is unstable if the lower confidence bound (chi-squared) of
    the current standard error, for the planned number of forks, is more than three times the plan's
    expected error; so a busier machine alone is not a reason to optimise again. Both levels are
    divided by the number of tests (Bonferroni), so that at most 1 % of all comparisons give a false
    warning.
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
    """Return the measured times of each run with enough forks and iterations."""
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
    least = (
        squares / chi_squared / entry.forks
    )  # a run can stop after fewer or more forks than planned
    return bool(np.sqrt(least) > WORSE * entry.expected_error)
