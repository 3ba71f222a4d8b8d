"""Matrix products on one thread."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray

_MULTIPLICATIONS = 2**18  # OpenBLAS starts threads beyond this many


def matrix_product(
    left: FloatArray, right: npt.NDArray[np.floating | np.unsignedinteger]
) -> FloatArray:
    """Multiply two matrices in pieces so small that the linear algebra library starts no threads.

    There are many matrices, and all are small. On a busy machine, such as a shared runner,
    waiting for threads took seventy times as long as the multiplication.

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
        columns = slice(start, start + width)
        result[:, columns] = left @ right[:, columns].astype(np.float64)
    return result
