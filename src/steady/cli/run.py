"""``steady run``: measure base and head in turn, fork by fork, as the plan says."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from msgspec import UNSET

from steady.cli.common import plan_file, require
from steady.cli.narrowing import chosen_only, require_matches
from steady.cli.printing import note
from steady.cli.run_listing import print_names, print_order
from steady.cli.run_options import EXIT_CODES, SKIP, add_options
from steady.cli.settings import chosen_settings
from steady.cli.watching import say, stoppable, watching
from steady.compare import RuleOptions
from steady.errors import InputError
from steady.model import Identity
from steady.optimize import Plan, read_plan
from steady.optimize.shards import shards
from steady.run import (
    HARNESSES,
    Harness,
    HarnessSettings,
    Header,
    RunFolder,
    RunState,
    StopRule,
    Target,
    Trial,
    Version,
    Workload,
    run_trials,
    schedule,
    with_starts,
)
from steady.run.declarations import declarations, latest, remarks
from steady.run.joining import SHARD, plan_digest
from steady.run.live_stop import STOPPABLE_MODES
from steady.run.machine import Machine
from steady.run.only import ONLY, Only
from steady.run.progress import failure_line
from steady.run.search import Search
from steady.run.second_look import SecondLook, described_second_look
from steady.run.trial import digest
from steady.run.workload import (
    Declarations,
    Held,
    absent,
    configured,
    everything,
    full_run,
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
    with stoppable():
        return _run(arguments)


def _run(arguments: argparse.Namespace) -> int:
    _check(arguments)
    plan = None if arguments.plan is None else read_plan(plan_file(arguments.plan))
    versions = _versions(arguments)
    name = _harness_name(arguments.harness, plan, versions)
    stop = _stop(arguments)
    settings = HarnessSettings(arguments.java, tuple(arguments.jvm_arg), stop)
    harness = HARNESSES[name].value.make(settings)
    harness.check(versions)
    only = chosen_only(arguments, plan)
    held = _held(harness, versions, _search(arguments, plan, only))
    require_matches(only, held)
    if arguments.list:
        print_names(held)
        return 0
    declared = declarations(harness, versions)
    workloads = _workloads(arguments, plan, held, only, latest(declared), harness.name)
    for identities, remark in remarks(workloads, declared):
        say(f"{_listed(identities)}: {remark}")
    trials = with_starts(schedule(workloads, seed=arguments.seed), harness.start_seconds)
    note(_announcement(workloads, trials, versions, stop, arguments.second_look))
    if arguments.dry_run:
        print_order(trials)
        return 0
    second_look = _second_look(arguments)
    header = _header(harness, versions, plan, trials, arguments, only, second_look)
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
            follow_up=second_look,
        )
    return _conclude(state, folder)


def _check(arguments: argparse.Namespace) -> None:
    """Raise the user's mistake where options do not go together."""
    full, plan = arguments.full is not None, arguments.plan is not None
    require(full or plan or arguments.list, "give --plan or --full, or --list to see the names")
    require(
        arguments.out is not None or arguments.list or arguments.dry_run,
        "give --out, the folder for the results; --list and --dry-run need none",
    )
    require(full or arguments.iteration_seconds is None, "--iteration-seconds goes with --full")
    require(not full or arguments.new is None, "--new goes with --plan; --full runs everything")
    require(not full or arguments.shard is None, "--shard goes with --plan")


def _second_look(arguments: argparse.Namespace) -> SecondLook | None:
    if arguments.second_look == 0:
        return None
    return SecondLook(
        arguments.rule,
        RuleOptions(arguments.confidence),
        arguments.min_change,
        arguments.second_look,
        arguments.seed,
        chosen_settings(arguments.settings),
    )


def _stop(arguments: argparse.Namespace) -> StopRule | None:
    told = {
        name: value
        for name in ("metric", "threshold", "minimum")
        if (value := getattr(arguments, f"stop_{name}")) is not None
    }
    if arguments.stop is None:
        require(not told, f"--stop-{next(iter(told), '')} goes with --stop")
        return None
    return StopRule(arguments.stop, **told)


def _versions(arguments: argparse.Namespace) -> list[Version]:
    pair = [Version(n, t) for n in ("base", "head") if (t := getattr(arguments, n)) is not None]
    if arguments.jar is not None:
        require(not pair, "--jar is for a single version; give it, or --base and --head")
        return [Version("results", arguments.jar)]
    require(len(pair) == 2, "give --base and --head to measure both in turn, or --jar for one")
    return pair


