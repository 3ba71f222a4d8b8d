"""The state of a run: what it has measured so far, and what it could not."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from steady.engine.journal import JournalEntry
from steady.engine.run_file import LostFork, RunEnd
from steady.engine.time_limit import OUT_OF_TIME
from steady.harness.trial import Trial
from steady.model import Identity
from steady.model.suite import RESUMES
from steady.readers.beside_results import NoResult

STOPPED = f"the run was stopped before{RESUMES}"
"""Why a benchmark has no result that nothing else is known of."""


@dataclass(frozen=True, slots=True)
class RunRecord:
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
    seconds_left : float, optional
        How much of the run's time is left for forks; None if it has no limit.
    """

    trials: tuple[Trial, ...]
    records: Mapping[int, JournalEntry]
    merged: Mapping[str, Path]
    interrupted: bool = False
    given_up: Mapping[int, str] = field(default_factory=dict)
    seconds_left: float | None = None

    @property
    def lost(self) -> tuple[tuple[Trial, JournalEntry], ...]:
        """Trials that ended without a result, and why."""
        ended = ((trial, self.records.get(trial.number)) for trial in self.trials)
        return tuple((t, record) for t, record in ended if record and record.status == "failed")

    @property
    def complete(self) -> bool:
        """Whether every trial left a result, but for those that the time was too short for."""
        return len(self.records) + len(self.out_of_time) == len(self.trials) and not self.lost

    @property
    def out_of_time(self) -> tuple[Trial, ...]:
        """The trials that were not run because the time budget was spent."""
        return tuple(t for t in self.trials if self.given_up.get(t.number) == OUT_OF_TIME)

    @property
    def waits(self) -> bool:
        """Whether trials wait that are neither run nor given up."""
        return any(
            trial.number not in self.records and trial.number not in self.given_up
            for trial in self.trials
        )

    @property
    def not_begun(self) -> tuple[Identity, ...]:
        """The benchmarks of which nothing was run because the time was too short."""
        begun = {trial.identity for trial in self.trials if trial.number in self.records}
        late = dict.fromkeys(trial.identity for trial in self.out_of_time)
        return tuple(identity for identity in late if identity not in begun)

    def too_few_rounds(self, looks: Mapping[Identity, tuple[int, ...]]) -> tuple[Identity, ...]:
        """Return the benchmarks that the time was too short for to look at even once.

        Parameters
        ----------
        looks : mapping of Identity to tuple of int
            After how many rounds the run looks at a benchmark.
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
        """What has no result in a version, or failed in one of its forks, with the reason.

        Benchmarks of which nothing was begun because the time was too short are not among them.
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
