"""Differences between the machines and virtual machines of two runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from steady.model import Environment

_FIELDS = (("CPU", "cpu"), ("operating system", "os"), ("JDK", "jdk"), ("JVM", "vm"))


@dataclass(frozen=True, slots=True)
class Difference:
    """A way in which the two runs' surroundings differ.

    Parameters
    ----------
    what : str
        ``CPU``, ``operating system``, ``JDK``, ``JVM``, ``JVM arguments``.
    base, head : str
        The two values, in plain text.
    benchmarks : int
        How many compared benchmarks it touches.
    """

    what: str
    base: str
    head: str
    benchmarks: int


def find_differences(pairs: Iterable[tuple[Environment, Environment]]) -> tuple[Difference, ...]:
    """Count the ways in which the surroundings of base and head differ.

    If a harness does not say something about one of the sides, that does not count as different.

    Parameters
    ----------
    pairs : iterable of (Environment, Environment)
        Base and head of each benchmark compared.

    Returns
    -------
    tuple of Difference
        Kind by kind; within a kind, the one that affects most benchmarks first.
    """
    counts = Counter(key for base, head in pairs for key in _differences(base, head))
    kinds = [what for what, _ in _FIELDS] + ["JVM arguments"]
    differences = [Difference(*key, count) for key, count in counts.items()]
    return tuple(
        sorted(differences, key=lambda d: (kinds.index(d.what), -d.benchmarks, d.base, d.head))
    )


def _differences(base: Environment, head: Environment) -> Iterator[tuple[str, str, str]]:
    for what, name in _FIELDS:
        values = getattr(base, name), getattr(head, name)
        if all(values) and values[0] != values[1]:
            yield (what, *values)
    if base.jvm_args != head.jvm_args and _tells_arguments(base) and _tells_arguments(head):
        yield "JVM arguments", " ".join(base.jvm_args), " ".join(head.jvm_args)


def _tells_arguments(environment: Environment) -> bool:
    """Tell whether an empty list means no arguments, and not that the harness did not say."""
    return bool(environment.jvm_args or environment.jdk or environment.vm)
