"""The plan on a terminal: reduced and kept benchmarks, and savings."""

from functools import partial

from rich.console import Console

from steady.plan.suite_plan import Plan
from steady.report.names import ShortNames
from steady.report.plan_report import (
    above_budget_sentence,
    comparison_with_today,
    count_kept,
    detection_sentences,
    former,
    kept,
    plan_columns,
    plan_numbers,
    reduced,
    rotation_sentence,
    runs_sentence,
    saved,
)
from steady.report.terminal import output_console, print_table
from steady.text.escape import visible
from steady.text.numbers import count, duration

LEGEND = "runs: forks × (warm-up + iterations); error: expected error of the reduced result\n"


def print_plan(plan: Plan, console: Console | None = None) -> None:
    """Print a plan: reduced benchmarks, kept benchmarks with reasons, and totals.

    Parameters
    ----------
    plan : Plan
        The plan.
    console : Console, optional
        Console to print to; by default, standard output.
    """
    console = console or output_console()
    say = partial(console.print, markup=False, highlight=False)
    names = ShortNames.of(plan)
    rows = [(*plan_numbers(plan, entry), names.label(entry.identity)) for entry in reduced(plan)]
    if rows:
        columns = [column.key for column in plan_columns(plan, names)]
        print_table([*columns, "benchmark"], rows, numbers=len(columns), console=console)
        say(names.words(LEGEND), style="dim")
        if any(entry.expected_error is not None for entry in plan.benchmarks):
            text = names.words(runs_sentence(plan)).replace("`", "")
            say(f"{text}\n", style="dim")
    if full := kept(plan):
        say(f"{count_kept(len(full))}:")
        for entry in full:
            reason = visible(names.words(entry.reason))
            say(f"  {visible(names.label(entry.identity))}: {reason}")
        say()
    total = f"{count(len(plan), 'benchmark')}: {former(plan)} → {duration(plan.seconds)}"
    say(f"{total}, {saved(plan)}")
    if today := comparison_with_today(plan):
        say(today, style="dim")
    if plan.judged:
        say(visible(plan.judged), style="dim")
    found = names.words(detection_sentences(plan)).replace("`", "")
    for sentence in filter(None, (above_budget_sentence(plan), rotation_sentence(plan), found)):
        say(f"\n{sentence}")
