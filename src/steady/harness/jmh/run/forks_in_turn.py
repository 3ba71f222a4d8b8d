"""Interleaved forks of JMH, one of each version; or one fork alone."""

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path

from steady.execution.live_stop import StopRule
from steady.execution.turn_order import SIDES, Course
from steady.harness.jmh.run.fork_outcome import read_records
from steady.harness.jmh.run.one_processor import SharedProcessor
from steady.harness.jmh.run.short_turns import ShortTurns
from steady.harness.jmh.run.side import JmhSide, Seat
from steady.harness.jmh.run.stopper import Stopper, warmup_first
from steady.harness.jmh.run.turn_server import TurnServer
from steady.harness.runs import Turn
from steady.harness.trial import Trial, TrialError

_WAY_OUT = "--turns forks runs them one after the other"

HINT = f"two forks ran at the same time: {_WAY_OUT}"
"""Hint for a fork that may have failed because the other one was alive."""

_JOIN_SECONDS = 0.5
_REASONS = re.compile(
    r"ended with code 137|by signal 9|already in use|already bound|BindException|OutOfMemory|"
    r"(?:cannot|unable to|failed to|could not).{0,40}\block\b|\b(?:is|already) locked\b|"
    r"Overlapping ?FileLock|LockObtainFailed|LOCK: |Resource temporarily unavailable",
    re.IGNORECASE,
)
_LOGGED = re.compile(
    rb"java\.lang\.OutOfMemoryError|insufficient memory for the Java Runtime|"
    rb"Could not reserve enough space|Cannot allocate memory"
)


_Outcome = float | TrialError | None
"""The seconds of a fork's iterations, if known, or the reason for a missing result."""


@dataclass(frozen=True, slots=True)
class Fork:
    """A fork that takes turns.

    Parameters
    ----------
    side : JmhSide
        Runs it.
    trial : Trial
        The fork.
    seat : Seat
        Its connection.
    """

    side: JmhSide
    trial: Trial
    seat: Seat


class ClashError(TrialError):
    """The error of a fork that may have failed because another one was alive.

    Parameters
    ----------
    reason : str
        The reason of its failure.
    hint : str
        A hint for the user.
    log : bytes
        As in `TrialError`.
    """

    def __init__(self, reason: str, hint: str, log: bytes = b"") -> None:
        super().__init__(f"{reason}; {hint}", log)
        self.reason = reason


def obstacle_after(outcomes: Sequence[Turn | TrialError]) -> str:
    """Return the reason not to run such forks together again; empty without one."""
    clash = next((outcome for outcome in outcomes if isinstance(outcome, ClashError)), None)
    if clash is not None:
        return f"one of two forks that ran at the same time failed ({clash.reason})"
    turns = [outcome for outcome in outcomes if isinstance(outcome, Turn)]
    if len(turns) == len(outcomes) and not all(turn.in_turn for turn in turns):
        return "its forks did not ask for turns, because their JVM did not load the profiler"
    return ""


@dataclass(frozen=True, slots=True)
class InterleavedPair:
    """Two forks of a benchmark that take turns.

    Parameters
    ----------
    sides : sequence of JmhSide
        The two versions.
    trials : sequence of Trial
        A fork of each version.
    results : sequence of Path
        Paths of their results.
    rule : StopRule, optional
        Ends the warm-up of both together, and then both, before all configured iterations have
        run.
    """

    sides: Sequence[JmhSide]
    trials: Sequence[Trial]
    results: Sequence[Path]
    rule: StopRule | None = None

    def begin(self, stack: ExitStack, short_turns: ShortTurns, lane: int) -> Sequence[Fork]:
        """Start the server of the turns, and return the forks to run.

        Raises
        ------
        OSError
            If no port is free.
        """
        trials, rule = self.trials, self.rule
        identity = trials[0].identity
        stop = None if rule is None else _stopper(rule, trials, short_turns)
        configuration = short_turns.of(trials[0]) if stop is None else stop.configuration
        shared = SharedProcessor(identity.name, lane) if identity.threads == 1 else None
        course = Course(configuration.warmup_iterations, configuration.iterations)
        server = stack.enter_context(TurnServer(course, shared, stop, self.sides[0].foreign))
        if stop is None:
            trials = [replace(trial, configuration=configuration) for trial in trials]
        seats = [Seat(server, side, stop) for side in SIDES]
        return list(map(Fork, self.sides, trials, seats))

    def end(
        self, forks: Sequence[Fork], outcomes: Sequence[_Outcome], short_turns: ShortTurns
    ) -> Iterator[Turn | TrialError]:
        """Yield the result of each fork, and move its file to its path."""
        for fork, outcome, result in zip(forks, outcomes, self.results, strict=True):
            side, seat = fork.side, fork.seat
            if isinstance(outcome, TrialError):
                yield _with_hint(outcome)
            elif tampering := side.foreign.blame(fork.trial):
                yield TrialError(tampering)
            else:
                (record,) = read_records(side.arriving)
                short_turns.learn(fork.trial.identity, record)
                side.deliver(result)
                cold = seat.stop is not None and seat.stop.cold
                yield Turn(outcome, seat.server.took_turns(seat.side), cold=cold)


