"""What every emitter takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from steady.optimize.plan import Plan


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file that is to be written.

    Parameters
    ----------
    content : bytes
        All of it.
    executable : bool
        Whether it is a program.
    """

    content: bytes
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Rendered:
    """A harness's configuration, not yet written.

    Parameters
    ----------
    files : mapping of str to OutputFile
        By path below the output folder, in the order in which they are to be written: a file
        that uses others stands after them.
    notes : tuple of str
        What the user should know, one sentence each.
    outdated : tuple of str
        Paths of files that an earlier plan may have left and that this one does not have.
    """

    files: Mapping[str, OutputFile]
    notes: tuple[str, ...] = ()
    outdated: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Emitted:
    """What was written.

    Parameters
    ----------
    files : tuple of Path
        In the order in which they were written.
    notes : tuple of str
        What the user should know, one sentence each.
    """

    files: tuple[Path, ...]
    notes: tuple[str, ...] = ()


class Emitter(Protocol):
    """Turns a plan into a harness's configuration, without writing anything."""

    def __call__(self, plan: Plan, benchmark_list: bytes | None) -> Rendered:
        """Return the files.

        Parameters
        ----------
        plan : Plan
            What to run.
        benchmark_list : bytes, optional
            The harness's own list of benchmarks, where it has one and it is at hand.
        """
        ...
