"""Running a suite: base and head take turns on one machine."""

from __future__ import annotations

from pathlib import Path

from steady.engine.folder import RunFolder
from steady.engine.live_stop import StopRule
from steady.engine.progress import PlainLines, Watcher
from steady.engine.run_file import Header, Target
from steady.engine.runner import FollowUp, run_trials
from steady.engine.schedule import further_rounds, schedule, with_starts
from steady.engine.state import RunState
from steady.engine.workload import Workload
from steady.errors import InputError
from steady.harness.go.run.runs import GoRuns
from steady.harness.go.run.test_binaries import holds_binaries
from steady.harness.jmh.run.runs import JmhRuns
from steady.harness.runs import (
    DEFAULTS,
    ForkResult,
    Harness,
    HarnessSettings,
    RunFacts,
    Running,
    Session,
    Turn,
    Turns,
)
from steady.harness.trial import Trial, TrialError, Version
from steady.registry import Registered, Registry

__all__ = [
    "FollowUp",
    "ForkResult",
    "HARNESSES",
    "Harness",
    "Running",
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


def _holds_jar(target: Path) -> bool:
    return target.suffix == ".jar"


def _go(settings: HarnessSettings) -> Harness:
    foreign = {
        "--java": settings.java != DEFAULTS.java,
        "--jvm-arg": settings.jvm_args != DEFAULTS.jvm_args,
        "--stop": settings.stop != DEFAULTS.stop,
    }
    given = [option for option, is_given in foreign.items() if is_given]
    if given:
        verb = "is" if len(given) == 1 else "are"
        raise InputError(
            f"{' and '.join(given)} {verb} for JMH; Go's test binaries run as they are"
        )
    return GoRuns()


HARNESSES: Registry[Running] = Registry(
    "harness",
    Registered(
        "jmh",
        "JMH, from a jar of benchmarks",
        "JMH 1.19 to 1.37",
        Running(_holds_jar, JmhRuns),
    ),
    Registered(
        "go",
        "Go, from test binaries (go test -c)",
        "Go 1.26, package testing",
        Running(holds_binaries, _go),
    ),
)
"""The harnesses that `steady run` can run."""
