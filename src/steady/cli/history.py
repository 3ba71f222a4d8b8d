"""``steady history``: store results of runs, and find the baseline for a comparison."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from steady import history
from steady.cli.common import chosen_plan, load
from steady.cli.printing import line, note, print_json
from steady.errors import InputError, require
from steady.files import json_text, write_bytes
from steady.history.baseline import BaselineListing
from steady.history.entry import HistoryListing
from steady.model import Suite
from steady.optimize import write_plan
from steady.options.command import converted
from steady.options.compare_options import Comparing
from steady.options.other_options import BaselineCommand, ListCommand, PruneCommand, RecordCommand
from steady.options.plan_options import OptimizeCommand
from steady.report.terminal import print_table
from steady.suggestions.missing import suggest_for_empty_history
from steady.text.numbers import count

_COLUMNS = ("benchmarks", "KiB", "suite", "commit", "run", "recorded", "environment", "CPU")


def run(arguments: RecordCommand | ListCommand | BaselineCommand | PruneCommand) -> int:
    """Run the given subcommand."""
    if isinstance(arguments, RecordCommand):
        return _record(arguments)
    if isinstance(arguments, ListCommand):
        return _list(arguments)
    return _baseline(arguments) if isinstance(arguments, BaselineCommand) else _prune(arguments)


def _record(arguments: RecordCommand) -> int:
    """Store the results, and report the state of the history."""
    retention = history.Retention(arguments.keep, arguments.max_mb)
    plan = chosen_plan(arguments.plan)
    suite = load(arguments.results, arguments.format)
    place = history.Place(remote=arguments.remote)
    commit = history.resolve(arguments.commit, place)
    with opened(arguments.store, place) as store:
        update = history.record(
            store, arguments.suite, commit, suite,
            run=arguments.run_id, plan=plan, retention=retention,
        )  # fmt: skip
        name = store.name
    if update.added is None:
        line(f"this run of suite {arguments.suite} is already in {name}")
    else:
        line(f"recorded suite {arguments.suite} at commit {commit[:12]} in {name}")
    _print_deleted(update.dropped)
    return 0


def _list(arguments: ListCommand) -> int:
    """Show the index."""
    with opened(arguments.store, history.Place(remote=arguments.remote)) as store:
        entries = history.newest_first(store, arguments.suite)
        name = store.name
    if arguments.json:
        print_json(json_text(HistoryListing(1, name, tuple(entries))))
        return 0
    if not entries:
        line(f"{name} contains no runs")
        note(f"to record the first run: {suggest_for_empty_history(arguments)}")
        return 0
    print_table(_COLUMNS, map(_row, entries), numbers=2)
    return 0


def _baseline(arguments: BaselineCommand) -> int:
    """Find the baseline, write it, and report its commit."""
    require(arguments.within >= 0, f"--within {arguments.within}: expected 0 or more commits")
    like = load(arguments.like, arguments.format) if arguments.like else None
    place = history.Place(remote=arguments.remote)
    with (
        history.open_ancestry(arguments.head, arguments.base, place) as past,
        opened(arguments.store, place) as store,
    ):
        baseline = history.find_baseline(
            store,
            arguments.suite,
            past,
            fingerprint=None if like is None else history.Fingerprint.of(like),
            require_same=arguments.same_environment,
            limit=arguments.within,
        )
        note(baseline.sentence)
        if arguments.json:
            found = (baseline.merge_base, baseline.chosen, baseline.alike)
            listing = BaselineListing(1, baseline.suite, baseline.head, *found)
            print_json(json_text(listing))
        if baseline.chosen is None:
            kept = converted(ListCommand, arguments, json=False)
            note(f"`{kept.line}` lists the recorded runs")
            return 1
        suite = history.load_run(store, baseline.chosen.entry)
        plan_out = arguments.plan_out
        plan = None if plan_out is None else history.load_plan(store, baseline.chosen.entry)
    say = note if arguments.json else line
    say(f"wrote {write_bytes(arguments.out, history.series_bytes(suite))}")
    if plan is not None and plan_out is not None:
        say(f"wrote {write_plan(plan, plan_out)}")
    return 0


def _prune(arguments: PruneCommand) -> int:
    """Delete results that are not to be retained."""
    retention = history.Retention(arguments.keep, arguments.max_mb)
    with opened(arguments.store, history.Place(remote=arguments.remote)) as store:
        update = store.update(None, retention)
    if not update.dropped:
        print("nothing to remove")
    _print_deleted(update.dropped)
    return 0


@contextmanager
def opened(url: str, place: history.Place) -> Iterator[history.Store]:
    """Open a store, and report its unusable files at the end."""
    with history.open_store(url, place) as store:
        yield store
        for problem in store.skipped:
            note(problem)


def _row(entry: history.HistoryEntry) -> tuple[str, ...]:
    size = sum(kept.size for kept in entry.objects) / 1024
    return (
        str(entry.benchmarks),
        f"{size:.0f}",
        entry.suite,
        entry.commit[:12],
        entry.run,
        datetime.fromtimestamp(entry.time, UTC).strftime("%Y-%m-%d %H:%M"),
        entry.environment.digest,
        ", ".join(entry.environment.cpu),
    )


def _print_deleted(dropped: tuple[history.HistoryEntry, ...]) -> None:
    if dropped:
        line(f"removed {count(len(dropped), 'old run')}")


def earlier_runs(arguments: Comparing | OptimizeCommand, suite: Suite) -> list[Suite]:
    """Return the earlier runs given by the arguments.

    From the history, only runs in the same environment as `suite` are used.
    """
    suites = [load([path], arguments.format) for path in arguments.earlier]
    if arguments.history is None:
        return suites
    among = None
    try:
        history.resolve("HEAD", history.Place())
    except InputError:
        note(
            "this folder is not a clone, so the history's runs of all commits on all branches are "
            "used"
        )
    else:
        with history.open_ancestry("HEAD", arguments.base_branch, history.Place()) as past:
            among = past.shared()
    with opened(arguments.history, history.Place()) as store:
        like = history.Fingerprint.of(suite)
        return [
            *suites,
            *history.runs_in_same_environment(store, arguments.suite, like, among=among),
        ]
