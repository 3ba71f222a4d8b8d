"""``steady report``: everything that there is to show of two runs, in one folder."""

from __future__ import annotations

from steady.cli.common import load
from steady.cli.compare import exit_code, gather, write_for_ci
from steady.cli.run_facts import run_facts
from steady.judging import judge, parse_fail_on
from steady.options.compare_options import ReportCommand
from steady.report.provenance import Runs
from steady.report.report_files import write_report
from steady.report.terminal import print_comparison


def run(arguments: ReportCommand) -> int:
    """Compare and write every report."""
    fail_on = parse_fail_on(arguments.fail_on)
    evidence = gather(arguments)
    comparison = judge(evidence)
    full = load(list(arguments.full), arguments.format) if arguments.full else None
    paths = write_report(
        arguments.out,
        comparison,
        evidence.plan,
        Runs(evidence.base, evidence.head, full),
        known=run_facts(evidence.base, evidence.head, arguments),
        detectors=True,
    )
    if arguments.terminal:
        print_comparison(comparison, evidence.plan, strips=True)
    for path in paths:
        print(f"wrote {path}")
    write_for_ci(arguments, comparison, fail_on)
    return exit_code(comparison, fail_on)
