"""Store results and plans from run to run, and find the baseline of a change."""

from steady.history.ancestry import open_ancestry as open_ancestry
from steady.history.ancestry import resolve as resolve
from steady.history.baseline import find_baseline as find_baseline
from steady.history.entry import Fingerprint as Fingerprint
from steady.history.entry import HistoryEntry as HistoryEntry
from steady.history.git_command import Remote as Remote
from steady.history.git_command import UnreadableError as UnreadableError
from steady.history.store import Retention as Retention
from steady.history.store import Store as Store
from steady.history.store import Update as Update
from steady.history.store import load_plan as load_plan
from steady.history.store import load_run as load_run
from steady.history.store import newest_first as newest_first
from steady.history.store import record as record
from steady.history.store import runs_in_same_environment as runs_in_same_environment
from steady.history.store import series_bytes as series_bytes
from steady.history.stores import Place as Place
from steady.history.stores import open_store as open_store
from steady.options.shared_options import DEFAULT_STORE as DEFAULT_STORE
