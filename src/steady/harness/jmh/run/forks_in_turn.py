"""Runs two interleaved forks of JMH, one of each version, or one fork that a rule ends.

Interleaved forks take short turns. Disturbances of the machine change within a tenth of a second:
forks that take turns every 100 ms share only part of them, with turns of 5 ms nearly all
(docs/measured.md).
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path

import numpy as np

from steady.execution.lanes import Lane, run_simultaneously
from steady.execution.live_stop import StopRule
from steady.execution.turn_order import SIDES, Course
from steady.harness.jmh.run.fork_outcome import read_records
from steady.harness.jmh.run.one_processor import SharedProcessor
from steady.harness.jmh.run.scores import JmhRecord
from steady.harness.jmh.run.side import Connection, JmhSide
from steady.harness.jmh.run.stopper import Stopper, with_separate_warmup
from steady.harness.jmh.run.turn_server import TurnServer
from steady.harness.runs import Turn
from steady.harness.trial import Trial, TrialError
from steady.model import ExecutionConfiguration, Identity
from steady.model.units import as_times, direction_of, seconds_factor
from steady.optimize.cost import BETWEEN_SECONDS

TURN_MILLIS = 5

_SHORT_SECONDS = 0.25
"""Iteration length in seconds up to which invocations are assumed to be shorter than a turn."""

_UNKNOWN_TURNS = 4
"""Number of turns of a longer iteration while the duration of an invocation is unknown."""

_INVOCATIONS = 5
"""Minimum invocations in a turn: JMH ends an iteration only after a complete invocation."""

_FEWEST_TURNS = 2


@dataclass(eq=False)
class ShortTurns:
    """Lengths of turns of each benchmark, from its measurements so far.

    Parameters
    ----------
    operations : mapping of str to int
        Operations per invocation, by name of the benchmark; 1 by default.
    whole : frozenset of str
        Names of benchmarks whose iterations are not divided, because their results may depend on
        the length of an iteration (`steady.harness.jmh.samecode.fixtures`).
    """

    operations: Mapping[str, int] = field(default_factory=dict)
    whole: frozenset[str] = frozenset()

    _millis: dict[Identity, float] = field(default_factory=dict, init=False)

    def of(self, trial: Trial) -> ExecutionConfiguration:
        """Return the configuration of a fork whose measured iterations are divided into turns.

        The turns of an iteration, with JMH's work between them, take the planned time. Single
        shots are not divided.
        """
        one, identity = trial.configuration, trial.identity
        planned = 1000 * one.iteration_seconds
        invocation = self._millis.get(identity)
        if invocation is not None:
            turn = _INVOCATIONS * invocation
        else:
            turn = 0.0 if one.iteration_seconds <= _SHORT_SECONDS else planned / _UNKNOWN_TURNS
        turn = math.ceil(max(turn, TURN_MILLIS))
        turns = int(planned / (turn + 1000 * BETWEEN_SECONDS))
        if turns < _FEWEST_TURNS or identity.name in self.whole:
            return one
        return replace(one, iterations=turns * one.iterations, iteration_seconds=turn / 1000)

    def update(self, identity: Identity, record: JmhRecord) -> None:
        """Update the duration of an invocation from JMH's record of a fork."""
        millis = _operation_millis(record) * self.operations.get(identity.name, 1)
        if 0 < millis < math.inf:
            self._millis[identity] = millis


def _operation_millis(record: JmhRecord) -> float:
    """Return the duration of an operation in milliseconds; NaN if its unit is not a time."""
    metric = record["primaryMetric"]
    unit, score = metric["scoreUnit"], np.array([metric["score"]], dtype=np.float64)
    (time,) = as_times(score, direction_of(unit))
    return 1000 * float(time) * seconds_factor(unit, record["threads"])


_ADVICE = "--turns forks runs them one after the other"

HINT = f"two forks ran at the same time: {_ADVICE}"
"""Hint for a fork that may have failed because two forks ran at the same time."""

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
    """An interleaved fork.

    Parameters
    ----------
    side : JmhSide
        Runs it.
    trial : Trial
        The fork.
    connection : Connection
        Its connection.
    """

    side: JmhSide
    trial: Trial
    connection: Connection


class ClashError(TrialError):
    """Raised for a fork that may have failed because two forks ran at the same time.

    Parameters
    ----------
    reason : str
        The reason for its failure.
    hint : str
        Advice for the user.
    log : bytes
        As for `TrialError`.
    """

    def __init__(self, reason: str, hint: str, log: bytes = b"") -> None:
        super().__init__(f"{reason}; {hint}", log)
        self.reason = reason


