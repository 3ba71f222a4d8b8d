"""Runs of a harness's benchmarks, fork by fork or interleaved."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from steady.harness.search import EVERYTHING, Search
from steady.harness.trial import Trial, TrialError, Version
from steady.model import ExecutionConfiguration, Identity, Spent, Suite

if TYPE_CHECKING:
    from steady.execution.live_stop import StopRule


@dataclass(frozen=True, slots=True)
class ForkResult:
    """The result of one trial, for merging.

    Parameters
    ----------
    trial : Trial
        The trial.
    block : str
        The round's name, unique over runs; forks of base and head with the same block ran
        close in time.
    path : Path
        The file that `Session.measure` wrote.
    spent : Spent, optional
        Duration of the trial.
    in_turn : bool
        Whether its iterations were interleaved with those of the other version in the same round.
    screening, processor, layout, process
        As in `steady.harness.fork_facts.ForkFacts`.
    """

    trial: Trial
    block: str
    path: Path
    spent: Spent | None = None
    in_turn: bool = False
    screening: bool = False
    processor: int | None = None
    layout: str = ""
    process: str = ""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Facts about the benchmarks of a run that the results of forks do not contain.

    Parameters
    ----------
    planned_forks : mapping of Identity to int
        Planned number of forks of each benchmark, including those without a result.
    declared : mapping of Identity to ExecutionConfiguration
        Configuration that each declares (`Runs.declared`).
    not_run : mapping of Identity to int
        Number of its forks that have not run, because the run was stopped.
    looks : mapping of Identity to tuple of int
        Numbers of rounds after which the run performs an interim analysis (`Benchmark.looks`).
    whole : bool
        Whether the results of stopped forks keep their warm-up, as those of a full run do.
    """

    planned_forks: Mapping[Identity, int]
    declared: Mapping[Identity, ExecutionConfiguration] = field(default_factory=dict)
    not_run: Mapping[Identity, int] = field(default_factory=dict)
    looks: Mapping[Identity, tuple[int, ...]] = field(default_factory=dict)
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """The timing of a measured fork.

    Parameters
    ----------
    iteration_seconds : float or None
        Seconds from the start of its first iteration to the end of its last, including the turns of
        the other fork; None if the harness does not report it.
    in_turn : bool
        Whether all its measured iterations were interleaved with those of the other fork. False if
        the other one ended early, so that this one continued alone.
    cold : bool
        Whether its time ended before it reached steady state.
    seconds : float, optional
        Seconds of the benchmark itself, if its process ran several (`Session.measure_shared`).
    """

    iteration_seconds: float | None
    in_turn: bool
    cold: bool = False
    seconds: float | None = None


@contextmanager
def all_or_none(results: Iterable[Path]) -> Iterator[None]:
    """Remove all results if the context does not finish."""
    try:
        yield
    except BaseException:
        for path in results:
            path.unlink(missing_ok=True)
        raise


class Session(Protocol):
    """A harness that is ready to run trials, one after the other.

    By default, forks are not interleaved.
    """

    def measure(self, trial: Trial, result: Path) -> float | None:
        """Run one fork, and write its measurements to `result` in the harness's own format.

        The file exists only if the fork finished and its measurements are complete.

        Returns
        -------
        float or None
            Seconds from the start of its first iteration to the end of its last, warm-up
            included; None if the harness does not report it.

        Raises
        ------
        TrialError
            If there is no result: the benchmark threw an exception, or the fork crashed or exceeded
            its timeout. None of its processes remains, and the session can run the next trial.
        BusyError
            If another process on the machine prevents the harness from running.
        KeyboardInterrupt
            If the user stopped it. None of its processes remains.
        """

    def obstacle(self, trials: Sequence[Trial]) -> str:  # noqa: ARG002
        """Return the reason why these trials cannot be interleaved; empty if they can.

        The reason may appear only after an attempt to interleave forks of the benchmark.
        """
        return "its harness runs one fork after the other"

    def layout(self, trial: Trial) -> str:  # noqa: ARG002
        """Return the memory layout that a trial runs in, as in `ForkFacts`; empty if it is unknown.

        It is the same before and after the trial.
        """
        return ""

    def measure_in_turn(
        self, trials: Sequence[Trial], results: Sequence[Path]
    ) -> Sequence[Turn | TrialError]:
        """Run two forks at the same time, interleaved iteration by iteration.

        The first trial begins the first pair of iterations, the second one the next (ABBA). If one
        crashes or hangs, the other one continues to its end.

        Parameters
        ----------
        trials : sequence of Trial
            Two of one benchmark in one round, of different versions, with equal configurations. If
            `Runs.has_pairs` is set, also several such pairs of different benchmarks, which run
            simultaneously.
        results : sequence of Path
            The file for the result of each, as in `measure`.

        Returns
        -------
        sequence of Turn or TrialError
            The timing of each trial, or its error if it has no result.

        Raises
        ------
        BusyError, KeyboardInterrupt
            As in `measure`; all results are removed.
        """
        with all_or_none(results):
            return [measured_alone(self, *pair) for pair in zip(trials, results, strict=True)]

    def measure_shared(
        self,
        trials: Sequence[Trial],
        results: Sequence[Path],
        seconds: float,  # noqa: ARG002
    ) -> Sequence[Turn | TrialError]:
        """Run several benchmarks, one after the other, in one interleaved process of each version.

        Both processes begin each benchmark at the same time. Only for benchmarks with the same
        `Runs.shared_process`.

        Parameters
        ----------
        trials : sequence of Trial
            Pairs as in `measure_in_turn`, of several benchmarks in one round.
        results : sequence of Path
            The file for the result of each, as in `measure`.
        seconds : float
            Seconds after which both processes are stopped. They are also stopped if a benchmark
            exceeds the timeout of its trial.

        Returns
        -------
        sequence of Turn or TrialError
            The timing of each trial, or an error for both of a pair if one has no result: a
            `NotReachedError` if a process ended before this benchmark.

        Raises
        ------
        BusyError, KeyboardInterrupt
            As in `measure`; all results are removed.
        """
        return [
            end
            for first in range(0, len(trials), 2)
            for own in [slice(first, first + 2)]
            for end in self.measure_in_turn(trials[own], results[own])
        ]


