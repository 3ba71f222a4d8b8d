"""The record of a run: its finished, failed and given-up trials."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from steady.engine.journal import JournalEntry
from steady.engine.run_file import LostFork, RunEnd
from steady.engine.screening import Screened
from steady.engine.time_limit import OUT_OF_TIME
from steady.harness.trial import Trial
from steady.model import Identity
from steady.model.suite import RESUMES
from steady.readers.sidecars import NoResult

STOPPED = f"the run was stopped before{RESUMES}"
"""The reason for a missing result if no other is known."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The record of a run so far.

    Parameters
    ----------
    trials : tuple of Trial
        The whole schedule, and the further trials that were decided upon so far.
    records : mapping of int to JournalEntry
        The outcomes of finished trials, by number.
    merged : mapping of str to Path
        The merged results of each version that has any.
    interrupted : bool
        Whether the user stopped it.
    given_up : mapping of int to str
        Trials that will not be run, with the reasons.
    seconds_left : float, optional
        Seconds that are left for forks; None without a limit.
    screened : Screened
        The differences that screening found.
    """

    trials: tuple[Trial, ...]
    records: Mapping[int, JournalEntry]
    merged: Mapping[str, Path]
    interrupted: bool = False
    given_up: Mapping[int, str] = field(default_factory=dict)
    seconds_left: float | None = None
    screened: Screened = field(default_factory=lambda: Screened({}))

    @property
    def lost(self) -> tuple[tuple[Trial, JournalEntry], ...]:
        """Failed trials with their outcomes."""
        ended = ((trial, self.records.get(trial.number)) for trial in self.trials)
        return tuple((t, record) for t, record in ended if record and record.status == "failed")

    @property
    def complete(self) -> bool:
        """Whether every trial produced a result, except those for which the time was too short."""
        return len(self.records) + len(self.out_of_time) == len(self.trials) and not self.lost

    @property
    def out_of_time(self) -> tuple[Trial, ...]:
        """The trials that were not run because the time budget was spent."""
        return tuple(t for t in self.trials if self.given_up.get(t.number) == OUT_OF_TIME)

    @property
    def waits(self) -> bool:
        """Whether trials remain that are neither finished nor given up."""
        return any(
            trial.number not in self.records and trial.number not in self.given_up
            for trial in self.trials
        )

    @property
    def not_begun(self) -> tuple[Identity, ...]:
        """The benchmarks without any fork because the time was too short."""
        begun = {trial.identity for trial in self.trials if trial.number in self.records}
        late = dict.fromkeys(trial.identity for trial in self.out_of_time)
        return tuple(identity for identity in late if identity not in begun)

    def too_few_rounds(self, looks: Mapping[Identity, tuple[int, ...]]) -> tuple[Identity, ...]:
        """Return the benchmarks that did not reach their first interim analysis in time.

        Parameters
        ----------
        looks : mapping of Identity to tuple of int
            Numbers of rounds at which the run analyses a benchmark.
        """
        short = dict.fromkeys(trial.identity for trial in self.out_of_time)
        rounds = Counter(
            trial.identity
            for trial in self.trials
            if trial.number in self.records and self.records[trial.number].status == "ok"
        )
        return tuple(i for i in short if i in looks and rounds[i] < 2 * looks[i][0])

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

    @property
    def no_results(self) -> tuple[NoResult, ...]:
        """The benchmarks with a missing result or a failed fork, by version, with the reason.

        Those in `not_begun` are not among them.
        """
        measured = {
            (trial.version, trial.identity)
            for trial in self.trials
            if trial.number in self.records and self.records[trial.number].status == "ok"
        }
        reasons: dict[tuple[str, Identity], str] = {}
        late = frozenset(self.not_begun)
        for trial in self.trials:
            place = trial.version, trial.identity
            record = self.records.get(trial.number)
            failed = "" if record is None else record.reason
            if failed or (place not in measured and trial.identity not in late):
                reason = failed or reasons.get(place) or self.given_up.get(trial.number)
                reasons[place] = reason or STOPPED
        return tuple(NoResult(*place, reason) for place, reason in reasons.items())

    def outcome(self) -> RunEnd:
        """Return the outcome as ``run.json`` contains it."""
        return RunEnd(
            complete=self.complete,
            interrupted=self.interrupted,
            trials=len(self.trials),
            measured=sum(record.status == "ok" for record in self.records.values()),
            lost_forks=tuple(
                LostFork(r.number, r.version, r.benchmark, r.reason) for _, r in self.lost
            ),
        )
