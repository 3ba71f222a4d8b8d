"""Suggestions for an outdated plan: a full run and a new plan."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from steady.harness.only import only_these
from steady.harnesses import harness_named
from steady.model import Identity
from steady.optimize.freshness import Freshness
from steady.optimize.strategy import DEFAULT_STRATEGY, STRATEGIES, PlanOptions
from steady.options.option import uses
from steady.options.plan_options import OptimizeCommand
from steady.options.run_options import RunCommand
from steady.plan.suite_plan import BenchmarkPlan, Plan
from steady.suggestions.commands import FULL
from steady.text.numbers import count, listed

_VALUE = re.compile(r"[\w.%-]{1,40}", re.ASCII)
_NAMED = 3

OPTIONS = tuple(name for name in PlanOptions.__annotations__ if name in uses(OptimizeCommand))
"""Options of a plan that `steady optimize` accepts under the same name."""


def suggest_for_stale_plan(freshness: Freshness) -> Iterator[str]:
    """Yield the reasons why a plan is outdated, and the commands that replace it."""
    for them, one, many in (
        (
            freshness.drifting,
            "benchmark is no longer steady when the plan measures it",
            "benchmarks are no longer steady when the plan measures them",
        ),
        (
            freshness.unstable,
            "benchmark has forks that differ more than the plan expects",
            "benchmarks have forks that differ more than the plan expects",
        ),
        (freshness.unplanned, "benchmark is not in the plan", "benchmarks are not in the plan"),
    ):
        if them:
            names = listed([identity.label for identity in them], _NAMED)
            yield f"{count(len(them), one, many)} ({names})."
    if freshness.is_old:
        yield f"The plan is {freshness.age_days} days old."
    if freshness.again == "all":
        yield f"Optimise the whole suite again: `{remake_plan(freshness.plan)}`."
    elif freshness.again == "some":
        again = remake_plan(freshness.plan, freshness.benchmarks)
        yield f"Optimise these again: `{again}`."


def remake_plan(plan: Plan, identities: Sequence[Identity] = ()) -> str:
    """Return the commands that repeat the full run of benchmarks and their plan.

    Parameters
    ----------
    plan : Plan
        The outdated plan. Its non-default options are repeated, and the full run is as long as
        the one from which the plan was made.
    identities : sequence of Identity
        Benchmarks to plan again; all if empty.
    """
    harness = harness_named(plan.harness)
    built = Path(harness.building.usual)
    entries = [plan[one] for one in identities if one in plan] or [*plan.benchmarks]
    forks, iterations, seconds = _full_run(entries)
    make = OptimizeCommand(
        results=("full",),
        jar=None if harness.declaring is None else built,
        update=bool(identities),
        **_options(plan),
    )
    run = RunCommand(
        full=(forks, iterations),
        jar=built,
        command=harness.building.words,
        only=only_these(identities) if identities else _harmless(plan.only),
        iteration_seconds=seconds,
        out=Path("full"),
    )
    return f"{run.line} && {make.line}"


def _harmless(only: str) -> str | None:
    return only if only and only.isprintable() and "`" not in only else None


def _full_run(entries: Sequence[BenchmarkPlan]) -> tuple[int, int, float | None]:
    """Return forks, iterations and iteration seconds of a full run as long as the last one."""
    configurations = [entry.full for entry in entries]
    forks = max((c.forks for c in configurations), default=0) or FULL[0]
    lengths = (c.warmup_iterations + c.iterations for c in configurations)
    iterations = max(lengths, default=0) or FULL[1]
    seconds = {c.iteration_seconds for c in configurations if c.iteration_seconds > 0}
    uniform = len({c.iteration_seconds for c in configurations}) == 1
    return forks, iterations, seconds.pop() if uniform and seconds else None


def _options(plan: Plan) -> Mapping[str, Any]:
    """Return the non-default options with which the plan was made."""
    if plan.strategy not in STRATEGIES:
        return {}
    kind = STRATEGIES[plan.strategy].value
    usual = {
        "min_forks": kind.min_forks,
        **{field.name: field.default for field in fields(kind)},  # type: ignore[arg-type]
        "detect": None,  # this option selects the strategy, so it has no default
    }
    given = {name: plan.options.get(name) for name in OPTIONS}
    options = {
        name: value
        for name, value in given.items()
        if value is not None and value != usual.get(name) and _is_accepted(name, value)
    }
    named = {} if plan.strategy in (DEFAULT_STRATEGY, "detect") else {"strategy": plan.strategy}
    return {**named, **options}


def _is_accepted(name: str, value: object) -> bool:
    """Return whether an option accepts a plan's value, and the value is safe to paste."""
    kind = uses(OptimizeCommand)[name].option.kind
    try:
        text = kind.show(value)
        return _VALUE.fullmatch(text) is not None and bool(kind.parse(text) == value)
    except (TypeError, ValueError, KeyError):
        return False
