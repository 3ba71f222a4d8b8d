"""A plan as report text: sentences and a table.

Savings are relative to the project's current configuration if results of `steady run` contain it,
and otherwise to the full run from which the plan was made.
"""

from statistics import median

from steady.harnesses import harness_named
from steady.model import ExecutionConfiguration
from steady.plan.suite_plan import BenchmarkPlan, Plan
from steady.report.document import Cell, Column, Row, Section
from steady.report.names import ShortNames
from steady.text.numbers import NO_BREAK, count, duration, percent, share


def reduced(plan: Plan) -> list[BenchmarkPlan]:
    """Return the benchmarks that run less than before, in the plan's order."""
    return [entry for entry in plan.benchmarks if entry.status == "reduced"]


def kept(plan: Plan) -> list[BenchmarkPlan]:
    """Return the benchmarks that are not reduced, in the plan's order."""
    return [entry for entry in plan.benchmarks if entry.status != "reduced"]


def count_kept(number: int) -> str:
    """Format the number of benchmarks that are not reduced."""
    return count(number, "benchmark is not reduced", "benchmarks are not reduced")


def former(plan: Plan) -> str:
    """Format the time of one run of the suite before the plan: ``31 min 40 s today``."""
    return duration(plan.former_seconds) + ("" if plan.today_seconds is None else " today")


def saved(plan: Plan, word: str = "saved") -> str:
    """Format the percentage that the plan saves, or its additional time."""
    before, now = plan.former_seconds, plan.seconds
    if now > before:
        return f"{duration(now - before)} more"
    return f"{percent(1 - now / before if before > 0 else 0.0)} {word}"


def percent_left(seconds: float, former_seconds: float) -> float:
    """Return a part as a percentage of the whole, at most 100."""
    return min(100 * seconds / former_seconds, 100.0) if former_seconds > 0 else 100.0


def comparison_with_today(plan: Plan) -> str:
    """Return sentences about today's configuration and the full run; empty if it is unknown."""
    if plan.today_seconds is None:
        return ""
    more = ""
    if plan.seconds > plan.today_seconds:
        more = " The plan takes longer than that; --time-budget limits it."
    return (
        "Today: the configuration in the benchmarks' annotations, otherwise the harness's "
        f"defaults.{more} The full run, the input of the plan, takes {duration(plan.full_seconds)}."
    )


def rotation_sentence(plan: Plan) -> str:
    """Return a sentence about the rotation.

    It is empty if every pull request's run measures the whole suite.
    """
    if plan.rotation == 1 or plan.time_budget is None:
        return ""
    whole = plan.start_seconds + plan.pair_seconds
    important = sum(entry.important for entry in plan.benchmarks)
    always = f"; the {important:,} important ones are in every run" if important else ""
    return (
        f"Base and head of the whole suite take {duration(whole)}; the time budget of a pull "
        f"request is {duration(plan.time_budget)}. A run for a pull request measures a part of the "
        f"suite; {plan.rotation:,} such runs cover every benchmark once{always}."
    )


def expected_errors(plan: Plan) -> list[float]:
    """Return the known errors of reduced results, in ascending order."""
    errors = (entry.expected_error for entry in reduced(plan))
    return sorted(error for error in errors if error is not None)


def expected_error(entry: BenchmarkPlan | None) -> str:
    """Format the expected error of a result; a dash if unknown."""
    error = None if entry is None else entry.expected_error
    return "–" if error is None else percent(error)


FAR_ABOVE = 2
"""Ratio of the median error to the budget above which a warning is given."""


def above_budget_sentence(plan: Plan) -> str:
    """Return a warning if the expected errors far exceed the budget; otherwise empty."""
    budget, errors = plan.options.get("budget"), expected_errors(plan)
    in_time = plan.options.get("time_budget") is not None
    if not isinstance(budget, float) or in_time or not errors:
        return ""
    if median(errors) <= FAR_ABOVE * budget:
        return ""
    return (
        f"The median expected error is far above the budget of {percent(budget)}, because the "
        "forks of this full run differ too much: repeat it on a quieter machine or with more forks."
    )


_LARGEST = 1.0
"""Upper limit of detectable effects to print; larger effects are obvious without statistics."""


def detectable_change(entry: BenchmarkPlan) -> str:
    """Format the detectable effect of a benchmark's plan; a dash if unknown."""
    if entry.detectable is None:
        return "–"
    if entry.detectable > _LARGEST:
        return f"> {percent(_LARGEST)}" if entry.recorded_rounds else "–"
    return f"{'' if entry.recorded_rounds else '≤ '}{percent(entry.detectable)}"


def detection_sentences(plan: Plan) -> str:
    """Return sentences about the detectable effects, and the time of base and head together.

    Returns
    -------
    str
        Empty if the plan was not made with ``--detect``.
    """
    wish = plan.wish
    if wish is None:
        return ""
    known = [e for e in plan.benchmarks if e.detectable is not None]
    sizes = sorted(e.detectable for e in known if e.detectable is not None)
    others = [size for size in sizes if size > wish]
    reached, unknown = len(sizes) - len(others), len(plan) - len(sizes)
    took_turns = any(e.recorded_rounds for e in known)
    parts = [f"Base and head, interleaved, take {duration(plan.pair_seconds)}."]
    if reached or took_turns:
        parts.append(
            f"A change of {share(wish)} is detectable in {reached:,} of "
            f"{count(len(plan), 'benchmark')}{_chance(plan)}."
        )
    if others and took_turns:
        usual = median(others)
        size = percent(usual) if usual <= _LARGEST else f"more than {percent(_LARGEST)}"
        only = count(len(others), "benchmark")
        parts.append(f"In {only}, only larger changes are detectable: {size} (median).")
    if unknown:
        parts.append(f"{count_kept(unknown)}; the detectable change is unknown.")
    if others and not took_turns:
        parts.append(
            f"The detectable change{' of the others' if reached else ''} will be known after the "
            "first interleaved run. The forks of a full run are not interleaved and differ more, "
            "so sizes with ≤ are upper limits. After that run, plan again with its results "
            "(`--earlier BASE HEAD`)."
        )
    elif any(not e.recorded_rounds for e in known):
        parts.append(
            "Sizes with ≤ are upper limits, from forks that were not interleaved. "
            "Results of `steady run` make them exact (`--earlier BASE HEAD`)."
        )
    return " ".join(parts)


