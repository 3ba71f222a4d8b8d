"""What our hook adds to JMH's results: the costs of each iteration (``SteadyTurns.java``)."""

from __future__ import annotations

SUMMED = ("gc.count", "gc.time")
"""Costs whose score is the sum over all iterations, as in JMH's own profiler ``gc``."""

MEANS = ("gc.alloc.rate.norm", "steady.compiled", "steady.cpu")
"""Costs whose score is the mean over all iterations."""


def is_cost(name: str) -> bool:
    """Tell whether a secondary metric of JMH is one of the costs."""
    return _plain(name) in SUMMED + MEANS


def is_summed(name: str) -> bool:
    """Tell whether its score is a sum."""
    return _plain(name) in SUMMED


def _plain(name: str) -> str:
    """Return the name without the dot that older versions of JMH write before it.

    A JVM whose character set does not have that dot writes another character.
    """
    return name if name[:1].isalpha() else name[1:]
