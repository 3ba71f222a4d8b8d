"""The contract of a harness: what steady may ask of one, each part optional but its name.

Functions of a part are given as `steady.registry.OnRequest`, so that no part is loaded for another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from steady.registry import Registered

if TYPE_CHECKING:  # what these make is of rooms above this one
    from steady.harness.configuration import Emitter
    from steady.harness.runs import HarnessSettings, Runs
    from steady.model import Suite
    from steady.readers.sources import Document


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
    """

    name: str
    title: str
    summary: str
    source: str
    formats: tuple[Registered[Format], ...] = ()
    running: Running | None = None
    configuring: Registered[Emitter] | None = None


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
