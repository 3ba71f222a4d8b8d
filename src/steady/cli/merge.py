"""``steady merge``: merge the results of a run's shards, and report missing ones."""

from pathlib import Path

from steady.cli.common import chosen_plan
from steady.cli.printing import line, say
from steady.engine import HarnessSettings, Runs
from steady.engine.shards import join_shards
from steady.harnesses import RUNNABLE
from steady.options.run_options import MergeCommand
from steady.suggestions.missing import require_shards


def run(arguments: MergeCommand) -> int:
    """Merge the shards, and report missing ones."""
    shards = [Path(word) for word in arguments.shards]
    require_shards(shards, arguments)
    plan = chosen_plan(arguments.plan)
    joined = join_shards(shards, arguments.out, _harness, plan)
    for gap in joined.gaps:
        say(gap)
    for path in joined.files:
        line(f"wrote {path}")
    return 1 if joined.gaps else 0


def _harness(name: str) -> Runs:
    return RUNNABLE[name].value.make(HarnessSettings())
