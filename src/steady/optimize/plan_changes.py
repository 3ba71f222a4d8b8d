"""The differences between two plans, and the update of a plan for some benchmarks."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Literal

from steady.errors import InputError
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.suite_parts import parts_within
from steady.plan.suite_plan import BenchmarkPlan, Plan

Amount = Literal["forks", "warm-up", "iterations"]
"""A number of an execution configuration that a plan chooses."""

OTHER_LENGTH = 1.25
"""Ratio of iteration lengths above which they count as different."""

AMOUNTS: tuple[Amount, ...] = ("warm-up", "iterations", "forks")


@dataclass(frozen=True, slots=True)
class BenchmarkChange:
    """The entries of one benchmark in two plans.

    Parameters
    ----------
    before, after : BenchmarkPlan, optional
        Its entry in each plan; None if the plan does not have the benchmark. At least one is not
        None.
    """

    before: BenchmarkPlan | None
    after: BenchmarkPlan | None

    @property
    def identity(self) -> Identity:
        """Identity of the benchmark."""
        entry = self.after or self.before
        if entry is None:
            raise ValueError("a change needs the benchmark's entry in one of the plans")
        return entry.identity

    @property
    def seconds(self) -> float:
        """Increase of the seconds of its run; negative if it takes less time."""
        before = 0.0 if self.before is None else self.before.seconds
        return (0.0 if self.after is None else self.after.seconds) - before

    @property
    def is_new(self) -> bool:
        """Whether the benchmark was added."""
        return self.before is None

    @property
    def is_gone(self) -> bool:
        """Whether the benchmark was removed."""
        return self.after is None

    @property
    def status(self) -> bool:
        """Whether only one of the two plans reduces it."""
        before, after = self.before, self.after
        if before is None or after is None:
            return False
        return (before.status == "reduced") != (after.status == "reduced")

    @property
    def length(self) -> bool:
        """Whether the length of its iterations differs, so that their counts are not comparable."""
        before, after = self.before, self.after
        if before is None or after is None:
            return False
        return not _same_length(before.configuration, after.configuration)

    @property
    def more(self) -> tuple[Amount, ...]:
        """The amounts that increase, if both plans reduce the benchmark or neither does."""
        return tuple(name for name, by in self._amounts() if by > 0)

    @property
    def less(self) -> tuple[Amount, ...]:
        """The amounts that decrease, if both plans reduce the benchmark or neither does."""
        return tuple(name for name, by in self._amounts() if by < 0)

    @property
    def differs(self) -> bool:
        """Whether the benchmark was added, removed, or runs differently."""
        other = self.is_new or self.is_gone or self.status or self.length
        return other or bool(self.more or self.less)

    def _amounts(self) -> Iterator[tuple[Amount, int]]:
        """Yield the increase of each amount, if the two plans are comparable."""
        before, after = self.before, self.after
        if before is None or after is None or self.status or self.length:
            return
        for name in AMOUNTS:
            yield name, _number(after, name) - _number(before, name)


@dataclass(frozen=True, slots=True)
class PlanChanges:
    """The differences of a plan from the one before it.

    Parameters
    ----------
    before, after : Plan
        The two plans.
    benchmarks : tuple of BenchmarkChange
        The benchmarks that were added, removed or run differently, by decreasing difference of
        their seconds.
    options : tuple of str
        Names of the strategy's options that differ, or only ``strategy`` if that differs.

    Examples
    --------
    >>> from dataclasses import replace
    >>> import steady
    >>> identity = steady.Identity("example.com/codec.BenchmarkParse")
    >>> full = steady.ExecutionConfiguration(5, 0, 60, 1.0, 1.0)
    >>> short = steady.ExecutionConfiguration(3, 8, 10, 1.0, 1.0)
    >>> entry = steady.BenchmarkPlan(identity, short, full, 54.0, 300.0, "reduced", "steady early")
    >>> longer = replace(entry, configuration=replace(short, warmup_iterations=9), seconds=57.0)
    >>> plans = [steady.Plan((one,), "error-budget", harness="go") for one in (entry, longer)]
    >>> changes = plan_changes(*plans)
    >>> changes.benchmarks[0].more, changes.benchmarks[0].seconds
    (('warm-up',), 3.0)
    """

    before: Plan
    after: Plan
    benchmarks: tuple[BenchmarkChange, ...]
    options: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether neither the benchmarks nor the options differ."""
        return not self.benchmarks and not self.options

    @property
    def errors(self) -> tuple[float | None, float | None]:
        """The median expected error before and after; None if unknown."""
        return _median_error(self.before), _median_error(self.after)


