"""The runner of a run's steps: whatever ends a run, only the step that is running is lost."""

import math
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Literal

from steady.engine.busy import retry_while_busy
from steady.engine.journal import Decision, GivenUp, Journal, JournalEntry, Kind
from steady.engine.machine import load_average, sidecar
from steady.engine.measuring import LeftOut, Measuring, TurnTaking
from steady.engine.merging import Merging
from steady.engine.progress import Watcher
from steady.engine.run_file import Header, RunEnd, RunFile, Stretch, read_run
from steady.engine.run_folder import RunFolder, locked
from steady.engine.run_plan import RunPlan
from steady.engine.run_record import RunRecord
from steady.engine.scheduler import Scheduler
from steady.engine.screening import Screening
from steady.engine.step import Step, rounds_of
from steady.engine.tampering import distrust
from steady.engine.time_limit import CLOCK, OUT_OF_TIME, Clock, TimeLimit, seconds_before
from steady.errors import InputError
from steady.harness.runs import Session
from steady.harness.trial import BusyError, Trial
from steady.model import NotRun
from steady.readers.sidecars import NoResult, not_run_json
from steady.text.numbers import count, listed


def run_trials(
    plan: RunPlan,
    folder: RunFolder,
    watcher: Watcher,
    *,
    resume: bool = False,
    clock: Clock = CLOCK,
) -> RunRecord:
    """Run the plan of a run into a folder, or resume it.

    Parameters
    ----------
    plan : RunPlan
        The plan. To resume a run, its header must be the same.
    folder : RunFolder
        The folder of all files, also of the merged results of an interrupted run.
    watcher : Watcher
        Shows the progress.
    resume : bool
        Resume the run in the folder, if there is one, with all its decisions.
    clock : Clock
        The clock.

    Returns
    -------
    RunRecord
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
                header, sessions = _continued(folder, plan.header)
                plan = replace(plan, header=header)
            else:
                folder.refuse_if_taken([version.name for version in plan.versions])
                folder.clear()
            if plan.same_code is not None:
                folder.write(folder.same_code, plan.same_code.text().encode())
            return _Runner(plan, folder, watcher, clock, sessions).run()
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
            f"cannot resume the run in this folder: {obstacle}; choose another folder",
            source=folder.path,
        )
    return known.header, known.sessions


@dataclass
class _Runner:
    """One session of a run."""

    plan: RunPlan
    folder: RunFolder
    watcher: Watcher
    clock: Clock
    earlier: tuple[Stretch, ...]

    def __post_init__(self) -> None:
        self._stretch = Stretch(self.clock.now(), load_average())
        self._journal = Journal.open(self.folder.journal)
        self._stack = ExitStack()
        self._merging = Merging(self.plan, self.folder, self._journal)
        self._turns = TurnTaking(self.watcher.said)
        self._measuring = Measuring(self.folder, self._block, self.clock.now)
        self._limit = self._time_limit()
        self._screening = Screening(
            self.plan.screening_in_order,
            cache(self._merging.screened_shift),
            self.plan.screening_pairs,
        )
        self._scheduler = Scheduler(
            self.plan,
            self._limit,
            self._merging.difference,
            self._screening,
            self._turns.are_together,
            self._begin_batch,
        )

    def _block(self, trial: Trial) -> str:
        """Return the name of a round, which differs between sessions, as they are apart in time."""
        suffix = f"+{len(self.earlier)}" if self.earlier else ""
        return f"{self.plan.header.run_id}:{trial.round}{suffix}"

    def _time_limit(self) -> TimeLimit | None:
        if self.plan.time_budget is None:
            return None
        records = self._journal.records.values()
        before = seconds_before(self.earlier, self._stretch.start, records)
        return TimeLimit(self.plan.time_budget - before, self.plan.began)

    def run(self) -> RunRecord:
        """Carry out the steps of the scheduler, and write the header at the end."""
        not_run, plan = self.plan.not_run, self.plan
        every = (*plan.screening, *plan.trials)
        for remark in self._journal.discard_changed_results(every, self.folder.holds):
            self.watcher.said(remark)
        self._announce()
        self._write_header(None)
        self.folder.write(self.folder.sidecar, sidecar([plan.header.machine]).encode())
        self._name_left_out(not_run, plan.no_result)
        ended = (*self._journal.screened.values(), *self._journal.records.values())
        self.folder.prepare([record.number for record in ended if record.status == "ok"])
        interrupted = False
        try:
            with self._stack:
                while (
                    following := self._scheduler.next(self._journal, self.clock.now())
                ) is not None:
                    self._carry_out(following)
        except KeyboardInterrupt:
            interrupted = True
        self.folder.remove_scratch()
        distrust(self._journal, self.folder, plan.versions, plan.header)
        record = replace(self._record(), interrupted=interrupted)
        late = map(record.screened.not_run, record.not_begun)
        self._name_left_out([*not_run, *late], [*plan.no_result, *record.no_results])
        begun = self._stretch
        self._stretch = Stretch(begun.start, begun.load, self.clock.now(), load_average())
        self._write_header(record.outcome())
        return record

    def _carry_out(self, following: Step | tuple[GivenUp, ...] | Literal["decide"]) -> None:
        if isinstance(following, Step):
            self._measure(following)
        elif following == "decide":
            self._decide()
        else:
            self._journal.add(*following)
            for end in following:
                if end.reason != OUT_OF_TIME:
                    forks = count(len(end.numbers), "remaining fork")
                    self.watcher.said(f"{end.benchmark}: {forks} skipped: {end.reason}")
            self._announce()

    @cached_property
    def _session(self) -> Session:
        """The harness, started for the first trial: a run that is finished does not need it."""
        opened = self.plan.harness.open(self.plan.versions, self.folder.scratch)
        return self._stack.enter_context(opened)

    def _begin_batch(self, trials: Sequence[Trial]) -> None:
        """Determine which forks can run simultaneously."""
        waits_for = self._journal.waits_for
        rounds = [one for one in rounds_of(trials) if len(one) > 1 and all(map(waits_for, one))]
        if self.plan.turns == "iterations" and rounds:
            self._turns.ask(self._session, rounds)

    def _measure(self, step: Step) -> None:
        """Measure a step; if the time of the run ends meanwhile, it counts as not measured."""
        self.watcher.started(step.trials)
        limited, seconds = step.trials, math.inf
        if self._limit is not None:
            limited = self._limit.ended_with(step.trials, self.clock.now())
            seconds = self._limit.most(self.clock.now())
        measure: Callable[[], tuple[dict[int, JournalEntry], tuple[LeftOut, ...]]]
        if step.process:
            measure = partial(
                self._measuring.measured_shared, self._session, limited, step.kind, seconds
            )
        else:
            measure = partial(self._measured, limited, step.kind)
        try:
            ended, left = retry_while_busy(
                measure, self.watcher.said, self.clock.sleep, self._seconds_left
            )
        except BusyError:
            self._scheduler.skip(step)
            return
        timeouts = {trial.number: trial.timeout for trial in limited}
        now = self.clock.now()
        self._leave_out(step, left, now)
        for group in step.groups:
            if group[0].number not in ended:
                continue
            own = [ended[trial.number] for trial in group]
            limits = [timeouts[trial.number] for trial in group]
            if self._scheduler.is_cut_off(step.part(group), limits, own, now):
                self._scheduler.skip(step.part(group))
                continue
            self._journal.add(*own)
            self._limit_watcher()
            self.watcher.finished(group, own)
            if len(group) > 1 and not own[0].in_turn:
                self._turns.ask_again(self._session, group)

    def _measured(
        self, trials: Sequence[Trial], kind: Kind
    ) -> tuple[dict[int, JournalEntry], tuple[LeftOut, ...]]:
        records = self._measuring.measured(self._session, trials, kind)
        return {record.number: record for record in records}, ()

    def _leave_out(self, step: Step, left: Sequence[LeftOut], now: float) -> None:
        """Have benchmarks without a result in a common process measured again.

        Those that may be at fault get their own process: those that the process arrived at, or the
        first one if it arrived at none.
        """
        parts = [step.part(step.groups[one.place]) for one in left]
        if self._limit is not None and self._limit.left(now) <= 0:
            for part in parts:
                self._scheduler.skip(part)
            return
        labels: dict[str, list[str]] = {}
        at_fault = any(one.reached for one in left)
        for place, one in reversed(list(enumerate(left))):  # the last one is put back first
            alone = one.reached or (not at_fault and place == 0)
            self._scheduler.again(parts[place], alone=alone)
            if alone:
                label = parts[place].trials[0].identity.label
                labels.setdefault(one.reason, []).insert(0, label)
        for reason, own in labels.items():
            run = "gets its own process" if len(own) == 1 else "get their own processes"
            self.watcher.said(f"{count(len(own), 'benchmark')} ({listed(own)}) {run}: {reason}")

    def _decide(self) -> None:
        """Record the trials that follow from an interim analysis."""
        if self.plan.follow_up is None:
            return
        begin = self.clock.now()
        self._journal.add(Decision(tuple(self.plan.follow_up(self._record()))))
        if self._limit is not None:  # there will be one more decision and merge
            self._limit.ending = max(self._limit.ending, 2 * (self.clock.now() - begin))
        self._announce()

    def _announce(self) -> None:
        """Show the remaining trials."""
        self._limit_watcher()
        schedule, given_up = self._journal.schedule(self.plan.trials), self._journal.given_up
        left = [trial for trial in schedule if trial.number not in given_up]
        self.watcher.planned(left, list(self._journal.records.values()))

    def _seconds_left(self) -> float:
        return math.inf if self._limit is None else self._limit.left(self.clock.now())

    def _limit_watcher(self) -> None:
        if self._limit is not None:
            self.watcher.limit = self._seconds_left()

    def _name_left_out(self, left_out: Sequence[NotRun], without: Sequence[NoResult]) -> None:
        """Write the list of benchmarks without a result, replacing that of earlier sessions."""
        if left_out or without:
            self.folder.write(self.folder.not_run, not_run_json(left_out, without).encode())
        else:
            self.folder.not_run.unlink(missing_ok=True)

    def _record(self) -> RunRecord:
        journal, limit = self._journal, self._limit
        merged = self._merging.write()
        return RunRecord(
            journal.schedule(self.plan.trials),
            dict(journal.records),
            merged,
            given_up=dict(journal.given_up),
            seconds_left=None if limit is None else limit.left(self.clock.now()),
            screened=self._screening.screened(journal),
        )

    def _write_header(self, outcome: RunEnd | None) -> None:
        header, sessions = self.plan.header, (*self.earlier, self._stretch)
        file = RunFile(1, header.run_id, header, sessions, outcome)
        self.folder.write(self.folder.header, file.text().encode())
