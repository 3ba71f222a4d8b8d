"""``steady merge``: join the results of the shards of a run, and say what is missing."""

from __future__ import annotations

import argparse
from pathlib import Path

from steady.cli.common import add_plan, chosen_plan
from steady.cli.first_run import shards_are_there
from steady.cli.watching import say
from steady.engine import HarnessSettings, Runs
from steady.engine.shards import join_shards
from steady.harness import RUNNABLE
from steady.samecode.lookup import carry_on

EXIT_CODES = """\
exit codes:
  0  all is there
  1  something is missing; what is there has been joined
  2  the folders do not belong together, or cannot be read or written
"""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = EXIT_CODES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "shards", nargs="+", type=Path, metavar="SHARD", help="a folder that `steady run` wrote"
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="where the joined results go"
    )
    add_plan(parser, "the plan that the shards followed, to name benchmarks that no shard has")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Join the shards, and say what is not there."""
    shards_are_there(arguments.shards, arguments)
    plan = chosen_plan(arguments)
    joined = join_shards(arguments.shards, arguments.out, _harness, plan)
    for gap in joined.gaps:
        say(gap)
    kept = carry_on(arguments.shards, arguments.out)
    for path in (*joined.files, *kept):
        print(f"wrote {path}")
    return 1 if joined.gaps else 0


def _harness(name: str) -> Runs:
    return RUNNABLE[name].value.make(HarnessSettings())