def measured_alone(session: Session, trial: Trial, result: Path) -> Turn | TrialError:
    """Run one fork (`Session.measure`), and return its result or error."""
    try:
        return Turn(session.measure(trial, result), in_turn=False)
    except TrialError as error:
        return error


def identities_in(suite: Suite) -> tuple[Identity, ...]:
    """Return the benchmarks of a suite, including those that failed (`Runs.measured`)."""
    return tuple(dict.fromkeys((*suite, *(failure.identity for failure in suite.failures))))


class Runs(Protocol):
    """The runs of a harness's benchmarks, fork by fork or interleaved.

    A subclass only has to define the methods without a default.
    """

    name: str
    """As in `Plan.harness`: ``jmh``, ``go``."""

    suffix: str
    """Suffix of its result files: ``.json``, ``.txt``."""

    start_seconds: float = 0.0
    """Seconds to start the harness itself, once for each version, before its first fork."""

    has_pairs: bool = False
    """Whether a session can run several interleaved pairs simultaneously."""

    builder: str = ""
    """The tool that builds a version before its benchmarks are listed: ``cargo``; may be empty."""

    def check(self, versions: Sequence[Version]) -> None:
        """Raise InputError if a version cannot be run, because its jar or Java is missing."""

    def shared_process(self, identity: Identity) -> str:  # noqa: ARG002
        """Return the name of the process that a benchmark can share; empty if it needs its own.

        Benchmarks with the same name can run in one process (`Session.measure_shared`).
        """
        return ""

    def build(self, version: Version) -> None:  # noqa: ARG002
        """Build a version with its `builder`; builds do not count towards a run's time budget.

        Raises
        ------
        InputError
            If it cannot be built.
        """
        return

    def benchmarks(self, version: Version, search: Search = EVERYTHING) -> Sequence[Identity]:
        """List the benchmarks of a version that match, with all combinations of parameters.

        It may also list other benchmarks.
        """

    def declared(self, version: Version) -> Mapping[Identity, ExecutionConfiguration]:  # noqa: ARG002
        """Return the configurations that the benchmarks declare, which apply without steady.

        If a benchmark does not declare a value, the harness's default applies. A benchmark with
        no forks runs in the harness's own process. Empty if the harness has no declarations.
        """
        return {}

    def operation_seconds(self, identity: Identity) -> float:  # noqa: ARG002
        """Return the approximate seconds of one operation; NaN if they are unknown."""
        return math.nan

    def fits_beside(self, identity: Identity) -> bool:  # noqa: ARG002
        """Return whether a benchmark needs one processor only; others run without a neighbour."""
        return True

    def open(self, versions: Sequence[Version], scratch: Path) -> AbstractContextManager[Session]:
        """Start the processes that several trials share; leaving the context stops all of them.

        Parameters
        ----------
        versions : sequence of Version
            The versions to run.
        scratch : Path
            An empty folder for its own use.
        """

    def merge(self, results: Sequence[ForkResult], facts: RunFacts) -> bytes:
        """Join the forks of one version into one file of the harness's own format.

        Parameters
        ----------
        results : sequence of ForkResult
            In the order in which they ran; each has a result. Empty if no fork was to run.
        facts : RunFacts
            Facts about the run. `steady.harness.fork_facts.facts_of` returns them together with
            those about a fork, in the format of all harnesses.

        Returns
        -------
        bytes
            A file that the harness's own tools and `steady.load` can read, with the block of each
            fork.
        """

    def measured(self, merged: Path) -> Sequence[Identity]:
        """List the benchmarks in a file that `merge` made, including failed ones.

        Raises
        ------
        InputError
            If it is not such a file.
        """

    def join(self, merged: Sequence[Path]) -> bytes:
        """Join files that `merge` made into one; no benchmark may be in two of them."""

    def describe(self, versions: Sequence[Version]) -> Mapping[str, str]:  # noqa: ARG002
        """Return additional facts for the run's header, such as Java's version and options."""
        return {}


Turns = Literal["iterations", "forks"]
"""Granularity of interleaving: iterations of live forks, or whole forks."""


@dataclass(frozen=True, slots=True)
class HarnessSettings:
    """The user's options for harnesses; each harness refuses those that it cannot use.

    Parameters
    ----------
    java : str
        The ``java`` that runs JMH.
    jvm_args : tuple of str
        Additional arguments of every forked JVM.
    stop : StopRule, optional
        The rule that stops a fork early.
    turns : {"iterations", "forks"}
        Granularity at which base and head are interleaved.
    command : tuple of str
        The command that is run in the folder of each version: the words after ``--``.
    count : tuple of str
        Counters that are collected in separate runs: names of `steady.programs.fork_entries.UNITS`.
    seed : int
        Seed of random choices, such as the layout of a round.
    """

    java: str = "java"
    jvm_args: tuple[str, ...] = ()
    stop: StopRule | None = None
    turns: Turns = "iterations"
    command: tuple[str, ...] = ()
    count: tuple[str, ...] = ()
    seed: int = 0


DEFAULTS = HarnessSettings()
