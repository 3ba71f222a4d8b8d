"""Recognise a harness by its benchmarks, and make it from the user's options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from steady.run.harness import Harness
from steady.run.live_stop import StopRule


@dataclass(frozen=True, slots=True)
class HarnessSettings:
    """The user's options for harnesses; each harness refuses those that it cannot use.

    Parameters
    ----------
    java : str
        The ``java`` that runs JMH.
    jvm_args : tuple of str
        Additional arguments of every forked JVM.
    stop : StopRule, optional
        The rule that stops a fork early.
    """

    java: str = "java"
    jvm_args: tuple[str, ...] = ()
    stop: StopRule | None = None


@dataclass(frozen=True, slots=True)
class HarnessKind:
    """A harness that can be run.

    Parameters
    ----------
    holds : callable
        Whether a file or folder looks like benchmarks of this harness.
    make : callable
        Makes the harness; raises `InputError` for options that it cannot use.
    """

    holds: Callable[[Path], bool]
    make: Callable[[HarnessSettings], Harness]
