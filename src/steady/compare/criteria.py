"""The options of a comparison, its keywords, and how sure its verdicts must be by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Self, TypedDict, TypeVar

from steady.compare.multiple_testing import CONFIDENCE, FALSE_ALARMS
from steady.compare.rule import RuleOptions
from steady.compare.rules import DEFAULT_RULE
from steady.compare.same_names import Names, renamed, renamed_plan
from steady.compare.variance.historical import run_names
from steady.errors import InputError, require
from steady.model import Benchmark, ExecutionConfiguration, Identity, Suite
from steady.percent import LEVEL, POSITIVE, SHARE
from steady.plan.historical_variance import HistoricalVariance

if TYPE_CHECKING:  # plan and settings stand above this package; only their types are needed
    from steady.plan.suite_plan import Plan
    from steady.settings.repo_settings import RepoSettings

Function = TypeVar("Function", bound=Callable[..., object])


def keywords_of(options: type[Any]) -> Callable[[Function], Function]:
    """Return a decorator that shows the fields of a dataclass in place of ``**keywords``.

    Parameters
    ----------
    options : type
        The dataclass. `help`, notebooks and ``docs/api.md`` show its names, types and defaults.
    """

    def show(function: Function) -> Function:
        given = signature(function)
        own = [p for p in given.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
        declared = [
            Parameter(
                field.name,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if field.default is MISSING else field.default,
                annotation=field.type,
            )
            for field in fields(options)
        ]
        shown = given.replace(parameters=[*own, *declared])
        function.__signature__ = shown  # type: ignore[attr-defined]
        return function

    return show


_FEWEST_RESAMPLES = 100


class CompareKeywords(TypedDict, total=False):
    """The fields of `CompareOptions`, as a type checker knows them."""

    rule: str
    plan: Plan | None
    earlier: Sequence[Suite]
    min_change: float | str
    confidence: float | str | None
    false_alarms: float | str | None
    seed: int
    resamples: int
    strict_environment: bool
    settings: RepoSettings | None
    metrics: Sequence[str]


@dataclass(frozen=True, slots=True)
class Strictness:
    """How large a change must be to count, and how sure a verdict must be.

    Parameters
    ----------
    min_change : float
        Smallest relative change that counts, where a benchmark has none of its own.
    confidence : float, optional
        Of each benchmark's verdict, where that was asked for.
    false_alarms : float, optional
        The chance of any alarm, where the whole suite's decides.
    rule_options : RuleOptions
        What the rule is given.
    """

    min_change: float
    confidence: float | None
    false_alarms: float | None
    rule_options: RuleOptions

    def usual_for(self, compared: Iterable[Benchmark]) -> Strictness:
        """Return the same, with the usual chance of an alarm if any benchmark took turns.

        Nothing changes if a rate of error was asked for.
        """
        asked = self.confidence is not None or self.false_alarms is not None
        if asked or not any(b.looks or any(b.in_turn) for b in compared):
            return self
        return replace(self, false_alarms=FALSE_ALARMS)


@dataclass(frozen=True, kw_only=True, eq=False)
class CompareOptions:
    """The keywords of `steady.compare`, which says what they mean."""

    rule: str = DEFAULT_RULE
    plan: Plan | None = None
    earlier: Sequence[Suite] = ()
    min_change: float | str = 0.03
    confidence: float | str | None = None
    false_alarms: float | str | None = None
    seed: int = 0
    resamples: int = 10_000
    strict_environment: bool = False
    settings: RepoSettings | None = None
    metrics: Sequence[str] = ()

    def renamed(self, names: Names) -> Self:
        """Return the same with other names for some of the benchmarks."""
        plan = None if self.plan is None else renamed_plan(self.plan, names)
        return replace(self, plan=plan, earlier=[renamed(one, names) for one in self.earlier])

    @property
    def planned(self) -> tuple[Identity, ...] | None:
        """The benchmarks of the plan; None without a plan."""
        return None if self.plan is None else tuple(self.plan)

    def configuration(self, identity: Identity) -> ExecutionConfiguration | None:
        """Return how a benchmark was to be run, if the plan has it."""
        entry = None if self.plan is None else self.plan.get(identity)
        return None if entry is None else entry.configuration

    def planned_forks(self, base: Benchmark, head: Benchmark) -> HistoricalVariance:
        """Return how much forks of a benchmark differ, if the plan learnt that from other runs."""
        entry = None if self.plan is None else self.plan.get(head.identity)
        if entry is None or entry.known_forks is None:
            return HistoricalVariance()
        today = run_names((base, head))
        learnt = () if self.plan is None else self.plan.learnt_from
        return HistoricalVariance() if set(today) & set(learnt) else entry.known_forks

    def why_ignored(self, identity: Identity) -> str | None:
        """Return why the settings ignore a benchmark; None where they do not."""
        return None if self.settings is None else self.settings.why_ignored(identity)

    def strictness(self) -> Strictness:
        """Return what was asked for, in numbers; the settings decide where nothing was.

        Raises
        ------
        InputError
            If an option is out of its range.
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
        level = CONFIDENCE if confidence is None else confidence
        options = RuleOptions(level, self.resamples, self.seed)
        return Strictness(min_change, confidence, alarms if confidence is None else None, options)


def check_rule(confidence: float | None, false_alarms: float | None) -> None:
    """Raise the user's mistake if both say what an alarm takes."""
    require(
        confidence is None or false_alarms is None,
        "give --confidence, which is about one benchmark, or --false-alarms, which is about the "
        "whole pull request, but not both",
    )
