"""The agenda of a run: all that it measures, by whom, in which order, and until when."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from steady.engine.run_file import Header
from steady.engine.state import RunState
from steady.harness.runs import Runs, Turns
from steady.harness.trial import Trial, Version
from steady.model import Identity, NotRun
from steady.readers.beside_results import NoResult
from steady.samecode.file import SameCodeFile

FollowUp = Callable[[RunState], Sequence[Trial]]
"""Decides after the planned trials which others follow, and after those again, until none do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agenda:
    """The agenda of a run: what it measures, in which order, and until when.

    Parameters
    ----------
    harness : Runs
        Runs the forks.
    versions : sequence of Version
        The versions to measure.
    trials : tuple of Trial
        The planned schedule, numbered from 0.
    header : Header
        What the run is.
    follow_up : callable, optional
        Decides which trials follow the planned ones, and is asked again after each batch until it
        gives none.
    looks : mapping of Identity to tuple of int
        After how many rounds `follow_up` decides about each benchmark.
    turns : {"iterations", "forks"}
        Whether the two forks of a round are alive together and take turns by iteration, where
        their harness can do that, or run one after the other.
    time_budget : float, optional
        Seconds that the whole run may take. No round begins that would not end in time.
    began : float
        When the run began, by its clock.
    first : sequence of Identity
        Which benchmarks come first where the time is too short for the planned rounds of all.
    near : collection of Identity
        Those of which all is decided before the others begin.
    not_run : sequence of NotRun
        Benchmarks that are left out on purpose; they are written beside the results, with those
        that the time was too short for.
    no_result : sequence of NoResult
        What the search for benchmarks did not come to the end of; it is named with what fails.
    same_code : SameCodeFile, optional
        What is not measured because base and head run the same code.
    """

    harness: Runs
    versions: Sequence[Version]
    trials: tuple[Trial, ...]
    header: Header
    follow_up: FollowUp | None = None
    looks: Mapping[Identity, tuple[int, ...]] = field(default_factory=dict)
    turns: Turns = "iterations"
    time_budget: float | None = None
    began: float = 0.0
    first: Sequence[Identity] = ()
    near: Collection[Identity] = ()
    not_run: Sequence[NotRun] = ()
    no_result: Sequence[NoResult] = ()
    same_code: SameCodeFile | None = None

    @property
    def stages(self) -> tuple[tuple[Trial, ...], ...]:
        """The planned schedule in parts, each of which is decided before the next one begins."""
        near = tuple(trial for trial in self.trials if trial.identity in self.near)
        far = tuple(trial for trial in self.trials if trial.identity not in self.near)
        return (near, far) if near and far else (self.trials,)
