"""Compression-based dissimilarity: SAX words, and what one tells about another."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import ndtri

from steady.model import FloatArray

_SEPARATOR = "\0"


def sax_words(forks: FloatArray, segments: int, alphabet: int) -> list[str]:
    """Turn each series into a word by Symbolic Aggregate approXimation.

    Each series is brought to mean 0 and standard deviation 1 and cut into segments as equal as
    can be; the mean of each segment becomes a letter, and the letters are equally likely under
    the normal distribution. A constant series becomes one letter repeated.

    Parameters
    ----------
    forks : ndarray of float64, shape (forks, n)
        The series.
    segments : int
        Letters in a word; a shorter series has one letter an iteration.
    alphabet : int
        Different letters, at least 2.

    Returns
    -------
    list of str
        One word a series.

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
    """Return each series with mean 0 and standard deviation 1; a constant one as zeros."""
    centred = forks - forks.mean(axis=1, keepdims=True)
    constant = forks.min(axis=1) == forks.max(axis=1)
    centred[constant] = 0
    deviation = np.sqrt(np.mean(centred**2, axis=1))
    deviation[deviation == 0] = 1
    return np.asarray(centred / deviation[:, np.newaxis], dtype=np.float64)


def compression_dissimilarity(first: str, second: str) -> float:
    """Measure M2 of two SAX words: 0 where each is a piece of the other, 1 with nothing shared.

    The compressed length of a word is its number of phrases; compressing the concatenation
    leaves the first word's phrases and those of the second that the first does not hold. Both
    orders are averaged, which turns ``2 c(XY) / (c(X) + c(Y)) - 1`` into the share of phrases
    that one word does not find in the other.
    """
    unknown = phrases(second, known=first) + phrases(first, known=second)
    return unknown / (phrases(first) + phrases(second))


@lru_cache(maxsize=1024)
def phrases(word: str, known: str = "") -> int:
    """Count the phrases of a word: the longest piece seen before, and the letter behind it.

    A piece may come from `known` or from the word up to the letter before the phrase's last
    (Lempel and Ziv, 1976). An end of the word that was seen before is no phrase of its own.
    """
    text = known + _SEPARATOR + word
    start, end, count = len(known) + 1, len(known) + 2, 0
    while end <= len(text):
        if text.find(text[start:end], 0, end - 1) < 0:
            count += 1
            start = end
        end += 1
    return count
