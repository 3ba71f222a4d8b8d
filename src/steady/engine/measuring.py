"""The measurement of a step: simultaneous forks, and the outcome of each."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from steady.engine.journal import JournalEntry, Kind
from steady.engine.run_folder import RunFolder
from steady.engine.step import rounds_of
from steady.harness.runs import Session, Turn, measured_alone
from steady.harness.trial import NotReachedError, Trial, TrialError
from steady.model import Identity
from steady.text.numbers import count, listed


@dataclass
class TurnTaking:
    """The benchmarks whose forks can run simultaneously, interleaved.

    Parameters
    ----------
    say : callable
        Prints a line that stays.
    obstacles : dict of Identity to str
        The reason why the forks of a benchmark run one by one; empty if they take turns. It is the
        same for all rounds until `ask_again`.
    """

    say: Callable[[str], None]
    obstacles: dict[Identity, str] = field(default_factory=dict)

    def ask(self, session: Session, pairs: Sequence[Sequence[Trial]]) -> None:
        """Ask the session about new benchmarks, and print each reason once.

        Parameters
        ----------
        session : Session
            Will run them.
        pairs : sequence of sequence of Trial
            Forks of base and head of one benchmark in one round each.
        """
        reasons: dict[str, list[str]] = {}
        for pair in pairs:
            identity = pair[0].identity
            if identity not in self.obstacles:
                self.obstacles[identity] = why = session.obstacle(pair)
                reasons.setdefault(why, []).append(identity.label)
        reasons.pop("", None)
        for why, labels in reasons.items():
            verb = "runs" if len(labels) == 1 else "run"
            self.say(
                f"{count(len(labels), 'benchmark')} ({listed(labels)}) {verb} fork by fork: {why}"
            )

    def ask_again(self, session: Session, pair: Sequence[Trial]) -> None:
        """Ask the session again about a benchmark whose forks were not interleaved.

        Some reasons show only when both forks are alive.
        """
        del self.obstacles[pair[0].identity]
        self.ask(session, [pair])

    def are_together(self, trials: Sequence[Trial]) -> bool:
        """Return whether forks of one round can run simultaneously."""
        return self.obstacles.get(trials[0].identity) == ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A group of trials without a result in a process that several benchmarks share.

    Parameters
    ----------
    place : int
        Its place among the groups of the step.
    reason : str
        The reason, in one line.
    reached : bool
        Whether the process arrived at the benchmark, so that it may be at fault.
    """

    place: int
    reason: str
    reached: bool


