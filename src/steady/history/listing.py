"""What `steady history` prints with ``--json``, declared for printing and for the JSON schemas."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from steady.history.baseline import Candidate
from steady.history.entry import HistoryEntry


class HistoryListing(Struct, frozen=True):
    """What `steady history list --json` prints: the runs, the newest first."""

    steady_history_list: Literal[1]
    store: str
    runs: tuple[HistoryEntry, ...]


class BaselineListing(Struct, frozen=True):
    """What `steady history baseline --json` prints.

    `chosen` is null where the history has no baseline, and `merge_base` where head and base share
    no commit. `alike` is the nearest run on the same surroundings, where the chosen one ran on
    others.
    """

    steady_baseline: Literal[1]
    suite: str
    head: str
    merge_base: str | None
    chosen: Candidate | None
    alike: Candidate | None
