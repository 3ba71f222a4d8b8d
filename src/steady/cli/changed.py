"""``steady changed``: list the benchmarks with an identical code path in base and head."""

import time
from collections.abc import Sequence
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from steady.cli.printing import line, note, print_json, say
from steady.engine import HarnessSettings, Version
from steady.engine.discovery import check_targets, unmatched
from steady.engine.harness_detection import harness_of
from steady.errors import InputError
from steady.files import json_text
from steady.harness.builds import Decision, nearness, summary
from steady.harness.only import Only
from steady.harness.search import Search
from steady.harnesses import RUNNABLE, builds_of
from steady.model import Identity
from steady.model.changed_method import ChangedMethods, unreached, unreached_words
from steady.model.identity import by_method
from steady.options.run_options import ChangedCommand
from steady.suggestions.for_run import suggest_for_obstacles
from steady.text.numbers import duration


class ChangedEntry(Struct, frozen=True):
    """The result of a benchmark: whether its code path is identical, and if not, the reason."""

    identity: Identity
    same: bool
    why: str | UnsetType = UNSET


class ChangedListing(Struct, frozen=True):
    """The output of `steady changed --json`; without changed methods if they are unknown."""

    steady_changed: Literal[1]
    benchmarks: tuple[ChangedEntry, ...]
    changed_methods: ChangedMethods | UnsetType = UNSET


def run(arguments: ChangedCommand) -> int:
    """Compare the code paths, and print the list."""
    words = arguments.command
    settings = HarnessSettings(arguments.java, tuple(arguments.jvm_arg), command=words)
    ways = suggest_for_obstacles(arguments)
    base, head = (Version(name, getattr(arguments, name)) for name in ("base", "head"))
    harness = RUNNABLE[harness_of(base, words, ways)].value.make(settings)
    check_targets(harness, [base, head], ways)
    only = None if arguments.only is None else Only(arguments.only)
    search = Search(only, functions="always", tell=say)
    seen = {side.name: tuple(harness.benchmarks(side, search)) for side in (base, head)}
    held = {name: [*filter(search.wants, own)] for name, own in seen.items()}
    for remark in unmatched(only, held, seen, ways):
        say(remark)
    began = time.monotonic()
    builds = builds_of(harness, (base, head))
    if builds is None:
        raise InputError(
            f"identical code paths cannot be determined for the harness {harness.name}"
        )
    decisions, methods = builds.decisions(held), builds.changed_methods(held)
    note(f"compared both versions in {duration(time.monotonic() - began)}")
    if arguments.json:
        entries = tuple(map(_entry, decisions))
        listed = UNSET if methods is None else methods
        print_json(json_text(ChangedListing(1, entries, listed)))
    else:
        _print(decisions)
        _print_unreached(methods)
    return 0


def _entry(decision: Decision) -> ChangedEntry:
    return ChangedEntry(decision.identity, decision.same, UNSET if decision.same else decision.why)


def _print(decisions: Sequence[Decision]) -> None:
    """Print a line for each method, or one for each reason if its cases have several."""
    groups: dict[tuple[str, str], list[Identity]] = {}
    for decision in sorted(decisions, key=lambda d: (d.same, nearness(d.distance, d.share))):
        (method,) = by_method([decision.identity])
        groups.setdefault((method, decision.why), []).append(decision.identity)
    for (method, why), cases in groups.items():
        name = cases[0].label if len(cases) == 1 else f"{method} ({len(cases):,} cases)"
        line(f"may differ  {name}: {why}" if why else f"same        {name}")
    print(summary(decisions))


def _print_unreached(methods: ChangedMethods | None) -> None:
    """Print the changed methods that no benchmark reaches."""
    words, _ = unreached_words(methods)
    if words:
        print(f"{words}:")
        for one in unreached(methods):
            line(f"  {one.label}")
