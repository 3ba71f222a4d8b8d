"""Run trials one after the other, and lose nothing but the one that runs when all ends."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from steady.errors import InputError
from steady.model import Identity
from steady.run.folder import RunFolder
from steady.run.folder_lock import locked
from steady.run.harness import ForkResult, Harness, Session
from steady.run.journal import Journal, JournalEntry, Kind
from steady.run.machine import load_average
from steady.run.progress import Watcher
from steady.run.run_file import Header, RunFile, RunOutcome, Stretch, read_run
from steady.run.state import RunState
from steady.run.trial import BusyError, Trial, TrialError, Version
from steady.text.numbers import count

EQUAL_FAILURES = 3
"""After so many failures of one kind, the forks of a benchmark that are left are not run."""

BUSY_MINUTES = 30
"""How long a run waits for another that keeps its harness from running."""

_BUSY_STEP_SECONDS = 5.0
_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+|@[0-9a-f]+", re.IGNORECASE)

FollowUp = Callable[[RunState], Sequence[Trial]]
"""Decides after the planned trials which others follow; asked once in the life of a run."""


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
        That runs the forks.
    versions : sequence of Version
        What they are forks of.
    trials : sequence of Trial
        The planned schedule, numbered from 0.
    folder : RunFolder
        Where everything goes; the merged results too, also of a run that the user stopped.
    header : Header
        What the run is. To go on with a run, it must be the same.
    watcher : Watcher
        Who is told how it goes.
    resume : bool
        Go on with the run that the folder holds, if it holds one.
    follow_up : callable, optional
        Which trials follow the planned ones. What it once decided holds when the run is resumed.
    clock : callable
        Tells the unix time in seconds.
    sleep : callable
        Waits some seconds.

    Returns
    -------
    RunState
        With `interrupted` where a KeyboardInterrupt ended it.

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


class _Runner:
    """One session of a run."""

    def __init__(
        self,
        harness: Harness,
        versions: Sequence[Version],
        folder: RunFolder,
        header: Header,
        sessions: tuple[Stretch, ...],
        watcher: Watcher,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self._harness = harness
        self._versions = versions
        self._folder = folder
        self._header = header
        self._earlier = sessions
        self._watcher = watcher
        self._clock = clock
        self._sleep = sleep
        self._session = Stretch(clock(), load_average())
        self._journal = Journal.open(folder.journal)
        # Forks of one round that ran in different sessions did not run close in time.
        self._suffix = f"+{len(sessions)}" if sessions else ""

    def run(self, planned: tuple[Trial, ...], follow_up: FollowUp | None) -> RunState:
        self._check_journal(planned)
        self._write_header(None)
        self._write_sidecar()
        scratch = self._folder.prepare(
            [r.number for r in self._journal.records.values() if r.status == "ok"]
        )
        interrupted = False
        try:
            with ExitStack() as stack:
                lazily = _Lazily(self._harness, self._versions, scratch, stack)
                self._measure(lazily, planned, "planned")
                self._measure(lazily, self._further(planned, follow_up), "second look")
        except KeyboardInterrupt:
            interrupted = True
        self._folder.remove_scratch()
        state = replace(self._state(self._all(planned)), interrupted=interrupted)
        begun = self._session
        self._session = Stretch(begun.start, begun.load, self._clock(), load_average())
        self._write_header(state.outcome())
        return state

    def _all(self, planned: tuple[Trial, ...]) -> tuple[Trial, ...]:
        return planned + (self._journal.further or ())

    def _measure(self, lazily: _Lazily, trials: Sequence[Trial], kind: Kind) -> None:
        journal = self._journal
        for trial in trials:
            if trial.number in journal.records or trial.number in journal.given_up:
                continue
            self._watcher.started(trial)
            record = self._patiently(lazily.session, trial, kind)
            journal.add(record)
            self._watcher.finished(trial, record)
            if record.status == "failed":
                self._give_up_after(trial, record, trials)

    def _give_up_after(self, trial: Trial, record: JournalEntry, trials: Sequence[Trial]) -> None:
        """End a benchmark's forks, of all versions, after the third failure of one kind.

        Without one of its sides, nothing can be said of a benchmark.
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
        journal.give_up(identity.label, left, why)
        self._watcher.said(f"{identity.label}: {count(len(left), 'fork')} left are not run: {why}")
        self._tell(tuple(trials))

    def _patiently(self, session: Session, trial: Trial, kind: Kind) -> JournalEntry:
        """Run a trial once the machine is free for it; waiting does not count as its time."""
        waited = 0.0
        while True:
            try:
                return self._measured(session, trial, kind)
            except BusyError as error:
                if waited == 0.0:
                    self._watcher.said(f"{error}; waiting for its end, {BUSY_MINUTES} min at most")
                if waited >= 60 * BUSY_MINUTES:
                    raise InputError(
                        f"{error}, still after {BUSY_MINUTES} min; end it, or wait until it has "
                        "ended, and go on with --resume"
                    ) from None
                self._sleep(_BUSY_STEP_SECONDS)
                waited += _BUSY_STEP_SECONDS

    def _measured(self, session: Session, trial: Trial, kind: Kind) -> JournalEntry:
        reason, iterations = "", None
        start = self._clock()
        try:
            iterations = session.measure(trial, self._folder.arriving(trial.number))
            end = self._clock()
            self._folder.keep(trial.number)
        except TrialError as error:
            end = self._clock()
            self._folder.require_room()
            reason = " ".join(str(error).split()) or "it left no result"
            self._folder.keep_log(trial.number, error.log)
        return JournalEntry.of(
            trial,
            f"{self._header.run_id}:{trial.round}{self._suffix}",
            start,
            end,
            kind=kind,
            reason=reason,
            iteration_seconds=iterations,
            sha256="" if reason else self._folder.digest(trial.number),
        )

    def _further(self, planned: tuple[Trial, ...], follow_up: FollowUp | None) -> tuple[Trial, ...]:
        if self._journal.further is None:
            if follow_up is None:
                return ()
            self._journal.decide(follow_up(self._state(planned)))
            self._tell(planned)
        return self._journal.further or ()

    def _tell(self, planned: tuple[Trial, ...]) -> None:
        given_up = self._journal.given_up
        left = [trial for trial in self._all(planned) if trial.number not in given_up]
        self._watcher.planned(left, list(self._journal.records.values()))

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
        by_number = {trial.number: trial for trial in trials}
        for version in self._versions:
            results = [
                ForkResult(by_number[r.number], r.block, self._folder.result(r.number), r.spent)
                for r in self._journal.records.values()
                if r.status == "ok" and by_number[r.number].version == version.name
            ]
            if results:
                own = [
                    t
                    for t in trials
                    if t.version == version.name and t.number not in self._journal.given_up
                ]
                forks = Counter(t.identity for t in own)
                declared = self._harness.declared(version)
                merged_bytes = self._harness.merge(results, forks, declared, self._not_run(own))
                path = self._folder.merged(version.name)
                self._folder.write(path, merged_bytes)
                merged[version.name] = path
        return merged

    def _not_run(self, trials: Sequence[Trial]) -> Counter[Identity]:
        return Counter(t.identity for t in trials if t.number not in self._journal.records)

    def _check_journal(self, planned: tuple[Trial, ...]) -> None:
        known = {trial.number for trial in self._all(planned)}
        for record in list(self._journal.records.values()):
            if record.number not in known:
                raise InputError(
                    f"the journal names trial {record.number}, which this run does not have; "
                    "run again into another folder",
                    source=self._folder.path,
                )
            if record.status == "ok" and not self._is_whole(record):
                del self._journal.records[record.number]
                self._watcher.said(
                    f"the result of trial {record.number} is not what the journal says was "
                    "measured; it is run again"
                )
        self._tell(planned)

    def _is_whole(self, record: JournalEntry) -> bool:
        """Tell whether a result is what was measured; an older journal tells no digest."""
        if record.sha256:
            return self._folder.digest(record.number) == record.sha256
        path = self._folder.result(record.number)
        return path.is_file() and path.stat().st_size > 0

    def _write_header(self, outcome: RunOutcome | None) -> None:
        sessions = (*self._earlier, self._session)
        file = RunFile(1, self._header.run_id, self._header, sessions, outcome)
        self._folder.write(self._folder.header, file.text().encode())

    def _write_sidecar(self) -> None:
        self._folder.write(self._folder.sidecar, self._header.machine.sidecar().encode())


def _without_numbers(reason: str) -> str:
    """Return a reason without addresses, hash codes and counts, which differ each time."""
    return _NUMBERS.sub("#", reason)


class _Lazily:
    """Starts the harness for the first trial that needs it: a finished run needs none."""

    def __init__(
        self, harness: Harness, versions: Sequence[Version], scratch: Path, stack: ExitStack
    ) -> None:
        self._opening = harness.open(versions, scratch)
        self._stack = stack
        self._session: Session | None = None

    @property
    def session(self) -> Session:
        if self._session is None:
            self._session = self._stack.enter_context(self._opening)
        return self._session
