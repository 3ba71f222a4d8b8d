"""``steady plan``: show a plan, or cut it into parts for several machines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from steady.cli.printing import print_json
from steady.files import json_text
from steady.model import Identity
from steady.next_steps.first_run import plan_is_there
from steady.optimize import plan_at, plan_to_json
from steady.optimize.suite_parts import shards
from steady.options.plan_options import PlanCommand
from steady.report.plan_view import print_plan
from steady.report.terminal import print_table
from steady.text.numbers import count, duration

if TYPE_CHECKING:
    from steady.optimize import Plan


class ShardEntry(Struct, frozen=True):
    """A part of a plan: `seconds` is what one version takes."""

    shard: str
    seconds: float
    benchmarks: tuple[Identity, ...]


class ShardsListing(Struct, frozen=True):
    """What `steady plan --shards N --json` prints."""

    steady_shards: Literal[1]
    shards: tuple[ShardEntry, ...]


def run(arguments: PlanCommand) -> int:
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
