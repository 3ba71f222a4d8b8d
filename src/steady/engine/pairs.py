"""The forks of one benchmark in one round: which of them run together, and which one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from steady.harness.runs import Session
from steady.harness.trial import Trial
from steady.model import Identity
from steady.text.counting import count, listed


def rounds_of(trials: Sequence[Trial]) -> tuple[tuple[Trial, ...], ...]:
    """Return the trials of one benchmark in one round together; they are neighbours."""
    groups = groupby(trials, key=lambda trial: (trial.round, trial.identity))
    return tuple(tuple(group) for _, group in groups)


@dataclass
class TurnTaking:
    """Decides which forks take turns, and says which do not.

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
