"""A harness whose forks follow a script; run as a program, it kills and resumes runs.

Usage: scripted_harness.py FOLDER SEED forks|iterations

It kills a run at random moments, and resumes it to its end.
"""

from __future__ import annotations

import errno
import json
import math
import os
import random
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from steady.engine import (
    FollowUp,
    ForkResult,
    Header,
    PlainLines,
    RunFacts,
    RunFolder,
    RunPlan,
    RunRecord,
    Target,
    Trial,
    TrialError,
    Turn,
    Turns,
    Version,
    Workload,
    run_trials,
    schedule,
)
from steady.engine.follow_up import looks_of_run
from steady.engine.machine import Machine
from steady.engine.shared_processes import SharedProcesses
from steady.engine.time_limit import Clock
from steady.errors import InputError
from steady.harness.runs import measured_alone
from steady.harness.search import EVERYTHING, Search
from steady.harness.trial import BusyError, NotReachedError, digest
from steady.model import ExecutionConfiguration, Identity
from steady.samecode.choice import SameCodeFile

NAMES = ("org.Bench.alpha", "org.Bench.beta", "org.Bench.gamma", "org.Other.delta")
CRASHED = "its JVM ended with code 134"


class ScriptedHarness:
    """A harness whose forks write their names.

    Parameters
    ----------
    script : mapping of int to str
        By number of a trial: ``crash``, ``vanish`` (no reason told), ``interrupt``, ``full``,
        ``odd`` (crashes for a reason of its own) or ``busy`` (until `patience` is at its end).
    pause : float
        Seconds in the middle of writing a result.
    size : int
        Bytes of padding in a result.
    """

    name = "scripted"
    suffix = ".json"
    start_seconds = 0.0
    has_pairs = False
    builder = ""

    def __init__(
        self, script: Mapping[int, str] | None = None, *, pause: float = 0.0, size: int = 0
    ) -> None:
        self.script = dict(script or {})
        self.pause = pause
        self.padding = "x" * size
        self.patience = 0
        self.ran: list[int] = []
        self.together: list[tuple[int, ...]] = []
        self.shared: list[tuple[str, ...]] = []
        self.fails_when_shared: dict[str, str] = {}
        self.obstacles: dict[str, str] = {}
        self.asked: list[str] = []
        self.opened = self.closed = 0
        self.held: dict[str, tuple[Identity, ...]] = {}
        self.declares: dict[str, dict[Identity, ExecutionConfiguration]] = {}

    def check(self, versions: Sequence[Version]) -> None:
        for version in versions:
            if not version.target.exists():
                raise InputError("is not there; build it first", source=version.target)

    def build(self, version: Version) -> None:
        """Build nothing."""

    def shared_process(self, identity: Identity) -> str:
        """Return the process that a benchmark can share."""
        return ""

    def benchmarks(self, version: Version, search: Search = EVERYTHING) -> Sequence[Identity]:
        return self.held.get(version.name, tuple(map(Identity, NAMES)))

    @contextmanager
    def open(self, versions: Sequence[Version], scratch: Path) -> Iterator[ScriptedHarness]:
        assert list(scratch.iterdir()) == []
        (scratch / "own").write_text("something")
        self.opened += 1
        try:
            yield self
        finally:
            self.closed += 1

    def measure(self, trial: Trial, result: Path) -> None:
        assert not result.exists()
        action = self.script.get(trial.number, "")
        if action == "busy":
            if self.patience > 0:
                self.patience -= 1
                raise BusyError("another JMH is running")
            action = ""
        self.ran.append(trial.number)
        text = json.dumps(
            [trial.number, trial.version, trial.identity.label, trial.round, self.padding]
        )
        with result.open("w") as file:
            file.write(text[: len(text) // 2])
            file.flush()
            time.sleep(self.pause)
            if action == "interrupt":
                raise KeyboardInterrupt
            if action == "full":
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if not action:
                file.write(text[len(text) // 2 :])
        reasons = {"crash": "its JVM ended\nwith code 134", "odd": f"odd {chr(97 + trial.number)}"}
        if action:
            raise TrialError(reasons.get(action, ""), b"what it said" if action == "crash" else b"")

    def fits_beside(self, identity: Identity) -> bool:
        return True

    def obstacle(self, trials: Sequence[Trial]) -> str:
        assert len(trials) > 1
        self.asked.append(trials[0].identity.name)
        return self.obstacles.get(trials[0].identity.name, "")

    def layout(self, trial: Trial) -> str:
        return ""

    def measure_in_turn(
        self, trials: Sequence[Trial], results: Sequence[Path]
    ) -> Sequence[Turn | TrialError]:
        rounds = {(trial.identity, trial.round) for trial in trials}
        assert len(rounds) == (len(trials) // 2 if self.has_pairs else 1)
        try:
            ends = [measured_alone(self, *each) for each in zip(trials, results, strict=True)]
        except BaseException:
            for path in results:
                path.unlink(missing_ok=True)
            raise
        self.together.append(tuple(trial.number for trial in trials))
        whole = all(isinstance(end, Turn) for end in ends)
        return [
            replace(end, iteration_seconds=0.75, in_turn=whole) if isinstance(end, Turn) else end
            for end in ends
        ]

    def measure_shared(
        self, trials: Sequence[Trial], results: Sequence[Path], seconds: float
    ) -> Sequence[Turn | TrialError]:
        """Run benchmarks up to the first one that ends the process: ``crash``."""
        names = [trial.identity.name for trial in trials[::2]]
        self.shared.append(tuple(names))
        ends: list[Turn | TrialError] = []
        ended = False
        for place, name in enumerate(names):
            own = slice(2 * place, 2 * place + 2)
            why = self.fails_when_shared.get(name, "")
            if ended:
                ends += [NotReachedError("its process ended")] * 2
            elif why:
                ended = why == "crash"
                ends += [TrialError(why)] * 2
            else:
                ran = self.measure_in_turn(trials[own], results[own])
                self.together.pop()
                ends += [replace(end, seconds=1.0) for end in ran if isinstance(end, Turn)]
        return ends

    def declared(self, version: Version) -> Mapping[Identity, ExecutionConfiguration]:
        return self.declares.get(version.name, {})

    def operation_seconds(self, identity: Identity) -> float:
        return math.nan

    def merge(self, results: Sequence[ForkResult], facts: RunFacts) -> bytes:
        assert results
        merged = {
            "forks": [[*json.loads(fork.path.read_text())[:4], fork.block] for fork in results],
            "planned": {identity.label: forks for identity, forks in facts.planned_forks.items()},
            "in_turn": [fork.trial.number for fork in results if fork.in_turn],
            "looks": {identity.label: looks for identity, looks in facts.looks.items()},
        }
        return json.dumps(merged, indent=1).encode()

    def measured(self, merged: Path) -> Sequence[Identity]:
        return tuple(map(Identity, json.loads(merged.read_text())["planned"]))

    def join(self, merged: Sequence[Path]) -> bytes:
        joined: dict[str, Any] = {"forks": [], "planned": {}, "in_turn": [], "looks": {}}
        for path in merged:
            for key, own in json.loads(path.read_text()).items():
                joined[key] = joined[key] | own if isinstance(own, dict) else joined[key] + own
        return json.dumps(joined, indent=1).encode()

    def describe(self, versions: Sequence[Version]) -> Mapping[str, str]:
        return {"harness": "scripted 1"}


def workloads(
    names: Sequence[str] = NAMES,
    forks: Sequence[int] = (5, 3, 2, 1),
    versions: tuple[str, ...] = ("base", "head"),
) -> list[Workload]:
    """Return a suite of benchmarks with different numbers of forks."""
    return [
        Workload(Identity(name), ExecutionConfiguration(n, 2, 3, 1.0, 1.0), 5.5, 115.0, versions)
        for name, n in zip(names, forks, strict=True)
    ]


TRIALS = schedule(workloads(), seed=1)
"""What `run` runs unless it is told otherwise."""


def numbers_of(name: str, version: str) -> list[int]:
    return [t.number for t in TRIALS if (t.identity.name, t.version) == (name, version)]


def run(
    path: Path,
    harness: ScriptedHarness,
    planned: Sequence[Workload] | None = None,
    *,
    seed: int = 1,
    resume: bool = False,
    follow_up: FollowUp | None = None,
    turns: Turns = "forks",
    started: float = 1000.0,
    changes: Mapping[str, object] | None = None,
    log: list[str] | None = None,
    naps: list[float] | None = None,
    same_code: SameCodeFile | None = None,
    processes: SharedProcesses | None = None,
) -> RunRecord:
    """Run a suite of the scripted harness into a folder, with a clock that counts seconds."""
    planned = workloads() if planned is None else planned
    names = list(dict.fromkeys(name for workload in planned for name in workload.versions))
    trials = schedule(planned, seed=seed)
    told: dict[str, object] = {
        "harness": harness.name,
        "seed": seed,
        "plan": "",
        "versions": tuple(map(_target, names)),
        "trials": digest(trials),
        "described": dict(harness.describe(())),
        "machine": Machine("A processor", "An os", 2, ""),
        "started": started,
        **(changes or {}),
    }
    ticks = iter(range(2**30))
    plan = RunPlan(
        harness=harness,
        versions=[Version(name, Path(f"{name}.jar")) for name in names],
        trials=trials,
        header=Header(**told),  # type: ignore[arg-type]
        follow_up=follow_up,
        looks={} if follow_up is None else looks_of_run(trials),
        turns=turns,
        same_code=same_code,
        shared_processes=processes or SharedProcesses(),
    )
    return run_trials(
        plan,
        RunFolder(path, harness.suffix),
        PlainLines((log if log is not None else []).append),
        resume=resume,
        clock=Clock(
            lambda: started + next(ticks),
            lambda seconds: naps.append(seconds) if naps is not None else None,
        ),
    )


def _target(name: str) -> Target:
    """Return the target of a version; its file exists only for some tests."""
    version = Version(name, Path(f"{name}.jar"))
    return Target.of(version) if version.target.exists() else Target(name, f"{name}.jar", "")


def journal_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]


def run_file(folder: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return data


def merged(folder: Path, version: str = "head") -> dict[str, Any]:
    data: dict[str, Any] = json.loads((folder / f"{version}.json").read_text())
    return data


def content_of(folder: Path) -> list[object]:
    """Return all files of a run, without sessions, times and padding."""
    forks = {path.name: json.loads(path.read_text())[:4] for path in folder.glob("forks/*")}
    results = [merged(folder, version) for version in ("base", "head")]
    for one in results:
        one["forks"] = [[*fork[:4], fork[4].partition("+")[0]] for fork in one["forks"]]
    kept = ("kind", "number", "trials", "version", "benchmark", "status", "beside", "in_turn")
    lines = [{key: line[key] for key in kept if key in line} for line in journal_of(folder)]
    data = run_file(folder)
    del data["sessions"]
    return [sorted(path.name for path in folder.iterdir()), forks, results, lines, data]


def expect_whole(folder: Path, reference: Path, **options: Any) -> None:
    """Check that a folder contains each trial once, as after a run without interruption."""
    started = run_file(folder)["header"]["started"]
    assert run(reference, ScriptedHarness(), started=started, **options).complete
    assert content_of(folder) == content_of(reference)


def many() -> list[Workload]:
    """Return a suite that runs long enough to be killed."""
    return workloads([f"org.Bench.m{i}" for i in range(12)], [1 + i % 4 for i in range(12)])


def _kill_and_resume(folder: Path, seed: int, turns: Turns) -> int:
    """Kill runs until one completes; print the number of killed ones.

    Most are killed some trials and a moment after they began, others at their very beginning.
    """
    moments = random.Random(seed)
    for killed in range(200):
        child = os.fork()
        if child == 0:
            harness = ScriptedHarness(pause=0.002)
            run(folder, harness, many(), resume=True, turns=turns, started=float(killed))
            os._exit(0)
        if moments.random() < 0.7:
            _await_trials(child, folder / "journal.jsonl", moments.randint(1, 6))
        time.sleep(moments.uniform(0.0, 0.01))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            print(killed)
            return os.WEXITSTATUS(status)
    return 9


def _await_trials(child: int, journal: Path, number: int) -> None:
    """Wait until a child has finished some trials, or has ended."""
    size = journal.stat().st_size if journal.exists() else 0
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        content = journal.read_bytes()[size:] if journal.exists() else b""
        if content.count(b"\n") >= number:
            break
        time.sleep(0.0005)


if __name__ == "__main__":
    sys.exit(_kill_and_resume(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))  # type: ignore[arg-type]