def obstacle_after(outcomes: Sequence[Turn | TrialError]) -> str:
    """Return why forks of this benchmark should not be interleaved again; empty if they may."""
    clash = next((outcome for outcome in outcomes if isinstance(outcome, ClashError)), None)
    if clash is not None:
        return f"one of two forks that ran at the same time failed ({clash.reason})"
    turns = [outcome for outcome in outcomes if isinstance(outcome, Turn)]
    if len(turns) == len(outcomes) and not all(turn.in_turn for turn in turns):
        return "its forks did not request turns, because their JVM did not load the profiler"
    return ""


@dataclass(frozen=True, slots=True)
class InterleavedPair:
    """Two interleaved forks of a benchmark.

    Parameters
    ----------
    sides : sequence of JmhSide
        The two versions.
    trials : sequence of Trial
        A fork of each version.
    results : sequence of Path
        Paths for their results.
    rule : StopRule, optional
        Rule that ends the warm-up, and then both forks, before all configured iterations have run.
    """

    sides: Sequence[JmhSide]
    trials: Sequence[Trial]
    results: Sequence[Path]
    rule: StopRule | None = None

    def begin(self, stack: ExitStack, short_turns: ShortTurns, lane: Lane) -> Sequence[Fork]:
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
        connections = [Connection(server, side, stop) for side in SIDES]
        return list(map(Fork, self.sides, trials, connections))

    def end(
        self, forks: Sequence[Fork], outcomes: Sequence[_Outcome], short_turns: ShortTurns
    ) -> Iterator[Turn | TrialError]:
        """Yield the result of each fork, and move its file to its path."""
        for fork, outcome, result in zip(forks, outcomes, self.results, strict=True):
            side, connection = fork.side, fork.connection
            if isinstance(outcome, TrialError):
                yield _with_hint(outcome)
            elif tampering := side.foreign.reason_to_fail(fork.trial):
                yield TrialError(tampering)
            else:
                (record,) = read_records(side.arriving)
                short_turns.update(fork.trial.identity, record)
                side.deliver(result)
                cold = connection.stop is not None and connection.stop.cold
                yield Turn(outcome, connection.server.took_turns(connection.side), cold=cold)


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
            forks = [
                pair.begin(stack, short_turns, Lane(number, len(pairs)))
                for number, pair in enumerate(pairs)
            ]
        except OSError as error:
            failed = ClashError(f"no port is free for the turns of forks ({error})", _ADVICE)
            return [failed] * (len(SIDES) * len(pairs))
        outcomes = iter(_run_all(list(chain.from_iterable(forks))))
    return [
        turn
        for pair, own in zip(pairs, forks, strict=True)
        for turn in pair.end(own, list(islice(outcomes, len(own))), short_turns)
    ]


def measure_until(side: JmhSide, trial: Trial, rule: StopRule) -> float | None:
    """Run a single fork until a rule ends it; see `JmhSide.run`."""
    stop = Stopper(rule, [trial])
    course = Course(stop.configuration.warmup_iterations, stop.configuration.iterations)
    with ExitStack() as stack:
        try:
            server = stack.enter_context(TurnServer(course, stop=stop, foreign=side.foreign))
        except OSError as error:
            raise TrialError(f"no port is free for stopping it early ({error})") from None
        alone, absent = SIDES
        server.leave(absent)
        return side.run(trial, Connection(server, alone, stop))


def _stopper(rule: StopRule, trials: Sequence[Trial], short_turns: ShortTurns) -> Stopper:
    bound = replace(trials[0], configuration=with_separate_warmup(trials[0].configuration, rule))
    short = short_turns.of(bound)
    turns = short.iterations // bound.configuration.iterations
    return Stopper(rule, trials, turns, short.iteration_seconds)


def _run_all(forks: Sequence[Fork]) -> Sequence[_Outcome]:
    """Run forks at the same time; any error other than a fork's failure stops all."""

    def run(fork: Fork) -> _Outcome:
        try:
            return fork.side.run(fork.trial, fork.connection)
        except TrialError as error:
            return error
        finally:
            fork.connection.server.leave(fork.connection.side)

    def kill() -> None:
        for fork in forks:
            fork.side.kill()

    return run_simultaneously([partial(run, fork) for fork in forks], kill)


def _with_hint(error: TrialError) -> TrialError:
    """Return a failure, with a hint if the other fork may have caused it."""
    if _REASONS.search(str(error)) or _LOGGED.search(error.log):
        return ClashError(str(error), HINT, error.log)
    return error
