"""The plan of a run: its workloads, their order, and the time limit."""

from __future__ import annotations

import math
import shlex
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from msgspec import UNSET

from steady.engine.follow_up import Decider, described, first_batch, looks_of_run
from steady.engine.machine import Machine
from steady.engine.priority import nearest_first, order_by_number
from steady.engine.rotation import (
    chosen_number,
    nearest_sentence,
    screening_sentence,
    too_short_sentence,
)
from steady.engine.run_file import COMMAND, FULL_RUN, ROTATION, SHARD, TURNS, Header
from steady.engine.run_record import RunRecord
from steady.engine.schedule import schedule, with_starts
from steady.engine.screening import SCREENED_FROM, screening_trials
from steady.engine.selection import Selection, benchmarks_listed
from steady.engine.shards import plan_digest, whole_digest
from steady.engine.shared_processes import SharedProcesses
from steady.engine.time_limit import Budget
from steady.engine.unplanned import Unplanned
from steady.engine.workload import Declarations, Workload, newest_declarations
from steady.harness.only import ONLY
from steady.harness.runs import Runs, Turns
from steady.harness.trial import Trial, Version, digest
from steady.model import Identity, NotRun
from steady.readers.sidecars import NoResult
from steady.samecode.choice import SameCodeFile
from steady.settings import chosen_settings
from steady.text.numbers import count, duration

