"""What a run has measured so far, and what it could not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from steady.model import Identity
from steady.run.journal import JournalEntry
from steady.run.run_file import Failed, LostFork, RunOutcome
from steady.run.trial import Trial


@dataclass(frozen=True, slots=True)
class RunState:
    """What a run has measured so far.

    Parameters
    ----------
    trials : tuple of Trial
        The whole schedule, and the further trials that were decided upon so far.
    records : mapping of int to JournalEntry
        How trials ended, by their number.
    merged : mapping of str to Path
        The merged results of each version that has any.
    interrupted : bool
        Whether the user stopped it.
    given_up : mapping of int to str
        Trials that will not be run any more, and why.
    """

    trials: tuple[Trial, ...]
    records: Mapping[int, JournalEntry]
    merged: Mapping[str, Path]
    interrupted: bool = False
    given_up: Mapping[int, str] = field(default_factory=dict)

    @property
    def lost(self) -> tuple[tuple[Trial, JournalEntry], ...]:
        """Trials that ended without a result, and why."""
        ended = ((trial, self.records.get(trial.number)) for trial in self.trials)
        return tuple((t, record) for t, record in ended if record and record.status == "failed")

    @property
    def complete(self) -> bool:
        """Whether every trial left a result."""
        return len(self.records) == len(self.trials) and not self.lost

    @property
    def without_result(self) -> tuple[tuple[Trial, JournalEntry], ...]:
        """The last failed trial of each benchmark that failed in all its forks of a version."""
        left = Counter((trial.version, trial.identity) for trial in self.trials)
        last: dict[tuple[str, Identity], tuple[Trial, JournalEntry]] = {}
        for trial, record in self.lost:
            left[trial.version, trial.identity] -= 1
            last[trial.version, trial.identity] = trial, record
        left.subtract(
            (trial.version, trial.identity)
            for trial in self.trials
            if trial.number in self.given_up
        )
        return tuple(found for key, found in last.items() if left[key] == 0)

    def outcome(self) -> RunOutcome:
        """Return the outcome as ``run.json`` contains it."""
        return RunOutcome(
            complete=self.complete,
            interrupted=self.interrupted,
            trials=len(self.trials),
            measured=sum(record.status == "ok" for record in self.records.values()),
            failed=tuple(Failed(r.version, r.benchmark, r.reason) for _, r in self.without_result),
            lost_forks=tuple(
                LostFork(r.number, r.version, r.benchmark, r.reason) for _, r in self.lost
            ),
            given_up=tuple(sorted(self.given_up)),
        )