def measure_in_turn(
    pairs: Sequence[InterleavedPair], short_turns: ShortTurns
) -> Sequence[Turn | TrialError]:
    """Run pairs of forks as documented in `steady.harness.runs.Session.measure_in_turn`.

    Parameters
    ----------
    pairs : sequence of InterleavedPair
        One pair, or simultaneous ones of different benchmarks.
    short_turns : ShortTurns
        The length of a turn, updated by these pairs.
    """
    with ExitStack() as stack:
        try:
            forks = [pair.begin(stack, short_turns, lane) for lane, pair in enumerate(pairs)]
        except OSError as error:
            failed = ClashError(f"no port is free for the turns of forks ({error})", _WAY_OUT)
            return [failed] * (len(SIDES) * len(pairs))
        outcomes = iter(_run_all(list(chain.from_iterable(forks))))
    return [
        turn
        for pair, own in zip(pairs, forks, strict=True)
        for turn in pair.end(own, list(islice(outcomes, len(own))), short_turns)
    ]


def measure_until(side: JmhSide, trial: Trial, rule: StopRule) -> float | None:
    """Run a fork alone that a rule ends; see `JmhSide.run`."""
    stop = Stopper(rule, [trial])
    course = Course(stop.configuration.warmup_iterations, stop.configuration.iterations)
    with ExitStack() as stack:
        try:
            server = stack.enter_context(TurnServer(course, stop=stop, foreign=side.foreign))
        except OSError as error:
            raise TrialError(f"no port is free for stopping it early ({error})") from None
        alone, nobody = SIDES
        server.leave(nobody)
        return side.run(trial, Seat(server, alone, stop))


def _stopper(rule: StopRule, trials: Sequence[Trial], short_turns: ShortTurns) -> Stopper:
    bound = replace(trials[0], configuration=warmup_first(trials[0].configuration, rule))
    short = short_turns.of(bound)
    turns = short.iterations // bound.configuration.iterations
    return Stopper(rule, trials, turns, short.iteration_seconds)


def _run_all(forks: Sequence[Fork]) -> Sequence[_Outcome]:
    """Run forks at the same time; any error other than a fork's failure stops all."""
    returned: dict[int, _Outcome] = {}
    raised: list[BaseException] = []

    def run(number: int) -> None:
        fork = forks[number]
        try:
            returned[number] = fork.side.run(fork.trial, fork.seat)
        except TrialError as error:
            returned[number] = error
        except BaseException as error:
            raised.append(error)
        finally:
            fork.seat.server.leave(fork.seat.side)

    threads = [threading.Thread(target=run, args=(n,), daemon=True) for n in range(len(forks))]
    try:
        for thread in threads:
            thread.start()
        while _any_alive(threads) and not raised:
            _join(threads, _JOIN_SECONDS)  # on Windows, Ctrl-C is handled between two of them
    finally:
        while _any_alive(threads):
            for fork in forks:
                fork.side.kill()  # again, since one may have started a process meanwhile
            _join(threads, _JOIN_SECONDS / 10)
    if raised:
        raise raised[0]
    return [returned[number] for number in range(len(forks))]


def _join(threads: Sequence[threading.Thread], seconds: float) -> None:
    for thread in threads:
        thread.join(seconds)


def _any_alive(threads: Sequence[threading.Thread]) -> bool:
    return any(thread.is_alive() for thread in threads)


def _with_hint(error: TrialError) -> TrialError:
    """Add the hint to the failure of a fork that may be due to the other one."""
    if _REASONS.search(str(error)) or _LOGGED.search(error.log):
        return ClashError(str(error), HINT, error.log)
    return error
