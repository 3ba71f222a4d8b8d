"""The table of a plan: what each benchmark costs before and after, and how exact it is."""

from __future__ import annotations

from steady.optimize.suite_plan import BenchmarkPlan, Plan
from steady.report.document import Cell, Column, Row, Section
from steady.report.names import ShortNames
from steady.report.plan_words import comparison_with_today, detection_sentences, finds
from steady.text.numbers import duration, percent


def plan_section(plan: Plan, names: ShortNames) -> Section:
    """Return all benchmarks of a plan, the one that saves most first."""
    entries = sorted(plan.benchmarks, key=lambda e: (e.seconds - e.full_seconds, e.identity.label))
    rows = tuple(_row(plan, entry, names) for entry in entries)
    titles = plan_columns(plan, names)
    share = Column("share", "picture")
    costs = _costs(plan)
    name, why = Column("benchmark", "name"), Column("why")
    columns = (name, *titles[:costs], share, *titles[costs:], why)
    intro = (
        f"Strategy {plan.strategy}. Seconds include the start of every fork and its warm-up. "
        f"{comparison_with_today(plan)}"
    ).rstrip()
    intro = f"{intro} {detection_sentences(plan).replace('`', '')}".rstrip()
    nouns = ("benchmark", "benchmarks")
    return Section("Plan", *nouns, rows, columns, (intro,), folded=True, page_only=True)


def plan_columns(plan: Plan, names: ShortNames) -> tuple[Column, ...]:
    """Return the columns of what `plan_numbers` says."""
    columns: tuple[Column, ...] = (
        Column("today", "number"),
        Column("full", "number"),
        Column("reduced", "number"),
        Column(names.words("forks × (warm-up + iterations)"), "number", word="runs"),
        Column("expected error", "number", word="error"),
    )
    if plan.wish is not None:
        columns = (*columns, Column("finds a change of", "number", word="finds"))
    return columns[1:] if plan.today_seconds is None else columns


def plan_numbers(plan: Plan, entry: BenchmarkPlan) -> tuple[str, ...]:
    """Return what one benchmark costs and how exact it should be, a text for each column."""
    today = () if plan.today_seconds is None else (duration(entry.today_seconds or 0.0),)
    error = "–" if entry.expected_error is None else percent(entry.expected_error)
    found = () if plan.wish is None else (finds(entry),)
    return (
        *today,
        duration(entry.full_seconds),
        duration(entry.seconds),
        f"{entry.forks} × ({entry.warmup} + {entry.iterations})",
        error,
        *found,
    )


def _costs(plan: Plan) -> int:
    """Return how many of the columns say what a benchmark costs."""
    return 2 if plan.today_seconds is None else 3


def _row(plan: Plan, entry: BenchmarkPlan, names: ShortNames) -> Row:
    numbers = tuple(map(Cell, plan_numbers(plan, entry)))
    costs = _costs(plan)
    name, why = Cell(names.named(entry.identity)), Cell(names.words(entry.reason))
    cells = (name, *numbers[:costs], Cell(""), *numbers[costs:], why)
    return Row(cells, identities=(entry.identity,), muted=entry.status != "reduced")