def _harness_name(chosen: str | None, plan: Plan | None, versions: list[Version]) -> str:
    if chosen is not None or plan is not None:
        return chosen or (plan.harness if plan is not None else "")
    target = versions[0].target
    if not target.exists():
        raise InputError(
            "there is no such file or folder; check the path, and that the benchmarks are built",
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


def _search(arguments: argparse.Namespace, plan: Plan | None, only: Only | None) -> Search:
    return Search(
        only=only,
        known=() if plan is None else tuple(plan),
        new=arguments.new != SKIP,
        seconds=arguments.list_timeout,
        tell=say,
    )


def _held(harness: Harness, versions: list[Version], search: Search) -> Held:
    """Return what each version holds of what is wanted."""
    return {
        version.name: dict.fromkeys(filter(search.wants, harness.benchmarks(version, search)))
        for version in versions
    }


def _workloads(
    arguments: argparse.Namespace,
    plan: Plan | None,
    held: Held,
    only: Only | None,
    declared: Declarations,
    harness: str,
) -> list[Workload]:
    """Return what is to be measured, and say what cannot be."""
    timeout = arguments.fork_timeout
    if plan is None:
        forks, iterations = arguments.full
        configuration = full_run(forks, iterations, arguments.iteration_seconds or 1.0)
        workloads = configured(
            everything(held),
            configuration,
            held,
            declared=declared,
            timeout=timeout,
            harness=harness,
        )
    else:
        number, parts = arguments.shard or (1, 1)
        part = plan if arguments.shard is None else shards(plan, parts)[number - 1]
        workloads = planned(part, held, timeout=timeout)
        for version, identities in absent(part, held).items():
            wanted = [i for i in identities if only is None or only.wants(i)]
            if wanted:
                say(f"{version} does not hold {_listed(wanted)} of the plan")
        if number == 1:
            workloads += _unplanned(arguments, plan, held, declared, harness)
    if arguments.stop is not None:
        _say_what_is_not_stopped(workloads)
    require(bool(workloads), "there is nothing to run: no benchmark is left to be measured")
    return workloads


def _say_what_is_not_stopped(workloads: list[Workload]) -> None:
    whole = [w.identity for w in workloads if w.identity.mode not in STOPPABLE_MODES]
    if whole:
        say(
            f"--stop is for average time and throughput; {_listed(whole)} will run all of their "
            "iterations"
        )


def _unplanned(
    arguments: argparse.Namespace, plan: Plan, held: Held, declared: Declarations, harness: str
) -> list[Workload]:
    new = [identity for identity in everything(held) if identity not in plan]
    if not new:
        return []
    forks, iterations = _DEFAULT_NEW if arguments.new is None else arguments.new
    if forks == 0:
        say(f"the plan does not know {_listed(new)}: left out, as --new says")
        return []
    configuration = unplanned_run(forks, iterations)
    say(
        f"the plan does not know {_listed(new)}: run with {count(forks, 'fork')} of "
        f"{iterations} + {count(iterations, 'iteration')} of 1 s"
    )
    timeout = arguments.fork_timeout
    return configured(new, configuration, held, declared=declared, timeout=timeout, harness=harness)


def _listed(identities: Sequence[Identity]) -> str:
    labels = [identity.label for identity in identities]
    return f"{count(len(labels), 'benchmark')} ({listed(labels)})"


def _announcement(
    workloads: list[Workload],
    trials: tuple[Trial, ...],
    versions: list[Version],
    stop: StopRule | None,
    second_look: float,
) -> str:
    of = " of base and head in turn" if len(versions) == 2 else ""
    most = "about" if stop is None else "at most about"
    seconds = sum(trial.seconds for trial in trials)
    again = second_look * seconds if len(versions) == 2 else 0.0
    more = f", and at most {duration(again)} more for a second look" if again else ""
    return (
        f"{count(len(workloads), 'benchmark')}, {count(len(trials), 'fork')}{of}, "
        f"{most} {duration(seconds)}{more}"
    )


def _header(
    harness: Harness,
    versions: list[Version],
    plan: Plan | None,
    trials: tuple[Trial, ...],
    arguments: argparse.Namespace,
    only: Only | None,
    second_look: SecondLook | None,
) -> Header:
    described = dict(harness.describe(versions))
    if only is not None:
        described[ONLY] = only.text
    if arguments.shard is not None:
        described[SHARD] = "{}/{}".format(*arguments.shard)
    return Header(
        harness=harness.name,
        seed=arguments.seed,
        plan="" if plan is None else plan_digest(plan),
        versions=tuple(map(Target.of, versions)),
        trials=digest(trials),
        described=described,
        machine=Machine.here(),
        started=time.time(),
        second_look=described_second_look(second_look) if len(versions) == 2 else UNSET,
    )


def _conclude(state: RunState, folder: RunFolder) -> int:
    """Say what is there and what is not, and return the exit code."""
    for trial, record in state.without_result:
        log = folder.log(trial.number)
        said = f" (what it said: {log})" if log.exists() else ""
        say(f"no result of {failure_line(trial, record)}{said}")
    if state.lost:
        without = len(state.lost) + len(state.given_up)
        more = f"; {len(state.given_up)} of them were not run" if state.given_up else ""
        say(f"{count(without, 'fork')} of {len(state.trials)} left no result{more}")
    for path in state.merged.values():
        print(f"wrote {path}")
    if state.interrupted:
        note(f"stopped; --resume goes on with {folder.path}")
        return 130
    return 0 if state.complete else 1
