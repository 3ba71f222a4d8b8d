"""Run trials one after the other; whatever ends the run, only the running trial is lost."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from steady.errors import InputError
from steady.run.folder import RunFolder
from steady.run.folder_lock import locked
from steady.run.harness import ForkResult, Harness, Session
from steady.run.journal import Decision, GivenUp, Journal, JournalEntry, Kind
from steady.run.machine import load_average, sidecar
from steady.run.progress import Watcher
from steady.run.run_file import Header, RunFile, RunOutcome, Stretch, read_run
from steady.run.state import RunState
from steady.run.trial import BusyError, Trial, TrialError, Version
from steady.text.counting import count

EQUAL_FAILURES = 3
"""After this many failures of one kind, the remaining forks of a benchmark are not run."""

BUSY_MINUTES = 30
"""How long a run waits for another that keeps its harness from running."""

_BUSY_STEP_SECONDS = 5.0
_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+|@[0-9a-f]+", re.IGNORECASE)

FollowUp = Callable[[RunState], Sequence[Trial]]
"""Decides after the planned trials which others follow; each run asks it once."""


def run_trials(
    harness: Harness,
    versions: Sequence[Version],
    trials: Sequence[Trial],
    folder: RunFolder,
    header: Header,
    watcher: Watcher,
    *,
    resume: bool = False,
    follow_up: FollowUp | None = None,
    clock: Callable[[], float] = time.time,
    sleep: Callable[[float], None] = time.sleep,
) -> RunState:
    """Run a schedule into a folder, or go on with it.

    Parameters
    ----------
    harness : Harness
        Runs the forks.
    versions : sequence of Version
        The versions to measure.
    trials : sequence of Trial
        The planned schedule, numbered from 0.
    folder : RunFolder
        Where everything goes. The merged results of a run that the user stopped go there too.
    header : Header
        What the run is. To go on with a run, it must be the same.
    watcher : Watcher
        Gets the news of the run.
    resume : bool
        Go on with the run that the folder holds, if it holds one.
    follow_up : callable, optional
        Decides which trials follow the planned ones. A resumed run keeps the decision.
    clock : callable
        Returns the unix time in seconds.
    sleep : callable
        Waits some seconds.

    Returns
    -------
    RunState
        It is `interrupted` if a KeyboardInterrupt ended it.

    Raises
    ------
    InputError
        If the folder holds another run, another process writes into it, or it cannot be written.
        What was measured before stays.
    """
    names = [version.name for version in versions]
    sessions: tuple[Stretch, ...] = ()
    try:
        with locked(folder.lock):
            if resume and folder.header.exists():
                header, sessions = _continued(folder, header)
            else:
                folder.refuse_if_taken(names)
            runner = _Runner(harness, versions, folder, header, sessions, watcher, clock, sleep)
            return runner.run(tuple(trials), follow_up)
    except OSError as error:
        raise InputError(
            f"cannot be written ({error.strerror or error}); mend that and go on with --resume",
            source=folder.path,
        ) from None


def _continued(folder: RunFolder, header: Header) -> tuple[Header, tuple[Stretch, ...]]:
    known = read_run(folder.header)
    obstacle = known.header.obstacle(header)
    if obstacle is not None:
        raise InputError(
            f"cannot go on with the run in this folder: {obstacle}; choose another folder",
            source=folder.path,
        )
    return known.header, known.sessions


@dataclass
class _Runner:
    """One session of a run."""

    harness: Harness
    versions: Sequence[Version]
    folder: RunFolder
    header: Header
    earlier: tuple[Stretch, ...]
    watcher: Watcher
    clock: Callable[[], float]
    sleep: Callable[[float], None]

    def __post_init__(self) -> None:
        self._stretch = Stretch(self.clock(), load_average())
        self._journal = Journal.open(self.folder.journal)
        # Forks of one round that ran in different sessions did not run close in time.
        self._suffix = f"+{len(self.earlier)}" if self.earlier else ""
        self._stack = ExitStack()

    def run(self, planned: tuple[Trial, ...], follow_up: FollowUp | None) -> RunState:
        self._check_journal(planned)
        self._write_header(None)
        self.folder.write(self.folder.sidecar, sidecar([self.header.machine]).encode())
        self.folder.prepare([r.number for r in self._journal.records.values() if r.status == "ok"])
        interrupted = False
        try:
            with self._stack:
                self._measure(planned, "planned")
                self._measure(self._further(planned, follow_up), "second look")
        except KeyboardInterrupt:
            interrupted = True
        self.folder.remove_scratch()
        state = replace(self._state(self._all(planned)), interrupted=interrupted)
        begun = self._stretch
        self._stretch = Stretch(begun.start, begun.load, self.clock(), load_average())
        self._write_header(state.outcome())
        return state

    @cached_property
    def _session(self) -> Session:
        """The harness, started for the first trial: a run that is finished does not need it."""
        return self._stack.enter_context(self.harness.open(self.versions, self.folder.scratch))

    def _all(self, planned: tuple[Trial, ...]) -> tuple[Trial, ...]:
        return planned + (self._journal.further or ())

    def _measure(self, trials: Sequence[Trial], kind: Kind) -> None:
        journal = self._journal
        for trial in trials:
            if trial.number in journal.records or trial.number in journal.given_up:
                continue
            self.watcher.started(trial)
            record = self._patiently(trial, kind)
            journal.add(record)
            self.watcher.finished(trial, record)
            if record.status == "failed":
                self._give_up_after(trial, record, trials)

    def _give_up_after(self, trial: Trial, record: JournalEntry, trials: Sequence[Trial]) -> None:
        """End a benchmark's forks, of all versions, after the third failure of one kind.

        A benchmark without one of its sides has no verdict.
        """
        journal, identity = self._journal, trial.identity
        own = [t.number for t in trials if (t.identity, t.version) == (identity, trial.version)]
        failed = [r for n in own if (r := journal.records.get(n)) and r.status == "failed"]
        alike = sum(_without_numbers(r.reason) == _without_numbers(record.reason) for r in failed)
        left = [t.number for t in trials if t.identity == identity]
        left = [n for n in left if n not in journal.records and n not in journal.given_up]
        if alike < EQUAL_FAILURES or not left:
            return
        why = f"it failed {EQUAL_FAILURES} times for the same reason in {trial.version}"
        journal.add(GivenUp(identity.label, tuple(left), why))
        self.watcher.said(f"{identity.label}: {count(len(left), 'fork')} left are not run: {why}")
        self._announce(tuple(trials))

    def _patiently(self, trial: Trial, kind: Kind) -> JournalEntry:
        """Run a trial once the machine is free for it; waiting does not count as its time."""
        waited = 0.0
        while True:
            try:
                return self._measured(trial, kind)
            except BusyError as error:
                if waited == 0.0:
                    self.watcher.said(f"{error}; waiting for its end, {BUSY_MINUTES} min at most")
                if waited >= 60 * BUSY_MINUTES:
                    raise InputError(
                        f"{error}, still after {BUSY_MINUTES} min; end it, or wait until it has "
                        "ended, and go on with --resume"
                    ) from None
                self.sleep(_BUSY_STEP_SECONDS)
                waited += _BUSY_STEP_SECONDS

    def _measured(self, trial: Trial, kind: Kind) -> JournalEntry:
        reason, iterations = "", None
        session = self._session
        start = self.clock()
        try:
            iterations = session.measure(trial, self.folder.arriving(trial.number))
            end = self.clock()
            self.folder.keep(trial.number)
        except TrialError as error:
            end = self.clock()
            self.folder.require_room()
            reason = " ".join(str(error).split()) or "it left no result"
            self.folder.keep_log(trial.number, error.log)
        return JournalEntry.of(
            trial,
            f"{self.header.run_id}:{trial.round}{self._suffix}",
            start,
            end,
            kind=kind,
            reason=reason,
            iteration_seconds=iterations,
            sha256="" if reason else self.folder.digest(trial.number),
        )

    def _further(self, planned: tuple[Trial, ...], follow_up: FollowUp | None) -> tuple[Trial, ...]:
        if self._journal.further is None:
            if follow_up is None:
                return ()
            self._journal.add(Decision(tuple(follow_up(self._state(planned)))))
            self._announce(planned)
        return self._journal.further or ()

    def _announce(self, planned: tuple[Trial, ...]) -> None:
        given_up = self._journal.given_up
        left = [trial for trial in self._all(planned) if trial.number not in given_up]
        self.watcher.planned(left, list(self._journal.records.values()))

    def _state(self, trials: tuple[Trial, ...]) -> RunState:
        return RunState(
            trials,
            dict(self._journal.records),
            self._merge(trials),
            given_up=dict(self._journal.given_up),
        )

    def _merge(self, trials: Sequence[Trial]) -> dict[str, Path]:
        """Write the merged results of every version that has any."""
        merged = {}
        records, given_up = self._journal.records, self._journal.given_up
        by_number = {trial.number: trial for trial in trials}
        for version in self.versions:
            results = [
                ForkResult(by_number[r.number], r.block, self.folder.result(r.number), r.spent)
                for r in records.values()
                if r.status == "ok" and by_number[r.number].version == version.name
            ]
            if results:
                own = [t for t in trials if t.version == version.name and t.number not in given_up]
                content = self.harness.merge(
                    results,
                    Counter(t.identity for t in own),
                    self.harness.declared(version),
                    Counter(t.identity for t in own if t.number not in records),
                )
                merged[version.name] = path = self.folder.merged(version.name)
                self.folder.write(path, content)
        return merged

    def _check_journal(self, planned: tuple[Trial, ...]) -> None:
        known = {trial.number for trial in self._all(planned)}
        for record in list(self._journal.records.values()):
            if record.number not in known:
                raise InputError(
                    f"the journal names trial {record.number}, which this run does not have; "
                    "run again into another folder",
                    source=self.folder.path,
                )
            if record.status == "ok" and not self._is_whole(record):
                del self._journal.records[record.number]
                self.watcher.said(
                    f"the result of trial {record.number} is not what the journal says was "
                    "measured; it is run again"
                )
        self._announce(planned)

    def _is_whole(self, record: JournalEntry) -> bool:
        """Tell whether a result is what was measured; older journals do not contain digests."""
        if record.sha256:
            return self.folder.digest(record.number) == record.sha256
        path = self.folder.result(record.number)
        return path.is_file() and path.stat().st_size > 0

    def _write_header(self, outcome: RunOutcome | None) -> None:
        sessions = (*self.earlier, self._stretch)
        file = RunFile(1, self.header.run_id, self.header, sessions, outcome)
        self.folder.write(self.folder.header, file.text().encode())


def _without_numbers(reason: str) -> str:
    """Return a reason without addresses, hash codes and counts, which differ each time."""
    return _NUMBERS.sub("#", reason)
