"""What a run writes about itself: who decides, for how long, and what was asked for."""

from __future__ import annotations

import time

from msgspec import UNSET

from steady.cli.run_request import Request
from steady.cli.settings import chosen_settings
from steady.engine import Header, Target, Trial, Workload
from steady.engine.follow_up import Decider, described
from steady.engine.joining import SHARD, plan_digest
from steady.engine.machine import Machine
from steady.engine.merging import looks_of_run
from steady.engine.parts import FULL_RUN, ROTATION, whole_digest
from steady.engine.run_file import TURNS
from steady.harness.only import ONLY
from steady.harness.trial import digest
from steady.text.counting import count
from steady.text.numbers import duration


def decider_of(request: Request, planned: tuple[Trial, ...]) -> Decider | None:
    """Return what decides after every batch of rounds; None where all is measured at once."""
    options = request.arguments
    if len(request.versions) == 1 or options.all_rounds:
        return None
    return Decider(
        rule=options.rule,
        min_change=options.min_change,
        confidence=options.confidence,
        false_alarms=options.false_alarms,
        planned_seconds=sum(trial.seconds for trial in planned),
        looks=looks_of_run(planned),
        seed=options.seed,
        time_budget=options.time_budget,
        at_most=_time_of_plan(request, planned),
        settings=chosen_settings(options.settings),
    )


def _time_of_plan(request: Request, planned: tuple[Trial, ...]) -> float | None:
    """Return the share of the plan's time budget that this run has; None if it has none."""
    plan = request.plan
    if plan is None or plan.time_budget is None:
        return None
    if plan.rotation > 1 and request.part is None:
        return None  # all of it was asked for, which takes longer
    if request.arguments.shard is None:
        return plan.time_budget
    whole = request.looked_at(plan)
    own = sum(trial.seconds for trial in planned)
    return plan.time_budget * min(own / (plan.start_seconds + whole.pair_seconds), 1.0)


def header(
    request: Request, whole: list[Workload], trials: tuple[Trial, ...], decider: Decider | None
) -> Header:
    """Describe the run."""
    facts = dict(request.harness.describe(request.versions))
    if request.only is not None:
        facts[ONLY] = request.only.text
    if request.arguments.shard is not None:
        facts[SHARD] = "{}/{}".format(*request.arguments.shard)
        if request.plan is None:
            facts[FULL_RUN] = whole_digest(whole)
    if request.plan is not None and request.part is not None:
        facts[ROTATION] = f"{request.part.number}/{request.plan.rotation}"
    if len(request.versions) == 2:
        facts[TURNS] = request.turns
    if request.arguments.pin is not None:
        facts["pin"] = ",".join(map(str, sorted(request.arguments.pin))) or "none"
    facts |= request.same_code.facts
    return Header(
        harness=request.harness.name,
        seed=request.arguments.seed,
        plan="" if request.plan is None else plan_digest(request.plan),
        versions=tuple(map(Target.of, request.versions)),
        trials=digest(trials),
        described=facts,
        machine=Machine.here(),
        started=time.time(),
        decides=described(decider) if len(request.versions) == 2 else UNSET,
    )


def announcement(
    request: Request, workloads: list[Workload], trials: tuple[Trial, ...], decider: Decider | None
) -> str:
    """Say how much is to be run, and for how long."""
    parts = [count(len(workloads), "benchmark"), count(len(trials), "fork")]
    if len(request.versions) == 2:
        parts[-1] += " of base and head in turn"
    seconds = sum(trial.seconds for trial in trials)
    if decider is not None:
        planned = max(seconds, decider.limit)
        seconds = planned if decider.time_budget is None else decider.time_budget
        parts.append("then more of what is not clear")
    at_most = decider is not None or request.arguments.stop is not None
    return ", ".join([*parts, f"{'at most about' if at_most else 'about'} {duration(seconds)}"])
