"""What a run's options name, and which of them go together."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from steady.cli.built_here import jars_here
from steady.cli.common import given, require
from steady.cli.compare import check_rule
from steady.cli.first_run import build_hint, full_run, ways_to_build, without_plan
from steady.cli.remedies import again
from steady.engine import Runs, Version
from steady.engine.workload import Held
from steady.errors import InputError
from steady.harness import RUNNABLE
from steady.harness.go.run.test_binaries import build_into
from steady.optimize import Plan


def check_options(arguments: argparse.Namespace) -> None:
    """Raise the user's mistake where options do not go together."""
    full, plan = arguments.full is not None, arguments.plan is not None
    alone = arguments.jar is not None
    require(
        full or plan or arguments.list or (arguments.time_budget is not None and not alone),
        _what_to_run(arguments),
    )
    require(
        arguments.out is not None or arguments.list or arguments.dry_run,
        "give --out, the folder for the results; --list and --dry-run need none: "
        f"`{again(arguments.argv, {'--out': 'full' if full else 'results'})}`",
    )
    timed = not full and arguments.time_budget is not None
    require(
        plan or timed or arguments.rotation is None, "--rotation goes with --plan or --time-budget"
    )
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


def _what_to_run(arguments: argparse.Namespace) -> str:
    """Say what is missing where nothing tells how much to run."""
    if arguments.base is not None and arguments.head is not None:
        command = without_plan(arguments, str(arguments.out or "results"))
        return f"say how long the run may take: `{command}`; or follow a plan with --plan"
    alone = arguments.jar is not None
    return (
        "give --plan or --full, or --list to see the names; with --base and --head, --time-budget "
        f"10m is enough: `{full_run(arguments) if alone else without_plan(arguments)}`"
    )


def chosen_versions(arguments: argparse.Namespace) -> list[Version]:
    """Return base and head, or the only version."""
    pair = [Version(name, target) for name, target in given(arguments, "base", "head").items()]
    if arguments.jar is not None:
        require(not pair, "--jar is for a single version; give it, or --base and --head")
        return [Version("results", arguments.jar)]
    require(len(pair) == 2, "give --base and --head to measure both in turn, or --jar for one")
    return pair


def check_targets(harness: Runs, versions: list[Version], arguments: argparse.Namespace) -> None:
    """Raise InputError if a version holds no benchmarks, and name what does in this folder."""
    try:
        harness.check(versions)
    except InputError as error:
        missing = error.source is not None and not Path(error.source).exists()
        build = ways_to_build() if missing else build_hint()
        way = _another_jar(error.source, arguments) or build
        raise InputError(f"{error.problem}{way}", source=error.source) from None


def refuse_empty(harness: Runs, version: Version) -> None:
    """Raise InputError for a version without any benchmark, and say where there may be some."""
    if harness.name == "go":
        way = "`go test -list ^Benchmark ./...` shows which packages of a module hold some"
    else:
        way = f"annotate methods with @Benchmark, and build them anew{ways_to_build()}"
    raise InputError(f"holds no benchmarks; {way}", source=version.target)


def _another_jar(wrong: str | None, arguments: argparse.Namespace) -> str:
    sides = [s for s in ("base", "head", "jar") if str(getattr(arguments, s, None)) == wrong]
    if not sides:
        return ""
    used = {str(getattr(arguments, side, None)) for side in ("base", "head", "jar")}
    jars = sorted(map(str, jars_here()), key=lambda jar: (sides[0] not in jar, jar in used))
    if not jars:
        return ""
    command = again(arguments.argv, {f"--{sides[0]}": jars[0]})
    return f"; {jars[0]} holds benchmarks: `{command}`"


def check_harness_of_plan(
    plan: Plan | None, versions: list[Version], arguments: argparse.Namespace
) -> None:
    """Raise InputError if a plan is of another harness than what it is to run."""
    target = versions[0].target
    own = next((name for name, entry in RUNNABLE.items() if entry.value.holds(target)), None)
    if plan is None or arguments.harness or own in (None, plan.harness):
        return
    make = f"`{full_run(arguments)}` and then `steady optimize full --out .steady-{own}`"
    raise InputError(
        f"is a plan of benchmarks of {plan.harness}, and {target} belongs to {own}; make a plan "
        f"of it with {make}, or run without one: `{without_plan(arguments)}`",
        source=arguments.plan,
    )


def check_benchmarks_of_plan(plan: Plan | None, seen: Held, arguments: argparse.Namespace) -> None:
    """Raise InputError if a plan knows no benchmark: then all would run as if it were new.

    Parameters
    ----------
    plan : Plan, optional
        The plan that is to be followed.
    seen : mapping of str to collection of Identity
        The benchmarks of each version.
    arguments : argparse.Namespace
        The user's. ``--new`` and ``--only`` say that the rest is wanted.
    """
    if plan is None or not len(plan) or arguments.new or arguments.only:
        return
    if any(identity in plan for own in seen.values() for identity in own):
        return
    make = shlex.join(["steady", "optimize", "full", "--out", str(arguments.plan)])
    raise InputError(
        "holds none of these benchmarks, so it is the plan of another suite, or all were renamed; "
        f"make a new one with `{full_run(arguments)}` and then `{make}`, or run without one: "
        f"`{without_plan(arguments)}`",
        source=arguments.plan,
    )


def harness_of(target: Path, arguments: argparse.Namespace) -> str:
    """Tell which harness a jar or folder belongs to."""
    if not target.exists():
        raise InputError(
            "does not exist; check the path, and build the benchmarks first"
            f"{_another_jar(str(target), arguments) or ways_to_build()}",
            source=target,
        )
    name = next((name for name, entry in RUNNABLE.items() if entry.value.holds(target)), None)
    if name is None and target.is_dir():
        raise InputError(
            "does not hold a test binary of Go, at any depth; build them with "
            f"`{build_into(target)}`, or name the jar for JMH",
            source=target,
        )
    if name is None:
        raise InputError(
            f"does not tell which harness it belongs to; give --harness {' or '.join(RUNNABLE)}",
            source=target,
        )
    return name
