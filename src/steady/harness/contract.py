"""The contract of a harness: what steady may ask of one, each part optional but its name.

Functions of a part are given as `steady.registry.OnRequest`, so that no part is loaded for another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from steady.registry import Registered

if TYPE_CHECKING:  # what these make is of rooms above this one
    from steady.harness.configuration import Emitter
    from steady.harness.runs import HarnessSettings, Runs
    from steady.harness.trial import Version
    from steady.model import Suite
    from steady.readers.sources import Document
    from steady.samecode.builds import Builds


@dataclass(frozen=True, slots=True)
class Format:
    """How one format of results is recognised and read.

    Parameters
    ----------
    recognizes : callable
        Whether a document looks like this format.
    read : callable
        Makes the suite; raises `InputError` for what is not of this format.
    """

    recognizes: Callable[[Document], bool]
    read: Callable[[Document], Suite]


@dataclass(frozen=True, slots=True)
class Harness:
    """A benchmark harness: the parts of it that steady knows.

    Parameters
    ----------
    name : str
        As in `Suite.harness` and `Plan.harness`: ``jmh``.
    title : str
        As people write it: ``JMH``.
    summary : str
        One line: what it is, and what it is run from.
    source : str
        Its versions, or its documentation.
    formats : tuple of Registered
        The formats of its results, in the order in which they are tried.
    running : Running, optional
        What runs its benchmarks fork by fork.
    configuring : Registered, optional
        What turns a plan into its own configuration.
    same_code : SameCodeSearch, optional
        What finds benchmarks that run the same code in two builds; without it none is left out.
    """

    name: str
    title: str
    summary: str
    source: str
    formats: tuple[Registered[Format], ...] = ()
    running: Running | None = None
    configuring: Registered[Emitter] | None = None
    same_code: SameCodeSearch | None = None


@dataclass(frozen=True, slots=True)
class Running:
    """How benchmarks of a harness are found and run.

    Parameters
    ----------
    holds : callable
        Whether a file or folder looks like benchmarks of this harness.
    make : callable
        Makes what runs them; raises `InputError` for options that it cannot use.
    """

    holds: Callable[[Path], bool]
    make: Callable[[HarnessSettings], Runs]


@dataclass(frozen=True, slots=True)
class SameCodeSearch:
    """How benchmarks that run the same code in two builds are found.

    Parameters
    ----------
    builds : callable
        Looks into builds. It gets what runs the benchmarks, base and head or the only version, a
        folder in which `Learned.file` may lie, and who is told of progress.
    learned : Learned, optional
        Where runs keep what their forks have shown.
    """

    builds: Callable[[Runs, Sequence[Version], Path | None, Callable[[str], None]], Builds]
    learned: Learned | None = None


@dataclass(frozen=True, slots=True)
class Learned:
    """What the forks of a run have shown of their code, kept beside results and beside a plan.

    Parameters
    ----------
    file : str
        The name of the file: ``classes.json``.
    mark : str
        A key of its JSON object that only files of this form have.
    joined : callable
        Returns the text of several such files as one; an empty text where they hold nothing.
    """

    file: str
    mark: str
    joined: Callable[[Sequence[Path]], str]
