"""What a plan saves, in words: against what the project runs today, where that is known.

Results of `steady run` tell what their benchmarks declare. Otherwise the full run that the plan
was made from is all that can be held against it.
"""

from __future__ import annotations

from steady.optimize.plan import Plan
from steady.text.numbers import duration, percent


def former(plan: Plan) -> str:
    """Write what one run of the suite took before the plan: ``31 min 40 s today``."""
    return duration(plan.former_seconds) + ("" if plan.today_seconds is None else " today")


def saved(plan: Plan, word: str = "saved") -> str:
    """Write which share of that the plan saves, or how much more it takes."""
    before, now = plan.former_seconds, plan.seconds
    if now > before:
        return f"{duration(now - before)} more"
    return f"{percent(1 - now / before if before > 0 else 0.0)} {word}"


def comparison_with_today(plan: Plan) -> str:
    """Say what today means, and what the full run takes; empty where nothing tells of today."""
    if plan.today_seconds is None:
        return ""
    more = ""
    if plan.seconds > plan.today_seconds:
        more = " The plan takes longer than that; --time-budget holds it to a time."
    return (
        "Today: what the benchmarks' annotations say, or the harness's defaults where they have "
        f"none.{more} The full run, which the plan is made from, takes "
        f"{duration(plan.full_seconds)}."
    )


def expected_errors(plan: Plan) -> list[float]:
    """Return what is known of the errors of reduced results, the smallest first."""
    errors = (entry.expected_error for entry in plan.benchmarks if entry.status == "reduced")
    return sorted(error for error in errors if error is not None)
