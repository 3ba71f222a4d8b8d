"""``steady changed``: list the benchmarks that run the same code in base and head."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import UNSET

from steady.changed.decide import Decision, summary
from steady.changed.record import CLASSES, read_builds
from steady.cli.changed_audit import audit_loaded, audit_results
from steady.cli.common import require
from steady.cli.narrowing import require_matches
from steady.cli.printing import note, print_json
from steady.cli.run_checks import check_targets, harness_of
from steady.cli.watching import say
from steady.files import json_text
from steady.listings import ChangedEntry, ChangedListing
from steady.options.run_options import ChangedCommand, RunCommand
from steady.run import HARNESSES, HarnessSettings, Version
from steady.run.go_same_code import go_decisions
from steady.run.jmh_harness import JmhHarness
from steady.run.jmh_same_code import JmhBuilds
from steady.run.only import Only
from steady.run.search import Search
from steady.text.escape import visible
from steady.text.numbers import duration


def run(arguments: ChangedCommand) -> int:
    """Decide, print the list, and hold it against results where these are given."""
    require(
        not arguments.json or arguments.audit is None,
        "--audit prints sentences; leave out --json, or --audit",
    )
    settings = HarnessSettings(arguments.java, tuple(arguments.jvm_arg))
    harness = HARNESSES[harness_of(arguments.base, arguments)].value.make(settings)
    base, head = (Version(name, getattr(arguments, name)) for name in ("base", "head"))
    check_targets(harness, [base, head], arguments)
    only = None if arguments.only is None else Only(arguments.only)
    search = Search(only, tell=say)
    seen = {side.name: tuple(harness.benchmarks(side, search)) for side in (base, head)}
    held = {name: [*filter(search.wants, own)] for name, own in seen.items()}
    require_matches(
        only, held, seen, RunCommand(list=True, base=arguments.base, head=arguments.head).line
    )
    began = time.monotonic()
    jars = None
    if isinstance(harness, JmhHarness):
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
