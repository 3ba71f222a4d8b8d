"""The options of a comparison, and its criteria: the options as numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, Self, TypeVar

from steady.compare.rule import RuleOptions
from steady.compare.variance.historical import run_names
from steady.errors import InputError
from steady.harnesses import harness_named
from steady.model import Benchmark, ByIdentity, ExecutionConfiguration, Identity, SameCode, Suite
from steady.model.by_name import Identified
from steady.options.strictness import USUAL_CONFIDENCE, USUAL_FALSE_ALARMS, Strictness
from steady.percent import LEVEL, POSITIVE, SHARE
from steady.plan.historical_variance import HistoricalVariance
from steady.plan.suite_plan import Plan
from steady.settings.repo_settings import RepoSettings

Parameters = ParamSpec("Parameters")
Options = TypeVar("Options")
Result = TypeVar("Result")


def taking_fields(
    options: Callable[Parameters, Options],
) -> Callable[[Callable[[Options], Result]], Callable[Parameters, Result]]:
    """Return a decorator for a function of one dataclass: it then takes the fields as parameters.

    Parameters
    ----------
    options : type
        The dataclass. Type checkers, `help`, notebooks and ``docs/api.md`` show the names, types
        and defaults of its fields.
    """

    def decorate(function: Callable[[Options], Result]) -> Callable[Parameters, Result]:
        @wraps(function)
        def call(*arguments: Parameters.args, **keywords: Parameters.kwargs) -> Result:
            return function(options(*arguments, **keywords))

        returned = signature(function).return_annotation
        shown = signature(options).replace(return_annotation=returned)
        call.__signature__ = shown  # type: ignore[attr-defined]
        return call

    return decorate


_FEWEST_RESAMPLES = 100


@dataclass(frozen=True, slots=True)
class Criteria:
    """Smallest change and error rates of a comparison.

    Parameters
    ----------
    min_change : float
        Smallest relative change to report, for benchmarks without a threshold of their own.
    confidence : float, optional
        Confidence level of each benchmark's verdict, if given.
    false_alarms : float, optional
        Probability of any false alarm in the suite, if this applies.
    rule_options : RuleOptions
        Options of the rule.
    """

    min_change: float
    confidence: float | None
    false_alarms: float | None
    rule_options: RuleOptions

    def usual_for(self, compared: Iterable[Benchmark]) -> Criteria:
        """Return criteria with the default rate of false alarms if any benchmark was interleaved.

        Criteria with an explicit error rate are returned as they are.
        """
        asked = self.confidence is not None or self.false_alarms is not None
        if asked or not any(b.looks or any(b.in_turn) for b in compared):
            return self
        return replace(self, false_alarms=USUAL_FALSE_ALARMS)


@dataclass(frozen=True, kw_only=True, eq=False)
class CompareOptions(Strictness):
    """The parameters of `steady.compare`; see its documentation."""

    base: Suite = field(kw_only=False)
    head: Suite = field(kw_only=False)
    plan: Plan | None = None
    earlier: Sequence[Suite] = ()
    seed: int = 0
    resamples: int = 10_000
    strict_environment: bool = False
    settings: RepoSettings | None = None
    metrics: Sequence[str] = ()

    def of_same_names(self) -> Self:
        """Return options in which each benchmark has one name in both runs."""
        names = renames(self.base, self.head)
        if not names:
            return self
        return replace(
            self,
            base=renamed(self.base, names),
            head=renamed(self.head, names),
            plan=None if self.plan is None else renamed_plan(self.plan, names),
            earlier=[renamed(one, names) for one in self.earlier],
        )

    @property
    def planned(self) -> tuple[Identity, ...] | None:
        """The benchmarks of the plan; None if there is no plan."""
        return None if self.plan is None else tuple(self.plan)

    def configuration(self, identity: Identity) -> ExecutionConfiguration | None:
        """Return the planned configuration of a benchmark; None if the plan does not contain it."""
        entry = None if self.plan is None else self.plan.get(identity)
        return None if entry is None else entry.configuration

    def planned_forks(self, base: Benchmark, head: Benchmark) -> HistoricalVariance:
        """Return the plan's estimate of the variance between forks, if it is from other runs."""
        entry = None if self.plan is None else self.plan.get(head.identity)
        if entry is None or entry.known_forks is None:
            return HistoricalVariance()
        today = run_names((base, head))
        learnt = () if self.plan is None else self.plan.learnt_from
        return HistoricalVariance() if set(today) & set(learnt) else entry.known_forks

    def why_ignored(self, identity: Identity) -> str | None:
        """Return the reason why the settings ignore a benchmark; None if they do not."""
        return None if self.settings is None else self.settings.why_ignored(identity)

    def criteria(self) -> Criteria:
        """Return the options as numbers; the settings replace an error rate that is not given.

        Raises
        ------
        InputError
            If an option is out of range.
        """
        false_alarms = self.false_alarms
        if self.confidence is None and false_alarms is None and self.settings is not None:
            false_alarms = self.settings.false_alarms
        min_change = SHARE.of("min_change", self.min_change)
        confidence = None if self.confidence is None else LEVEL.of("confidence", self.confidence)
        alarms = None if false_alarms is None else POSITIVE.of("false_alarms", false_alarms)
        if self.seed < 0:
            raise InputError(f"seed is {self.seed}; give a whole number of 0 or more")
        if self.resamples < _FEWEST_RESAMPLES:
            raise InputError(f"resamples is {self.resamples}; give {_FEWEST_RESAMPLES} or more")
        level = USUAL_CONFIDENCE if confidence is None else confidence
        options = RuleOptions(level, self.resamples, self.seed)
        return Criteria(min_change, confidence, alarms if confidence is None else None, options)


Names = Mapping[Identity, Identity]
"""The aligned names of benchmarks, by their names in the files."""

_Entry = TypeVar("_Entry", bound=Identified)
_Plan = TypeVar("_Plan", bound=ByIdentity[Any])


def renames(base: Suite, head: Suite) -> Names:
    """Return the aligned names of benchmarks whose names differ between the files.

    A new name that another benchmark of the same run already has is skipped.
    """
    find = harness_named(head.harness).renames
    if find is None or base.harness != head.harness:
        return {}
    sides = (frozenset(base), frozenset(head))
    return {
        old: new
        for old, new in find(base, head).items()
        if not any(old in side and new in side for side in sides)
    }


def renamed(suite: Suite, names: Names) -> Suite:
    """Return a suite with other names for some of its benchmarks."""
    same = suite.same_code
    kinds = (same.not_measured, same.controls, same.far)
    return replace(
        suite,
        benchmarks=_renamed(suite.benchmarks, names),
        failures=_renamed(suite.failures, names),
        not_run=_renamed(suite.not_run, names),
        same_code=SameCode(*(tuple(names.get(one, one) for one in kind) for kind in kinds)),
    )


def renamed_plan(plan: _Plan, names: Names) -> _Plan:
    """Return a plan with other names for some of its benchmarks."""
    return replace(plan, benchmarks=_renamed(plan.benchmarks, names))  # type: ignore[type-var]


def _renamed(entries: tuple[_Entry, ...], names: Names) -> tuple[_Entry, ...]:
    return tuple(
        replace(one, identity=names[one.identity]) if one.identity in names else one  # type: ignore[type-var]
        for one in entries
    )
