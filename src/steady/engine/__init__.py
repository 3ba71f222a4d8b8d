"""Running a suite: base and head take turns on one machine."""

from __future__ import annotations

from steady.engine.agenda import Agenda, FollowUp
from steady.engine.live_stop import StopRule
from steady.engine.progress import PlainLines, Watcher
from steady.engine.run_file import Header, Target
from steady.engine.run_folder import RunFolder
from steady.engine.runner import run_trials
from steady.engine.schedule import further_rounds, schedule, with_starts
from steady.engine.state import RunState
from steady.engine.workload import Workload
from steady.harness.runs import (
    ForkResult,
    HarnessSettings,
    RunFacts,
    Runs,
    Session,
    Turn,
    Turns,
)
from steady.harness.trial import Trial, TrialError, Version

__all__ = [
    "Agenda",
    "FollowUp",
    "ForkResult",
    "Runs",
    "HarnessSettings",
    "Header",
    "PlainLines",
    "RunFacts",
    "RunFolder",
    "RunState",
    "Session",
    "StopRule",
    "Target",
    "Trial",
    "TrialError",
    "Turn",
    "Turns",
    "Version",
    "Watcher",
    "Workload",
    "further_rounds",
    "run_trials",
    "schedule",
    "with_starts",
]
