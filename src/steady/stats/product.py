"""Matrix products on one thread."""

from __future__ import annotations

import numpy as np

from steady.model import FloatArray

_MULTIPLICATIONS = 2**18  # OpenBLAS starts threads beyond this many


def product(left: FloatArray, right: FloatArray) -> FloatArray:
    """Multiply two matrices in pieces so small that the linear algebra library starts no threads.

    The matrices here are small and many. Where other programs keep the processors busy, as on a
    shared runner, waiting for threads took up to eighty times as long as the multiplication.

    Parameters
    ----------
    left : ndarray, shape (m, k)
    right : ndarray, shape (k, n)

    Returns
    -------
    ndarray, shape (m, n)
    """
    result = np.empty((len(left), right.shape[1]))
    width = max(1, _MULTIPLICATIONS // max(1, left.size))
    for start in range(0, right.shape[1], width):
        result[:, start : start + width] = left @ right[:, start : start + width]
    return result
