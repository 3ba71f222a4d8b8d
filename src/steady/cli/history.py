"""``steady history``: keep results from run to run, and find the run to compare with."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from steady.cli.common import add_format, add_plan, chosen_plan, load, require
from steady.cli.first_run import first_record, history_listing
from steady.cli.printing import note, print_json
from steady.files import json_text, write_bytes
from steady.history import (
    DEFAULT_STORE,
    Fingerprint,
    HistoryEntry,
    Place,
    Retention,
    Store,
    find_baseline,
    load_plan,
    load_run,
    newest_first,
    open_past,
    open_store,
    record,
    resolve,
    series_bytes,
)
from steady.history.baseline import FARTHEST, Baseline, BaselineListing
from steady.history.entry import HistoryListing
from steady.optimize import write_plan
from steady.report.terminal import print_table
from steady.text.counting import count

_COLUMNS = ("benchmarks", "KiB", "suite", "commit", "run", "recorded", "environment", "CPU")

_STORE = f"""\
where the history is kept (default: {DEFAULT_STORE}): git:BRANCH, a branch of the remote; an \
address for fsspec, such as s3://bucket/folder; or a folder"""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the commands below it."""
    below = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_record(below.add_parser("record", help="keep the results of a run"))
    _add_list(below.add_parser("list", help="show what is kept, the newest first"))
    _add_baseline(
        below.add_parser(
            "baseline",
            help="get the results to compare a change with",
            description="Write the results of the merge base of head and base, or of the nearest "
            "commit before it that has results. The exit code is 1 if no commit has any.",
        )
    )
    _add_prune(below.add_parser("prune", help="drop old runs now"))


