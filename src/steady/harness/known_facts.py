"""Properties of a harness: its costs, its score, its counts, and the words of its messages."""

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
        Seconds of one operation in each iteration; NaN if unknown, which counts as short.
    batch_size : int
        Ignored.
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
    """The costs of a run in addition to the measured operations.

    Parameters
    ----------
    fork_seconds : float
        Start of a fork, if results do not contain it.
    start_seconds : float
        Start of the harness itself, once per version.
    turning_share : float
        Relative increase of the time of interleaved iterations of a set length.
    between_runs : float
        Expected standard deviation between runs, in standard deviations of a fork.
    timed : bool
        Whether an iteration ends after a set time, so that overhead is added to it.
    lasting : callable
        Returns the seconds of iterations from their nominal seconds (0: single shot), the seconds
        of one operation in each (NaN: unknown), and the batch size.
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
    """The value of a benchmark in the harness's own tools.

    Parameters
    ----------
    words : str
        Its description, as the beginning of a sentence.
    kind : {"mean", "median"}
        The statistic over all iterations of all forks.
    not_of : tuple of str
        Modes whose results do not contain it.
    """

    words: str
    kind: Literal["mean", "median"]
    not_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CountMetric:
    """A count that is compared by default, beside the time.

    Parameters
    ----------
    name : str
        As the harness writes it.
    unit : str
        Its unit.
    least : float
        Smallest relevant change, in its unit.
    own : float
        Upper bound of the harness's own contribution in an iteration, in the unit without ``/op``.
    """

    name: str
    unit: str
    least: float
    own: float = 0.0


@dataclass(frozen=True, slots=True)
class Building:
    """Words and commands for building benchmarks.

    Parameters
    ----------
    commands : mapping of str to str
        Usual build commands, by the build file of a project.
    target : str
        The built benchmarks, in words.
    usual : str
        Its name in a command.
    empty : str
        Advice for a target without benchmarks; ``{ways}`` stands for build commands.
    built : callable, optional
        Lists files in the current folder that are probably built benchmarks.
    lacking : callable, optional
        Returns a message with the missing parts of a folder, and how to build them.
    named : str
        Target to suggest in place of a folder; empty if a folder is a valid target.
    words : tuple of str
        The usual command after ``--``; empty if unknown.
    layouts : str
        Advice for measurements in a single memory layout of each version; empty if there is none.
    """

    commands: Mapping[str, str] = field(default_factory=dict)
    target: str = ""
    usual: str = "benchmarks"
    empty: str = "build them anew{ways}"
    built: Callable[[], Iterable[Path]] | None = None
    lacking: Callable[[Path], str] | None = None
    named: str = ""
    words: tuple[str, ...] = ()
    layouts: str = ""