@dataclass(frozen=True)
class Measuring:
    """The measurement of trials into the folder of a run.

    Parameters
    ----------
    folder : RunFolder
        Gets the results, and the logs of trials without one.
    block : callable
        Names the round of a trial, unique over runs.
    clock : callable
        Returns the unix time in seconds.
    """

    folder: RunFolder
    block: Callable[[Trial], str]
    clock: Callable[[], float]

    def measured(
        self, session: Session, trials: Sequence[Trial], kind: Kind
    ) -> tuple[JournalEntry, ...]:
        """Run one trial, or groups of interleaved ones, and return their lines of the journal.

        If one of a group produces no result, the others keep theirs, but not as interleaved.

        Raises
        ------
        BusyError, KeyboardInterrupt
            As in `Session.measure`.
        InputError
            If a fork may have failed because the disk is full.
        """
        results = [self.folder.arriving(trial.number) for trial in trials]
        start = self.clock()
        if len(trials) == 1:
            ends: Sequence[Turn | TrialError] = [measured_alone(session, trials[0], results[0])]
        else:
            ends = session.measure_in_turn(trials, results)
        span = start, self.clock()
        layouts = {trial.number: session.layout(trial) for trial in trials}
        groups, outcomes = rounds_of(trials), iter(ends)
        return tuple(
            replace(entry, layout=layouts[entry.number])
            for group in groups
            for entry in self._entries(group, [next(outcomes) for _ in group], span, kind, groups)
        )

    def measured_shared(
        self, session: Session, trials: Sequence[Trial], kind: Kind, limit: float
    ) -> tuple[dict[int, JournalEntry], tuple[LeftOut, ...]]:
        """Run groups of trials in one process of each version (`Session.measure_shared`).

        Parameters
        ----------
        session : Session
            Runs them.
        trials : sequence of Trial
            The trials, those of a benchmark next to each other.
        kind : {"planned", "further", "screening"}
            As in `JournalEntry`.
        limit : float
            Seconds after which they are stopped.

        Returns
        -------
        dict of int to JournalEntry
            The lines of the journal of all trials with a result, by number.
        tuple of LeftOut
            The other groups.
        """
        results = [self.folder.arriving(trial.number) for trial in trials]
        begin = self.clock()
        ends = iter(session.measure_shared(trials, results, limit))
        span = begin, self.clock()
        groups = rounds_of(trials)
        outcomes = [[next(ends) for _ in group] for group in groups]
        shares = _shares(outcomes, span[1] - span[0])
        entries: dict[int, JournalEntry] = {}
        left: list[LeftOut] = []
        for place, (group, own) in enumerate(zip(groups, outcomes, strict=True)):
            seconds = [next(shares) for _ in own]
            error = next((end for end in own if isinstance(end, TrialError)), None)
            if error is not None:
                reached = not isinstance(error, NotReachedError)
                left.append(LeftOut(place, " ".join(str(error).split()), reached))
                continue
            lines = self._entries(group, own, span, kind, groups)
            for entry, share in zip(lines, seconds, strict=True):
                entries[entry.number] = replace(
                    entry,
                    seconds=round(share, 3),
                    process=f"{entry.block}:{trials[0].number}",
                )
        return entries, tuple(left)

    def _entries(
        self,
        group: Sequence[Trial],
        ends: Sequence[Turn | TrialError],
        span: tuple[float, float],
        kind: Kind,
        groups: Sequence[Sequence[Trial]],
    ) -> Iterator[JournalEntry]:
        """Yield the lines of the forks of one benchmark, of a step with several groups."""
        in_turn = len(ends) > 1 and all(isinstance(one, Turn) and one.in_turn for one in ends)
        for trial, one in zip(group, ends, strict=True):
            reason = self._reason(trial, one)
            entry = JournalEntry.of(
                trial,
                self.block(trial),
                *span,
                kind=kind,
                reason=reason,
                others=[other.number for other in group if other is not trial],
                pairs=len(groups),
            )
            forks = len(group) * len(groups)
            yield replace(
                entry,
                iteration_seconds=_iteration_seconds(one, forks, in_turn=in_turn),
                sha256="" if reason else self.folder.digest(trial.number),
                in_turn=in_turn,
                cold=isinstance(one, Turn) and one.cold,
            )

    def _reason(self, trial: Trial, end: Turn | TrialError) -> str:
        """Keep the result of a trial, or its log; return the reason for a missing result."""
        if isinstance(end, Turn):
            self.folder.keep(trial.number)
            return ""
        self.folder.require_room()
        self.folder.keep_log(trial.number, end.log)
        return " ".join(str(end).split()) or "it produced no result"


def _shares(outcomes: Sequence[Sequence[Turn | TrialError]], elapsed: float) -> Iterator[float]:
    """Yield the seconds of each trial of processes that several benchmarks share.

    They include a share of the start, in proportion to the seconds of the benchmark itself; all
    shares are equal if these are unknown. If a benchmark has no result, the start is left out,
    because the time that it took is not theirs.
    """
    ends = [end for own in outcomes for end in own]
    known = [end.seconds for end in ends if isinstance(end, Turn) and end.seconds]
    complete = len(known) == len(ends)
    times = elapsed / sum(known) if complete else 1.0
    for end in ends:
        seconds = end.seconds if isinstance(end, Turn) else None
        yield times * seconds if seconds else elapsed / len(ends)


def _iteration_seconds(end: Turn | TrialError, forks: int, *, in_turn: bool) -> float | None:
    """Return the seconds of a trial's iterations; of several forks, its share of them."""
    if isinstance(end, TrialError) or end.iteration_seconds is None:
        return None
    if forks == 1:
        return end.iteration_seconds
    return end.iteration_seconds / forks if in_turn else None
