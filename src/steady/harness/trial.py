"""The unit of an interleaved run: one fork of one benchmark of one version."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from steady.errors import SteadyError
from steady.execution.warm_up import PATIENCE
from steady.files import plain
from steady.model import ExecutionConfiguration, Identity

SINGLE_SHOT = "ss"
"""The mode (`Identity.mode`) in which an iteration is one operation, and lasts no set time."""


@dataclass(frozen=True, slots=True)
class Version:
    """Something that can be run: base, head, or the only one.

    Parameters
    ----------
    name : str
        ``base``, ``head``, or ``results`` if only one version is run.
    target : Path
        Where its benchmarks are: a jar for JMH, a test binary or a folder of them for Go.
    command : tuple of str
        What is run in its place, if base and head are two commands.
    """

    name: str
    target: Path
    command: tuple[str, ...] = ()


Held = Mapping[str, Collection[Identity]]
"""The benchmarks of each version, by its name; sets or dictionaries, for speed."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One fork of one benchmark of one version.

    Parameters
    ----------
    number : int
        Position in the schedule, from 0.
    round : int
        Which round, from 0. Trials of one benchmark in one round belong together: they ran
        close in time, one for each version.
    version : str
        Name of the version.
    identity : Identity
        Which benchmark.
    configuration : ExecutionConfiguration
        How to run this fork: `forks` is 1.
    seconds : float
        How long it should take.
    timeout : float
        It hangs if it takes longer than this many seconds.
    patience : float
        How many times `seconds` it may take where it does not become warm.
    """

    number: int
    round: int
    version: str
    identity: Identity
    configuration: ExecutionConfiguration
    seconds: float
    timeout: float
    patience: float = PATIENCE

    @property
    def with_more_patience(self) -> Trial:
        """The same with twice the time to warm up: where forks stay cold, others would too."""
        return replace(self, patience=PATIENCE * self.patience)


def digest(trials: Iterable[Trial]) -> str:
    """Return the SHA-256 of a schedule.

    It does not contain timeouts, expected seconds and patience: a run may continue with others.
    """
    data = [plain(trial) for trial in trials]
    for entry in data:
        del entry["seconds"], entry["timeout"], entry["patience"]
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class TrialError(SteadyError):
    """A fork that left no result: it crashed, hung, or its benchmark threw.

    The run goes on without it; the message is one line for the user.

    Parameters
    ----------
    reason : str
        Why.
    log : bytes
        An excerpt of its output until then (`steady.execution.fork_log`); empty if there is none.
    """

    def __init__(self, reason: str, log: bytes = b"") -> None:
        super().__init__(reason)
        self.log = log


def out_of_time(limit: float, log: bytes = b"") -> TrialError:
    """Return the error of a fork that was stopped because it took too long."""
    return TrialError(f"exceeded its limit of {round(limit, 1):g} s and was stopped", log)


class BusyError(SteadyError):
    """The error of a machine that keeps the harness from running; the fork may be tried again."""
