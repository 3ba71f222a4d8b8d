"""Results and plans kept from run to run, and the run that a change is compared with."""

from steady.history.ancestry import Past, open_past, resolve
from steady.history.baseline import Baseline, find_baseline
from steady.history.entry import HistoryEntry
from steady.history.fingerprint import Fingerprint
from steady.history.git_command import Remote
from steady.history.git_store import DEFAULT_BRANCH, GitStore
from steady.history.opening import DEFAULT_STORE, Place, open_store
from steady.history.retention import Retention
from steady.history.runs import (
    alike,
    load_plan,
    load_run,
    newest_first,
    record,
    series_bytes,
)
from steady.history.store import Store, Update

__all__ = [
    "Baseline",
    "DEFAULT_BRANCH",
    "DEFAULT_STORE",
    "HistoryEntry",
    "Fingerprint",
    "GitStore",
    "Past",
    "Place",
    "Remote",
    "Retention",
    "Store",
    "Update",
    "alike",
    "find_baseline",
    "load_plan",
    "load_run",
    "newest_first",
    "open_past",
    "open_store",
    "record",
    "resolve",
    "series_bytes",
]
