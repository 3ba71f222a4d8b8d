"""``steady report``: everything that there is to show of two runs, in one folder."""

from __future__ import annotations

import argparse
from pathlib import Path

from steady.cli.compare import add_comparison, exit_code, gather, write_for_ci
from steady.gate import parse_fail_on
from steady.judging import judge
from steady.report.folder import write_report


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_comparison(parser)
    parser.add_argument(
        "--out", type=Path, default=Path("steady-report"), metavar="FOLDER",
        help="where they go (default: %(default)s)",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compare and write every report."""
    fail_on = parse_fail_on(arguments.fail_on)
    evidence = gather(arguments)
    comparison = judge(evidence)
    for path in write_report(
        arguments.out, comparison, evidence.plan, base=evidence.base, head=evidence.head
    ):
        print(f"wrote {path}")
    write_for_ci(arguments, comparison, fail_on)
    return exit_code(comparison, fail_on)
