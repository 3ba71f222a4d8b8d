"""The preparation of a run: from what is measured to its schedule, its header and its agenda."""

import math
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from msgspec import UNSET

from steady.engine.agenda import Agenda
from steady.engine.first_rounds import nearest_first, order_by_number
from steady.engine.follow_up import Decider, described, first_batch, looks_of_run
from steady.engine.machine import Machine
from steady.engine.part_by_number import chosen_number, nearest_sentence, too_short_sentence
from steady.engine.run_file import COMMAND, FULL_RUN, ROTATION, SHARD, TURNS, Header
from steady.engine.schedule import schedule, with_starts
from steady.engine.shards import plan_digest, whole_digest
from steady.engine.time_limit import UNLIMITED, Budget
from steady.engine.what_to_measure import Chosen, named
from steady.engine.workload import Declarations, Workload, latest
from steady.harness.only import ONLY
from steady.harness.trial import Trial, digest
from steady.model import Identity
from steady.settings import chosen_settings
from steady.text.numbers import count, duration


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prepared run: what would be measured, and how long that takes.

    Parameters
    ----------
    chosen : Chosen
        What is measured.
    whole : tuple of Workload
        How much of each benchmark; of a full run in shards, in all of them.
    trials : tuple of Trial
        The planned schedule, up to the first decision.
    decider : Decider, optional
        What decides after every batch of rounds; None where all is measured at once.
    """

    chosen: Chosen
    whole: tuple[Workload, ...]
    trials: tuple[Trial, ...]
    decider: Decider | None


class Order(NamedTuple):
    """The order of benchmarks where the time is too short for all.

    Parameters
    ----------
    first : tuple of Identity
        Which come first.
    near : frozenset of Identity
        Those that are decided before any other begins: what has a known way to the change, if the
        time is too short for all and not all have one; and all, before controls.
    """

    first: tuple[Identity, ...]
    near: frozenset[Identity]


def prepare(chosen: Chosen) -> Prepared:
    """Put what is measured in order, and say how much that is."""
    whole = chosen.workloads()
    workloads = chosen.shard(whole)
    for identities, remark in remarks(workloads, chosen.declared):
        chosen.say(f"{named(identities)}: {remark}")
    trials = _scheduled(chosen, workloads)
    decider = _decider_of(chosen, trials)
    if decider is not None:
        trials = _scheduled(chosen, first_batch(workloads, decider.looks))
    prepared = Prepared(chosen, tuple(whole), trials, decider)
    if trials:
        chosen.say(_announcement(prepared, len(workloads)))
    return prepared


def agenda_of(prepared: Prepared, began: float, order: Order) -> Agenda:
    """Return what a run measures.

    Parameters
    ----------
    prepared : Prepared
        What would run.
    began : float
        When the run began; unix time in seconds.
    order : Order
        Which benchmarks come first where the time is too short for all.
    """
    chosen, decider = prepared.chosen, prepared.decider
    found = chosen.found
    return Agenda(
        harness=found.harness,
        versions=found.versions,
        trials=prepared.trials,
        header=_header(prepared),
        follow_up=decider,
        looks={} if decider is None else decider.looks,
        turns=found.request.chosen_turns,
        time_budget=None if decider is None else decider.request.time_budget,
        began=began,
        first=order.first,
        near=order.near,
        not_run=chosen.not_run,
        no_result=found.lost,
        same_code=chosen.same_code.file,
    )


def _scheduled(chosen: Chosen, workloads: Sequence[Workload]) -> tuple[Trial, ...]:
    ordered = schedule(workloads, seed=chosen.found.request.seed)
    return with_starts(
        ordered, chosen.found.harness.start_seconds, chosen.found.request.chosen_turns
    )


def _decider_of(chosen: Chosen, planned: tuple[Trial, ...]) -> Decider | None:
    """Return what decides after every batch of rounds; None where all is measured at once."""
    request = chosen.found.request
    if len(chosen.found.versions) == 1 or request.all_rounds:
        return None
    skipped = chosen.skipped
    looks = looks_of_run((*planned, *schedule(skipped, seed=request.seed)))
    return Decider(
        request=request,
        planned_seconds=sum(trial.seconds for trial in planned),
        looks=looks,
        at_most=_time_of_plan(chosen, planned),
        settings=chosen_settings(request.settings),
        plan=chosen.found.plan,
        skipped=first_batch(skipped, looks),
    )


def _time_of_plan(chosen: Chosen, planned: tuple[Trial, ...]) -> float | None:
    """Return the share of the plan's time budget that this run has; None if it has none."""
    plan, whole = chosen.found.plan, chosen.plan
    if plan is None or whole is None or plan.time_budget is None:
        return None
    if plan.rotation > 1 and chosen.part is None:
        return None  # all of it was asked for, which takes longer
    if chosen.found.request.shard is None:
        return plan.time_budget
    own = sum(trial.seconds for trial in planned)
    return plan.time_budget * min(own / (plan.start_seconds + whole.pair_seconds), 1.0)


