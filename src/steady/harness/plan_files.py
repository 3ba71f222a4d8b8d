"""The files that tell a harness what a plan says: what every emitter takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from steady.plan.suite_plan import Plan


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
    sources : mapping of Path to bytes
        What the sources hold once the patch of annotations is applied, by their absolute paths;
        empty where there is none.
    """

    files: tuple[Path, ...]
    notes: tuple[str, ...] = ()
    sources: Mapping[Path, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Patched:
    """A plan as a patch of sources, not yet written.

    Parameters
    ----------
    patch : bytes
        A unified diff from the root of the repository; empty where the sources say the plan.
    files : mapping of Path to bytes
        What the patched sources hold, by their absolute paths.
    notes : tuple of str
        What the user should know, one sentence each.
    """

    patch: bytes
    files: Mapping[Path, bytes]
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


class Patcher(Protocol):
    """Turns a plan into a patch of sources, without writing anything."""

    def __call__(self, plan: Plan, source: Path) -> Patched:
        """Return the patch.

        Parameters
        ----------
        plan : Plan
            What to run.
        source : Path
            A source file, or a folder of them.
        """
