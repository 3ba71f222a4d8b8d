"""The savings receipt: what a plan saves, benchmark by benchmark, and how far it can be trusted."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

from steady.optimize.suite_plan import BenchmarkPlan, Plan
from steady.report import plan_words
from steady.report.document import Cell, Column, Row, Section
from steady.report.markdown import characters, fit, section_block
from steady.report.names import ShortNames
from steady.report.wording import names_sentence
from steady.text.escape import code_span, plain
from steady.text.numbers import count, duration, percent

LIMIT = 60_000
"""Characters; a comment may have 65,536."""


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
        f"{plan_words.comparison_with_today(plan)}"
    ).rstrip()
    intro = f"{intro} {plan_words.detection_sentences(plan).replace('`', '')}".rstrip()
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
    found = () if plan.wish is None else (plan_words.finds(entry),)
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


def receipt(plan: Plan) -> str:
    """Render what a plan saves as Markdown of at most `LIMIT` characters.

    Parameters
    ----------
    plan : Plan
        The plan; the benchmarks that save least are left out first, and counted.

    Returns
    -------
    str
        A headline, a paragraph, and a folded table with the greatest saving first.
    """
    names = ShortNames.of(plan)
    prefix = plain(names_sentence(names.prefix)) if names.prefix else ""
    found = plan_words.detection_sentences(plan)
    time = (plan_words.rotation_sentence(plan), found, plan_words.comparison_with_today(plan))
    about = " ".join(filter(None, (*time, trust(plan), prefix)))
    table = replace(plan_section(plan, names), title="Every benchmark", intro=())
    rows = section_block(table, "`plan.json`")
    return fit([headline(plan), about, rows], LIMIT, characters)


def headline(plan: Plan) -> str:
    """Return the one line that sells the plan, or says that it saves nothing."""
    reduced = sum(entry.status == "reduced" for entry in plan.benchmarks)
    if not reduced:
        return (
            f"**steady found nothing to save**: {count(len(plan), 'benchmark')} of "
            f"{duration(plan.full_seconds)} in all keep their configuration."
        )
    return (
        f"**{plan_words.former(plan)} become {duration(plan.seconds)}** "
        f"({plan_words.saved(plan)}): {reduced} of {count(len(plan), 'benchmark')} reduced."
    )


def trust(plan: Plan) -> str:
    """Return what is known about the error of the reduced results."""
    errors = plan_words.expected_errors(plan)
    if not errors:
        return "The expected error is not known: that takes at least three forks."
    sentences = (
        "Expected error of a reduced result, on forks that the plan did not see: median "
        f"{percent(median(errors))}, worst {percent(errors[-1])}.",
        plan_words.above_budget_sentence(plan),
        runs_sentence(plan),
        f"Strategy {code_span(plan.strategy)}; seconds include the start of every fork and its "
        "warm-up.",
    )
    return " ".join(filter(None, sentences))


def runs_sentence(plan: Plan) -> str:
    """Say what the expected errors know of other runs, and what they leave out."""
    runs = plan.between_runs
    if runs is None:
        return (
            "The expected error covers differences between forks of one run; another day may add "
            "to it."
        )
    share = f"{runs.ratio:.2g} times the spread between forks"
    if runs.runs:
        known = count(runs.runs, "earlier run")
        return f"The expected error includes what another run adds: {share}, learnt from {known}."
    return (
        f"The expected error allows {share} for another run, which is how much runs of public "
        "suites differ. Runs on your machine may differ more: give earlier ones to find out "
        "(`steady optimize --earlier`)."
    )