FollowUp = Callable[[RunRecord], Sequence[Trial]]
"""Returns the trials that follow the finished ones; empty at the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """The plan of a run: its workloads, their order, and the time limit.

    Parameters
    ----------
    harness : Runs
        Runs the forks.
    versions : sequence of Version
        The versions to measure, in any number: base and head, or one; names differ.
    trials : tuple of Trial
        The planned schedule up to the first interim analysis, numbered from 0.
    screening : tuple of Trial
        The screening forks before them, if the time is too short for all benchmarks.
    pairs : int
        Number of benchmarks that are measured simultaneously, if their forks are interleaved.
    screening_pairs : int
        Number of benchmarks that are screened simultaneously.
    shared_processes : SharedProcesses
        The processes that several benchmarks share.
    header : Header
        The identity of the run.
    workloads : tuple of Workload
        The workload of each benchmark; for a sharded full run, those of all shards.
    follow_up : callable, optional
        Returns the trials that follow the planned ones, and repeatedly those that follow these.
    looks : mapping of Identity to tuple of int
        The numbers of rounds after which `follow_up` decides about each benchmark.
    turns : {"iterations", "forks"}
        Whether base and head are interleaved by iteration, if the harness supports it, or by fork.
    time_budget : float, optional
        Maximum seconds of the whole run. A round begins only if it is expected to end in time.
    expected_seconds : float
        Expected duration in seconds; an upper bound if more trials may follow.
    began : float
        Unix time in seconds at which the run began.
    first : sequence of Identity
        The order of benchmarks if the budget is too short for the planned rounds of all.
    near : collection of Identity
        The benchmarks that are decided before any other begins.
    not_run : sequence of NotRun
        Benchmarks that are skipped on purpose, for ``not-run.json``.
    no_result : sequence of NoResult
        Benchmarks whose discovery failed.
    same_code : SameCodeFile, optional
        Benchmarks that are not measured because their code path is identical in base and head.
    """

    harness: Runs
    versions: Sequence[Version]
    trials: tuple[Trial, ...]
    header: Header
    screening: tuple[Trial, ...] = ()
    pairs: int = 1
    screening_pairs: int = 1
    shared_processes: SharedProcesses = field(default_factory=SharedProcesses)
    workloads: tuple[Workload, ...] = ()
    follow_up: FollowUp | None = None
    looks: Mapping[Identity, tuple[int, ...]] = field(default_factory=dict)
    turns: Turns = "iterations"
    time_budget: float | None = None
    expected_seconds: float = 0.0
    began: float = 0.0
    first: Sequence[Identity] = ()
    near: Collection[Identity] = ()
    not_run: Sequence[NotRun] = ()
    no_result: Sequence[NoResult] = ()
    same_code: SameCodeFile | None = None

    @property
    def stages(self) -> tuple[tuple[Trial, ...], ...]:
        """The planned schedule in parts, each of which is decided before the next one begins."""
        near = tuple(trial for trial in self.trials if trial.identity in self.near)
        far = tuple(trial for trial in self.trials if trial.identity not in self.near)
        return (near, far) if near and far else (self.trials,)

    @property
    def screening_in_order(self) -> tuple[Trial, ...]:
        """The screening forks in the order of their benchmarks."""
        places = {identity: place for place, identity in enumerate(self.first)}
        last = len(places)
        return tuple(sorted(self.screening, key=lambda one: places.get(one.identity, last)))

    def within(self, budget: Budget, selection: Selection) -> RunPlan:
        """Return the plan with the order of benchmarks for a budget, and print it if time is short.

        Parameters
        ----------
        budget : Budget
            The time of the run; the seconds before the first fork are spent.
        selection : Selection
            The selection from which the plan was made.
        """
        request, may_differ = selection.discovery.request, selection.may_differ
        own = frozenset(may_differ)
        seconds = sum(trial.seconds for trial in self.trials if trial.identity in own)
        left, near = max(budget.left(), 0.0), selection.same_code.nearness
        parts = min(max(math.ceil(seconds / left), 1), len(own)) if left > 0 else len(own)
        if self.screening:
            selection.say(screening_sentence(left, len(may_differ)))
        elif parts > 1:
            selection.say(
                nearest_sentence(left, len(may_differ))
                if near
                else too_short_sentence(request, left, len(may_differ), parts)
            )
        by_number = order_by_number(may_differ, chosen_number(request)[0], max(parts, 1))
        # Use the whole budget, not the remaining one: a resumed run must make the same choice.
        too_long = seconds > (request.time_budget or math.inf)
        far = selection.same_code.far if too_long else frozenset()
        waiting = far or (request.time_budget and selection.same_code.controls)
        return replace(
            self,
            began=budget.began,
            first=nearest_first(by_number, near),
            near=own - far if waiting else frozenset(),
        )


def plan_run(selection: Selection) -> RunPlan:
    """Schedule the selected benchmarks, and print the expected duration."""
    found, request = selection.discovery, selection.discovery.request
    whole = selection.workloads()
    workloads = selection.shard(whole)
    for identities, remark in remarks(workloads, selection.declared):
        selection.say(f"{benchmarks_listed(identities)}: {remark}")
    trials = _scheduled(selection, workloads)
    decider = _decider_of(selection, trials)
    screening: tuple[Trial, ...] = ()
    if decider is not None:
        trials = _scheduled(selection, first_batch(workloads, decider.looks))
        screening = _screening(selection, workloads, trials)
    seconds = sum(trial.seconds for trial in trials)
    if decider is not None:
        seconds = request.time_budget or max(seconds, decider.planned_seconds)
    plan = RunPlan(
        harness=found.harness,
        versions=found.versions,
        trials=trials,
        header=_header(selection, whole, (*screening, *trials), decider),
        screening=screening,
        shared_processes=selection.shared_processes,
        workloads=tuple(whole),
        follow_up=decider,
        looks={} if decider is None else decider.looks,
        turns=request.chosen_turns,
        time_budget=None if decider is None else request.time_budget,
        expected_seconds=seconds,
        not_run=selection.not_run,
        no_result=found.lost,
        same_code=selection.same_code.file,
    )
    if trials:
        at_most = decider is not None or request.stop is not None
        selection.say(_announcement(plan, len(workloads), at_most=at_most))
    return plan


def _scheduled(selection: Selection, workloads: Sequence[Workload]) -> tuple[Trial, ...]:
    request = selection.discovery.request
    ordered = schedule(workloads, seed=request.seed)
    return with_starts(ordered, selection.discovery.harness.start_seconds, request.chosen_turns)


def _screening(
    selection: Selection, workloads: Sequence[Workload], trials: Sequence[Trial]
) -> tuple[Trial, ...]:
    """Return the screening forks; none if there is time for most benchmarks without screening."""
    request, harness = selection.discovery.request, selection.discovery.harness
    own = frozenset(selection.may_differ)
    seconds = sum(trial.seconds for trial in trials if trial.identity in own)
    budget = request.time_budget
    if not request.timed or budget is None or request.chosen_turns != "iterations":
        return ()
    if seconds < SCREENED_FROM * budget:
        return ()
    share = Unplanned.share(
        harness.name, len(own), budget, starts=selection.shared_processes.starts(own)
    )
    return screening_trials(
        [workload for workload in workloads if workload.identity in own],
        lambda one: share.seconds(one.configuration, harness.operation_seconds(one.identity)),
    )


def _decider_of(selection: Selection, planned: tuple[Trial, ...]) -> Decider | None:
    """Return the decider on further rounds; None if all are measured at once."""
    request = selection.discovery.request
    if len(selection.discovery.versions) == 1 or request.all_rounds:
        return None
    skipped = selection.skipped
    looks = looks_of_run((*planned, *schedule(skipped, seed=request.seed)))
    return Decider(
        request=request,
        planned_seconds=sum(trial.seconds for trial in planned),
        looks=looks,
        at_most=_time_of_plan(selection, planned),
        settings=chosen_settings(request.settings),
        plan=selection.discovery.plan,
        skipped=first_batch(skipped, looks),
        shared_processes=selection.shared_processes,
    )


def _time_of_plan(selection: Selection, planned: tuple[Trial, ...]) -> float | None:
    """Return this run's share of the plan's time budget; None if it has none."""
    plan, whole = selection.discovery.plan, selection.plan
    if plan is None or whole is None or plan.time_budget is None:
        return None
    if plan.rotation > 1 and selection.part is None:
        return None  # the whole plan was requested, which takes longer
    if selection.discovery.request.shard is None:
        return plan.time_budget
    own = sum(trial.seconds for trial in planned)
    return plan.time_budget * min(own / (plan.start_seconds + whole.pair_seconds), 1.0)


def _header(
    selection: Selection,
    whole: Sequence[Workload],
    trials: tuple[Trial, ...],
    decider: Decider | None,
) -> Header:
    found, request = selection.discovery, selection.discovery.request
    facts = dict(found.harness.describe(found.versions))
    if found.only is not None:
        facts[ONLY] = found.only.text
    if request.command:
        facts[COMMAND] = shlex.join(request.command)
    if request.shard is not None:
        facts[SHARD] = "{}/{}".format(*request.shard)
        if found.plan is None:
            facts[FULL_RUN] = whole_digest(whole)
    if found.plan is not None and selection.part is not None:
        facts[ROTATION] = f"{selection.part.number}/{found.plan.rotation}"
    if len(found.versions) > 1:
        facts[TURNS] = request.chosen_turns
    facts |= selection.same_code.facts
    return Header(
        harness=found.harness.name,
        seed=request.seed,
        plan="" if found.plan is None else plan_digest(found.plan),
        versions=selection.targets,
        trials=digest(trials),
        described=facts,
        machine=Machine.here(),
        started=time.time(),
        decides=described(decider) if len(found.versions) > 1 else UNSET,
    )


def _announcement(plan: RunPlan, benchmarks: int, *, at_most: bool) -> str:
    parts = [count(benchmarks, "benchmark"), count(len(plan.trials), "fork")]
    if len(plan.versions) > 1:
        parts[-1] += " of base and head, interleaved"
    if plan.follow_up is not None:
        parts.append("then extra rounds for unclear benchmarks")
    about = "at most about" if at_most else "about"
    return ", ".join([*parts, f"{about} {duration(plan.expected_seconds)}"])


def remarks(
    workloads: Sequence[Workload], declared: Mapping[str, Declarations]
) -> Iterator[tuple[Sequence[Identity], str]]:
    """Yield groups of benchmarks whose run differs from their declaration, each with a remark."""
    unlike = [w.identity for w in workloads if len(_sizes_declared(w, declared)) > 1]
    if unlike:
        yield unlike, "base and head declare different batch sizes; both run with the same one"
    now = newest_declarations(declared)
    outdated = [
        w.identity
        for w in workloads
        if w.identity in now and w.configuration.batch_size != now[w.identity].batch_size
    ]
    if outdated:
        yield (
            outdated,
            "the plan's batch size is not the one that the benchmark declares now; the run uses "
            "the plan's and measures a different operation: make a new plan",
        )
    unforked = [w.identity for w in workloads if (own := now.get(w.identity)) and not own.forks]
    if unforked:
        yield (
            unforked,
            "declared to run in JMH's own JVM (@Fork(0)); steady starts a JVM for each fork",
        )


def _sizes_declared(workload: Workload, declared: Mapping[str, Declarations]) -> set[int]:
    configurations = (declared[name].get(workload.identity) for name in workload.versions)
    return {one.batch_size for one in configurations if one is not None}
