"""Measures of dissimilarity over all pairs of forks.

Each takes an array of shape (forks, n) and returns one value for each pair, in the order of
``itertools.combinations`` (SciPy's condensed distance matrix).
"""

from __future__ import annotations

from itertools import combinations
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray
from steady.similarity._compression import compression_dissimilarity, normalised, sax_words

Scalar = TypeVar("Scalar", bound=np.generic)


def correlation(forks: FloatArray) -> FloatArray:
    """M1: 1 - max(Pearson correlation, 0).

    The correlation of two constant series is 1, and that of a constant and another series is 0.
    """
    standard = normalised(forks)
    coefficients: FloatArray = _of_pairs(standard @ standard.T) / forks.shape[1]
    constant = ~standard.any(axis=1)
    coefficients[_of_pairs(np.logical_and.outer(constant, constant))] = 1
    return 1 - np.clip(coefficients, 0, 1)


def compression(forks: FloatArray, segments: int, alphabet: int) -> FloatArray:
    """M2: share of the phrases in one SAX word that the other does not hold."""
    words = sax_words(forks, segments, alphabet)
    return np.array([compression_dissimilarity(x, y) for x, y in combinations(words, 2)])


def fourier(forks: FloatArray) -> FloatArray:
    """M3: norm of the difference of the Fourier coefficients over the sum of their norms.

    The Fourier transform multiplies all norms by the same factor (Parseval), which cancels. So
    the series themselves are compared.
    """
    norms = np.linalg.norm(forks, axis=1)
    return _quotient(_distances(forks), _of_pairs(np.add.outer(norms, norms)))


def cosine(forks: FloatArray) -> FloatArray:
    """M4: 1 - max(cosine of the angle between the two series, 0)."""
    norms = np.linalg.norm(forks, axis=1)
    zero = norms == 0
    directions = forks / np.where(zero, 1, norms)[:, np.newaxis]
    cosines = _of_pairs(directions @ directions.T)
    cosines[_of_pairs(np.logical_and.outer(zero, zero))] = 1
    return 1 - np.clip(cosines, 0, 1)


def kolmogorov_smirnov(forks: FloatArray, slack: float = 0.0) -> FloatArray:
    """M5: greatest distance between the two empirical distribution functions.

    With `slack`, one function is first shifted by `slack` towards the other: a difference of
    up to `slack` in level then does not count.
    """
    ordered = np.sort(forks, axis=1)
    shares = [np.searchsorted(x, x, side="right") / len(x) for x in ordered]
    known = zip(ordered, shares, strict=True)
    return np.array(
        [max(_excess(x, y, slack), _excess(y, x, slack)) for x, y in combinations(known, 2)]
    )


def wave_hedges(forks: FloatArray) -> FloatArray:
    """Mean of ``|x - y| / max(|x|, |y|)`` over the iterations.

    An iteration counts 0 where both values are 0, and at most 1 where their signs differ.
    """
    return np.array(
        [
            np.mean(np.minimum(_quotient(np.abs(x - y), np.maximum(np.abs(x), np.abs(y))), 1))
            for x, y in combinations(forks, 2)
        ]
    )


def kumar_hassebrook(forks: FloatArray) -> FloatArray:
    """Return 1 - max(<x, y> / (<x, x> + <y, y> - <x, y>), 0)."""
    products = forks @ forks.T
    squares = np.diag(products)
    inner, outer = _of_pairs(products), _of_pairs(np.add.outer(squares, squares))
    similarity = _quotient(inner, outer - inner)
    similarity[outer == 0] = 1
    return 1 - np.clip(similarity, 0, 1)


def scaled_rmse(forks: FloatArray) -> FloatArray:
    """Root mean squared error over the mean magnitude of the two series, at most 1."""
    level = np.mean(np.abs(forks), axis=1)
    error = _distances(forks) / np.sqrt(forks.shape[1])
    return np.minimum(_quotient(error, _of_pairs(np.add.outer(level, level)) / 2), 1)


def _distances(forks: FloatArray) -> FloatArray:
    """Return the Euclidean distance of each pair."""
    # Slow to import, and most commands compare no forks.
    from scipy.spatial.distance import pdist

    return pdist(forks)


def _of_pairs(matrix: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Return a copy of the part above the diagonal, row by row."""
    return matrix[np.triu_indices(len(matrix), 1)]


def _quotient(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Divide; 0 where the denominator is 0."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator != 0)


def _excess(
    x: tuple[FloatArray, FloatArray], y: tuple[FloatArray, FloatArray], slack: float
) -> float:
    """Return the greatest ``F_x(t) - F_y(t + slack)``; x and y are sorted, each with its F."""
    (values, reached), (others, _) = x, y
    behind = np.searchsorted(others, values + slack, side="right")
    return float(np.max(reached - behind / len(others)))
