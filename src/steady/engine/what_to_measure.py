"""What is to be run, from what the user typed and what the files hold that this names."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from steady.cli.common import chosen_plan, require
from steady.cli.first_run import listing, plan_is_there
from steady.cli.narrowing import chosen_only, require_matches
from steady.cli.rotation import chosen_part, part_sentence, why_not_looked_at
from steady.cli.run_checks import (
    check_benchmarks_of_plan,
    check_harness_of_plan,
    check_options,
    check_targets,
    chosen_versions,
    harness_of,
    refuse_empty,
)
from steady.cli.run_options import SKIP, chosen_stop, chosen_turns, without_plan
from steady.cli.run_same_code import SameCodeChoice, choose
from steady.cli.watching import say
from steady.engine import (
    HarnessSettings,
    Runs,
    Trial,
    Turns,
    Version,
    Workload,
    schedule,
    with_starts,
)
from steady.engine.live_stop import STOPPABLE_MODES, StopRule
from steady.engine.parts import part_of, seconds_of
from steady.engine.pinning import ANYWHERE
from steady.engine.unplanned import unplanned
from steady.engine.workload import (
    Declarations,
    Held,
    absent,
    configured,
    everything,
    full_run,
    in_turn,
    is_edited,
    planned,
    unplanned_run,
)
from steady.harness import RUNNABLE
from steady.harness.only import Only
from steady.harness.search import Search
from steady.model import Identity, NotRun
from steady.optimize import Plan
from steady.optimize.rotation import Part
from steady.optimize.shards import shards
from steady.text.counting import count, listed

_DEFAULT_NEW = (5, 5)


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be run: what the user typed, and what the files hold that this names."""

    arguments: argparse.Namespace
    plan: Plan | None
    only: Only | None
    versions: list[Version]
    harness: Runs
    held: Held
    turns: Turns
    part: Part | None = None
    same_code: SameCodeChoice = field(default_factory=SameCodeChoice)

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> Request:
        """Read and search what the arguments name."""
        check_options(arguments)
        if arguments.plan is not None:
            plan_is_there(arguments.plan, arguments)
        plan = chosen_plan(arguments)
        versions = chosen_versions(arguments)
        check_harness_of_plan(plan, versions, arguments)
        name = (
            arguments.harness
            or (plan and plan.harness)
            or harness_of(versions[0].target, arguments)
        )
        turns = chosen_turns(arguments)
        settings = HarnessSettings(
            arguments.java,
            tuple(arguments.jvm_arg),
            chosen_stop(arguments, name),
            turns,
            one_processor=arguments.pin != ANYWHERE,
        )
        harness = RUNNABLE[name].value.make(settings)
        check_targets(harness, versions, arguments)
        only = chosen_only(arguments, plan)
        search = Search(
            only=only,
            known=() if plan is None else tuple(plan),
            new=arguments.new != SKIP,
            seconds=arguments.list_timeout,
            tell=say,
        )
        seen = {version.name: tuple(harness.benchmarks(version, search)) for version in versions}
        if plan is None and only is None and not any(seen.values()):
            refuse_empty(harness, versions[-1])
        check_benchmarks_of_plan(plan, seen, arguments)
        held = {name: dict.fromkeys(filter(search.wants, own)) for name, own in seen.items()}
        require_matches(only, held, seen, listing(arguments))
        return cls(arguments, plan, only, versions, harness, held, turns)

    def without_same_code(self) -> Request:
        """Return the request without benchmarks that run the same code in base and head."""
        choice = choose(
            self.arguments, self.harness, self.versions, self.held, self._part_of_shard()
        )
        return replace(self, held=choice.measured(self.held), same_code=choice)

    def _part_of_shard(self) -> set[Identity] | None:
        """Return what this run is about where it is one of several shards."""
        if self.plan is None or self.arguments.shard is None:
            return None
        number, parts = self.arguments.shard
        part = set(shards(self.looked_at(self.plan), parts)[number - 1])
        return part | {i for i in everything(self.held) if number == 1 and i not in self.plan}

    def workloads(self, declared: Declarations) -> list[Workload]:
        """Return what is to be measured, and say what cannot be."""
        options = self.arguments
        timed = without_plan(options)
        workloads = [] if self.plan is None else self._planned(self.plan)
        others = self._within_time if timed else self._without_plan
        workloads += others(self._not_planned(), declared)
        rule = chosen_stop(options, self.harness.name)
        if options.stop is not None and rule is not None:
            _say_what_is_not_stopped(workloads)
            _say_where_it_cannot_decide(workloads, rule)
        require(
            bool(workloads or self.same_code.left_out),
            "nothing to run: every benchmark is left out; "
            f"`{listing(options)}` shows what there is",
        )
        alone = timed or self.turns != "iterations"
        return workloads if alone else in_turn(workloads, self.harness.name)

    def _within_time(
        self, identities: Sequence[Identity], declared: Declarations
    ) -> list[Workload]:
        """Return what fits into the time, where no plan says how much to run."""
        return unplanned(
            identities,
            self.held,
            declared,
            harness=self.harness.name,
            seconds=self.arguments.time_budget,
            operation_seconds=self.harness.operation_seconds,
            timeout=self.arguments.fork_timeout,
        )

    def in_rotation(self, declared: Declarations) -> Request:
        """Return the same for the part of the plan that is looked at, and say which that is."""
        if self.plan is None or self.plan.rotation == 1:
            return self
        new = self._without_plan(self._new, declared)
        part = chosen_part(
            self.arguments,
            self.plan,
            set(everything(self.held)),
            first=self._may_differ,
            reserved=sum(map(seconds_of, new)),
        )
        if part is not None:
            say(part_sentence(self.arguments, part, self.plan.rotation))
        return replace(self, part=part)

    @property
    def _may_differ(self) -> frozenset[Identity]:
        """The benchmarks that are known to run other code, or may; shards cannot agree on them."""
        file = self.same_code.file
        if file is None or self.arguments.shard is not None:
            return frozenset()
        return frozenset(other.identity for other in file.others)

    @property
    def may_differ(self) -> tuple[Identity, ...]:
        """The benchmarks of both versions that are not known to run the same code in both."""
        controls = () if self.same_code.file is None else self.same_code.file.controls
        held = self.held.values()
        return tuple(
            identity
            for identity in everything(self.held)
            if all(identity in own for own in held) and identity not in controls
        )

    def looked_at(self, plan: Plan) -> Plan:
        """Return the part of the plan that this run looks at, whatever shard it is."""
        return plan if self.part is None else self.part.plan

    def _without_plan(
        self, identities: Sequence[Identity], declared: Declarations
    ) -> list[Workload]:
        """Return how to run what no plan knows: everything, or what is new."""
        options = self.arguments
        if self.plan is None:
            forks, iterations = options.full
            configuration = full_run(forks, iterations, options.iteration_seconds or 1.0)
        else:
            configuration = unplanned_run(*(options.new or _DEFAULT_NEW))
        return configured(
            identities,
            configuration,
            self.held,
            declared=declared,
            shorter=self.plan is None,
            timeout=options.fork_timeout,
            harness=self.harness.name,
        )

    def shard(self, workloads: list[Workload]) -> list[Workload]:
        """Return the part of a full run that this run is; a plan is cut before."""
        shard = self.arguments.shard
        return workloads if shard is None or self.plan is not None else part_of(workloads, *shard)

    def trials(self, workloads: list[Workload]) -> tuple[Trial, ...]:
        """Return the planned schedule."""
        ordered = schedule(workloads, seed=self.arguments.seed)
        return with_starts(ordered, self.harness.start_seconds, self.turns)

    def _planned(self, plan: Plan) -> list[Workload]:
        plan = self.looked_at(plan)
        if self.arguments.shard is not None:
            number, parts = self.arguments.shard
            plan = shards(plan, parts)[number - 1]
        workloads = planned(plan, self.held, timeout=self.arguments.fork_timeout)
        edited = [entry.identity for entry in plan.benchmarks if is_edited(entry)]
        if edited:
            say(
                f"the seconds that the plan records for {named(edited)} are fewer than its "
                "iterations take, so somebody edited it; the time is estimated again"
            )
        for version, identities in absent(plan, self.held).items():
            asked = [i for i in identities if self.only is None or self.only.wants(i)]
            wanted = [i for i in asked if i not in self.same_code.left_out]
            if wanted:
                say(f"{version} does not hold {named(wanted)} of the plan")
        return workloads

    @property
    def not_run(self) -> tuple[NotRun, ...]:
        """The benchmarks of the plan that are left out, because another part has them."""
        if self.plan is None or self.part is None:
            return ()
        reason = why_not_looked_at(self.part, self.plan.rotation)
        return tuple(NotRun(identity, reason) for identity in self.part.others)

    @property
    def _new(self) -> tuple[Identity, ...]:
        """What is run beside the plan."""
        plan = self.plan or ()
        if self.arguments.new == SKIP:
            return ()
        return tuple(identity for identity in everything(self.held) if identity not in plan)

    def _not_planned(self) -> tuple[Identity, ...]:
        """Return what is run without a plan, in the first shard, and say what becomes of it."""
        if self.plan is None:
            return everything(self.held)
        new = tuple(identity for identity in everything(self.held) if identity not in self.plan)
        if not new or (self.arguments.shard is not None and self.arguments.shard[0] > 1):
            return ()
        if self.arguments.new == SKIP:
            say(f"the plan does not know {named(new)}: left out, as --new says")
            return ()
        forks, iterations = self.arguments.new or _DEFAULT_NEW
        say(
            f"the plan does not know {named(new)}: run with {count(forks, 'fork')} of "
            f"{iterations} + {count(iterations, 'iteration')} of 1 s"
        )
        return new


def _say_what_is_not_stopped(workloads: list[Workload]) -> None:
    whole = [w.identity for w in workloads if w.identity.mode not in STOPPABLE_MODES]
    if whole:
        say(
            f"--stop is for average time and throughput; {named(whole)} will run all of their "
            "iterations"
        )


def _say_where_it_cannot_decide(workloads: list[Workload], rule: StopRule) -> None:
    short = [
        one.identity
        for one in workloads
        if one.identity.mode in STOPPABLE_MODES
        and rule.longest_warmup(one.configuration) < rule.least
    ]
    if short:
        say(
            f"--stop {rule.method} first decides after {count(rule.least, 'iteration')}, and the "
            f"warm-up of {named(short)} is shorter: it ends as configured"
        )


def named(identities: Sequence[Identity]) -> str:
    """Return how many benchmarks these are, and their names."""
    labels = [identity.label for identity in identities]
    return f"{count(len(labels), 'benchmark')} ({listed(labels)})"
