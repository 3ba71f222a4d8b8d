"""Make a plan again: the shell command to do so, and the update of a plan with a part."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from steady.errors import InputError
from steady.harness.only import only_these
from steady.harnesses import harness_named
from steady.model import Identity
from steady.optimize.strategies import DEFAULT_STRATEGY, STRATEGIES, PlanOptions
from steady.optimize.suite_parts import parts_within
from steady.options.option import uses
from steady.options.plan_options import OptimizeCommand
from steady.options.run_options import RunCommand
from steady.plan.suite_plan import BenchmarkPlan, Plan

FULL = (5, 60)
"""Forks and iterations of the full run, for a plan without its own."""

_VALUE = re.compile(r"[\w.%-]{1,40}", re.ASCII)

OPTIONS = tuple(name for name in PlanOptions.__annotations__ if name in uses(OptimizeCommand))
"""Options of a plan that `steady optimize` accepts under the same name."""


def replan_command(plan: Plan, identities: Sequence[Identity] = ()) -> str:
    """Return the command that repeats the full run of benchmarks and makes their plan again.

    Parameters
    ----------
    plan : Plan
        The current plan. Its non-default options are repeated, and the full run is as long as the
        one from which it was made.
    identities : sequence of Identity
        The benchmarks to plan again; all of the plan if empty.
    """
    harness = harness_named(plan.harness)
    built = Path(harness.building.usual)
    entries = [plan[one] for one in identities if one in plan] or [*plan.benchmarks]
    forks, iterations, seconds = _full_run(entries)
    run = RunCommand(
        full=(forks, iterations),
        jar=built,
        command=harness.building.words,
        only=only_these(identities) if identities else _harmless(plan.only),
        iteration_seconds=seconds,
        out=Path("full"),
    )
    make = OptimizeCommand(
        results=("full",),
        jar=None if harness.declaring is None else built,
        update=bool(identities),
        **_options(plan),
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
    """Return whether the command accepts a plan's value, and it is safe to paste."""
    kind = uses(OptimizeCommand)[name].option.kind
    try:
        text = kind.show(value)
        return _VALUE.fullmatch(text) is not None and bool(kind.parse(text) == value)
    except (TypeError, ValueError, KeyError):
        return False


def update_plan(plan: Plan, part: Plan) -> Plan:
    """Return `plan` with benchmarks replaced by those of `part`, and new ones appended.

    Parameters
    ----------
    plan : Plan
        The earlier plan of the suite.
    part : Plan
        The plan of the benchmarks that are new or were optimised again.

    Returns
    -------
    Plan
        The updated plan in the order of `plan`, with new benchmarks last.

    Raises
    ------
    InputError
        If the two differ in harness, strategy or options.
    """
    for what, old, new in (
        ("harness", plan.harness, part.harness),
        ("strategy", plan.strategy, part.strategy),
        *((name, old, part.options.get(name)) for name, old in plan.options.items()),
        *((name, None, new) for name, new in part.options.items() if name not in plan.options),
    ):
        if old != new:
            raise InputError(
                f"the plan to update was made with {what} {old}, not {new}; give the same, or "
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
        # A plan of the whole suite stays one. Two plans of parts together cover both parts.
        only="|".join(dict.fromkeys((plan.only, part.only))) if plan.only and part.only else "",
        learnt_from=tuple(sorted({*plan.learnt_from, *part.learnt_from})),
        rotation=parts_within(plan, benchmarks),
        start_seconds=plan.start_seconds,
    )
