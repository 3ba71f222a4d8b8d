"""The runner of trials, alone or in pairs: whatever ends a run, only what is running is lost."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property

from steady.engine.agenda import Agenda
from steady.engine.journal import Decision, Journal
from steady.engine.machine import load_average, sidecar
from steady.engine.merging import Merging
from steady.engine.progress import Watcher
from steady.engine.run_file import Header, RunEnd, RunFile, Stretch, read_run
from steady.engine.run_folder import RunFolder, locked
from steady.engine.state import RunState
from steady.engine.tampering import distrust
from steady.engine.time_limit import CLOCK, TOO_SHORT, Clock, TimeLimit, seconds_before
from steady.engine.trial_batches import Batches
from steady.errors import InputError
from steady.harness.runs import Session
from steady.model import NotRun
from steady.readers.beside_results import NoResult, not_run_json


def run_trials(
    agenda: Agenda,
    folder: RunFolder,
    watcher: Watcher,
    *,
    resume: bool = False,
    clock: Clock = CLOCK,
) -> RunState:
    """Run a schedule into a folder, or go on with it.

    Parameters
    ----------
    agenda : Agenda
        What is measured. To go on with a run, its header must be the same.
    folder : RunFolder
        Where everything goes. The merged results of a run that the user stopped go there too.
    watcher : Watcher
        Gets the news of the run.
    resume : bool
        Go on with the run that the folder holds, if it holds one. It keeps all decisions that were
        made.
    clock : Clock
        Tells the time, and waits.

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
    sessions: tuple[Stretch, ...] = ()
    try:
        with locked(folder.lock):
            if resume and folder.header.exists():
                header, sessions = _continued(folder, agenda.header)
                agenda = replace(agenda, header=header)
            else:
                folder.refuse_if_taken([version.name for version in agenda.versions])
                folder.clear()
            if agenda.same_code is not None:
                folder.write(folder.same_code, agenda.same_code.text().encode())
            return _Runner(agenda, folder, watcher, clock, sessions).run()
    except OSError as error:
        raise InputError(
            f"cannot be written ({error.strerror or error}); correct that and continue with "
            "--resume",
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

    agenda: Agenda
    folder: RunFolder
    watcher: Watcher
    clock: Clock
    earlier: tuple[Stretch, ...]

    def __post_init__(self) -> None:
        self._stretch = Stretch(self.clock.now(), load_average())
        self._journal = Journal.open(self.folder.journal)
        self._stack = ExitStack()
        self._followed = 0
        self._merging = Merging(self.agenda, self.folder, self._journal)
        self._batches = Batches(
            agenda=self.agenda,
            folder=self.folder,
            journal=self._journal,
            watcher=self.watcher,
            clock=self.clock,
            limit=self._time_limit(),
            session=lambda: self._session,
            difference=self._merging.difference,
            # Forks of one round that ran in different sessions did not run close in time.
            suffix=f"+{len(self.earlier)}" if self.earlier else "",
        )

    def _time_limit(self) -> TimeLimit | None:
        if self.agenda.time_budget is None:
            return None
        records = self._journal.records.values()
        before = seconds_before(self.earlier, self._stretch.start, records)
        return TimeLimit(self.agenda.time_budget - before, self.agenda.began)

    def run(self) -> RunState:
        """Measure what is planned and what is decided upon, and write the header at the end."""
        not_run = self.agenda.not_run
        for remark in self._journal.forget_what_is_not_whole(self.agenda.trials, self.folder.holds):
            self.watcher.said(remark)
        self._batches.announce()
        self._write_header(None)
        self.folder.write(self.folder.sidecar, sidecar([self.agenda.header.machine]).encode())
        self._name_left_out(not_run, self.agenda.no_result)
        self.folder.prepare([r.number for r in self._journal.records.values() if r.status == "ok"])
        interrupted = False
        try:
            with self._stack:
                for stage in self.agenda.stages:
                    self._batches.measure(stage, "planned")
                    if any(trial.number in self._journal.records for trial in stage):
                        self._follow()
        except KeyboardInterrupt:
            interrupted = True
        self.folder.remove_scratch()
        distrust(self._journal, self.folder, self.agenda.versions, self.agenda.header)
        state = replace(self._state(), interrupted=interrupted)
        late = (NotRun(one, TOO_SHORT) for one in state.not_begun)
        self._name_left_out([*not_run, *late], [*self.agenda.no_result, *state.no_results])
        begun = self._stretch
        self._stretch = Stretch(begun.start, begun.load, self.clock.now(), load_average())
        self._write_header(state.outcome())
        return state

    @cached_property
    def _session(self) -> Session:
        """The harness, started for the first trial: a run that is finished does not need it."""
        opened = self.agenda.harness.open(self.agenda.versions, self.folder.scratch)
        return self._stack.enter_context(opened)

    def _follow(self) -> None:
        """Run what was decided upon, and ask again until nothing follows."""
        decisions, limit = self._journal.decisions, self._batches.limit
        while True:
            if self._followed == len(decisions):
                if self.agenda.follow_up is None:
                    return
                begin = self.clock.now()
                self._journal.add(Decision(tuple(self.agenda.follow_up(self._state()))))
                if limit is not None:  # it will be asked once more, and all is merged then
                    limit.ending = max(limit.ending, 2 * (self.clock.now() - begin))
                self._batches.announce()
            decided = decisions[self._followed]
            self._followed += 1
            if not decided:
                return
            self._batches.measure(decided, "further")

    def _name_left_out(self, left_out: Sequence[NotRun], without: Sequence[NoResult]) -> None:
        """Write what has no result, and why; an earlier session may have known of more."""
        if left_out or without:
            self.folder.write(self.folder.not_run, not_run_json(left_out, without).encode())
        else:
            self.folder.not_run.unlink(missing_ok=True)

    def _state(self) -> RunState:
        journal, limit = self._journal, self._batches.limit
        merged = self._merging.write()
        return RunState(
            journal.schedule(self.agenda.trials),
            dict(journal.records),
            merged,
            given_up=dict(journal.given_up),
            seconds_left=None if limit is None else limit.left(self.clock.now()),
        )

    def _write_header(self, outcome: RunEnd | None) -> None:
        header, sessions = self.agenda.header, (*self.earlier, self._stretch)
        file = RunFile(1, header.run_id, header, sessions, outcome)
        self.folder.write(self.folder.header, file.text().encode())
