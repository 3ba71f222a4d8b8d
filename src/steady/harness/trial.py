"""Trials: the forks of a run, one for each benchmark, version and round."""

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
"""The mode (`Identity.mode`) in which an iteration is one operation, without a set time."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version under test: base, head, or the only one.

    Parameters
    ----------
    name : str
        ``base``, ``head``, or ``results`` for a single version.
    target : Path
        Its benchmarks: a jar for JMH, a test binary or a folder of them for Go.
    command : tuple of str
        The command that is run in its place, if base and head are commands.
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
        The round, from 0. Trials of one benchmark in one round belong together: they run close in
        time, one for each version.
    version : str
        Name of the version.
    identity : Identity
        The benchmark.
    configuration : ExecutionConfiguration
        Its configuration, for one fork.
    seconds : float
        Expected duration in seconds.
    timeout : float
        Seconds after which it counts as hanging, and is stopped.
    patience : float
        Multiple of `seconds` that it may take if it does not reach steady state.
    screening : bool
        Whether it only screens its benchmark (`steady.engine.screening`): it runs exactly its
        configuration, whose short warm-up does not reach steady state.
    """

    number: int
    round: int
    version: str
    identity: Identity
    configuration: ExecutionConfiguration
    seconds: float
    timeout: float
    patience: float = PATIENCE
    screening: bool = False

    @property
    def longer(self) -> Trial:
        """The same trial with twice the time to warm up."""
        return replace(self, patience=PATIENCE * self.patience)


def digest(trials: Iterable[Trial]) -> str:
    """Return the SHA-256 of a schedule.

    Timeouts, expected durations and patience are excluded, so that a run can be resumed with
    others.
    """
    data = [plain(trial) for trial in trials]
    for entry in data:
        del entry["seconds"], entry["timeout"], entry["patience"]
        if not entry["screening"]:
            del entry["screening"]  # earlier releases had no such trials
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class TrialError(SteadyError):
    """Error of a fork without a result: it crashed or hung, or its benchmark threw an exception.

    The run continues without it; the message is one line for the user.

    Parameters
    ----------
    reason : str
        The reason.
    log : bytes
        Excerpt of its output (`steady.execution.fork_log`); may be empty.
    """

    def __init__(self, reason: str, log: bytes = b"") -> None:
        super().__init__(reason)
        self.log = log


class NotReachedError(TrialError):
    """Error of a benchmark whose process ended before it, at another benchmark."""


def out_of_time(limit: float, log: bytes = b"") -> TrialError:
    """Return the error of a fork that was stopped at its timeout."""
    return TrialError(f"exceeded its limit of {round(limit, 1):g} s and was stopped", log)


class BusyError(SteadyError):
    """The error of a harness that cannot run now; the fork may be tried again."""
