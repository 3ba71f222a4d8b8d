"""Fork similarity: whether the forks of one benchmark agree, and which of them differ.

The majority of five measures is the default.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy.typing as npt

from steady.registry import OnRequest, Registered, Registry
from steady.similarity.agreement import Similarity as Similarity
from steady.similarity.agreement import heuristic as heuristic

SimilarityMethod = Callable[..., Similarity]
"""A method takes the forks' series, one row each, and its own options as keywords."""

METHODS: Registry[SimilarityMethod] = Registry(
    "similarity method",
    Registered(
        "heuristic",
        "majority of five measures: correlation, compression, Fourier, cosine, Kolmogorov-Smirnov",
        "Bauer et al. 2023, section 3",
        heuristic,
    ),
    Registered(
        "same",
        "clusters of forks by four averaged measures: cosine, Wave-Hedges, Kumar-Hassebrook, "
        "scaled RMSE",
        "Bauer et al. 2023, section 2.3",
        OnRequest("steady.papers.fork_clusters:same"),
    ),
)


def similarity(forks: npt.ArrayLike, method: str = "heuristic", **options: object) -> Similarity:
    """Tell whether the forks of one benchmark are similar, and which of them differ.

    Parameters
    ----------
    forks : array-like, shape (forks, n)
        One row for each fork, in any unit. NaN at the end of a row marks missing iterations: all
        forks are then cut to the shortest. Remove the warm-up first, unless you want to compare
        it too. The array is never modified.
    method : str
        A name in `METHODS`.
    **options
        The method's own keywords.

    Returns
    -------
    Similarity
        The mean of each measure, and the forks that differ from the others.

    Raises
    ------
    UnknownNameError
        If no method has this name.
    InputError
        If there are fewer than 2 forks, fewer than 10 iterations in one of them, values that
        are not finite numbers, or an option out of its range.

    Examples
    --------
    >>> import numpy as np
    >>> forks = 1 + 0.01 * np.random.default_rng(1).standard_normal((5, 60))
    >>> forks[3] *= 1.2
    >>> similarity(forks, tolerance=0.05).odd_forks
    (3,)
    """
    return METHODS[method].value(forks, **options)
