"""How long iterations last that end with the first operation after a set time."""

from __future__ import annotations

import numpy as np

from steady.model import FloatArray


def until_an_operation_ends(nominal: float, operation: FloatArray, batch_size: int) -> FloatArray:  # noqa: ARG001 - a single shot reports a whole batch as one operation
    """Return the seconds of iterations.

    An operation of ``v`` seconds makes an iteration of ``r`` seconds last ``ceil(r / v) * v``
    (Traini et al. 2023, section 3).

    Parameters
    ----------
    nominal : float
        Seconds that an iteration should last; 0 for a single shot.
    operation : ndarray
        Seconds of one operation in each; NaN if unknown, which counts as short.
    batch_size : int
        Of no use.
    """
    known = np.isfinite(operation) & (operation > 0)
    if nominal == 0:
        return np.where(known, operation, 0.0)
    # The quotient is rounded first: 0.1 s over 0.01 s must be 10 operations, not 11.
    operations = np.ceil(np.round(nominal / np.where(known, operation, nominal), 9))
    return np.where(known, np.maximum(operations, 1) * operation, nominal)
