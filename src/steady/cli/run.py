"""``steady run``: measure base and head in turn, as the plan says."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from msgspec import UNSET

from steady.cli.common import chosen_plan, given, require
from steady.cli.compare import check_rule
from steady.cli.first_run import build_hint, listing, plan_is_there
from steady.cli.narrowing import chosen_only, require_matches
from steady.cli.printing import note
from steady.cli.rotation import chosen_part, part_sentence, why_not_looked_at
from steady.cli.run_ending import say_next_step, say_what_had_no_time
from steady.cli.run_listing import print_names, print_order
from steady.cli.run_options import (
    EXIT_CODES,
    SKIP,
    add_options,
    chosen_stop,
    chosen_turns,
    without_plan,
)
from steady.cli.run_same_code import SameCodeChoice, choose, keep_loaded
from steady.cli.settings import chosen_settings
from steady.cli.shorter_runs import shorter_runs
from steady.cli.watching import say, stoppable, watching
from steady.errors import InputError
from steady.model import Identity, NotRun
from steady.optimize import Plan
from steady.optimize.rotation import Part
from steady.optimize.shards import shards
from steady.run import (
    HARNESSES,
    Harness,
    HarnessSettings,
    Header,
    RunFolder,
    RunState,
    Target,
    Trial,
    Turns,
    Version,
    Workload,
    run_trials,
    schedule,
    with_starts,
)
from steady.run.declarations import declarations, latest, remarks
from steady.run.follow_up import Decider, Looks, described, first_batch
from steady.run.joining import SHARD, plan_digest
from steady.run.live_stop import STOPPABLE_MODES
from steady.run.machine import Machine
from steady.run.merging import looks_of_run
from steady.run.only import ONLY, Only
from steady.run.parts import FULL_RUN, ROTATION, part_of, seconds_of, whole_digest
from steady.run.pinning import ANYWHERE, pinned
from steady.run.progress import failure_line
from steady.run.run_file import TURNS
from steady.run.search import Search
from steady.run.time_limit import TimeLimit
from steady.run.trial import digest
from steady.run.unplanned import unplanned
from steady.run.workload import (
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
from steady.text.counting import count, listed
from steady.text.numbers import duration

_DEFAULT_NEW = (5, 5)


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = EXIT_CODES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Measure, merge, and say what left no result."""
    with stoppable(), pinned(arguments.pin):
        return _run(arguments)


