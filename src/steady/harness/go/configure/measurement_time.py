"""The length of Go's measurements, with the runs that only try out how many operations to take.

Go does not know beforehand how many operations fill the ``-benchtime``. For each result line it
runs one operation, and then more and more of them until a run lasts long enough; only the last
run is in the results.

Source: package testing of Go 1.26, ``B.run1``, ``B.launch`` and ``predictN``. A benchmark that
loops by ``b.Loop`` continues from run to run, where others start again, and so takes less time. Its
results do not show this, so the same seconds are counted for it as for the others.
"""

from __future__ import annotations

import numpy as np

from steady.harness.go.read.benchtime import MOST_OPERATIONS
from steady.model import FloatArray

_GROWTH = 100
"""A run has at most this many times the operations of the run before it."""

_TYPICAL = 1.6
"""Length of all runs together, in benchtimes, if the time of an operation is not known. It was 1.61
to 1.63 on 171 benchmarks of two public suites (docs/real-suites.md). Operations that always take
the same time, far less than the benchtime, would need 1.4 on average."""


def measurement_seconds(benchtime: float, operation: FloatArray, count: int) -> FloatArray:
    """Return how long measurements last, from the first trial to the last measured operation.

    Parameters
    ----------
    benchtime : float
        Seconds that a measurement should last; 0 if its number of operations was set.
    operation : ndarray
        Seconds of one operation in each of them; NaN if unknown.
    count : int
        The number of operations, if it was set.

    Returns
    -------
    ndarray
        Seconds, shape of `operation`: from one benchtime to three. An operation that is longer
        than the benchtime is run once.
    """
    known = np.isfinite(operation) & (operation > 0)
    if benchtime == 0:
        return np.where(known, operation * max(count, 1), 0.0)
    lasting = np.where(known, operation, benchtime)
    # The benchtime is reduced a little before rounding: 0.1 s over 0.05 s is 2 operations, not 3.
    needed = np.floor(np.round(benchtime / lasting, 9))
    wanted = needed + np.floor(needed / 5)
    operations = np.ones_like(lasting)
    total = operations
    enough = benchtime * (1 - 1e-9)
    while (short := (operations * lasting < enough) & (operations < MOST_OPERATIONS)).any():
        grown = np.clip(wanted, operations + 1, _GROWTH * operations)
        operations = np.where(short, np.minimum(grown, MOST_OPERATIONS), operations)
        total = total + np.where(short, operations, 0)
    return np.where(known, total * lasting, _TYPICAL * benchtime)
