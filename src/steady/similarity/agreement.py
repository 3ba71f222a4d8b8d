"""What every similarity method returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Similarity:
    """Whether the forks of one benchmark agree, and which of them differ.

    Parameters
    ----------
    similar : bool
        Whether the method calls the forks similar as a whole.
    method : str
        Registered name of the method.
    measures : mapping of str to float
        The method's measures, each the mean over all pairs of forks; 0 is perfect similarity.
    odd_forks : tuple of int
        0-based forks that differ from the majority of the others, in order. Empty if none does, or
        if no majority agrees. One fork of many may differ even if the forks are similar as a whole.
    reason : str
        What decided, in one line.

    Examples
    --------
    >>> import numpy as np
    >>> import steady
    >>> forks = 1 + 0.01 * np.random.default_rng(1).standard_normal((5, 60))
    >>> agreement = steady.similarity(forks)
    >>> agreement.similar, agreement.odd_forks
    (True, ())
    """

    similar: bool
    method: str
    measures: Mapping[str, float]
    odd_forks: tuple[int, ...] = ()
    reason: str = ""