@dataclass(frozen=True, slots=True)
class _Request:
    """What is to be run: what the user typed, and what the files hold that this names."""

    arguments: argparse.Namespace
    plan: Plan | None
    only: Only | None
    versions: list[Version]
    harness: Harness
    held: Held
    turns: Turns
    part: Part | None = None
    same_code: SameCodeChoice = field(default_factory=SameCodeChoice)

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> _Request:
        """Read and search what the arguments name."""
        _check(arguments)
        if arguments.plan is not None:
            plan_is_there(arguments.plan, arguments)
        plan = chosen_plan(arguments)
        versions = _versions(arguments)
        name = arguments.harness or (plan and plan.harness) or harness_of(versions[0].target)
        turns = chosen_turns(arguments)
        settings = HarnessSettings(
            arguments.java,
            tuple(arguments.jvm_arg),
            chosen_stop(arguments, name),
            turns,
            one_processor=arguments.pin != ANYWHERE,
        )
        harness = HARNESSES[name].value.make(settings)
        harness.check(versions)
        only = chosen_only(arguments, plan)
        search = Search(
            only=only,
            known=() if plan is None else tuple(plan),
            new=arguments.new != SKIP,
            seconds=arguments.list_timeout,
            tell=say,
        )
        held = {
            version.name: dict.fromkeys(filter(search.wants, harness.benchmarks(version, search)))
            for version in versions
        }
        require_matches(only, held, listing(arguments))
        return cls(arguments, plan, only, versions, harness, held, turns)

    def without_same_code(self) -> _Request:
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
        part = set(shards(self._looked_at(self.plan), parts)[number - 1])
        return part | {i for i in everything(self.held) if number == 1 and i not in self.plan}

    def workloads(self, declared: Declarations) -> list[Workload]:
        """Return what is to be measured, and say what cannot be."""
        options = self.arguments
        timed = without_plan(options)
        workloads = [] if self.plan is None else self._planned(self.plan)
        others = self._within_time if timed else self._without_plan
        workloads += others(self._not_planned(), declared)
        if options.stop is not None:
            _say_what_is_not_stopped(workloads)
        require(
            bool(workloads or self.same_code.left_out),
            "there is nothing to run: no benchmark is left to be measured; "
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

    def in_rotation(self, declared: Declarations) -> _Request:
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

    def _looked_at(self, plan: Plan) -> Plan:
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
        plan = self._looked_at(plan)
        if self.arguments.shard is not None:
            number, parts = self.arguments.shard
            plan = shards(plan, parts)[number - 1]
        workloads = planned(plan, self.held, timeout=self.arguments.fork_timeout)
        edited = [entry.identity for entry in plan.benchmarks if is_edited(entry)]
        if edited:
            say(
                f"the seconds that the plan records for {_listed(edited)} are fewer than its "
                "iterations take, so somebody edited it; the time is estimated anew"
            )
        for version, identities in absent(plan, self.held).items():
            asked = [i for i in identities if self.only is None or self.only.wants(i)]
            wanted = [i for i in asked if i not in self.same_code.left_out]
            if wanted:
                say(f"{version} does not hold {_listed(wanted)} of the plan")
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
            say(f"the plan does not know {_listed(new)}: left out, as --new says")
            return ()
        forks, iterations = self.arguments.new or _DEFAULT_NEW
        say(
            f"the plan does not know {_listed(new)}: run with {count(forks, 'fork')} of "
            f"{iterations} + {count(iterations, 'iteration')} of 1 s"
        )
        return new

    def decider(self, planned: tuple[Trial, ...]) -> Decider | None:
        """Return what decides after every batch of rounds; None where all is measured at once."""
        options = self.arguments
        if len(self.versions) == 1 or options.all_rounds:
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
            at_most=self._time_of_plan(planned),
            settings=chosen_settings(options.settings),
        )

    def _time_of_plan(self, planned: tuple[Trial, ...]) -> float | None:
        """Return the share of the plan's time budget that this run has; None if it has none."""
        plan = self.plan
        if plan is None or plan.time_budget is None:
            return None
        if plan.rotation > 1 and self.part is None:
            return None  # all of it was asked for, which takes longer
        if self.arguments.shard is None:
            return plan.time_budget
        whole = self._looked_at(plan)
        own = sum(trial.seconds for trial in planned)
        return plan.time_budget * min(own / (plan.start_seconds + whole.pair_seconds), 1.0)

    def header(
        self, whole: list[Workload], trials: tuple[Trial, ...], decider: Decider | None
    ) -> Header:
        """Describe the run."""
        facts = dict(self.harness.describe(self.versions))
        if self.only is not None:
            facts[ONLY] = self.only.text
        if self.arguments.shard is not None:
            facts[SHARD] = "{}/{}".format(*self.arguments.shard)
            if self.plan is None:
                facts[FULL_RUN] = whole_digest(whole)
        if self.plan is not None and self.part is not None:
            facts[ROTATION] = f"{self.part.number}/{self.plan.rotation}"
        if len(self.versions) == 2:
            facts[TURNS] = self.turns
        if self.arguments.pin is not None:
            facts["pin"] = ",".join(map(str, sorted(self.arguments.pin))) or "none"
        facts |= self.same_code.facts
        return Header(
            harness=self.harness.name,
            seed=self.arguments.seed,
            plan="" if self.plan is None else plan_digest(self.plan),
            versions=tuple(map(Target.of, self.versions)),
            trials=digest(trials),
            described=facts,
            machine=Machine.here(),
            started=time.time(),
            decides=described(decider) if len(self.versions) == 2 else UNSET,
        )

    def announcement(
        self, workloads: list[Workload], trials: tuple[Trial, ...], decider: Decider | None
    ) -> str:
        """Say how much is to be run, and for how long."""
        parts = [count(len(workloads), "benchmark"), count(len(trials), "fork")]
        if len(self.versions) == 2:
            parts[-1] += " of base and head in turn"
        seconds = sum(trial.seconds for trial in trials)
        if decider is not None:
            planned = max(seconds, decider.limit)
            seconds = planned if decider.time_budget is None else decider.time_budget
            parts.append("then more of what is not clear")
        at_most = decider is not None or self.arguments.stop is not None
        return ", ".join([*parts, f"{'at most about' if at_most else 'about'} {duration(seconds)}"])


