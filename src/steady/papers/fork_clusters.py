"""SAME: forks clustered by four averaged measures."""

from itertools import combinations

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray
from steady.number_checks import check_positive
from steady.similarity import Similarity, as_forks
from steady.similarity.pair_measures import cosine, distances, of_pairs, quotient
from steady.text.numbers import count

NAME = "same"


def same(forks: npt.ArrayLike, *, threshold: float = 0.25) -> Similarity:
    """Assess fork similarity by agglomerative clustering of four averaged measures.

    For each pair of forks, the dissimilarities of cosine, Wave-Hedges, Kumar-Hassebrook and the
    scaled root mean squared error are averaged. Clusters are merged while their mean distance is at
    most `threshold`; a single cluster means that the forks are similar. If a cluster contains more
    than half of all forks, the other forks are reported as different.

    Parameters
    ----------
    forks : array-like, shape (forks, n)
        One row for each fork, in any unit. Remove the warm-up to judge the steady state. NaN at
        the end of a row marks missing iterations: all forks are then cut to the shortest. The
        array is never modified.
    threshold : float
        Maximum mean distance of clusters to merge. Two steady forks whose levels differ by a
        small factor 1 + d are about d / 2 apart: 0.05 allows a difference of 10 %.

    Returns
    -------
    Similarity
        Its measures are ``cosine``, ``wave-hedges``, ``kumar-hassebrook`` and ``rmse``.

    Raises
    ------
    InputError
        If there are fewer than 2 forks, fewer than 10 iterations in one of them, values that are
        not finite numbers, or an option out of range.

    Notes
    -----
    The paper names the measures and the clustering. The linkage (average), the height at which
    the tree is cut, and the scale of the error (mean magnitude of both series) are our choices.

    References
    ----------
    A. Bauer, M. Straesser, M. Leznik et al., *Searching for the Ground Truth: Assessing the
    Similarity of Benchmarking Runs*, ICPE 2023 Companion, section 2.3.
    """
    from scipy.cluster.hierarchy import fcluster, linkage  # slow to import, and rarely used

    check_positive(threshold=threshold)
    series = as_forks(forks)
    measures = {
        "cosine": cosine(series),
        "wave-hedges": wave_hedges(series),
        "kumar-hassebrook": kumar_hassebrook(series),
        "rmse": scaled_rmse(series),
    }
    tree = linkage(np.mean(list(measures.values()), axis=0), method="average")
    sizes = np.bincount(labels := fcluster(tree, threshold, criterion="distance"))
    largest = int(np.argmax(sizes))
    odd = np.flatnonzero(labels != largest) if 2 * sizes[largest] > len(series) else ()
    clusters = int(np.count_nonzero(sizes))
    return Similarity(
        similar=clusters == 1,
        method=NAME,
        measures={name: float(np.mean(values)) for name, values in measures.items()},
        odd_forks=tuple(int(fork) for fork in odd),
        reason=f"{count(clusters, 'cluster')} of forks at a threshold "
        f"of {threshold:g}; the last two clusters merge at {tree[-1, 2]:.3f}",
    )


def wave_hedges(forks: FloatArray) -> FloatArray:
    """Return the mean of ``|x - y| / max(|x|, |y|)`` over the iterations.

    The value of an iteration is 0 if both values are 0, and at most 1 if their signs differ.
    """
    return np.array(
        [
            np.mean(np.minimum(quotient(np.abs(x - y), np.maximum(np.abs(x), np.abs(y))), 1))
            for x, y in combinations(forks, 2)
        ]
    )


def kumar_hassebrook(forks: FloatArray) -> FloatArray:
    """Return 1 - max(<x, y> / (<x, x> + <y, y> - <x, y>), 0)."""
    products = forks @ forks.T
    squares = np.diag(products)
    inner, outer = of_pairs(products), of_pairs(np.add.outer(squares, squares))
    similarity = quotient(inner, outer - inner)
    similarity[outer == 0] = 1
    return 1 - np.clip(similarity, 0, 1)


def scaled_rmse(forks: FloatArray) -> FloatArray:
    """Return the root mean squared error over the mean magnitude of two series, at most 1."""
    level = np.mean(np.abs(forks), axis=1)
    error = distances(forks) / np.sqrt(forks.shape[1])
    return np.minimum(quotient(error, of_pairs(np.add.outer(level, level)) / 2), 1)
