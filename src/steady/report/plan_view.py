"""A plan on a terminal."""

from __future__ import annotations

from rich.console import Console

from steady.optimize.plan import Plan
from steady.report.numbers import count, duration, percent
from steady.report.receipt import configuration_text, error_text
from steady.report.terminal import print_table


def print_plan(plan: Plan, console: Console | None = None) -> None:
    """Print a plan: a line a benchmark, then the totals.

    Parameters
    ----------
    plan : Plan
        The plan.
    console : Console, optional
        Where to; by default standard output.
    """
    rows = [
        (
            entry.identity.label,
            duration(entry.full_seconds),
            duration(entry.seconds),
            configuration_text(entry),
            error_text(entry),
            entry.reason,
        )
        for entry in plan.benchmarks
    ]
    columns = ("benchmark", "full", "reduced", "forks × (warm-up + iterations)", "error", "why")
    print_table(columns, rows, console=console)
    (console or Console(highlight=False)).print(totals(plan), highlight=False)


def totals(plan: Plan) -> str:
    """Return the seconds of a plan beside those of the full run, as one sentence."""
    saved = 1 - plan.seconds / plan.full_seconds if plan.full_seconds else 0.0
    return (
        f"{count(len(plan), 'benchmark')}: {duration(plan.full_seconds)} become "
        f"{duration(plan.seconds)}, {percent(saved)} saved"
    )
