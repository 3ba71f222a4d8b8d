"""``steady compare``: compare two runs, and list benchmarks without a verdict."""

import os
from collections.abc import Iterator
from pathlib import Path

from steady.cli.common import chosen_plan, load
from steady.cli.printing import line, note, print_json, say
from steady.cli.sides import settled
from steady.compare import Comparison, to_json
from steady.compare.criteria import check_rule
from steady.engine.narrowing import narrowed
from steady.files import write_text
from steady.judging import Evidence, judge, parse_fail_on, reasons_to_fail
from steady.model import Suite
from steady.next_steps.first_run import require_plan, require_sides
from steady.next_steps.remedies import ways_to_tell
from steady.options.compare_options import CompareCommand, Comparing
from steady.plan.suite_plan import Plan
from steady.report.change_rows import metrics_became
from steady.report.content import content
from steady.report.markdown import comment
from steady.report.terminal import print_comparison
from steady.report.verdict import unclear_words
from steady.settings import chosen_settings, utc_today
from steady.text.numbers import count


def run(arguments: CompareCommand) -> int:
    """Compare, print, and return the exit code given by ``--fail-on``."""
    fail_on = parse_fail_on(arguments.fail_on)
    evidence = gather(arguments)
    comparison, plan = judge(evidence), evidence.plan
    del evidence  # the results of very many benchmarks take more memory than the comparison
    # Write files first, because the reader of the output can close it early (``| head``).
    if arguments.out is not None:
        line(f"wrote {write_text(arguments.out, _written(arguments, comparison, plan))}")
    write_for_ci(arguments, comparison, fail_on)
    if arguments.out is None and arguments.output == "terminal":
        print_comparison(comparison, plan)
    elif arguments.out is None:
        _show(arguments, _written(arguments, comparison, plan))
    for way in ways_to_tell(arguments, Path(settled(arguments).head[0]), comparison):
        note(way)
    return exit_code(comparison, fail_on)


def _written(arguments: CompareCommand, comparison: Comparison, plan: Plan | None) -> str:
    """Return the comparison as JSON, CSV, or the comment's Markdown."""
    if arguments.output == "json":
        return to_json(comparison)
    if arguments.output == "csv":
        return comparison.to_csv()
    return comment(content(comparison, plan))


def _show(arguments: CompareCommand, text: str) -> None:
    if arguments.output == "json":
        print_json(text)
    elif arguments.output == "csv":
        # CSV requires \r\n; standard output on Windows converts \n itself.
        print(text.replace("\r\n", "\n") if os.linesep == "\r\n" else text, end="")
    else:
        print(text, end="")


def gather(arguments: Comparing) -> Evidence:
    """Read both runs, the plan, the settings and earlier runs given by the arguments."""
    check_rule(arguments.confidence, arguments.false_alarms)
    arguments = settled(arguments)
    require_sides(arguments)
    if arguments.plan is not None:
        require_plan(arguments.plan, arguments)
    settings = chosen_settings(arguments.settings)
    plan = chosen_plan(arguments.plan)
    base = load(arguments.base, arguments.format, empty=True, side="base")
    head = load(arguments.head, arguments.format, empty=True, side="head")
    asked = narrowed(arguments.only, base, head, plan, say)
    return Evidence(
        base=asked.base,
        head=asked.head,
        today=utc_today(),
        plan=asked.plan,
        narrowed=asked.narrowing,
        settings=settings,
        earlier=_earlier_runs(arguments, asked.head),
        rule=arguments.rule,
        min_change=arguments.min_change,
        confidence=arguments.confidence,
        false_alarms=arguments.false_alarms,
        strict_environment=arguments.environment == "require-same",
        metrics=arguments.metrics,
    ).of_same_names()


def _earlier_runs(arguments: Comparing, head: Suite) -> list[Suite]:
    if not arguments.earlier and arguments.history is None:
        return []
    from steady.cli.history import earlier_runs  # slow to import, and rarely needed

    return earlier_runs(arguments, head)


def write_for_ci(arguments: Comparing, comparison: Comparison, fail_on: frozenset[str]) -> None:
    """Write the reports for GitLab and Jenkins, if requested."""
    if arguments.junit is not None:
        from steady.report.junit import junit  # imports XML

        note(f"wrote {write_text(arguments.junit, junit(comparison, fail_on))}")


def exit_code(comparison: Comparison, fail_on: frozenset[str]) -> int:
    """Return 1 if a condition of `fail_on` holds, and print it; otherwise 0."""
    reasons = reasons_to_fail(comparison, fail_on)
    if reasons:
        note(f"exit code 1, because of --fail-on: {', '.join(reasons)}")
    else:
        for words, condition in _tolerated_findings(comparison):
            note(f"exit code 0, although {words} (--fail-on {condition} fails on that)")
    return 1 if reasons else 0


def _tolerated_findings(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield findings that do not fail the command, and the condition that would."""
    if not comparison.comparable:
        return
    if worse := metrics_became(comparison.metrics.regressions):
        yield worse, "metric-regression"
    if comparison.unclear:
        total = f" of {count(len(comparison.changes), 'benchmark')}"
        yield "; ".join(unclear_words(comparison, total)), "unclear"