def _add_record(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("results", nargs="+", metavar="RESULT", help="result files or patterns")
    _add_place(parser)
    _add_suite(parser)
    parser.add_argument(
        "--commit", default="HEAD", metavar="COMMIT",
        help="the commit that was measured: a full hash, or a name that the clone knows (default: "
        "HEAD)",
    )  # fmt: skip
    parser.add_argument(
        "--run-id", default="", metavar="NAME",
        help="name of this run, if one commit has several (default: made from the results)",
    )  # fmt: skip
    add_plan(parser, "the plan that the run followed")
    _add_retention(parser)
    add_format(parser)
    parser.set_defaults(run=run_record)


def _add_list(parser: argparse.ArgumentParser) -> None:
    _add_place(parser)
    _add_suite(parser, None)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.set_defaults(run=run_list)


def _add_baseline(parser: argparse.ArgumentParser) -> None:
    _add_place(parser)
    _add_suite(parser)
    parser.add_argument(
        "--head", default="HEAD", metavar="REF", help="the change (default: %(default)s)"
    )
    parser.add_argument(
        "--base",
        metavar="REF",
        help="branch that the change is for (default: the commits before head count)",
    )
    parser.add_argument(
        "--like", nargs="+", default=[], metavar="RESULT",
        help="results of head: if a commit has several runs, take one with the same CPU, system "
        "and JDK",
    )  # fmt: skip
    parser.add_argument(
        "--same-environment",
        action="store_true",
        help="take only a run with the same CPU, system and JDK",
    )
    parser.add_argument(
        "--within", type=int, default=FARTHEST, metavar="N",
        help="how many commits before the merge base are searched (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="where the results go"
    )
    parser.add_argument(
        "--plan-out", type=Path, metavar="FILE", help="where the plan of that run goes, if it had "
        "one"
    )  # fmt: skip
    parser.add_argument(
        "--json", action="store_true", help="print which run it is as JSON; FILE is written, too"
    )
    add_format(parser)
    parser.set_defaults(run=run_baseline)


def _add_prune(parser: argparse.ArgumentParser) -> None:
    _add_place(parser)
    _add_retention(parser)
    parser.set_defaults(run=run_prune)


def run_record(arguments: argparse.Namespace) -> int:
    """Keep the results, and say what became of the history."""
    retention = Retention(arguments.keep, arguments.max_mb)
    plan = chosen_plan(arguments)
    suite = load(arguments.results, arguments.format)
    place = _place(arguments)
    commit = resolve(arguments.commit, place)
    with opened(arguments.store, place) as store:
        update = record(
            store, arguments.suite, commit, suite,
            run=arguments.run_id, plan=plan, retention=retention,
        )  # fmt: skip
        name = store.name
    if update.added is None:
        print(f"this run of suite {arguments.suite} is in {name} already")
    else:
        print(f"recorded suite {arguments.suite} at commit {commit[:12]} in {name}")
    _say_dropped(update.dropped)
    return 0


def run_list(arguments: argparse.Namespace) -> int:
    """Show the index."""
    with opened(arguments.store, _place(arguments)) as store:
        entries = newest_first(store, arguments.suite)
        name = store.name
    if arguments.json:
        print_json(json_text(HistoryListing(1, name, tuple(entries))))
        return 0
    if not entries:
        print(f"{name} holds no runs")
        note(f"to begin: {first_record(arguments)}")
        return 0
    print_table(_COLUMNS, map(_row, entries), numbers=2)
    return 0


def run_baseline(arguments: argparse.Namespace) -> int:
    """Find the baseline, write it, and say which it is."""
    require(arguments.within >= 0, f"--within {arguments.within}: expected 0 or more commits")
    like = load(arguments.like, arguments.format) if arguments.like else None
    place = _place(arguments)
    with (
        open_past(arguments.head, arguments.base, place) as past,
        opened(arguments.store, place) as store,
    ):
        baseline = find_baseline(
            store,
            arguments.suite,
            past,
            fingerprint=None if like is None else Fingerprint.of(like),
            require_same=arguments.same_environment,
            limit=arguments.within,
        )
        note(baseline.sentence)
        if arguments.json:
            print_json(json_text(_listing(baseline)))
        if baseline.chosen is None:
            note(f"`{history_listing(arguments)}` shows what is kept")
            return 1
        suite = load_run(store, baseline.chosen.entry)
        plan = load_plan(store, baseline.chosen.entry) if arguments.plan_out else None
    say = note if arguments.json else print
    say(f"wrote {write_bytes(arguments.out, series_bytes(suite))}")
    if plan is not None:
        say(f"wrote {write_plan(plan, arguments.plan_out)}")
    return 0


def run_prune(arguments: argparse.Namespace) -> int:
    """Drop what is not to be kept."""
    retention = Retention(arguments.keep, arguments.max_mb)
    with opened(arguments.store, _place(arguments)) as store:
        update = store.update(None, retention)
    if not update.dropped:
        print("nothing to drop")
    _say_dropped(update.dropped)
    return 0


@contextmanager
def opened(url: str, place: Place) -> Iterator[Store]:
    """Open a store, and say at the end which of its files could not be used."""
    with open_store(url, place) as store:
        yield store
        for problem in store.passed_over:
            note(problem)


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--store", default=DEFAULT_STORE, metavar="STORE", help=_STORE)
    parser.add_argument(
        "--remote", default="origin", metavar="NAME",
        help="remote of the clone, name or address (default: %(default)s)",
    )  # fmt: skip


def _add_suite(parser: argparse.ArgumentParser, key: str | None = "default") -> None:
    parser.add_argument(
        "--suite", default=key, metavar="KEY", help=f"key of the suite (default: {key or 'all'})"
    )


def _add_retention(parser: argparse.ArgumentParser) -> None:
    default = Retention()
    parser.add_argument(
        "--keep", type=int, default=default.runs, metavar="N",
        help="how many runs of each suite are kept, the newest first (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--max-mb", type=float, default=default.megabytes, metavar="M",
        help="how many MiB all runs together may take (default: %(default)g)",
    )  # fmt: skip


def _place(arguments: argparse.Namespace) -> Place:
    return Place(remote=arguments.remote)


def _row(entry: HistoryEntry) -> tuple[str, ...]:
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


def _listing(baseline: Baseline) -> BaselineListing:
    found = (baseline.merge_base, baseline.chosen, baseline.alike)
    return BaselineListing(1, baseline.suite, baseline.head, *found)


def _say_dropped(dropped: tuple[HistoryEntry, ...]) -> None:
    if dropped:
        print(f"dropped {count(len(dropped), 'old run')}")
