"""The files of a plan in a harness's own configuration."""

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
        Notes for the user, one sentence each.
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
        Notes for the user, one sentence each.
    sources : mapping of Path to bytes
        Content of the sources after the patch of annotations, by absolute path; empty without a
        patch.
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
        A unified diff from the root of the repository; empty if the sources match the plan.
    files : mapping of Path to bytes
        Content of the patched sources, by absolute path.
    notes : tuple of str
        Notes for the user, one sentence each.
    """

    patch: bytes
    files: Mapping[Path, bytes]
    notes: tuple[str, ...] = ()


class Emitter(Protocol):
    """A renderer of a plan as a harness's configuration; it writes no file."""

    def __call__(self, plan: Plan, benchmark_list: bytes | None) -> Rendered:
        """Return the files.

        Parameters
        ----------
        plan : Plan
            The plan.
        benchmark_list : bytes, optional
            The harness's own list of benchmarks, if available.
        """


class Patcher(Protocol):
    """A renderer of a plan as a patch of sources; it writes no file."""

    def __call__(self, plan: Plan, source: Path) -> Patched:
        """Return the patch.

        Parameters
        ----------
        plan : Plan
            The plan.
        source : Path
            A source file, or a folder of them.
        """