def plan_changes(before: Plan, after: Plan) -> PlanChanges:
    """Compare a plan with the previous one.

    Parameters
    ----------
    before, after : Plan
        The two plans.
    """
    identities = dict.fromkeys((*after, *before))
    pairs = (BenchmarkChange(_entry(before, one), _entry(after, one)) for one in identities)
    changed = [pair for pair in pairs if pair.differs]
    changed.sort(key=lambda pair: (-abs(pair.seconds), pair.identity.label))
    strategy = ("strategy",) if before.strategy != after.strategy else ()
    names = sorted({*before.options, *after.options})
    others = (name for name in names if before.options.get(name) != after.options.get(name))
    return PlanChanges(before, after, tuple(changed), strategy or tuple(others))


def _entry(plan: Plan, identity: Identity) -> BenchmarkPlan | None:
    # `Plan.get` would search for similar names for each new benchmark.
    return plan[identity] if identity in plan else None  # noqa: SIM401


def _same_length(before: ExecutionConfiguration, after: ExecutionConfiguration) -> bool:
    """Return whether iterations have the same length; some harnesses calibrate them anew."""
    pairs = [
        (before.iteration_seconds, after.iteration_seconds),
        (float(before.batch_size), float(after.batch_size)),
    ]
    if before.warmup_iterations and after.warmup_iterations:
        pairs.append((before.warmup_seconds, after.warmup_seconds))
        pairs.append((float(before.warmup_batch_size), float(after.warmup_batch_size)))
    return all(max(pair) <= OTHER_LENGTH * min(pair) for pair in pairs)


def _number(entry: BenchmarkPlan, name: Amount) -> int:
    return {"forks": entry.forks, "warm-up": entry.warmup, "iterations": entry.iterations}[name]


def _median_error(plan: Plan) -> float | None:
    errors = [
        entry.expected_error
        for entry in plan.benchmarks
        if entry.status == "reduced" and entry.expected_error is not None
    ]
    return median(errors) if errors else None


def updated_plan(plan: Plan, part: Plan) -> Plan:
    """Update a plan with the plan of some of its benchmarks.

    Parameters
    ----------
    plan : Plan
        The earlier plan of the suite.
    part : Plan
        The plan of benchmarks that were optimised again, or are new.

    Returns
    -------
    Plan
        Plan in the order of `plan`, with new benchmarks last.

    Raises
    ------
    InputError
        If harness, strategy or options of the plans differ.
    """
    for name, old, new in (
        ("harness", plan.harness, part.harness),
        ("strategy", plan.strategy, part.strategy),
        *((key, old, part.options.get(key)) for key, old in plan.options.items()),
        *((key, None, new) for key, new in part.options.items() if key not in plan.options),
    ):
        if old != new:
            raise InputError(
                f"the plan to update was made with {name} {old}, not {new}; give the same, or "
                "optimise the whole suite again"
            )
    benchmarks = (
        *(part.get(identity, entry) for identity, entry in plan.items()),
        *(entry for identity, entry in part.items() if identity not in plan),
    )
    digests = f"{plan.data_digest} {part.data_digest}"
    return Plan(
        benchmarks=benchmarks,
        strategy=plan.strategy,
        options=plan.options,
        harness=plan.harness,
        harness_version=part.harness_version,
        environments=tuple(dict.fromkeys((*plan.environments, *part.environments))),
        data_digest=hashlib.sha256(digests.encode()).hexdigest(),
        # The plan of a whole suite remains one. Two plans of parts are combined to one of both.
        only="|".join(dict.fromkeys((plan.only, part.only))) if plan.only and part.only else "",
        learnt_from=tuple(sorted({*plan.learnt_from, *part.learnt_from})),
        rotation=parts_within(plan, benchmarks),
        start_seconds=plan.start_seconds,
    )
