"""What a plan saves, in words: against what the project runs today, where that is known.

Results of `steady run` tell what their benchmarks declare. Otherwise the full run that the plan
was made from is all that can be held against it.
"""

from __future__ import annotations

from statistics import median

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


def rotation_sentence(plan: Plan) -> str:
    """Say that a pull request looks at a part of the suite; empty if it looks at all of it."""
    if plan.rotation == 1 or plan.time_budget is None:
        return ""
    whole = plan.start_seconds + plan.pair_seconds
    important = sum(entry.important for entry in plan.benchmarks)
    always = f"; those that are important ({important:,}) are in each" if important else ""
    return (
        f"Base and head of the whole suite take {duration(whole)}, and a pull request has "
        f"{duration(plan.time_budget)}. So each looks at a part, and "
        f"{plan.rotation:,} pull requests look at every benchmark once{always}."
    )


def expected_errors(plan: Plan) -> list[float]:
    """Return what is known of the errors of reduced results, the smallest first."""
    errors = (entry.expected_error for entry in plan.benchmarks if entry.status == "reduced")
    return sorted(error for error in errors if error is not None)


FAR_ABOVE = 2
"""Times the budget: errors that are larger by median need a word."""


def above_budget_sentence(plan: Plan) -> str:
    """Say that the expected errors are far above the budget; empty where they are not."""
    budget, errors = plan.options.get("budget"), expected_errors(plan)
    in_time = plan.options.get("time_budget") is not None
    if not isinstance(budget, float) or in_time or not errors:
        return ""
    if median(errors) <= FAR_ABOVE * budget:
        return ""
    return (
        f"The median expected error is far above the budget of {percent(budget)}, because the "
        "forks of this full run differ so much: make it again on a quieter machine, or with more "
        "forks."
    )
