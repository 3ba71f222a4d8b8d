"""``steady run``: measure base and head in turn, as the plan says."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path

from steady.cli.printing import note
from steady.cli.rotation import precedence, too_short_sentence
from steady.cli.run_ending import compared, resumed, say_plan_step, say_what_had_no_time
from steady.cli.run_listing import print_names, print_order
from steady.cli.run_options import without_plan
from steady.cli.run_record import announcement, decider_of, header
from steady.cli.run_request import Request, named
from steady.cli.sides import SIDES
from steady.cli.watching import say, stoppable, watching
from steady.engine import RunFolder, RunState, Trial, run_trials
from steady.engine.declarations import declarations, latest, remarks
from steady.engine.follow_up import Decider, Looks, first_batch
from steady.engine.pinning import pinned
from steady.engine.progress import failure_line
from steady.engine.time_limit import TimeLimit
from steady.model import Identity
from steady.next_steps.first_run import without_annotations
from steady.next_steps.shorter_runs import shorter_runs
from steady.options.run_options import RunCommand
from steady.samecode.choice import keep_learned
from steady.text.counting import count
from steady.text.escape import visible


def run(arguments: RunCommand) -> int:
    """Measure, merge, and say what left no result."""
    with stoppable(), pinned(arguments.pin):
        return _run(arguments)


def _run(arguments: RunCommand) -> int:
    began = time.time()
    request = Request.of(arguments)
    if arguments.list:
        print_names(request.held)
        return 0
    harness, versions = request.harness, request.versions
    folder = None if arguments.dry_run else RunFolder(arguments.out or Path(), harness.suffix)
    if folder is not None:
        folder.require_place([version.name for version in versions], resume=arguments.resume)
    declared = declarations(harness, versions)
    if arguments.shard is None:  # what may have changed goes first
        request = request.without_same_code().in_rotation(latest(declared))
    else:
        request = request.in_rotation(latest(declared)).without_same_code()
    whole = request.workloads(latest(declared))
    workloads = request.shard(whole)
    for identities, remark in remarks(workloads, declared):
        say(f"{named(identities)}: {remark}")
    trials = request.trials(workloads)
    decider = decider_of(request, trials)
    if decider is not None:
        trials = request.trials(first_batch(workloads, decider.looks))
    note(announcement(request, workloads, trials, decider))
    for advice in without_annotations(arguments, harness.name, latest(declared)):
        say(advice)
    for advice in shorter_runs(arguments, whole, harness.name):
        say(advice)
    order = _precedence(request, trials)
    if folder is None:
        print_order(trials)
        return 0
    described = header(request, whole, trials, decider)
    with watching() as watcher:
        state = run_trials(
            harness,
            versions,
            trials,
            folder,
            described,
            watcher,
            resume=arguments.resume,
            follow_up=decider,
            looks={} if decider is None else decider.looks,
            turns=request.turns,
            limit=None if decider is None else _limit(decider, began),
            precedence=order,
            not_run=request.not_run,
            same_code=request.same_code.file,
        )
    keep_learned(request.same_code, harness, versions, folder.path, say)
    code = _conclude(state, folder, {} if decider is None else decider.looks, arguments)
    if not state.interrupted:
        _next_steps(request, state, folder)
    return code


def _next_steps(request: Request, state: RunState, folder: RunFolder) -> None:
    """Say what to type next, where the run was not stopped."""
    arguments = request.arguments
    if arguments.shard is None and len(state.merged) == len(SIDES):
        print(f"the verdict: {visible(compared(arguments))}")
    if without_plan(arguments):
        say_plan_step(request.harness, request.versions, state, folder)


def _precedence(request: Request, trials: Sequence[Trial]) -> tuple[Identity, ...]:
    """Return which benchmarks come first, and say so where the time is too short for all."""
    options = request.arguments
    seconds = sum(trial.seconds for trial in trials)
    parts = 1 if options.time_budget is None else math.ceil(seconds / options.time_budget)
    may_differ = request.may_differ
    if parts > 1:
        say(too_short_sentence(options, len(may_differ), parts))
    return precedence(options, may_differ, max(parts, 1))


def _limit(decider: Decider, began: float) -> TimeLimit | None:
    return None if decider.time_budget is None else TimeLimit(decider.time_budget, began)


def _conclude(state: RunState, folder: RunFolder, looks: Looks, arguments: RunCommand) -> int:
    """Say what is there and what is not, and return the exit code."""
    for trial, record in state.without_result:
        log = folder.log(trial.number)
        output = f" (its output: {log})" if log.exists() else ""
        say(f"no result of {failure_line(trial, record)}{output}")
    say_what_had_no_time(state, looks, arguments)
    if state.lost:
        not_run = len(state.given_up) - len(state.out_of_time)
        without = len(state.lost) + not_run
        more = f"; {not_run} of them were not run" if not_run else ""
        say(f"{count(without, 'fork')} of {len(state.trials)} left no result{more}")
    for path in state.merged.values():
        print(f"wrote {path}")
    if state.interrupted:
        note(f"stopped; this goes on: `{resumed(arguments)}`")
        return 130
    nothing = bool(state.trials) and not state.merged
    return 0 if state.complete and not nothing else 1
