"""``steady compare``: what changed between two runs, and what could not be compared."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from steady.cli.common import add_format, add_plan, add_share, chosen_plan, load, require
from steady.cli.earlier import add_earlier, earlier_runs
from steady.cli.first_run import plan_is_there, sides_are_there, ways_to_tell
from steady.cli.narrowing import add_only, narrowed
from steady.cli.printing import note, print_json
from steady.cli.settings import add_settings, chosen_settings
from steady.cli.sides import add_sides, settle_sides
from steady.compare import DEFAULT_RULE, RULES, Comparison, to_json
from steady.compare.comparison_files import csv_table
from steady.files import write_text
from steady.gate import CONDITIONS, DEFAULT, parse_fail_on, reasons_to_fail
from steady.judging import Evidence, judge
from steady.optimize import Plan
from steady.percent import LEVEL, POSITIVE, SHARE
from steady.report.code_quality import code_quality
from steady.report.content import content
from steady.report.findings import lines_of_findings
from steady.report.junit import junit
from steady.report.markdown import comment
from steady.report.metric_rows import metrics_became
from steady.report.sarif import sarif
from steady.report.terminal import print_comparison
from steady.report.verdict import unclear_words
from steady.settings import utc_today
from steady.text.counting import count


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_comparison(parser)
    parser.add_argument(
        "--output", choices=("terminal", "markdown", "json", "csv"), default="terminal",
        help="what to print (default: %(default)s)",
    )  # fmt: skip
    for name in ("json", "csv"):
        parser.add_argument(
            f"--{name}", action="store_const", const=name, dest="output",
            help=f"short for --output {name}",
        )  # fmt: skip
    parser.add_argument("--out", type=Path, metavar="FILE", help="write to FILE instead")
    parser.set_defaults(run=run)


def add_comparison(parser: argparse.ArgumentParser) -> None:
    """Add what every command that compares two runs has."""
    add_sides(parser)
    parser.add_argument(
        "--junit", type=Path, metavar="FILE",
        help="also write JUnit's XML, which GitLab and Jenkins show beside the tests; a test "
        "fails where --fail-on says so",
    )  # fmt: skip
    parser.add_argument(
        "--code-quality", type=Path, metavar="FILE",
        help="also write GitLab's code quality report, with the benchmarks' lines in the sources "
        "of this folder",
    )  # fmt: skip
    parser.add_argument(
        "--sarif", type=Path, metavar="FILE",
        help="also write a log of SARIF 2.1.0, with the benchmarks' lines in the sources of this "
        "folder",
    )  # fmt: skip
    add_format(parser)
    add_plan(parser, "the plan that both followed: its folder, .steady, or its file")
    add_only(
        parser,
        "compare only benchmarks whose name matches (default: what the run.json beside the "
        "results says, or the plan)",
    )
    add_rule(parser)
    add_settings(parser)
    add_earlier(
        parser,
        results="rule known-spread learns from them how much forks differ; like --history, they "
        "also show how much runs differ",
        history="show how much runs differ, if base and head did not run in turn",
    )
    parser.add_argument(
        "--environment", choices=("say", "require-same"), default="say",
        help="if base and head ran with different CPUs, JDKs or JVM arguments: name them, or give "
        "no verdict "
        "(default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--fail-on", default=DEFAULT, metavar="LIST",
        help=f"what makes the exit code 1: some of {', '.join(CONDITIONS)}, or never "
        "(default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--metrics", nargs="+", default=(), metavar="NAME",
        help="also show these metrics, such as gc.alloc.rate.norm or allocs/op, or all; "
        "allocation is always compared",
    )  # fmt: skip


def add_rule(parser: argparse.ArgumentParser) -> None:
    """Add what counts as a change."""
    parser.add_argument(
        "--rule", default=DEFAULT_RULE, choices=list(RULES), metavar="NAME",
        help="what counts as a change (default: %(default)s; `steady methods` lists them)",
    )  # fmt: skip
    add_share(
        parser, "--min-change", SHARE, default=0.03,
        help="smallest change worth reporting (default: 3%%)",
    )  # fmt: skip
    add_share(
        parser, "--confidence", LEVEL,
        help="confidence of the verdict on each benchmark, however many benchmarks the suite has "
        "(default: what --false-alarms asks for; 99%% where base and head took no turns)",
    )  # fmt: skip
    add_share(
        parser, "--false-alarms", POSITIVE,
        help="chance that a pull request which changes nothing gets a false alarm (default: what "
        "the settings say, or 2%% where base and head took turns)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Compare, print, and answer with the exit code that was asked for."""
    fail_on = parse_fail_on(arguments.fail_on)
    evidence = gather(arguments)
    comparison, plan = judge(evidence), evidence.plan
    if arguments.output == "terminal" and arguments.out is None:
        print_comparison(comparison, plan)
    else:
        text = _render(comparison, plan, arguments.output)
        if arguments.out is None and arguments.output == "json":
            print_json(text)
        elif arguments.out is None:
            print(text, end="")
        else:
            print(f"wrote {write_text(arguments.out, text)}")
    write_for_ci(arguments, comparison, fail_on)
    for way in ways_to_tell(arguments, comparison):
        note(way)
    return exit_code(comparison, fail_on)


