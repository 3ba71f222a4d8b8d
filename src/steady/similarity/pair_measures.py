"""Dissimilarity measures of all pairs of forks.

Each measure takes an array of shape (forks, n) and returns one value for each pair, in the order of
``itertools.combinations`` (SciPy's condensed distance matrix).
"""

from functools import lru_cache
from itertools import combinations
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from steady.model import FloatArray
from steady.scipy_special import ndtri

Scalar = TypeVar("Scalar", bound=np.generic)

_SEPARATOR = "\0"


def correlation(forks: FloatArray) -> FloatArray:
    """M1: 1 - max(Pearson correlation, 0).

    The correlation of two constant series is 1, and that of a constant and another series is 0.
    """
    standard = normalised(forks)
    coefficients: FloatArray = of_pairs(standard @ standard.T) / forks.shape[1]
    constant = ~standard.any(axis=1)
    coefficients[of_pairs(np.logical_and.outer(constant, constant))] = 1
    return 1 - np.clip(coefficients, 0, 1)


def compression(forks: FloatArray, segments: int, alphabet: int) -> FloatArray:
    """M2: fraction of the phrases of one SAX word that do not occur in the other."""
    words = sax_words(forks, segments, alphabet)
    return np.array([compression_dissimilarity(x, y) for x, y in combinations(words, 2)])


def fourier(forks: FloatArray) -> FloatArray:
    """M3: norm of the difference of the Fourier coefficients over the sum of their norms.

    The Fourier transform multiplies all norms by the same factor (Parseval), which cancels, so the
    series themselves are compared.
    """
    norms = np.linalg.norm(forks, axis=1)
    return quotient(distances(forks), of_pairs(np.add.outer(norms, norms)))


def cosine(forks: FloatArray) -> FloatArray:
    """M4: 1 - max(cosine of the angle between the two series, 0)."""
    norms = np.linalg.norm(forks, axis=1)
    zero = norms == 0
    directions = forks / np.where(zero, 1, norms)[:, np.newaxis]
    cosines = of_pairs(directions @ directions.T)
    cosines[of_pairs(np.logical_and.outer(zero, zero))] = 1
    return 1 - np.clip(cosines, 0, 1)


def kolmogorov_smirnov(forks: FloatArray, slack: float = 0.0) -> FloatArray:
    """M5: maximum distance between the two empirical distribution functions.

    With `slack`, one function is first shifted by `slack` towards the other, so that a difference
    in level of up to `slack` is ignored.
    """
    ordered = np.sort(forks, axis=1)
    shares = [np.searchsorted(x, x, side="right") / len(x) for x in ordered]
    known = zip(ordered, shares, strict=True)
    return np.array(
        [max(_excess(x, y, slack), _excess(y, x, slack)) for x, y in combinations(known, 2)]
    )


def distances(forks: FloatArray) -> FloatArray:
    """Return the Euclidean distance of each pair."""
    # Imported here because the import is slow, and most commands do not compare forks.
    from scipy.spatial.distance import pdist

    return pdist(forks)


def of_pairs(matrix: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Return a copy of the upper triangle without the diagonal, in row-major order."""
    return matrix[np.triu_indices(len(matrix), 1)]


def quotient(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Divide element by element; the result is 0 if the denominator is 0."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator != 0)


def _excess(
    x: tuple[FloatArray, FloatArray], y: tuple[FloatArray, FloatArray], slack: float
) -> float:
    """Return the maximum of ``F_x(t) - F_y(t + slack)``; x and y are sorted values with their F."""
    (values, reached), (others, _) = x, y
    behind = np.searchsorted(others, values + slack, side="right")
    return float(np.max(reached - behind / len(others)))


def sax_words(forks: FloatArray, segments: int, alphabet: int) -> list[str]:
    """Convert each series to a word by Symbolic Aggregate approXimation (SAX).

    Each series is scaled to mean 0 and standard deviation 1, and cut into segments of nearly equal
    length. The mean of each segment determines a letter; for normally distributed means, all
    letters are equally likely. A constant series results in one repeated letter.

    Parameters
    ----------
    forks : ndarray of float64, shape (forks, n)
        The series.
    segments : int
        Number of letters in a word; shorter series have one letter per iteration.
    alphabet : int
        Number of different letters, at least 2.

    Returns
    -------
    list of str
        One word for each series.

    References
    ----------
    J. Lin, E. Keogh, L. Wei, S. Lonardi, *Experiencing SAX: a novel symbolic representation of
    time series*, Data Mining and Knowledge Discovery 15 (2007).
    """
    iterations = forks.shape[1]
    letters = min(segments, iterations)
    borders = np.arange(letters + 1) * iterations // letters
    means = np.add.reduceat(normalised(forks), borders[:-1], axis=1) / np.diff(borders)
    codes = np.searchsorted(ndtri(np.arange(1, alphabet) / alphabet), means, side="right")
    return ["".join(chr(ord("A") + code) for code in word) for word in codes]


def normalised(forks: FloatArray) -> FloatArray:
    """Scale each series to mean 0 and standard deviation 1; a constant one becomes zeros."""
    centred = forks - forks.mean(axis=1, keepdims=True)
    constant = forks.min(axis=1) == forks.max(axis=1)
    centred[constant] = 0
    deviation = np.sqrt(np.mean(centred**2, axis=1))
    deviation[deviation == 0] = 1
    return np.asarray(centred / deviation[:, np.newaxis], dtype=np.float64)


def compression_dissimilarity(first: str, second: str) -> float:
    """Return M2 of two SAX words: 0 if they are equal, 1 if they have no phrases in common.

    The compressed length of a word is its number of phrases. The concatenation has the phrases of
    the first word, and those of the second that do not occur in the first. Both orders are
    averaged, so ``2 c(XY) / (c(X) + c(Y)) - 1`` is the fraction of phrases of one word that do not
    occur in the other.
    """
    unknown = phrases(second, known=first) + phrases(first, known=second)
    return unknown / (phrases(first) + phrases(second))


@lru_cache(maxsize=1024)
def phrases(word: str, known: str = "") -> int:
    """Count the phrases of a word: each is the longest substring seen before plus one letter.

    The substring may occur in `known`, or in the word before the phrase's last letter (Lempel and
    Ziv, 1976). A known substring at the end of the word does not count as a phrase.
    """
    text = known + _SEPARATOR + word
    start, end, count = len(known) + 1, len(known) + 2, 0
    while end <= len(text):
        if text.find(text[start:end], 0, end - 1) < 0:
            count += 1
            start = end
        end += 1
    return count
