"""The batches of a run: which of their trials run now, which wait, and which are given up."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeVar

from steady.compare.pair import COLD_TIMES
from steady.engine.agenda import Agenda
from steady.engine.first_rounds import FirstRounds, seconds_needed
from steady.engine.journal import GivenUp, Journal, JournalEntry, Kind
from steady.engine.pairs import Measuring, TurnTaking, rounds_of
from steady.engine.progress import Watcher
from steady.engine.run_folder import RunFolder
from steady.engine.time_limit import OUT_OF_TIME, Clock, TimeLimit, seconds_of_round
from steady.errors import InputError
from steady.harness.runs import Session
from steady.harness.trial import PATIENCE, BusyError, Trial
from steady.model import Identity
from steady.text.numbers import count, duration

T = TypeVar("T")

BUSY_MINUTES = 30
"""How long a run waits."""

_STEP_SECONDS = 5.0


def patiently(
    task: Callable[[], T],
    say: Callable[[str], None],
    sleep: Callable[[float], None],
    left: Callable[[], float],
) -> T:
    """Run a task, again and again while something else on the machine keeps it from running.

    Parameters
    ----------
    task : callable
        Raises BusyError as long as something does.
    say : callable
        Prints a line.
    sleep : callable
        Waits some seconds.
    left : callable
        Returns the seconds that the run has left.

    Raises
    ------
    InputError
        If it was too long.
    BusyError
        If the time of the run was at its end before.
    """
    waited = 0.0
    while True:
        try:
            return task()
        except BusyError as error:
            rest = left()
            if rest <= 0:
                raise
            if waited == 0.0:
                most = f"{BUSY_MINUTES} min" if rest > 60 * BUSY_MINUTES else duration(rest)
                say(f"{error}; waiting for its end, {most} at most")
            if waited >= 60 * BUSY_MINUTES:
                raise InputError(
                    f"{error}, still after {BUSY_MINUTES} min; end it, or wait until it has ended, "
                    "and go on with --resume"
                ) from None
            sleep(min(_STEP_SECONDS, rest))
            waited += _STEP_SECONDS


EQUAL_FAILURES = 3
"""After this many failures of one kind, the remaining forks of a benchmark are not run."""

DOUBT = 1.3
"""Where the time is short, a benchmark begins if it may take so many times what is expected."""

HANGS_TIMES = 3.0
HANGS_SECONDS = 5.0
"""A fork that took so much longer than it should hangs, even if the run's time ended it."""

_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+|@[0-9a-f]+", re.IGNORECASE)


