"""``steady changed``: list the benchmarks that run the same code in base and head."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import UNSET

from steady.cli.changed_audit import audit_loaded, audit_results
from steady.cli.common import require
from steady.cli.narrowing import add_only
from steady.cli.printing import note, print_json
from steady.cli.run_options import add_java
from steady.cli.run_ways import ways_of
from steady.cli.watching import say
from steady.engine import HarnessSettings, Version
from steady.engine.finding import check_targets, harness_of, unmatched
from steady.files import json_text
from steady.harness import RUNNABLE
from steady.harness.go.samecode.selection import go_decisions
from steady.harness.jmh.run.runs import JmhRuns
from steady.harness.jmh.samecode.record import CLASSES, read_builds
from steady.harness.jmh.samecode.selection import JmhBuilds
from steady.harness.only import Only
from steady.harness.search import Search
from steady.listings import ChangedEntry, ChangedListing
from steady.samecode.decide import Decision, summary
from steady.text.escape import visible
from steady.text.numbers import duration


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    for side in ("base", "head"):
        parser.add_argument(
            f"--{side}", type=Path, required=True, metavar="JAR",
            help=f"benchmarks of {side}, built: JMH's jar, or Go's test binaries",
        )  # fmt: skip
    parser.add_argument(
        "--plan", type=Path, metavar="PLAN",
        help="JMH: folder of a plan, such as .steady: its classes.json says what benchmarks load, "
        "so that fewer short forks are needed",
    )  # fmt: skip
    add_only(parser, "list only benchmarks whose name matches")
    add_java(parser)
    parser.add_argument(
        "--audit", type=Path, metavar="FOLDER",
        help="results of `steady run --same-code run` with these two builds: show what was "
        "measured for the benchmarks with the same code",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Decide, print the list, and hold it against results where these are given."""
    require(
        not arguments.json or arguments.audit is None,
        "--audit prints sentences; leave out --json, or --audit",
    )
    settings = HarnessSettings(arguments.java, tuple(arguments.jvm_arg))
    ways = ways_of(arguments)
    harness = RUNNABLE[harness_of(arguments.base, ways)].value.make(settings)
    base, head = (Version(name, getattr(arguments, name)) for name in ("base", "head"))
    check_targets(harness, [base, head], ways)
    only: Only | None = arguments.only
    search = Search(only, tell=say)
    seen = {side.name: tuple(harness.benchmarks(side, search)) for side in (base, head)}
    held = {name: [*filter(search.wants, own)] for name, own in seen.items()}
    for remark in unmatched(only, held, seen, ways):
        say(remark)
    began = time.monotonic()
    jars = None
    if isinstance(harness, JmhRuns):
        builds = () if arguments.plan is None else read_builds(_folder(arguments.plan) / CLASSES)
        jars = JmhBuilds(harness, base, head, builds, say)
    decisions = jars.decisions(held) if jars else go_decisions(base, head, held)
    note(f"looked at both versions for {duration(time.monotonic() - began)}")
    if arguments.json:
        print_json(json_text(ChangedListing(1, tuple(map(_entry, decisions)))))
    else:
        _print(decisions)
    if arguments.audit is None:
        return 0
    outcome = audit_results(decisions, arguments.audit, harness.suffix)
    return max(outcome, audit_loaded(decisions, arguments.audit, jars, held) if jars else 0)


def _folder(plan: Path) -> Path:
    return plan if plan.is_dir() else plan.parent


def _entry(decision: Decision) -> ChangedEntry:
    return ChangedEntry(decision.identity, decision.same, UNSET if decision.same else decision.why)


def _print(decisions: Sequence[Decision]) -> None:
    for decision in sorted(decisions, key=lambda one: one.same):
        label = visible(decision.identity.label)
        print(f"{'same      ' if decision.same else 'may differ'}  {label}{_reason(decision)}")
    print(summary(decisions))


def _reason(decision: Decision) -> str:
    return f": {visible(decision.why)}" if decision.why else ""
