"""Earlier runs, which teach how much runs of one version differ: as files, or kept somewhere."""

from __future__ import annotations

import argparse

from steady.cli.common import load
from steady.cli.history import opened
from steady.cli.printing import note
from steady.errors import InputError
from steady.history import Fingerprint, Place, alike, open_past, resolve
from steady.model import Suite


def add_earlier(parser: argparse.ArgumentParser, *, results: str, history: str) -> None:
    """Add ``--earlier``, ``--history`` and what goes with it.

    Parameters
    ----------
    results, history : str
        What the two tell the command, for its help.
    """
    parser.add_argument(
        "--earlier", nargs="+", default=[], metavar="RESULT",
        help="results of earlier runs of the suite, one file for each run, the oldest first: "
        f"{results}",
    )  # fmt: skip
    parser.add_argument(
        "--history", metavar="STORE",
        help="where earlier runs are kept (`steady history`), such as git:steady-data: the runs "
        f"with the same CPU, system and JDK {history}",
    )  # fmt: skip
    parser.add_argument(
        "--base-branch", metavar="BRANCH",
        help="branch that these results are for: of --history, only runs of commits count "
        "that HEAD and this branch share (default: commits up to the clone's HEAD)",
    )  # fmt: skip
    parser.add_argument(
        "--suite", default="default", metavar="KEY",
        help="key of the suite in --history (default: %(default)s)",
    )  # fmt: skip


def earlier_runs(arguments: argparse.Namespace, suite: Suite) -> list[Suite]:
    """Return the earlier runs that the arguments name; of the history those like `suite`."""
    suites = [load([path], arguments.format) for path in arguments.earlier]
    if arguments.history is None:
        return suites
    among = None
    try:
        resolve("HEAD", Place())
    except InputError:
        note(
            "this folder is not a clone, so the runs of all commits in the history count, on any "
            "branch"
        )
    else:
        with open_past("HEAD", arguments.base_branch, Place()) as past:
            among = past.shared()
    with opened(arguments.history, Place()) as store:
        return [*suites, *alike(store, arguments.suite, Fingerprint.of(suite), among=among)]
