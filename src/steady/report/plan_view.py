"""A plan on a terminal."""

from __future__ import annotations

from rich.console import Console

from steady.optimize.plan import Plan
from steady.report.escape import visible
from steady.report.names import Names
from steady.report.numbers import count, duration, percent
from steady.report.receipt import configuration_text, error_text, runs_sentence
from steady.report.terminal import print_table

COLUMNS = ("full", "reduced", "runs", "error", "benchmark")

LEGEND = "runs: forks × (warm-up + measurement iterations); error: expected of the reduced result\n"


def print_plan(plan: Plan, console: Console | None = None) -> None:
    """Print a plan: what is reduced and by how much, what is kept and why, the totals.

    Parameters
    ----------
    plan : Plan
        The plan.
    console : Console, optional
        Where to; by default standard output.
    """
    console = console or Console(highlight=False)
    names = Names.of(plan)
    rows = [
        (
            duration(entry.full_seconds),
            duration(entry.seconds),
            configuration_text(entry),
            error_text(entry),
            names.label(entry.identity),
        )
        for entry in plan.benchmarks
        if entry.status == "reduced"
    ]
    if rows:
        print_table(COLUMNS, rows, numbers=4, console=console)
        console.print(LEGEND, style="dim", markup=False, highlight=False)
        if any(entry.expected_error is not None for entry in plan.benchmarks):
            text = runs_sentence(plan).replace("`", "")
            console.print(f"{text}\n", style="dim", markup=False, highlight=False)
    kept = [entry for entry in plan.benchmarks if entry.status != "reduced"]
    if kept:
        console.print(f"{count(len(kept), 'benchmark')} keep their full run:", markup=False)
        for entry in kept:
            text = f"  {visible(names.label(entry.identity))}: {visible(entry.reason)}"
            console.print(text, markup=False, highlight=False)
        console.print()
    console.print(totals(plan), markup=False, highlight=False)


def totals(plan: Plan) -> str:
    """Return the seconds of a plan beside those of the full run, as one sentence."""
    saved = 1 - plan.seconds / plan.full_seconds if plan.full_seconds else 0.0
    return (
        f"{count(len(plan), 'benchmark')}: {duration(plan.full_seconds)} become "
        f"{duration(plan.seconds)}, {percent(saved)} saved"
    )
