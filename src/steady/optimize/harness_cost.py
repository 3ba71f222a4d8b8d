"""The harness's own part in what a plan takes, by the harness's name."""

from __future__ import annotations

from steady.harness import USUAL, harness_named
from steady.harness.cost import HarnessCost
from steady.model import FloatArray


def cost_of(harness: str) -> HarnessCost:
    """Return what a harness adds; of one that is not known, what JMH's iterations would take."""
    return harness_named(harness).cost


def iteration_seconds(
    nominal: float, operation: FloatArray, batch_size: int = 1, *, harness: str = USUAL
) -> FloatArray:
    """Return how long iterations last.

    Parameters
    ----------
    nominal : float
        Seconds that an iteration should last; 0 in single-shot mode.
    operation : ndarray
        Seconds of one operation in each iteration; NaN if unknown, which counts as short.
    batch_size : int
        For Go, the number of operations if one was set.
    harness : str
        Go adds the runs that try out the number of operations, unless that number is set. All
        others are treated like JMH.

    Returns
    -------
    ndarray
        Seconds, shape of `operation`.
    """
    return cost_of(harness).lasting(nominal, operation, batch_size)
