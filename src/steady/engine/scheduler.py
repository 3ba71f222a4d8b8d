"""The scheduler of a run: the next step, given the results so far and the remaining time."""

import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Literal

from steady.engine.batch import Batch
from steady.engine.giving_up import given_up_after, may_stay_cold, out_of_time
from steady.engine.journal import GivenUp, Journal, JournalEntry
from steady.engine.priority import Priority, seconds_needed
from steady.engine.run_plan import RunPlan
from steady.engine.screening import Screening
from steady.engine.shared_processes import Room, joining
from steady.engine.step import Step, rounds_of
from steady.engine.time_limit import TimeLimit, seconds_of_round
from steady.execution.warm_up import exceeds_warm_up
from steady.harness.trial import Trial
from steady.model import Identity

Next = Step | tuple[GivenUp, ...] | Literal["decide"] | None
"""Trials to measure, trials to give up, the request for a decision (`RunPlan.follow_up`), or the
end of the run."""

DOUBT = 1.3
"""A benchmark begins only if there is time for this many times its expected seconds."""

HANGS_TIMES = 3.0
HANGS_SECONDS = 5.0
"""A fork hangs if it took this many times its expected seconds, and these seconds more, even if
the end of the run's time stopped it."""


@dataclass
class Scheduler:
    """The scheduler of a run.

    Parameters
    ----------
    plan : RunPlan
        The plan of the run.
    limit : TimeLimit, optional
        The remaining time. A round begins only if it is expected to end within it.
    difference : callable
        Returns the apparent difference between the versions of a benchmark (`Priority`).
    screening : Screening
        The screening before the planned rounds; without trials there is none.
    are_together : callable
        Returns whether these forks of one round can run simultaneously.
    begin : callable
        Called with the trials of each new batch, before any `are_together`.
    """

    plan: RunPlan
    limit: TimeLimit | None
    difference: Callable[[Identity], float]
    screening: Screening
    are_together: Callable[[Sequence[Trial]], bool]
    begin: Callable[[Sequence[Trial]], None]

    def __post_init__(self) -> None:
        whole = math.inf if self.limit is None else self.limit.seconds
        self._priority = Priority(self.plan.first, self.difference, whole)
        self._chosen_at = (-1, -1)
        self._chosen_now: frozenset[Identity] = frozenset()
        self._stages = deque(self.plan.stages)
        self._planned: Sequence[Trial] = self.plan.trials
        self._batch: Batch | None = None
        self._follows = False
        self._decisions = 0
        self._last: Step | None = None
        self._patient: frozenset[Identity] = frozenset()
        self._alone: set[Identity] = set()

    def next(self, journal: Journal, now: float) -> Next:
        """Return the next step of the run.

        Before the next call, the journal must contain the result of the returned step, or `skip`
        must be called.

        Parameters
        ----------
        journal : Journal
            The finished and given-up trials, and the decisions so far.
        now : float
            Unix time in seconds.
        """
        if given_up := self._given_up_after_last(journal, now):
            return given_up
        while True:
            if self._batch is None:
                if self._needs_decision(journal):
                    return "decide"
                self._batch = self._next_batch(journal, now)
                if self._batch is None:
                    return None
            if screening := self._next_screening(journal, now):
                return screening
            step = self._next_step(self._batch, journal, now)
            if step is not None:
                return step
            batch, self._batch = self._batch, None
            if batch.kind == "planned":
                self._follows = any(trial.number in journal.records for trial in batch.trials)
            rest = sorted([*batch.skipped, *batch.waiting], key=lambda trial: trial.number)
            if rest:
                return out_of_time(rest)

    def skip(self, step: Step) -> None:
        """Record that a step, or a part of one, was not measured because the run's time ended."""
        if step.kind == "screening":
            self.screening.end()
            return
        self._forget(step)
        if self._batch is not None:
            self._batch.skipped += step.trials

    def again(self, step: Step, *, alone: bool) -> None:
        """Record that a part of a step has no result, because it shared a process.

        Parameters
        ----------
        step : Step
            The trials, which are measured again.
        alone : bool
            Whether their benchmarks get their own processes from now on.
        """
        if alone:
            self._alone |= {trial.identity for trial in step.trials}
        if step.kind == "screening":
            return
        self._forget(step)
        if self._batch is not None:
            planned = {trial.number: trial for trial in self._batch.trials}
            again = [planned[trial.number] for trial in step.trials]
            self._batch.queue.extendleft(reversed(again))

    def _forget(self, step: Step) -> None:
        """Treat a part of the last step as not measured."""
        if self._last is not None:
            rest = tuple(trial for trial in self._last.trials if trial not in step.trials)
            self._last = self._last.part(rest) if rest else None
        if self._batch is not None:
            self._batch.measured -= len(rounds_of(step.trials))

    def is_cut_off(
        self, step: Step, timeouts: Sequence[float], records: Sequence[JournalEntry], now: float
    ) -> bool:
        """Return whether only the end of the run's time stopped a step.

        A step that took far longer than expected counts as hanging instead.

        Parameters
        ----------
        step : Step
            The measured forks of one benchmark.
        timeouts : sequence of float
            The timeouts of its trials, which the end of the run's time may have shortened.
        records : sequence of JournalEntry
            The outcomes of its trials.
        now : float
            Unix time in seconds.
        """
        if self._seconds_left(now) > 0 or all(record.status == "ok" for record in records):
            return False
        pairs = zip(timeouts, step.trials, strict=True)
        shorter = any(timeout < trial.timeout for timeout, trial in pairs)
        spent = max(record.end - record.start for record in records)
        return shorter and spent < HANGS_TIMES * step.seconds + HANGS_SECONDS

    # Batches: the stages of the plan, each followed by the trials that were decided after it.

    def _needs_decision(self, journal: Journal) -> bool:
        undecided = self._decisions == len(journal.decisions)
        return self._follows and undecided and self.plan.follow_up is not None

    def _next_batch(self, journal: Journal, now: float) -> Batch | None:
        batch: Batch | None = None
        if self._follows and self._decisions < len(journal.decisions):
            decided = journal.decisions[self._decisions]
            self._decisions += 1
            if decided:
                batch = Batch("further", decided)
        if batch is None:
            self._follows = False
            if self._stages:
                self._planned = self._stages.popleft()
                batch = Batch("planned", self._planned)
                left = [trial for trial in self._planned if journal.waits_for(trial)]
                self.screening.begin(left, self._seconds_left(now), self.plan.pairs)
        if batch is not None:
            self.begin(batch.trials)
        return batch

    # Steps

    def _next_screening(self, journal: Journal, now: float) -> Step | None:
        """Return the next screening forks of a stage; at their end, choose the first benchmarks."""
        if not self.screening.is_open:
            return None
        left = self._seconds_left(now)
        trials = self.screening.next(journal, left, self.are_together, self._process_of)
        if not trials:
            self.screening.end()
            screened = self.screening.screened(journal)
            order = screened.first(self.plan.first)
            self._priority = Priority(order, self.difference, left, screened.notable)
            self._chosen_at = (-1, -1)
            return None
        pairs = rounds_of(trials)
        process = self._process_of(trials[0].identity) if len(pairs) > 1 else ""
        fit = process or all(self.plan.harness.fits_beside(pair[0].identity) for pair in pairs)
        return Step(trials if fit else pairs[0], "screening", process)

    def _next_step(self, batch: Batch, journal: Journal, now: float) -> Step | None:
        """Return the next step of a batch; None at its end."""
        groups: list[tuple[Trial, ...]] = []
        while len(groups) < self.plan.pairs and (batch.queue or batch.next_pass()):
            if groups and not self._fits_beside(groups, batch.queue[0]):
                break
            trials = self._pop(batch.queue, journal)
            if not trials:
                continue
            if batch.kind == "planned" and self._can_wait(trials, journal, now):
                batch.waiting += trials
            elif not self._ends_in_time(trials, journal, now):
                batch.skipped += trials
            else:
                batch.measured += 1
                groups.append(trials)
                if len(trials) == 1 or self._process_of(trials[0].identity):
                    break
        process = ""
        if len(groups) == 1 and len(groups[0]) > 1:
            groups += self._joining(groups[0], batch, journal, now)
            process = self._process_of(groups[0][0].identity) if len(groups) > 1 else ""
        named = {group[0].identity for group in groups}
        self._patient = frozenset(i for i in named if may_stay_cold(i, journal))
        groups = [
            tuple(trial.longer for trial in group) if group[0].identity in self._patient else group
            for group in groups
        ]
        trials = tuple(chain.from_iterable(groups))
        self._last = Step(trials, batch.kind, process) if groups else None
        return self._last

    def _process_of(self, identity: Identity) -> str:
        """Return the process that a benchmark shares; empty if it has its own."""
        return "" if identity in self._alone else self.plan.shared_processes.names.get(identity, "")

    def _joining(
        self, first: Sequence[Trial], batch: Batch, journal: Journal, now: float
    ) -> list[tuple[Trial, ...]]:
        """Take the other pairs of a round that share the processes of the first one."""
        place, name = first[0].round, self._process_of(first[0].identity)
        if not name:
            return []
        begun = {t.identity for t in self._planned if t.number in journal.records}

        def has_priority(pair: Sequence[Trial]) -> bool:
            return batch.kind != "planned" or not self._can_wait(pair, journal, now)

        def is_open(pair: Sequence[Trial]) -> bool:
            identity = pair[0].identity
            due = has_priority(pair) or identity not in begun
            fits = (pair[0].round, self._process_of(identity)) == (place, name) and len(pair) > 1
            return fits and due and all(map(journal.waits_for, pair)) and self.are_together(pair)

        schedule = journal.schedule(self.plan.trials)
        joined = joining(
            first,
            self._priority.in_order(filter(is_open, rounds_of(batch.queue))),
            self.plan.shared_processes,
            lambda pair: seconds_of_round(pair, schedule, journal.records),
            has_priority,
            Room(self._seconds_left(now), self._priority.spare, not journal.records),
        )
        taken = {trial.number for pair in joined for trial in pair}
        # In the random order of the round, whatever their importance.
        groups = [pair for pair in rounds_of(batch.queue) if pair[0].number in taken]
        batch.queue = deque(trial for trial in batch.queue if trial.number not in taken)
        batch.measured += len(groups)
        return groups

    def _fits_beside(self, groups: Sequence[Sequence[Trial]], trial: Trial) -> bool:
        """Return whether forks of another benchmark are next, which are interleaved.

        Simultaneous rounds of one benchmark would share the state of the machine, so they would not
        be independent.
        """
        named = [group[0].identity for group in groups]
        if trial.identity in named or self._process_of(trial.identity):
            return False
        fit = all(map(self.plan.harness.fits_beside, (*named, trial.identity)))
        return fit and self.are_together((trial,))

    def _pop(self, queue: deque[Trial], journal: Journal) -> tuple[Trial, ...]:
        """Take the next trials of a queue: the forks of a round that can run simultaneously."""
        first = queue[0]
        own: list[Trial] = []
        for trial in queue:
            if (trial.round, trial.identity) != (first.round, first.identity):
                break
            own.append(trial)
        left = [trial for trial in own if journal.waits_for(trial)]
        if len(left) > 1 and self.are_together(left):
            taken = len(own)
        else:
            left = left[:1]
            taken = own.index(left[0]) + 1 if left else len(own)
        for _ in range(taken):
            queue.popleft()
        return tuple(left)

    def _can_wait(self, trials: Sequence[Trial], journal: Journal, now: float) -> bool:
        """Return whether other benchmarks have priority, because the time is too short for all."""
        if self.limit is None or trials[0].identity in self._chosen(journal, now):
            return False
        whole = self._rounds[trials[0].round, trials[0].identity]
        return not any(number in journal.records for number in whole)

    def _chosen(self, journal: Journal, now: float) -> frozenset[Identity]:
        """Return the benchmarks that have priority; chosen again after each change."""
        known = len(journal.records), len(journal.given_up)
        if known != self._chosen_at:
            left = [trial for trial in self._planned if journal.waits_for(trial)]
            doubt = DOUBT if journal.records else math.inf  # the first forks show the pace
            self._chosen_now = self._priority.chosen(
                self._planned, left, journal.records, self._seconds_left(now), doubt
            )
            self._chosen_at = known
        return self._chosen_now

    @cached_property
    def _rounds(self) -> Mapping[tuple[int, Identity], Sequence[int]]:
        """The numbers of the planned trials of each round of each benchmark."""
        numbers: dict[tuple[int, Identity], list[int]] = {}
        for trial in self.plan.trials:
            numbers.setdefault((trial.round, trial.identity), []).append(trial.number)
        return numbers

    def _ends_in_time(self, trials: Sequence[Trial], journal: Journal, now: float) -> bool:
        if self.limit is None:
            return True
        schedule = journal.schedule(self.plan.trials)
        shared = seconds_of_round(trials, schedule, journal.records)
        shared += self.plan.shared_processes.missing_start([trials[0].identity])
        return self.plan.pairs * shared <= self._seconds_left(now)

    def _seconds_left(self, now: float) -> float:
        return math.inf if self.limit is None else self.limit.left(now)

    # What follows from the last step

    def _given_up_after_last(self, journal: Journal, now: float) -> tuple[GivenUp, ...]:
        """Return the trials that are given up because the last step failed or stayed cold."""
        last, self._last = self._last, None
        given_up: list[GivenUp] = []
        for group in () if last is None else last.groups:
            records = [journal.records[trial.number] for trial in group]
            failing = list(self._failing(group, records, journal))
            identity, cold = group[0].identity, any(record.cold for record in records)
            if not failing and cold and identity in self._patient:
                failing += self._left_cold(identity, journal, now)
            given_up += failing
        return tuple(given_up)

    def _failing(
        self, group: Sequence[Trial], records: Sequence[JournalEntry], journal: Journal
    ) -> Iterator[GivenUp]:
        schedule = journal.schedule(self.plan.trials)
        for trial, record in zip(group, records, strict=True):
            if record.status == "ok":
                continue
            left = [t for t in schedule if t.identity == trial.identity and journal.waits_for(t)]
            numbers, timed = [t.number for t in left], self.limit is not None
            end = given_up_after(trial, schedule, journal.records, numbers, timed=timed)
            if end is not None:
                yield end
                return  # nothing of the benchmark is left

    def _left_cold(self, identity: Identity, journal: Journal, now: float) -> tuple[GivenUp, ...]:
        """Return the remaining trials of a cold benchmark if other benchmarks wait for time.

        A benchmark whose difference exceeds a possible effect of warm-up continues.
        """
        if exceeds_warm_up(self.difference(identity)):
            return ()
        left = [trial for trial in self._planned if journal.waits_for(trial)]
        needed = seconds_needed(self._planned, left, journal.records)
        if sum(needed.values()) <= self._seconds_left(now):
            return ()
        begun = {t.identity for t in self._planned if t.number in journal.records}
        if all(trial.identity in begun for trial in left):
            return ()
        return out_of_time([trial for trial in left if trial.identity == identity])