def _run(arguments: argparse.Namespace) -> int:
    began = time.time()
    request = _Request.of(arguments)
    if arguments.list:
        print_names(request.held)
        return 0
    harness, versions = request.harness, request.versions
    declared = declarations(harness, versions)
    if arguments.shard is None:  # what may have changed goes first
        request = request.without_same_code().in_rotation(latest(declared))
    else:
        request = request.in_rotation(latest(declared)).without_same_code()
    whole = request.workloads(latest(declared))
    workloads = request.shard(whole)
    for identities, remark in remarks(workloads, declared):
        say(f"{_listed(identities)}: {remark}")
    trials = request.trials(workloads)
    decider = request.decider(trials)
    if decider is not None:
        trials = request.trials(first_batch(workloads, decider.looks))
    note(request.announcement(workloads, trials, decider))
    for advice in shorter_runs(arguments, whole, harness.name):
        say(advice)
    if arguments.dry_run:
        print_order(trials)
        return 0
    header = request.header(whole, trials, decider)
    folder = RunFolder(arguments.out, harness.suffix)
    with watching() as watcher:
        state = run_trials(
            harness,
            versions,
            trials,
            folder,
            header,
            watcher,
            resume=arguments.resume,
            follow_up=decider,
            looks={} if decider is None else decider.looks,
            turns=request.turns,
            limit=None if decider is None else _limit(decider, began),
            not_run=request.not_run,
            same_code=request.same_code.file,
        )
    keep_loaded(request.same_code, harness, versions, folder.path)
    code = _conclude(state, folder, {} if decider is None else decider.looks)
    if without_plan(arguments) and not state.interrupted:
        say_next_step(request.harness, request.versions, state, folder)
    return code


def _limit(decider: Decider, began: float) -> TimeLimit | None:
    return None if decider.time_budget is None else TimeLimit(decider.time_budget, began)


def _check(arguments: argparse.Namespace) -> None:
    """Raise the user's mistake where options do not go together."""
    full, plan = arguments.full is not None, arguments.plan is not None
    alone = arguments.jar is not None
    require(
        full or plan or arguments.list or (arguments.time_budget is not None and not alone),
        "give --plan or --full, or --list to see the names; with --base and --head, "
        "--time-budget 10m is enough",
    )
    require(
        arguments.out is not None or arguments.list or arguments.dry_run,
        "give --out, the folder for the results; --list and --dry-run need none",
    )
    require(plan or arguments.rotation is None, "--rotation goes with --plan")
    require(full or arguments.iteration_seconds is None, "--iteration-seconds goes with --full")
    require(plan or arguments.new is None, "--new goes with --plan; all is run without one")
    require(plan or full or arguments.shard is None, "--shard goes with --plan, or with --full")
    require(not alone or arguments.time_budget is None, "--time-budget goes with --base and --head")
    require(not alone or not arguments.all_rounds, "--all-rounds goes with --base and --head")
    require(
        not arguments.all_rounds or arguments.time_budget is None,
        "--all-rounds takes as long as the plan says; leave out --time-budget, or --all-rounds",
    )
    check_rule(arguments)


def _versions(arguments: argparse.Namespace) -> list[Version]:
    pair = [Version(name, target) for name, target in given(arguments, "base", "head").items()]
    if arguments.jar is not None:
        require(not pair, "--jar is for a single version; give it, or --base and --head")
        return [Version("results", arguments.jar)]
    require(len(pair) == 2, "give --base and --head to measure both in turn, or --jar for one")
    return pair


def harness_of(target: Path) -> str:
    """Tell which harness a jar or folder belongs to."""
    if not target.exists():
        raise InputError(
            "there is no such file or folder; check the path, and that the benchmarks are built"
            f"{build_hint()}",
            source=target,
        )
    name = next((name for name, entry in HARNESSES.items() if entry.value.holds(target)), None)
    if name is None and target.is_dir():
        raise InputError(
            "holds no test binary of Go, at any depth; build them with go test -c -o FOLDER ./..., "
            "or name the jar for JMH",
            source=target,
        )
    if name is None:
        raise InputError(
            f"does not tell which harness it belongs to; give --harness {' or '.join(HARNESSES)}",
            source=target,
        )
    return name


def _say_what_is_not_stopped(workloads: list[Workload]) -> None:
    whole = [w.identity for w in workloads if w.identity.mode not in STOPPABLE_MODES]
    if whole:
        say(
            f"--stop is for average time and throughput; {_listed(whole)} will run all of their "
            "iterations"
        )


def _listed(identities: Sequence[Identity]) -> str:
    labels = [identity.label for identity in identities]
    return f"{count(len(labels), 'benchmark')} ({listed(labels)})"


def _conclude(state: RunState, folder: RunFolder, looks: Looks) -> int:
    """Say what is there and what is not, and return the exit code."""
    for trial, record in state.without_result:
        log = folder.log(trial.number)
        output = f" (what it said: {log})" if log.exists() else ""
        say(f"no result of {failure_line(trial, record)}{output}")
    say_what_had_no_time(state, looks)
    if state.lost:
        not_run = len(state.given_up) - len(state.out_of_time)
        without = len(state.lost) + not_run
        more = f"; {not_run} of them were not run" if not_run else ""
        say(f"{count(without, 'fork')} of {len(state.trials)} left no result{more}")
    for path in state.merged.values():
        print(f"wrote {path}")
    if state.interrupted:
        note(f"stopped; --resume goes on with {folder.path}")
        return 130
    return 0 if state.complete else 1