def _header(prepared: Prepared) -> Header:
    """Describe the run."""
    chosen = prepared.chosen
    found, request = chosen.found, chosen.found.request
    facts = dict(found.harness.describe(found.versions))
    if found.only is not None:
        facts[ONLY] = found.only.text
    if found.request.command:
        facts[COMMAND] = shlex.join(found.request.command)
    if request.shard is not None:
        facts[SHARD] = "{}/{}".format(*request.shard)
        if found.plan is None:
            facts[FULL_RUN] = whole_digest(prepared.whole)
    if found.plan is not None and chosen.part is not None:
        facts[ROTATION] = f"{chosen.part.number}/{found.plan.rotation}"
    if len(found.versions) == 2:
        facts[TURNS] = found.request.chosen_turns
    facts |= chosen.same_code.facts
    return Header(
        harness=found.harness.name,
        seed=request.seed,
        plan="" if found.plan is None else plan_digest(found.plan),
        versions=chosen.targets,
        trials=digest(prepared.trials),
        described=facts,
        machine=Machine.here(),
        started=time.time(),
        decides=described(prepared.decider) if len(found.versions) == 2 else UNSET,
    )


def _announcement(prepared: Prepared, benchmarks: int) -> str:
    """Say how much is to be run, and for how long."""
    found, decider = prepared.chosen.found, prepared.decider
    parts = [count(benchmarks, "benchmark"), count(len(prepared.trials), "fork")]
    if len(found.versions) == 2:
        parts[-1] += " of base and head in turn"
    seconds = sum(trial.seconds for trial in prepared.trials)
    if decider is not None:
        seconds = found.request.time_budget or max(seconds, decider.planned_seconds)
        parts.append("then more of what is not clear")
    at_most = decider is not None or found.request.stop is not None
    return ", ".join([*parts, f"{'at most about' if at_most else 'about'} {duration(seconds)}"])


def first_benchmarks(prepared: Prepared, budget: Budget = UNLIMITED) -> Order:
    """Return which benchmarks come first, and say so where the time is too short for all.

    Parameters
    ----------
    prepared : Prepared
        What would run.
    budget : Budget
        How much time the run has; what was spent before the first fork is gone.
    """
    chosen = prepared.chosen
    request, may_differ = chosen.found.request, chosen.may_differ
    own = frozenset(may_differ)
    seconds = sum(trial.seconds for trial in prepared.trials if trial.identity in own)
    left, near = max(budget.left(), 0.0), chosen.same_code.nearness
    parts = min(max(math.ceil(seconds / left), 1), len(own)) if left > 0 else len(own)
    if parts > 1 and near:
        chosen.say(nearest_sentence(left, len(may_differ)))
    elif parts > 1:
        chosen.say(too_short_sentence(request, left, len(may_differ), parts))
    by_number = order_by_number(may_differ, chosen_number(request)[0], max(parts, 1))
    # By the whole time, not by what is left of it: a run that goes on has to choose the same.
    too_long = seconds > (request.time_budget or math.inf)
    far = chosen.same_code.far if too_long else frozenset()
    waiting = far or (request.time_budget and chosen.same_code.controls)
    return Order(nearest_first(by_number, near), own - far if waiting else frozenset())


def remarks(
    workloads: Sequence[Workload], declared: Mapping[str, Declarations]
) -> Iterator[tuple[Sequence[Identity], str]]:
    """Yield how a run differs from what its benchmarks declare: which benchmarks, and a remark."""
    unlike = [w.identity for w in workloads if len(_sizes_declared(w, declared)) > 1]
    if unlike:
        yield unlike, "base and head declare different batch sizes; both run with the same one"
    now = latest(declared)
    outdated = [
        w.identity
        for w in workloads
        if w.identity in now and w.configuration.batch_size != now[w.identity].batch_size
    ]
    if outdated:
        yield (
            outdated,
            "the plan has another batch size than the benchmark declares now; it runs as the plan "
            "says and measures another operation: make a new plan",
        )
    unforked = [w.identity for w in workloads if (own := now.get(w.identity)) and not own.forks]
    if unforked:
        yield unforked, "declared to run in JMH's own JVM (@Fork(0)); each fork gets a JVM instead"


def _sizes_declared(workload: Workload, declared: Mapping[str, Declarations]) -> set[int]:
    configurations = (declared[name].get(workload.identity) for name in workload.versions)
    return {one.batch_size for one in configurations if one is not None}
