"""How a harness is told from its benchmarks, and made from what the user said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from steady.run.harness import Harness
from steady.run.live_stop import StopRule


@dataclass(frozen=True, slots=True)
class HarnessSettings:
    """What the user may say to a harness; each refuses what it has no use for.

    Parameters
    ----------
    java : str
        The ``java`` that runs JMH.
    jvm_args : tuple of str
        Further arguments of every forked JVM.
    stop : StopRule, optional
        By what a fork is ended before it has run all that it may.
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
        Makes the harness; raises `InputError` for settings that it has no use for.
    """

    holds: Callable[[Path], bool]
    make: Callable[[HarnessSettings], Harness]
