"""``steady plan``: show a plan, or cut it into parts for several machines."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from steady.cli.first_run import plan_is_there
from steady.cli.printing import print_json
from steady.files import json_text
from steady.listings import ShardEntry, ShardsListing
from steady.optimize import plan_at, plan_to_json
from steady.optimize.suite_parts import shards
from steady.report.plan_view import print_plan
from steady.report.terminal import print_table
from steady.text.counting import count
from steady.text.numbers import duration

if TYPE_CHECKING:
    from steady.optimize import Plan


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "plan", nargs="?", type=Path, default=Path(".steady"), metavar="PLAN",
        help="the plan's folder or file (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--shards", type=int, metavar="N",
        help="cut it into N parts of nearly equal time; `steady run --shard 1/N` runs the first",
    )  # fmt: skip
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--matrix", action="store_true",
        help="with --shards: print the parts as GitHub's strategy.matrix takes them, on one line",
    )  # fmt: skip
    how.add_argument(
        "--json", action="store_true", help="print the plan, or with --shards its parts, as JSON"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the plan, its parts, or the matrix."""
    plan = plan_at(plan_is_there(arguments.plan, arguments))
    parts = shards(plan, 1 if arguments.shards is None else arguments.shards)
    if arguments.matrix:
        print(json.dumps({"shard": _names(parts)}))
    elif arguments.json:
        print_json(plan_to_json(plan) if arguments.shards is None else json_text(_listing(parts)))
    elif arguments.shards is None:
        print_plan(plan)
    else:
        _print_parts(parts)
    return 0


def _names(parts: tuple[Plan, ...]) -> list[str]:
    return [f"{number}/{len(parts)}" for number in range(1, len(parts) + 1)]


def _listing(parts: tuple[Plan, ...]) -> ShardsListing:
    named = zip(_names(parts), parts, strict=True)
    return ShardsListing(1, tuple(ShardEntry(name, p.seconds, tuple(p)) for name, p in named))


def _print_parts(parts: tuple[Plan, ...]) -> None:
    rows = [
        (name, duration(part.seconds), count(len(part), "benchmark"))
        for name, part in zip(_names(parts), parts, strict=True)
    ]
    print_table(("shard", "one version", "holds"), rows, numbers=2)
