"""``steady demo``: the whole loop on recorded results of a real JMH suite."""

from __future__ import annotations

import argparse
from pathlib import Path

from steady.cli.common import progress
from steady.compare import compare
from steady.demo import BUDGET, Recording, recording
from steady.emit import emit
from steady.optimize import optimize, read_plan, write_plan
from steady.readers import load
from steady.report.folder import write_report
from steady.report.plan_view import print_plan
from steady.report.terminal import print_comparison


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--out", type=Path, default=Path("build/demo"), metavar="FOLDER",
        help="where the results go (default: %(default)s)",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Plan from the recorded full run, compare the recorded reduced runs, report."""
    with recording() as recorded:
        _show(recorded, arguments.out)
    return 0


def _show(recorded: Recording, out: Path) -> None:
    full = load(recorded.full)
    print(f"1. The full run of {len(full)} benchmarks of examples/jmh-demo, as JMH left it.\n")
    with progress("optimize") as report:
        plan = optimize(full, budget=BUDGET, progress=report)
    print("2. The least that each has to run from now on.\n")
    print_plan(plan)
    emit(plan, out / ".steady", benchmark_list=recorded.benchmark_list)
    write_plan(plan, out / ".steady" / "plan.json")
    followed = read_plan(recorded.plan)
    base, head = load(recorded.base), load(recorded.head)
    comparison = compare(base, head, plan=followed)
    print("\n3. Two versions, run in turn on one machine as planned on the day of the recording.\n")
    print_comparison(comparison, followed)
    write_report(out, comparison, followed, base=base, head=head, full=full)
    print("\n4. What a pull request would get:\n")
    for text, name in (
        ("plan", ".steady/plan.json"),
        ("JMH's configuration", ".steady/overlay"),
        ("comment", "comment.md"),
        ("report", "report.html"),
    ):
        print(f"   {text:20} {out / name}")
