"""The files that tell a harness what a plan says: what every emitter takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from steady.optimize.suite_plan import Plan


@dataclass(frozen=True, slots=True)
class Rendered:
    """A harness's configuration, not yet written.

    Parameters
    ----------
    files : mapping of str to bytes
        Their content by path below the output folder.
    notes : tuple of str
        What the user should know, one sentence each.
    """

    files: Mapping[str, bytes]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Emitted:
    """The files of a configuration that were written.

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
