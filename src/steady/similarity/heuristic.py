"""The five-measure heuristic for dissimilar forks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steady.errors import InputError
from steady.model import FloatArray
from steady.number_checks import check_positive, check_whole
from steady.similarity import pair_measures
from steady.similarity.agreement import Similarity, as_forks

NAME = "heuristic"

_MAJORITY = 3
"""Measures that must agree."""


def heuristic(
    forks: npt.ArrayLike,
    *,
    threshold: float = 0.25,
    tolerance: float = 0.0,
    segments: int = 30,
    alphabet: int = 4,
) -> Similarity:
    """Tell whether forks are similar by the majority of five measures, M1 to M5.

    The measures are the dissimilarity of correlation, compression, Fourier coefficients and cosine,
    and the Kolmogorov-Smirnov statistic; each is averaged over all pairs of forks. The forks are
    dissimilar if at least three averages lie above `threshold`. A fork is named as different if the
    same rule, without averaging, separates it from more than half of the others.

    Parameters
    ----------
    forks : array-like, shape (forks, n)
        One row for each fork, in any unit. Remove the warm-up to judge the steady state. NaN at
        the end of a row marks missing iterations: all forks are then cut to the shortest. The
        array is never modified.
    threshold : float
        Value above which a measure calls two forks dissimilar.
    tolerance : float
        Difference between two iterations that M5 ignores, as a share of the median of all
        values; the paper uses 0. Steady forks often differ by a few percent, and with 0 most of
        them are called dissimilar (see Notes): use 0.05 for them.
    segments, alphabet : int
        Number of letters in M2's SAX words, and of different letters.

    Returns
    -------
    Similarity
        Its measures are ``correlation``, ``compression``, ``fourier``, ``cosine`` and
        ``kolmogorov-smirnov``.

    Raises
    ------
    InputError
        If there are fewer than 2 forks, fewer than 10 iterations in one of them, values that
        are not finite numbers, or an option out of its range.

    Notes
    -----
    Where the paper leaves something open or has a misprint, these choices were made. M4 divides by
    the product of the norms, because the printed sum of squares would make identical forks
    dissimilar. M3 includes the zero frequency. M2 counts the phrases of Lempel and Ziv (1976),
    averaged over both orders of concatenation. A constant fork correlates only with another
    constant one.

    If forks have no common shape over time, M1 and M2 are above 0.25 at any level, so M3, M4 or M5
    decides. For steady forks it is M5, and `tolerance` says how far apart they must be.

    References
    ----------
    A. Bauer, M. Straesser, M. Leznik et al., *Searching for the Ground Truth: Assessing the
    Similarity of Benchmarking Runs*, ICPE 2023 Companion, sections 3.1 and 3.2, Algorithm 1.
    """
    check_positive(threshold=threshold)
    if not 0 <= tolerance < np.inf:
        raise InputError(f"tolerance must be 0 or above, but is {tolerance!r}")
    check_whole(2, segments=segments, alphabet=alphabet)
    series = as_forks(forks)
    slack = tolerance * abs(float(np.median(series)))
    measures = {
        "correlation": pair_measures.correlation(series),
        "compression": pair_measures.compression(series, segments, alphabet),
        "fourier": pair_measures.fourier(series),
        "cosine": pair_measures.cosine(series),
        "kolmogorov-smirnov": pair_measures.kolmogorov_smirnov(series, slack),
    }
    averages = {name: float(np.mean(values)) for name, values in measures.items()}
    above = [name for name, average in averages.items() if average > threshold]
    odd = _odd_forks(np.array(list(measures.values())), threshold, len(series))
    return Similarity(
        similar=len(above) < _MAJORITY,
        method=NAME,
        measures=averages,
        odd_forks=odd,
        reason=f"{len(above)} of 5 measures above {threshold:g}"
        + (": " + ", ".join(f"{name} {averages[name]:.3f}" for name in above) if above else ""),
    )


def _odd_forks(measures: FloatArray, threshold: float, forks: int) -> tuple[int, ...]:
    """Return the forks that are dissimilar to more than half of the others, if they are few.

    Parameters
    ----------
    measures : ndarray of float64, shape (5, pairs)
        Row by row above the diagonal of the table of all forks.
    threshold : float
        Value above which a measure calls two forks dissimilar.
    forks : int
        How many there are.
    """
    dissimilar = np.zeros((forks, forks), dtype=np.bool_)
    dissimilar[np.triu_indices(forks, 1)] = (measures > threshold).sum(axis=0) >= _MAJORITY
    dissimilar |= dissimilar.T
    odd = np.flatnonzero(2 * dissimilar.sum(axis=0) > forks - 1)
    return tuple(odd.tolist()) if 2 * len(odd) < forks else ()