def check_rule(arguments: argparse.Namespace) -> None:
    """Raise the user's mistake if options of `add_rule` do not go together."""
    require(
        arguments.confidence is None or arguments.false_alarms is None,
        "give --confidence, which is about one benchmark, or --false-alarms, which is about the "
        "whole pull request, but not both",
    )


def gather(arguments: argparse.Namespace) -> Evidence:
    """Read both runs, the plan, the settings and earlier runs, as the arguments say."""
    check_rule(arguments)
    settle_sides(arguments)
    sides_are_there(arguments)
    if arguments.plan is not None:
        plan_is_there(arguments.plan, arguments)
    settings = chosen_settings(arguments.settings)
    plan = chosen_plan(arguments)
    base = load(arguments.base, arguments.format, empty=True, side="base")
    head = load(arguments.head, arguments.format, empty=True, side="head")
    base, head, plan = narrowed(arguments, base, head, plan)
    return Evidence(
        base=base,
        head=head,
        today=utc_today(),
        plan=plan,
        settings=settings,
        earlier=earlier_runs(arguments, head),
        rule=arguments.rule,
        min_change=arguments.min_change,
        confidence=arguments.confidence,
        false_alarms=arguments.false_alarms,
        strict_environment=arguments.environment == "require-same",
        metrics=arguments.metrics,
    )


def write_for_ci(
    arguments: argparse.Namespace, comparison: Comparison, fail_on: frozenset[str]
) -> None:
    """Write what other systems than GitHub show, where that is asked for."""
    if arguments.junit is not None:
        note(f"wrote {write_text(arguments.junit, junit(comparison, fail_on))}")
    if arguments.code_quality is not None:
        lines = lines_of_findings(comparison, ".")
        note(f"wrote {write_text(arguments.code_quality, code_quality(comparison, lines))}")
    if arguments.sarif is not None:
        lines = lines_of_findings(comparison, ".")
        note(f"wrote {write_text(arguments.sarif, sarif(comparison, lines))}")


def exit_code(comparison: Comparison, fail_on: frozenset[str]) -> int:
    """Return 1 where a condition of `fail_on` holds, and say which."""
    reasons = reasons_to_fail(comparison, fail_on)
    if reasons:
        note(f"exit code 1, because of --fail-on: {', '.join(reasons)}")
    else:
        for words, condition in _what_does_not_fail(comparison):
            note(f"exit code 0, although {words} (--fail-on {condition} fails on that)")
    return 1 if reasons else 0


def _what_does_not_fail(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield what a reader might take for a failure, and the condition that makes it one."""
    if not comparison.comparable:
        return
    if worse := metrics_became(comparison.metrics.regressions):
        yield worse, "metric-regression"
    if comparison.unclear:
        total = f" of {count(len(comparison.changes), 'benchmark')}"
        yield "; ".join(unclear_words(comparison, total)), "unclear"


def _render(comparison: Comparison, plan: Plan | None, output: str) -> str:
    if output == "json":
        return to_json(comparison)
    if output == "csv":
        return csv_table(comparison)
    return comment(content(comparison, plan))
