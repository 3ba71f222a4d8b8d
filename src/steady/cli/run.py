"""``steady run``: measure base and head in turn, fork by fork, as the plan says."""

from __future__ import annotations

import argparse
import hashlib
import re
import time
from typing import TYPE_CHECKING

from steady.cli.common import describe, note, plan_file, require
from steady.cli.run_options import EXIT_CODES, add_options
from steady.cli.watching import say, stoppable, watching
from steady.compare import RuleOptions
from steady.errors import InputError
from steady.model import Identity
from steady.optimize import Plan, plan_to_json, read_plan
from steady.report.numbers import count, duration
from steady.run import (
    HARNESSES,
    Harness,
    HarnessSettings,
    Header,
    RunFolder,
    RunState,
    Target,
    Trial,
    Version,
    Workload,
    run_trials,
    schedule,
)
from steady.run.machine import Machine
from steady.run.progress import failure_line
from steady.run.second_look import SecondLook
from steady.run.trial_json import digest
from steady.run.workload import (
    Held,
    absent,
    configured,
    everything,
    full_run,
    planned,
    unplanned_run,
)

if TYPE_CHECKING:
    from steady.cli.common import Commands

_NAMES_SHOWN = 5
_DEFAULT_NEW = (5, 5)


def add_to(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "run",
        help="measure base and head in turn, fork by fork",
        description=describe(__doc__),
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Measure, merge, and say what left no result."""
    with stoppable():
        return _run(arguments)


def _run(arguments: argparse.Namespace) -> int:
    full = arguments.full is not None
    require(full or arguments.iteration_seconds is None, "--iteration-seconds goes with --full")
    require(not full or arguments.new is None, "--new goes with --plan; --full runs everything")
    plan = None if arguments.plan is None else read_plan(plan_file(arguments.plan))
    versions = _versions(arguments)
    name = _harness_name(arguments.harness, plan, versions)
    settings = HarnessSettings(arguments.java, tuple(arguments.jvm_arg))
    harness = HARNESSES[name].value.make(settings)
    harness.check(versions)
    workloads = _workloads(arguments, plan, _held(harness, versions, arguments.only))
    trials = schedule(workloads, seed=arguments.seed)
    note(_announcement(workloads, trials, versions))
    header = _header(harness, versions, plan, trials, arguments.seed)
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
            follow_up=_second_look(arguments),
        )
    return _conclude(state, folder)


def _second_look(arguments: argparse.Namespace) -> SecondLook | None:
    if arguments.second_look == 0:
        return None
    return SecondLook(
        arguments.rule,
        RuleOptions(arguments.confidence),
        arguments.min_change,
        arguments.second_look,
        arguments.seed,
    )


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
    name = next((name for name, entry in HARNESSES.items() if entry.value.holds(target)), None)
    if name is None:
        raise InputError(
            f"does not tell which harness it belongs to; give --harness {' or '.join(HARNESSES)}",
            source=target,
        )
    return name


def _held(harness: Harness, versions: list[Version], only: re.Pattern[str] | None) -> Held:
    """Return what each version holds of what is wanted."""
    return {
        version.name: dict.fromkeys(
            identity for identity in harness.benchmarks(version) if _is_wanted(identity, only)
        )
        for version in versions
    }


def _is_wanted(identity: Identity, only: re.Pattern[str] | None) -> bool:
    return only is None or only.search(identity.label) is not None


def _workloads(arguments: argparse.Namespace, plan: Plan | None, held: Held) -> list[Workload]:
    """Return what is to be measured, and say what cannot be."""
    timeout = arguments.fork_timeout
    if plan is None:
        forks, iterations = arguments.full
        configuration = full_run(forks, iterations, arguments.iteration_seconds or 1.0)
        workloads = configured(everything(held), configuration, held, timeout=timeout)
    else:
        workloads = planned(plan, held, timeout=timeout)
        for version, identities in absent(plan, held).items():
            wanted = [i for i in identities if _is_wanted(i, arguments.only)]
            if wanted:
                say(f"{version} does not hold {_listed(wanted)} of the plan")
        workloads += _unplanned(arguments, plan, held)
    require(bool(workloads), "there is nothing to run: no benchmark is left to be measured")
    return workloads


def _unplanned(arguments: argparse.Namespace, plan: Plan, held: Held) -> list[Workload]:
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
    return configured(new, configuration, held, timeout=arguments.fork_timeout)


def _listed(identities: list[Identity]) -> str:
    shown = ", ".join(identity.label for identity in identities[:_NAMES_SHOWN])
    rest = len(identities) - _NAMES_SHOWN
    more = f" and {rest} more" if rest > 0 else ""
    return f"{count(len(identities), 'benchmark')} ({shown}{more})"


def _announcement(workloads: list[Workload], trials: tuple[Trial, ...], v: list[Version]) -> str:
    of = " of base and head in turn" if len(v) == 2 else ""
    seconds = sum(trial.seconds for trial in trials)
    return (
        f"{count(len(workloads), 'benchmark')}, {count(len(trials), 'fork')}{of}, "
        f"about {duration(seconds)}"
    )


def _header(
    harness: Harness,
    versions: list[Version],
    plan: Plan | None,
    trials: tuple[Trial, ...],
    seed: int,
) -> Header:
    return Header(
        harness=harness.name,
        seed=seed,
        plan="" if plan is None else hashlib.sha256(plan_to_json(plan).encode()).hexdigest(),
        versions=tuple(map(Target.of, versions)),
        trials=digest(trials),
        described=dict(harness.describe(versions)),
        machine=Machine.here(),
        started=time.time(),
    )


def _conclude(state: RunState, folder: RunFolder) -> int:
    """Say what is there and what is not, and return the exit code."""
    for trial, record in state.without_result:
        say(f"no result of {failure_line(trial, record)}")
    if state.lost:
        say(f"{count(len(state.lost), 'fork')} of {len(state.trials)} left no result")
    for path in state.merged.values():
        print(f"wrote {path}")
    if state.interrupted:
        note(f"stopped; --resume goes on with {folder.path}")
        return 130
    return 0 if state.complete else 1
