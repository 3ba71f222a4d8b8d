"""Compression-based dissimilarity: how much of one SAX word can be found in another."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import ndtri

from steady.model import FloatArray

_SEPARATOR = "\0"


def sax_words(forks: FloatArray, segments: int, alphabet: int) -> list[str]:
    """Turn each series into a word by Symbolic Aggregate approXimation.

    Each series is scaled to mean 0 and standard deviation 1 and cut into segments of nearly
    equal length. The mean of each segment becomes a letter; under the normal distribution all
    letters are equally likely. A constant series becomes one letter repeated.

    Parameters
    ----------
    forks : ndarray of float64, shape (forks, n)
        The series.
    segments : int
        Letters in a word; a shorter series has one letter for each iteration.
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
    """Measure M2 of two SAX words: 0 if each is a piece of the other, 1 if they share nothing.

    The compressed length of a word is its number of phrases. The concatenation has the phrases
    of the first word, and those of the second that the first does not hold. Both orders are
    averaged, so that ``2 c(XY) / (c(X) + c(Y)) - 1`` is the share of phrases in one word that
    the other does not hold.
    """
    unknown = phrases(second, known=first) + phrases(first, known=second)
    return unknown / (phrases(first) + phrases(second))


@lru_cache(maxsize=1024)
def phrases(word: str, known: str = "") -> int:
    """Count the phrases of a word: each is the longest piece seen before, and the next letter.

    A piece may come from `known`, or from the word up to the letter before the phrase's last
    (Lempel and Ziv, 1976). If the word ends with a piece that was seen before, that piece does
    not count as a phrase.
    """
    text = known + _SEPARATOR + word
    start, end, count = len(known) + 1, len(known) + 2, 0
    while end <= len(text):
        if text.find(text[start:end], 0, end - 1) < 0:
            count += 1
            start = end
        end += 1
    return count
