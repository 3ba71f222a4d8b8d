"""A plan as text, and its differences from the previous plan."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from rich.console import Console

from steady.optimize.plan_changes import AMOUNTS, BenchmarkChange, PlanChanges
from steady.plan.suite_plan import BenchmarkPlan, Plan
from steady.report.document import Cell, Column, Row, Section
from steady.report.names import ShortNames
from steady.report.plan_report import (
    above_budget_sentence,
    comparison_with_today,
    count_kept,
    detection_sentences,
    expected_error,
    former,
    kept,
    plan_columns,
    plan_numbers,
    reduced,
    repetitions,
    rotation_sentence,
    runs_sentence,
    saved,
)
from steady.report.terminal import output_console, print_table
from steady.text.escape import visible
from steady.text.numbers import count, duration, listed, percent

LEGEND = "runs: forks × (warm-up + iterations); error: expected error of the reduced result\n"


def print_plan(plan: Plan, console: Console | None = None) -> None:
    """Print a plan: the reduced benchmarks, the others with the reasons, and totals.

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


NOTHING = "No benchmark's run changed since the last plan."

_LESS = {"warm-up": "less warm-up", "iterations": "fewer iterations", "forks": "fewer forks"}
_MOST_ON_TERMINAL = 5
_ABSENT = "–"


def change_sentences(changes: PlanChanges) -> tuple[str, ...]:
    """Return sentences about the differences between a plan and the previous one.

    Parameters
    ----------
    changes : PlanChanges
        The differences.

    Returns
    -------
    tuple of str
        Sentences with the number of changed benchmarks by kind, the changed options, and the time
        of a run of the suite. Text of the plan, such as the name of a strategy, is not escaped.
    """
    sentences = [_counted(changes) if changes.benchmarks else NOTHING]
    if changes.options == ("strategy",):
        strategies = changes.after.strategy, changes.before.strategy
        sentences.append("The strategy is {} instead of {}.".format(*strategies))
    elif changes.options:
        sentences.append(f"Options of the plan that differ: {listed(changes.options)}.")
    sentences.append(_total(changes))
    before, after = (None if e is None else percent(e) for e in changes.errors)
    if before is not None and after is not None and before != after:
        sentences.append(f"The median expected error is {after} instead of {before}.")
    return tuple(sentences)


def _total(changes: PlanChanges) -> str:
    before, after = duration(changes.before.seconds), duration(changes.after.seconds)
    same = before == after
    return f"One run takes {after}{', as before' if same else f' instead of {before}'}."


def _counted(changes: PlanChanges) -> str:
    """Return one sentence with the number of changed benchmarks by kind."""
    parts = [*_needs(changes.benchmarks)]
    for test, one, many in _KINDS:
        if number := sum(map(test, changes.benchmarks)):
            parts.append(count(number, one, many))
    *first, last = parts
    joined = f"{', '.join(first)} and {last}" if first else last
    return f"Compared with the last plan, {joined}."


def _needs(benchmarks: Sequence[BenchmarkChange]) -> Iterator[str]:
    need = ("benchmark needs", "benchmarks need")
    for name in AMOUNTS:
        if more := sum(name in change.more for change in benchmarks):
            yield f"{count(more, *need)} more {name}"
        if less := sum(name in change.less for change in benchmarks):
            yield f"{count(less, *need)} {_LESS[name]}"


def _starts(change: BenchmarkChange) -> bool:
    after = change.after
    return change.status and after is not None and after.status == "reduced"


def _ends(change: BenchmarkChange) -> bool:
    return change.status and not _starts(change)


_KINDS: tuple[tuple[Callable[[BenchmarkChange], bool], str, str], ...] = (
    (_starts, "benchmark is reduced now", "benchmarks are reduced now"),
    (_ends, "benchmark is no longer reduced", "benchmarks are no longer reduced"),
    (
        lambda change: change.length and not change.status,
        "benchmark has iterations of another length",
        "benchmarks have iterations of another length",
    ),
    (lambda change: change.is_new, "benchmark is new", "benchmarks are new"),
    (lambda change: change.is_gone, "benchmark is gone", "benchmarks are gone"),
)


def change_section(changes: PlanChanges, names: ShortNames) -> Section:
    """Return table rows of the changed benchmarks, each with its run in both plans.

    Parameters
    ----------
    changes : PlanChanges
        The differences.
    names : ShortNames
        Short names of the benchmarks of both plans.
    """
    columns = (
        Column("benchmark", "name"),
        Column("last plan", "number"),
        Column("seconds", "number"),
        Column("this plan", "number"),
        Column("seconds", "number"),
        Column("expected error", "number"),
        Column("change"),
    )
    rows = tuple(_row(change, names) for change in changes.benchmarks)
    nouns = ("benchmark that changed", "benchmarks that changed")
    return Section("Each benchmark that changed", *nouns, rows, columns, folded=True)


def _row(change: BenchmarkChange, names: ShortNames) -> Row:
    before, after = change.before, change.after
    errors = tuple(map(expected_error, (before, after)))
    error = errors[0] if errors[0] == errors[1] else " → ".join(errors)
    cells = (
        Cell(names.named(change.identity)),
        Cell(_run(before)),
        Cell(_seconds(before)),
        Cell(_run(after)),
        Cell(_seconds(after)),
        Cell(error),
        Cell(names.words(_kind(change))),
    )
    return Row(cells, identities=(change.identity,))


def _kind(change: BenchmarkChange) -> str:
    """Return a short description of one benchmark's change."""
    if change.is_new:
        return "new"
    if change.is_gone:
        return "gone"
    if change.status:
        return "reduced now" if _starts(change) else "no longer reduced"
    if change.length:
        return "iterations of another length"
    needs = [f"more {name}" for name in change.more] + [_LESS[name] for name in change.less]
    return ", ".join(needs)


def _run(entry: BenchmarkPlan | None) -> str:
    return _ABSENT if entry is None else repetitions(entry.configuration)


def _seconds(entry: BenchmarkPlan | None) -> str:
    return _ABSENT if entry is None else duration(entry.seconds)


def print_changes(changes: PlanChanges, console: Console | None = None) -> None:
    """Print the differences to the previous plan: a line, and the largest changes.

    Parameters
    ----------
    changes : PlanChanges
        The differences.
    console : Console, optional
        Console to print to; by default, standard output.
    """
    console = console or output_console()
    names = ShortNames.of(dict.fromkeys((*changes.after, *changes.before)))
    sentences = names.words(" ".join(change_sentences(changes)))
    console.print(f"\n{visible(sentences)}", markup=False, highlight=False)
    for change in changes.benchmarks[:_MOST_ON_TERMINAL]:
        label, kind = visible(names.label(change.identity)), names.words(_kind(change))
        now = f"{_run(change.before)} → {_run(change.after)}"
        console.print(f"  {label}: {now} ({kind})", markup=False, highlight=False)
    if (left := len(changes.benchmarks) - _MOST_ON_TERMINAL) > 0:
        console.print(f"  and {left:,} more", markup=False, highlight=False)
