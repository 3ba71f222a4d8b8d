"""Run trials, alone or in pairs; whatever ends the run, only what is running is lost."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property, partial

from steady.engine.folder import RunFolder
from steady.engine.folder_lock import locked
from steady.engine.giving_up import given_up_after
from steady.engine.journal import Decision, GivenUp, Journal, Kind
from steady.engine.journal_check import forget_what_is_not_whole
from steady.engine.machine import load_average, sidecar
from steady.engine.measuring import Measuring
from steady.engine.merging import Merging, looks_of_run
from steady.engine.pairs import TurnTaking, rounds_of
from steady.engine.patience import patiently
from steady.engine.precedence import Precedence
from steady.engine.progress import Watcher
from steady.engine.run_file import Header, RunFile, RunOutcome, Stretch, read_run
from steady.engine.state import RunState
from steady.engine.time_limit import (
    OUT_OF_TIME,
    TOO_SHORT,
    TimeLimit,
    seconds_before,
    seconds_of_round,
)
from steady.errors import InputError
from steady.harness.runs import Runs, Session, Turns
from steady.harness.trial import Trial, Version
from steady.model import Identity, NotRun
from steady.readers.beside_results import not_run_json
from steady.samecode.file import SameCodeFile
from steady.text.counting import count

FollowUp = Callable[[RunState], Sequence[Trial]]
"""Decides after the planned trials which others follow, and after those again, until none do."""


def run_trials(
    harness: Runs,
    versions: Sequence[Version],
    trials: Sequence[Trial],
    folder: RunFolder,
    header: Header,
    watcher: Watcher,
    *,
    resume: bool = False,
    follow_up: FollowUp | None = None,
    looks: Mapping[Identity, tuple[int, ...]] | None = None,
    turns: Turns = "iterations",
    limit: TimeLimit | None = None,
    precedence: Sequence[Identity] = (),
    not_run: Sequence[NotRun] = (),
    same_code: SameCodeFile | None = None,
    clock: Callable[[], float] = time.time,
    sleep: Callable[[float], None] = time.sleep,
) -> RunState:
    """Run a schedule into a folder, or go on with it.

    Parameters
    ----------
    harness : Runs
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
        Decides which trials follow the planned ones, and is asked again after each batch until it
        gives none. A resumed run keeps all decisions that were made.
    looks : mapping of Identity to tuple of int, optional
        After how many rounds `follow_up` decides about each benchmark; left out, what the numbers
        of planned rounds ask for (`looks_of_run`).
    turns : {"iterations", "forks"}
        Whether the two forks of a round are alive together and take turns by iteration, where
        their harness can do that, or run one after the other.
    limit : TimeLimit, optional
        How long the whole run may take. No round begins that would not end in time.
    precedence : sequence of Identity
        Which benchmarks come first where the time is too short for the planned rounds of all.
    not_run : sequence of NotRun
        Benchmarks that are left out on purpose; they are written beside the results, with those
        that the time was too short for.
    same_code : SameCodeFile, optional
        What is not measured because base and head run the same code.
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
            planned = tuple(trials)
            if looks is None:
                looks = {} if follow_up is None else looks_of_run(planned)
            merging = Merging(harness, versions, folder, looks)
            if same_code is not None:
                folder.write(folder.same_code, same_code.text().encode())
            runner = _Runner(
                merging,
                header,
                sessions,
                planned,
                watcher,
                turns,
                limit,
                Precedence(precedence),
                clock,
                sleep,
            )
            return runner.run(follow_up, not_run)
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

    merging: Merging
    header: Header
    earlier: tuple[Stretch, ...]
    planned: tuple[Trial, ...]
    watcher: Watcher
    turns: Turns
    limit: TimeLimit | None
    precedence: Precedence
    clock: Callable[[], float]
    sleep: Callable[[float], None]

    def __post_init__(self) -> None:
        self.folder = self.merging.folder
        self._stretch = Stretch(self.clock(), load_average())
        self._journal = Journal.open(self.folder.journal)
        self._measuring = Measuring(self.folder, self._block, self.clock)
        self._turn_taking = TurnTaking(self.watcher.said)
        self._stack = ExitStack()
        if self.limit is not None:
            records = self._journal.records.values()
            self.limit.seconds -= seconds_before(self.earlier, self._stretch.start, records)

    def run(self, follow_up: FollowUp | None, not_run: Sequence[NotRun]) -> RunState:
        self._check_journal()
        self._write_header(None)
        self.folder.write(self.folder.sidecar, sidecar([self.header.machine]).encode())
        self._name_left_out(not_run)
        self.folder.prepare([r.number for r in self._journal.records.values() if r.status == "ok"])
        interrupted = False
        try:
            with self._stack:
                self._measure(self.planned, "planned")
                self._follow(follow_up)
        except KeyboardInterrupt:
            interrupted = True
        self.folder.remove_scratch()
        state = replace(self._state(), interrupted=interrupted)
        self._name_left_out([*not_run, *(NotRun(one, TOO_SHORT) for one in state.not_begun)])
        begun = self._stretch
        self._stretch = Stretch(begun.start, begun.load, self.clock(), load_average())
        self._write_header(state.outcome(self.merging.looks))
        return state

    @cached_property
    def _session(self) -> Session:
        """The harness, started for the first trial: a run that is finished does not need it."""
        merging = self.merging
        opened = merging.harness.open(merging.versions, self.folder.scratch)
        return self._stack.enter_context(opened)

    @property
    def _trials(self) -> tuple[Trial, ...]:
        """The whole schedule as far as it is decided."""
        return self.planned + (self._journal.further or ())

    def _block(self, trial: Trial) -> str:
        # Forks of one round that ran in different sessions did not run close in time.
        suffix = f"+{len(self.earlier)}" if self.earlier else ""
        return f"{self.header.run_id}:{trial.round}{suffix}"

    def _follow(self, follow_up: FollowUp | None) -> None:
        """Run what was decided upon, and ask again until nothing follows."""
        decisions = self._journal.decisions
        for number in itertools.count():
            if number == len(decisions):
                if follow_up is None:
                    return
                begin = self.clock()
                self._journal.add(Decision(tuple(follow_up(self._state()))))
                if self.limit is not None:  # it will be asked once more, and all is merged then
                    self.limit.ending = max(self.limit.ending, 2 * (self.clock() - begin))
                self._announce()
            if not decisions[number]:
                return
            self._measure(decisions[number], "further")

    def _measure(self, trials: Sequence[Trial], kind: Kind) -> None:
        pairs = [pair for pair in rounds_of(trials) if len(pair) == 2 == sum(map(self._left, pair))]
        if self.turns == "iterations" and pairs:
            self._turn_taking.ask(self._session, pairs)
        skipped: list[Trial] = []
        waiting, ran = trials, True
        while waiting and ran:
            waiting, ran = self._pass(waiting, kind, skipped)
        self._leave_out(sorted([*skipped, *waiting], key=lambda trial: trial.number))

    def _pass(
        self, trials: Sequence[Trial], kind: Kind, skipped: list[Trial]
    ) -> tuple[list[Trial], bool]:
        """Run trials, but for those that can wait; return these, and whether any was run."""
        waiting: list[Trial] = []
        ran = False
        for step in self._turn_taking.steps(trials, self._left):
            if not self._ends_in_time(step):
                skipped += step
                continue
            if kind == "planned" and self._can_wait(step):
                waiting += step
                continue
            ran = True
            self.watcher.started(step)
            records = patiently(
                partial(self._measuring.measured, self._session, step, kind),
                self.watcher.said,
                self.sleep,
                "go on with --resume",
            )
            self._journal.add(*records)
            self._limit_watcher()
            self.watcher.finished(step, records)
            if len(step) == 2 and not records[0].in_turn:
                self._turn_taking.ask_again(self._session, step)
            for trial, record in zip(step, records, strict=True):
                if record.status == "failed":
                    self._give_up_after(trial)
        return waiting, ran

    def _can_wait(self, step: Sequence[Trial]) -> bool:
        """Tell whether the time is so short that other benchmarks come before this one."""
        place = step[0].round, step[0].identity
        records = self._journal.records
        whole = (t.number for t in self.planned if (t.round, t.identity) == place)
        if self.limit is None or any(number in records for number in whole):
            return False
        left = [trial for trial in self.planned if self._left(trial)]
        seconds = self.limit.left(self.clock())
        return place[1] not in self.precedence.chosen(self.planned, left, records, seconds)

    def _ends_in_time(self, step: Sequence[Trial]) -> bool:
        """Tell whether a step ends within the time, by all that is known of it."""
        if self.limit is None:
            return True
        needed = seconds_of_round(step, self._trials, self._journal.records)
        return needed <= self.limit.left(self.clock())

    def _name_left_out(self, benchmarks: Sequence[NotRun]) -> None:
        if benchmarks:
            self.folder.write(self.folder.not_run, not_run_json(benchmarks).encode())

    def _leave_out(self, skipped: Sequence[Trial]) -> None:
        """Record that the time was too short for some trials."""
        by_label: dict[str, list[int]] = {}
        for trial in skipped:
            by_label.setdefault(trial.identity.label, []).append(trial.number)
        self._journal.add(
            *(GivenUp(label, tuple(own), OUT_OF_TIME) for label, own in by_label.items())
        )
        if skipped:
            self._announce()

    def _left(self, trial: Trial) -> bool:
        """Tell whether a trial is still to be run."""
        journal = self._journal
        return trial.number not in journal.records and trial.number not in journal.given_up

    def _give_up_after(self, trial: Trial) -> None:
        """End the forks of a benchmark that fails again and again."""
        own = [t.number for t in self._trials if t.identity == trial.identity and self._left(t)]
        end = given_up_after(trial, self._trials, self._journal.records, own)
        if end is not None:
            self._journal.add(end)
            forks = count(len(own), "fork")
            self.watcher.said(f"{trial.identity.label}: {forks} left are not run: {end.reason}")
            self._announce()

    def _limit_watcher(self) -> None:
        if self.limit is not None:
            self.watcher.limit = self.limit.left(self.clock())

    def _announce(self) -> None:
        self._limit_watcher()
        given_up = self._journal.given_up
        left = [trial for trial in self._trials if trial.number not in given_up]
        self.watcher.planned(left, list(self._journal.records.values()))

    def _state(self) -> RunState:
        journal, trials = self._journal, self._trials
        merged = self.merging.write(trials, journal)
        left = None if self.limit is None else self.limit.left(self.clock())
        return RunState(
            trials,
            dict(journal.records),
            merged,
            given_up=dict(journal.given_up),
            seconds_left=left,
        )

    def _check_journal(self) -> None:
        for remark in forget_what_is_not_whole(self._journal, self._trials, self.folder):
            self.watcher.said(remark)
        self._announce()

    def _write_header(self, outcome: RunOutcome | None) -> None:
        sessions = (*self.earlier, self._stretch)
        file = RunFile(1, self.header.run_id, self.header, sessions, outcome)
        self.folder.write(self.folder.header, file.text().encode())
