"""What options of ``steady run`` mean together."""

from __future__ import annotations

from steady.cli.common import given, require
from steady.engine import StopRule, Turns
from steady.engine.unplanned import RULE
from steady.harness import RUNNABLE
from steady.options.run_options import RunCommand


def chosen_turns(arguments: RunCommand) -> Turns:
    """Return by what base and head take turns."""
    chosen: Turns | None = arguments.turns
    require(chosen is None or arguments.jar is None, "--turns goes with --base and --head")
    return "forks" if arguments.jar is not None else chosen or "iterations"


def chosen_stop(arguments: RunCommand, harness: str) -> StopRule | None:
    """Return the rule that ends forks early, if any: without a plan wherever they can end."""
    options = given(arguments, "metric", "threshold", "minimum", prefix="stop_")
    timed = without_plan(arguments)
    if arguments.stop is None:
        require(not options, f"--stop-{next(iter(options), '')} goes with --stop")
        return RULE if timed and RUNNABLE[harness].value.ends_early else None
    return StopRule(arguments.stop, **options, timed=timed)


def without_plan(arguments: RunCommand) -> bool:
    """Tell whether the time budget alone says how much is to be run."""
    return (arguments.plan, arguments.full, arguments.list) == (None, None, False)
