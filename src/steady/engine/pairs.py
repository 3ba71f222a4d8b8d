"""The forks of one benchmark in one round: which run together, and how each of them ended."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from msgspec.structs import replace

from steady.engine.journal import JournalEntry, Kind
from steady.engine.run_folder import RunFolder
from steady.harness.runs import Session, Turn, measured_alone
from steady.harness.trial import Trial, TrialError
from steady.model import Identity
from steady.text.numbers import count, listed


def rounds_of(trials: Sequence[Trial]) -> tuple[tuple[Trial, ...], ...]:
    """Return the trials of one benchmark in one round together; they are neighbours."""
    groups = groupby(trials, key=lambda trial: (trial.round, trial.identity))
    return tuple(tuple(group) for _, group in groups)


@dataclass
class TurnTaking:
    """The choice of forks that take turns; it says which do not.

    Parameters
    ----------
    say : callable
        Prints a line that stays.
    obstacles : dict of Identity to str
        Why the forks of a benchmark run one by one; empty if they take turns. Its rounds have the
        same answer, since they run in the same way, until `ask_again`.
    """

    say: Callable[[str], None]
    obstacles: dict[Identity, str] = field(default_factory=dict)

    def ask(self, session: Session, pairs: Sequence[Sequence[Trial]]) -> None:
        """Ask about the benchmarks that are new, and say each reason once.

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
        """Ask about a benchmark whose forks did not take turns, and say the reason if it has one.

        Some reasons show only when both forks are alive.
        """
        del self.obstacles[pair[0].identity]
        self.ask(session, [pair])

    def steps(
        self, trials: Sequence[Trial], is_left: Callable[[Trial], bool]
    ) -> Iterator[tuple[Trial, ...]]:
        """Yield what is to be run next: two forks that take turns, or one.

        Parameters
        ----------
        trials : sequence of Trial
            In their order.
        is_left : callable
            Whether a trial is still to be run, which steps before it may change.
        """
        for group in rounds_of(trials):
            left = tuple(filter(is_left, group))
            if len(left) == 2 and self.obstacles.get(left[0].identity) == "":
                yield left
            else:
                yield from ((trial,) for trial in left if is_left(trial))


@dataclass(frozen=True)
class Measuring:
    """The measuring of trials, into a folder.

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
        """Run one trial, or two that take turns, and return their lines of the journal.

        If one of two leaves no result, the result of the other one counts, but not as one that was
        measured in turn.

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
        end = self.clock()
        in_turn = len(ends) > 1 and all(isinstance(one, Turn) and one.in_turn for one in ends)
        others = [None] if len(trials) == 1 else [trial.number for trial in reversed(trials)]
        entries = []
        for trial, one, other in zip(trials, ends, others, strict=True):
            reason = self._reason(trial, one)
            entry = JournalEntry.of(
                trial, self.block(trial), start, end, kind=kind, reason=reason, beside=other
            )
            entries.append(
                replace(
                    entry,
                    iteration_seconds=_iteration_seconds(one, other, in_turn=in_turn),
                    sha256="" if reason else self.folder.digest(trial.number),
                    in_turn=in_turn,
                    cold=isinstance(one, Turn) and one.cold,
                )
            )
        return tuple(entries)

    def _reason(self, trial: Trial, end: Turn | TrialError) -> str:
        """Keep the result of a trial, or its log; return why it left no result, empty if it did."""
        if isinstance(end, Turn):
            self.folder.keep(trial.number)
            return ""
        self.folder.require_room()
        self.folder.keep_log(trial.number, end.log)
        return " ".join(str(end).split()) or "it left no result"


def _iteration_seconds(end: Turn | TrialError, other: int | None, *, in_turn: bool) -> float | None:
    """Return what the iterations of a trial took; of a pair, its share, as of all seconds."""
    if isinstance(end, TrialError) or end.iteration_seconds is None:
        return None
    if other is None:
        return end.iteration_seconds
    return end.iteration_seconds / 2 if in_turn else None
