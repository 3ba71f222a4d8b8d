"""``steady report``: everything that there is to show of two runs, in one folder."""

from __future__ import annotations

import argparse
from pathlib import Path

from steady.cli.common import load
from steady.cli.compare import add_comparison, exit_code, gather, write_for_ci
from steady.cli.run_facts import run_facts
from steady.gate import parse_fail_on
from steady.judging import judge
from steady.report.provenance import Runs
from steady.report.report_files import write_report
from steady.report.terminal import print_comparison


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_comparison(parser)
    parser.add_argument(
        "--out", type=Path, default=Path("steady-report"), metavar="FOLDER",
        help="where they go (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--full", nargs="+", default=(), metavar="RESULT",
        help="results of the full run that the plan was made from: the page shows where each fork "
        "becomes steady, and how stable smaller runs would be",
    )  # fmt: skip
    parser.add_argument(
        "--terminal", action="store_true",
        help="also print the comparison, with a strip for each change that shows its interval, "
        "zero, and the sizes that do not count",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
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
        known=run_facts(evidence.base, evidence.head, arguments.argv),
        detectors=True,
    )
    if arguments.terminal:
        print_comparison(comparison, evidence.plan, strips=True)
    for path in paths:
        print(f"wrote {path}")
    write_for_ci(arguments, comparison, fail_on)
    return exit_code(comparison, fail_on)
