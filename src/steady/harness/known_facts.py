"""The facts that steady knows of a harness: what a run costs, its score and counts, its words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from steady.model import FloatArray
from steady.registry import OnRequest

if TYPE_CHECKING:
    from steady.model import ExecutionConfiguration


def until_an_operation_ends(nominal: float, operation: FloatArray, batch_size: int) -> FloatArray:  # noqa: ARG001 - a single shot reports a whole batch as one operation
    """Return the seconds of iterations.

    An operation of ``v`` seconds makes an iteration of ``r`` seconds last ``ceil(r / v) * v``
    (Traini et al. 2023, section 3).

    Parameters
    ----------
    nominal : float
        Seconds that an iteration should last; 0 for a single shot.
    operation : ndarray
        Seconds of one operation in each; NaN if unknown, which counts as short.
    batch_size : int
        Of no use.
    """
    known = np.isfinite(operation) & (operation > 0)
    if nominal == 0:
        return np.where(known, operation, 0.0)
    # The quotient is rounded first: 0.1 s over 0.01 s must be 10 operations, not 11.
    operations = np.ceil(np.round(nominal / np.where(known, operation, nominal), 9))
    return np.where(known, np.maximum(operations, 1) * operation, nominal)


_UNTIL_AN_OPERATION_ENDS = OnRequest("steady.harness.known_facts:until_an_operation_ends")


@dataclass(frozen=True, slots=True)
class HarnessCost:
    """What a run costs beside the operations that are measured.

    Parameters
    ----------
    fork_seconds : float
        Start of a fork, where no results tell it.
    start_seconds : float
        Start of the harness itself, once for each version.
    turning_share : float
        By how much measured iterations of a set time take longer in turns than alone.
    between_runs : float
        How much runs are expected to differ, in standard deviations of a fork.
    timed : bool
        Whether an iteration ends after a set time, so that any other time is added to each.
    lasting : callable
        Returns how long iterations last: of the seconds that one should last (0: it is a single
        shot), those of one operation in each (NaN: unknown), and the batch size.
    """

    fork_seconds: float = 0.5
    start_seconds: float = 0.0
    turning_share: float = 0.0
    between_runs: float = 1 / 3
    timed: bool = True
    lasting: Callable[[float, FloatArray, int], FloatArray] = _UNTIL_AN_OPERATION_ENDS

    def turning(self, configuration: ExecutionConfiguration) -> float:
        """Return `turning_share` for a configuration; single shots do not take longer."""
        return self.turning_share if configuration.iteration_seconds > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Score:
    """The value that the harness's own tools show of a benchmark.

    Parameters
    ----------
    words : str
        What it is, as the beginning of a sentence.
    kind : {"mean", "median"}
        Of all iterations of all forks.
    not_of : tuple of str
        Modes whose results do not hold it.
    """

    words: str
    kind: Literal["mean", "median"]
    not_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CountMetric:
    """A further result that is compared unless the settings say otherwise: a count.

    Parameters
    ----------
    name : str
        As the harness writes it.
    unit : str
        Its unit.
    least : float
        Smallest change that counts, in its unit.
    own : float
        What the harness itself adds at most in an iteration, in the unit without ``/op``.
    """

    name: str
    unit: str
    least: float
    own: float = 0.0


@dataclass(frozen=True, slots=True)
class Building:
    """What users are told about building benchmarks.

    Parameters
    ----------
    commands : mapping of str to str
        What usually builds them, by the file that tells how a project is built.
    target : str
        What they are after that, in words.
    usual : str
        The name that it has in a command.
    empty : str
        What to do where it holds none; ``{ways}`` stands for the ways to build.
    built : callable, optional
        Lists what seems to be built in the current folder.
    lacking : callable, optional
        Says of a folder what is missing in it, and how that is built.
    named : str
        What to name instead of a folder; empty where folders are right.
    words : tuple of str
        What usually runs them there, behind ``--``; empty where it is not said.
    """

    commands: Mapping[str, str] = field(default_factory=dict)
    target: str = ""
    usual: str = "benchmarks"
    empty: str = "build them anew{ways}"
    built: Callable[[], Iterable[Path]] | None = None
    lacking: Callable[[Path], str] | None = None
    named: str = ""
    words: tuple[str, ...] = ()