def _chance(plan: Plan) -> str:
    power = plan.options.get("power")
    return f" with a probability of {share(power)}" if isinstance(power, float) else ""


def cost_sentence(plan: Plan) -> str:
    """Return the cost of one run of the suite with the plan."""
    return (
        f"Planned run: {duration(plan.seconds)} instead of {former(plan)}, {saved(plan, 'less')}."
    )


def savings_sentence(plan: Plan) -> str:
    """Return sentences about cost and expected errors of one run of the suite with the plan."""
    cost = cost_sentence(plan)
    if plan.wish is not None:
        return f"{cost} {detection_sentences(plan).replace('`', '')}"
    errors = expected_errors(plan)
    if not errors:
        return cost
    error = (
        f"Expected error of a result: median {percent(median(errors))}, largest "
        f"{percent(errors[-1])}, not including day-to-day variation."
    )
    return " ".join(filter(None, (cost, error, above_budget_sentence(plan))))


def plan_section(plan: Plan, names: ShortNames) -> Section:
    """Return table rows of all benchmarks of a plan, by decreasing savings."""
    entries = sorted(plan.benchmarks, key=lambda e: (e.seconds - e.full_seconds, e.identity.label))
    rows = tuple(_row(plan, entry, names) for entry in entries)
    titles = plan_columns(plan, names)
    saved_share = Column("share", "picture")
    costs = _costs(plan)
    name, why = Column("benchmark", "name"), Column("why")
    columns = (name, *titles[:costs], saved_share, *titles[costs:], why)
    sentences = (
        f"Strategy {plan.strategy}. Seconds include the start of every fork and its warm-up.",
        comparison_with_today(plan),
        plan.judged,
        detection_sentences(plan).replace("`", ""),
    )
    intro = (" ".join(filter(None, sentences)),)
    nouns = ("benchmark", "benchmarks")
    return Section("Plan", *nouns, rows, columns, intro, folded=True, page_only=True)


def plan_columns(plan: Plan, names: ShortNames) -> tuple[Column, ...]:
    """Return the column headings of `plan_numbers`."""
    columns: tuple[Column, ...] = (
        Column("today", "number"),
        Column("full", "number"),
        Column("reduced", "number"),
        Column(names.words("forks × (warm-up + iterations)"), "number", word="runs"),
        Column("expected error", "number", word="error"),
    )
    if plan.wish is not None:
        columns = (*columns, Column("detectable change", "number", word="finds"))
    return columns[1:] if plan.today_seconds is None else columns


def plan_numbers(plan: Plan, entry: BenchmarkPlan) -> tuple[str, ...]:
    """Return cost and expected error of one benchmark, a string for each column."""
    today = () if plan.today_seconds is None else (duration(entry.today_seconds or 0.0),)
    found = () if plan.wish is None else (detectable_change(entry),)
    return (
        *today,
        duration(entry.full_seconds),
        duration(entry.seconds),
        repetitions(entry.configuration),
        expected_error(entry),
        *found,
    )


def run_before(plan: Plan, entry: BenchmarkPlan) -> tuple[ExecutionConfiguration, float]:
    """Return the configuration of a benchmark before the plan, and its seconds.

    This is the project's current configuration if known for all benchmarks, and otherwise the full
    run.
    """
    if plan.today_seconds is None or entry.today is None:
        return entry.full, entry.full_seconds
    return entry.today, entry.today_seconds or 0.0


def repetitions(run: ExecutionConfiguration) -> str:
    """Format forks × (warm-up + iterations).

    >>> repetitions(ExecutionConfiguration(5, 8, 10, 1.0, 1.0))
    '5 × (8 + 10)'
    """
    return f"{run.forks} × ({run.warmup_iterations} + {run.iterations})"


def unbroken(run: ExecutionConfiguration) -> str:
    """Format forks × (warm-up + iterations) for a table cell, with no-break spaces."""
    return repetitions(run).replace(" ", NO_BREAK)


def largest_savings(plan: Plan) -> list[BenchmarkPlan]:
    """Return the benchmarks of a plan by decreasing savings in seconds."""
    return sorted(
        plan.benchmarks, key=lambda e: (e.seconds - run_before(plan, e)[1], e.identity.label)
    )


def _costs(plan: Plan) -> int:
    """Return the number of columns with costs."""
    return 2 if plan.today_seconds is None else 3


def _row(plan: Plan, entry: BenchmarkPlan, names: ShortNames) -> Row:
    numbers = tuple(map(Cell, plan_numbers(plan, entry)))
    costs = _costs(plan)
    name, why = Cell(names.named(entry.identity)), Cell(names.words(entry.reason))
    cells = (name, *numbers[:costs], Cell(""), *numbers[costs:], why)
    return Row(cells, identities=(entry.identity,), muted=entry.status != "reduced")


def runs_sentence(plan: Plan) -> str:
    """Return a sentence about the variance between runs in the expected errors."""
    ratio = harness_named(plan.harness).cost.between_runs
    return (
        f"The expected error includes a run-to-run variation of {ratio:.2g} times the standard "
        "deviation between forks, as in public suites. Runs on your machine may differ more."
    )
