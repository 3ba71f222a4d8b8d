"""``steady plan``: print a plan."""

from steady.cli.printing import print_json
from steady.optimize import plan_at, plan_to_json
from steady.options.plan_options import PlanCommand
from steady.report.plan_text import print_plan
from steady.suggestions.missing import require_plan


def run(arguments: PlanCommand) -> int:
    """Print the plan."""
    plan = plan_at(require_plan(arguments.plan, arguments))
    if arguments.json:
        print_json(plan_to_json(plan))
    else:
        print_plan(plan)
    return 0