@dataclass
class Batches:
    """The batches of trials of a run: what is planned, and then what was decided upon.

    Parameters
    ----------
    agenda : Agenda
        What the run measures.
    folder : RunFolder
        Where it writes.
    journal : Journal
        How trials ended.
    watcher : Watcher
        Gets the news.
    clock : Clock
        Tells the time, and waits.
    limit : TimeLimit, optional
        How much time there is. No round begins that would not end in it.
    session : callable
        Returns the harness, and starts it for the first trial.
    difference : callable
        Returns how much the versions of a benchmark differ so far (`FirstRounds`).
    suffix : str
        What the blocks of this session have in their names.
    """

    agenda: Agenda
    folder: RunFolder
    journal: Journal
    watcher: Watcher
    clock: Clock
    limit: TimeLimit | None
    session: Callable[[], Session]
    difference: Callable[[Identity], float]
    suffix: str

    def __post_init__(self) -> None:
        self._measuring = Measuring(self.folder, self._block, self.clock.now)
        self._turn_taking = TurnTaking(self.watcher.said)
        whole = math.inf if self.limit is None else self.limit.seconds
        self._first_rounds = FirstRounds(self.agenda.first, self.difference, whole)
        self._chosen_at = (-1, -1)
        self._chosen_now: frozenset[Identity] = frozenset()
        self._planned: Sequence[Trial] = self.agenda.trials

    def _block(self, trial: Trial) -> str:
        return f"{self.agenda.header.run_id}:{trial.round}{self.suffix}"

    @property
    def _schedule(self) -> tuple[Trial, ...]:
        """The whole schedule as far as it is decided."""
        return self.journal.schedule(self.agenda.trials)

    def announce(self) -> None:
        """Tell the watcher what is left to do."""
        self._limit_watcher()
        left = [trial for trial in self._schedule if trial.number not in self.journal.given_up]
        self.watcher.planned(left, list(self.journal.records.values()))

    def measure(self, trials: Sequence[Trial], kind: Kind) -> None:
        """Run trials, as far as the time lasts; what does not fit is given up."""
        if kind == "planned":
            self._planned = trials
        pairs = [pair for pair in rounds_of(trials) if len(pair) == 2 == sum(map(self._left, pair))]
        if self.agenda.turns == "iterations" and pairs:
            self._turn_taking.ask(self.session(), pairs)
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
            if kind == "planned" and self._can_wait(step):
                waiting += step
            elif not self._ends_in_time(step) or not self._run(step, kind):
                skipped += step
            else:
                ran = True
        return waiting, ran

    def _run(self, step: Sequence[Trial], kind: Kind) -> bool:
        """Run two forks that take turns, or one; return False if the time ended meanwhile."""
        session = self.session()
        self.watcher.started(step)
        if longer := self._may_stay_cold(step[0].identity):
            step = [trial.longer for trial in step]
        limited = step if self.limit is None else self.limit.ended_with(step, self.clock.now())
        try:
            records = patiently(
                partial(self._measuring.measured, session, limited, kind),
                self.watcher.said,
                self.clock.sleep,
                self._seconds_left,
            )
        except BusyError:
            return False
        if self._was_cut_off(step, limited, records):
            return False
        self.journal.add(*records)
        self._limit_watcher()
        self.watcher.finished(step, records)
        if len(step) == 2 and not records[0].in_turn:
            self._turn_taking.ask_again(session, step)
        for trial, record in zip(step, records, strict=True):
            if record.status == "failed":
                self._give_up_after(trial)
        if longer and any(record.cold for record in records):
            self._leave_cold(step[0].identity)
        return True

    def _may_stay_cold(self, identity: Identity) -> bool:
        """Tell whether forks of a benchmark need longer to become warm than others do.

        Its own did before, or a third of all: the machine is busy.
        """
        ended = [record for record in self.journal.records.values() if record.status == "ok"]
        late = [r.benchmark for r in ended if r.cold or r.seconds > PATIENCE * r.promised]
        return identity.label in late or 3 * len(late) >= len(ended) > 0

    def _leave_cold(self, identity: Identity) -> None:
        """Leave out the rest of a benchmark that did not become warm, where others wait.

        One that differs further than being cold can explain goes on.
        """
        if math.log(COLD_TIMES) < self.difference(identity) < math.inf:
            return
        left, records = [t for t in self._planned if self._left(t)], self.journal.records
        needed = seconds_needed(self._planned, left, records)
        if sum(needed.values()) <= self._seconds_left():
            return
        begun = {trial.identity for trial in self._planned if trial.number in records}
        if any(trial.identity not in begun for trial in left):
            self._leave_out([trial for trial in left if trial.identity == identity])

    def _was_cut_off(
        self, step: Sequence[Trial], limited: Sequence[Trial], records: Sequence[JournalEntry]
    ) -> bool:
        """Tell whether the run's time ended a step that may well have ended by itself.

        One that took far longer than it should counts as what it is: it hangs.
        """
        if self._seconds_left() > 0 or all(record.status == "ok" for record in records):
            return False
        shorter = any(one.timeout < own.timeout for one, own in zip(limited, step, strict=True))
        spent = sum(record.seconds for record in records)
        return shorter and spent < HANGS_TIMES * sum(t.seconds for t in step) + HANGS_SECONDS

    def _seconds_left(self) -> float:
        return math.inf if self.limit is None else self.limit.left(self.clock.now())

    def _can_wait(self, step: Sequence[Trial]) -> bool:
        """Tell whether the time is so short that other benchmarks come before this one."""
        records = self.journal.records
        if self.limit is None or step[0].identity in self._chosen():
            return False
        whole = self._rounds[step[0].round, step[0].identity]
        return not any(number in records for number in whole)

    def _chosen(self) -> frozenset[Identity]:
        """Return what is measured now where the time is short; it is asked after each fork."""
        known = len(self.journal.records), len(self.journal.given_up)
        if known != self._chosen_at:
            planned = self._planned
            left = [trial for trial in planned if self._left(trial)]
            records, seconds = self.journal.records, self._seconds_left()
            doubt = DOUBT if records else math.inf  # how fast it is, the first forks show
            self._chosen_now = self._first_rounds.chosen(planned, left, records, seconds, doubt)
            self._chosen_at = known
        return self._chosen_now

    @cached_property
    def _rounds(self) -> Mapping[tuple[int, Identity], Sequence[int]]:
        """The numbers of the planned trials of each round of each benchmark."""
        numbers: dict[tuple[int, Identity], list[int]] = {}
        for trial in self.agenda.trials:
            numbers.setdefault((trial.round, trial.identity), []).append(trial.number)
        return numbers

    def _ends_in_time(self, step: Sequence[Trial]) -> bool:
        """Tell whether a step ends within the time, by all that is known of it."""
        if self.limit is None:
            return True
        needed = seconds_of_round(step, self._schedule, self.journal.records)
        return needed <= self._seconds_left()

    def _leave_out(self, skipped: Sequence[Trial]) -> None:
        """Record that the time was too short for some trials."""
        by_label: dict[str, list[int]] = {}
        for trial in skipped:
            by_label.setdefault(trial.identity.label, []).append(trial.number)
        self.journal.add(
            *(GivenUp(label, tuple(own), OUT_OF_TIME) for label, own in by_label.items())
        )
        if skipped:
            self.announce()

    def _left(self, trial: Trial) -> bool:
        """Tell whether a trial is still to be run."""
        return (
            trial.number not in self.journal.records and trial.number not in self.journal.given_up
        )

    def _give_up_after(self, trial: Trial) -> None:
        """End the forks of a benchmark that fails again and again."""
        own = [t.number for t in self._schedule if t.identity == trial.identity and self._left(t)]
        timed = self.limit is not None
        end = given_up_after(trial, self._schedule, self.journal.records, own, timed=timed)
        if end is not None:
            self.journal.add(end)
            forks = count(len(own), "fork")
            self.watcher.said(f"{trial.identity.label}: {forks} left are not run: {end.reason}")
            self.announce()

    def _limit_watcher(self) -> None:
        if self.limit is not None:
            self.watcher.limit = self.limit.left(self.clock.now())


