"""``steady compare``: compare two runs, and list benchmarks without a verdict."""

import os
from collections.abc import Iterator

from steady.cli.common import chosen_plan, load
from steady.cli.printing import line, note, print_json, say
from steady.compare.summary import Summary
from steady.engine.narrowing import narrowed
from steady.files import write_text
from steady.judging import Evidence, judge, parse_fail_on, reasons_to_fail
from steady.model import Suite
from steady.options.compare_options import CompareCommand, Comparing
from steady.options.strictness import check_strictness, strictness_of
from steady.report.content import ReportData
from steady.report.output_formats import OUTPUT_FORMATS, PRINTED, OutputFormat
from steady.report.verdict import metrics_became, unclear_words
from steady.settings import chosen_settings, utc_today
from steady.suggestions.for_results import suggest_for_unclear
from steady.suggestions.missing import existing_inputs
from steady.text.numbers import count


def run(arguments: CompareCommand) -> int:
    """Compare, print, and return the exit code given by ``--fail-on``."""
    evidence, fail_on = gather(arguments)
    data = ReportData(comparison=judge(evidence), plan=evidence.plan, fail_on=fail_on)
    del evidence  # the results of very many benchmarks take more memory than the comparison
    output = PRINTED[arguments.output].value
    # Write files first, because the reader of the output can close it early (``| head``).
    if arguments.out is not None:
        line(f"wrote {write_text(arguments.out, output.write(data))}")
    write_for_ci(arguments, data)
    if arguments.out is None:
        _show(output, data)
    summary = data.document.summary
    for text in suggest_for_unclear(arguments, summary):
        note(text)
    return exit_code(summary, fail_on)


def _show(output: OutputFormat, data: ReportData) -> None:
    if output.show is not None:
        output.show(data)
    elif output.is_json:
        print_json(output.write(data))
    else:
        text = output.write(data)
        # CSV ends its lines with \r\n everywhere; standard output of Windows makes that of \n.
        print(text.replace("\r\n", "\n") if os.linesep == "\r\n" else text, end="")


def gather(arguments: Comparing) -> tuple[Evidence, frozenset[str]]:
    """Read both runs, the plan, the settings and earlier runs; parse ``--fail-on`` before that."""
    fail_on = parse_fail_on(arguments.fail_on)
    check_strictness(arguments)
    arguments = existing_inputs(arguments)
    settings = chosen_settings(arguments.settings)
    plan = chosen_plan(arguments.plan)
    base = load(arguments.base, arguments.format, empty=True, side="base")
    head = load(arguments.head, arguments.format, empty=True, side="head")
    asked = narrowed(arguments.only, base, head, plan, say)
    evidence = Evidence(
        base=asked.base,
        head=asked.head,
        today=utc_today(),
        plan=asked.plan,
        narrowed=asked.narrowing,
        settings=settings,
        earlier=_earlier_runs(arguments, asked.head),
        strict_environment=arguments.environment == "require-same",
        metrics=arguments.metrics,
        **strictness_of(arguments),
    )
    return evidence.of_same_names(), fail_on


def _earlier_runs(arguments: Comparing, head: Suite) -> list[Suite]:
    if not arguments.earlier and arguments.history is None:
        return []
    from steady.cli.history import earlier_runs  # slow to import, and rarely needed

    return earlier_runs(arguments, head)


def write_for_ci(arguments: Comparing, data: ReportData) -> None:
    """Write the file that GitLab and Jenkins show, on request."""
    if arguments.junit is not None:
        text = OUTPUT_FORMATS["junit"].value.write(data)
        note(f"wrote {write_text(arguments.junit, text)}")


def exit_code(summary: Summary, fail_on: frozenset[str]) -> int:
    """Return 1 if a condition of `fail_on` holds, and print it; otherwise 0."""
    reasons = reasons_to_fail(summary, fail_on)
    if reasons:
        note(f"exit code 1, because of --fail-on: {', '.join(reasons)}")
    else:
        for words, condition in _what_does_not_fail(summary):
            note(f"exit code 0, although {words} (use --fail-on {condition} for exit code 1)")
    return 1 if reasons else 0


def _what_does_not_fail(summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield findings that do not fail the command, and the condition that would."""
    if not summary.comparable:
        return
    for worse in metrics_became(summary.metrics.regressions, "more", "worse"):
        yield worse, "metric-regression"
    if summary.unclear:
        total = f" of {count(summary.compared, 'benchmark')}"
        yield unclear_words(summary.unclear, total), "unclear"
