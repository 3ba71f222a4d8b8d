"""Resamples, every one that a small sample allows, with its probability."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations_with_replacement

import numpy as np
from scipy.special import gammaln

from steady.model import FloatArray

LARGEST_ENUMERATED = 8
"""Up to this size all resamples are enumerated: 6435 multisets of 8 values."""


@lru_cache(maxsize=LARGEST_ENUMERATED)
def all_resamples(size: int) -> tuple[FloatArray, FloatArray]:
    """List the multisets of `size` draws from `size` values.

    Parameters
    ----------
    size : int
        At most `LARGEST_ENUMERATED`: there are (2n - 1)! / (n! (n - 1)!) of them.

    Returns
    -------
    counts : ndarray of float64, shape (size, multisets)
        How often each multiset holds each value.
    probabilities : ndarray of float64, shape (multisets,)
        Multinomial: n! / (product of the counts' factorials) / n^n.
    """
    drawn = np.array(list(combinations_with_replacement(range(size), size)))
    counts = (drawn[np.newaxis] == np.arange(size)[:, np.newaxis, np.newaxis]).sum(axis=2)
    logarithm = gammaln(size + 1) - gammaln(counts + 1.0).sum(axis=0) - size * np.log(size)
    return counts.astype(np.float64), np.exp(logarithm)