def given_up_after(
    trial: Trial,
    trials: Sequence[Trial],
    records: Mapping[int, JournalEntry],
    left: Sequence[int],
    *,
    timed: bool = False,
) -> GivenUp | None:
    """Return that a benchmark is given up, in all versions, after the third failure of one kind.

    A benchmark without one of its sides has no verdict. Where time is limited, one fork that hangs
    is enough, or one round that fails in both versions: the others need what it would cost again.

    Parameters
    ----------
    trial : Trial
        The one that has failed.
    trials : sequence of Trial
        The whole schedule.
    records : mapping of int to JournalEntry
        How trials ended.
    left : sequence of int
        The trials of its benchmark that are still to be run.
    timed : bool
        Whether the run's time is limited.

    Returns
    -------
    GivenUp or None
        None if it goes on.
    """
    if not left:
        return None
    record = records[trial.number]
    took = record.seconds if record.beside is None else 2 * record.seconds
    if timed and took >= trial.timeout:
        why = f"in {trial.version} a fork exceeded its limit, and the time is for the others"
        return GivenUp(trial.identity.label, tuple(left), why)
    place = trial.identity, trial.round
    beside = [records.get(t.number) for t in trials if (t.identity, t.round) == place]
    if timed and len(beside) > 1 and all(r and r.status == "failed" for r in beside):
        why = "it failed in both versions, and the time is for the others"
        return GivenUp(trial.identity.label, tuple(left), why)
    own = [t.number for t in trials if (t.identity, t.version) == (trial.identity, trial.version)]
    failed = [r for n in own if (r := records.get(n)) and r.status == "failed"]
    reason = _without_numbers(record.reason)
    if sum(_without_numbers(other.reason) == reason for other in failed) < EQUAL_FAILURES:
        return None
    why = f"it failed {EQUAL_FAILURES} times for the same reason in {trial.version}"
    return GivenUp(trial.identity.label, tuple(left), why)


def _without_numbers(reason: str) -> str:
    """Return a reason without addresses, hash codes and counts, which differ each time."""
    return _NUMBERS.sub("#", reason)
