"""What the runner asks of a benchmark harness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from steady.model import ExecutionConfiguration, Identity, Spent
from steady.run.search import EVERYTHING, Search
from steady.run.trial import Trial, Version


@dataclass(frozen=True, slots=True)
class ForkResult:
    """What one trial left behind, for merging.

    Parameters
    ----------
    trial : Trial
        Which.
    block : str
        The round's name, unique over runs; forks of base and head with the same block ran
        close in time.
    path : Path
        The file that `Session.measure` wrote.
    spent : Spent, optional
        What the trial took.
    """

    trial: Trial
    block: str
    path: Path
    spent: Spent | None = None


class Session(Protocol):
    """A harness that is ready to run trials, one after the other."""

    def measure(self, trial: Trial, result: Path) -> float | None:
        """Run one fork and write what it measured to `result`, in the harness's own format.

        The file is there only if the fork ran to its end and left its measurements.

        Returns
        -------
        float or None
            Seconds from the start of its first iteration to the end of its last, warm-up
            included; None where the harness does not tell.

        Raises
        ------
        TrialError
            If it left no result: it threw, crashed, or passed its timeout. No process of it is
            left behind, and the session can run the next trial.
        BusyError
            If the machine is busy with something that keeps the harness from running.
        KeyboardInterrupt
            If the user stopped it. No process of it is left behind.
        """
        ...


class Harness(Protocol):
    """A benchmark harness that can be run fork by fork."""

    name: str
    """As in `Plan.harness`: ``jmh``, ``go``."""

    suffix: str
    """Of its result files: ``.json``, ``.txt``."""

    start_seconds: float
    """What a version costs once, before its first fork: the start of what starts the forks."""

    def check(self, versions: Sequence[Version]) -> None:
        """Raise the user's mistake where a version cannot be run: no such jar, no java."""
        ...

    def benchmarks(self, version: Version, search: Search = EVERYTHING) -> Sequence[Identity]:
        """List what a version holds of what is looked for, with all combinations of parameters.

        It may list more than that.
        """
        ...

    def declared(self, version: Version) -> Mapping[Identity, ExecutionConfiguration]:
        """Return what each benchmark of a version declares: what its project runs today.

        The harness's defaults stand where a benchmark says nothing; no forks means that it runs
        in the harness's own process. Empty where a harness knows no such declarations.
        """
        ...

    def open(self, versions: Sequence[Version], scratch: Path) -> AbstractContextManager[Session]:
        """Start whatever several trials share; leaving the context ends every process.

        Parameters
        ----------
        versions : sequence of Version
            What will be run.
        scratch : Path
            An empty folder for its own use.
        """
        ...

    def merge(
        self,
        results: Sequence[ForkResult],
        planned_forks: Mapping[Identity, int],
        declared: Mapping[Identity, ExecutionConfiguration] | None = None,
        not_run: Mapping[Identity, int] | None = None,
    ) -> bytes:
        """Join the forks of one version into one file of the harness's own format.

        Parameters
        ----------
        results : sequence of ForkResult
            In the order in which they ran, at least one; every one left a result.
        planned_forks : mapping of Identity to int
            How many forks each benchmark was to have, those that left no result among them.
        declared : mapping of Identity to ExecutionConfiguration, optional
            What each declares (`declared`), to stand beside its results.
        not_run : mapping of Identity to int, optional
            How many of its forks were not run yet, because the run was stopped.

        Returns
        -------
        bytes
            What the harness's own tools read, and `steady.load` too, with each fork's block.
        """
        ...

    def measured(self, merged: Path) -> Sequence[Identity]:
        """List the benchmarks in a file that `merge` made, failed ones included.

        Raises
        ------
        InputError
            If it is no such file.
        """
        ...

    def join(self, merged: Sequence[Path]) -> bytes:
        """Join files that `merge` made, no benchmark in two of them, as if made in one."""
        ...

    def describe(self, versions: Sequence[Version]) -> Mapping[str, str]:
        """Return what the sidecar should know beside the machine: java's version, options."""
        ...
