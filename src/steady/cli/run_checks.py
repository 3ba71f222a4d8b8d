"""What a run's options name, and which of them go together."""

from __future__ import annotations

import argparse
from pathlib import Path

from steady.cli.common import given, require
from steady.cli.compare import check_rule
from steady.cli.first_run import build_hint
from steady.errors import InputError
from steady.run import HARNESSES, Version


def check_options(arguments: argparse.Namespace) -> None:
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


def chosen_versions(arguments: argparse.Namespace) -> list[Version]:
    """Return base and head, or the only version."""
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
