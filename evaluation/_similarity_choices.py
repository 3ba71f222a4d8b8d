"""The similarity methods as published, and variants where the paper is ambiguous."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from types import MappingProxyType

import numpy as np

from steady.model import FloatArray
from steady.similarity import Similarity, similarity

Judge = Callable[[FloatArray], Similarity]
"""Forks, one row each, to a result."""

Verdict = Callable[[FloatArray], bool]
"""Whether forks are called dissimilar."""

THRESHOLD = 0.25
MAJORITY = 3

METHODS: MappingProxyType[str, Judge] = MappingProxyType(
    {
        "heuristic": lambda forks: similarity(forks),
        "heuristic, tolerance 3 %": lambda forks: similarity(forks, tolerance=0.03),
        "heuristic, tolerance 5 %": lambda forks: similarity(forks, tolerance=0.05),
        "heuristic, tolerance 10 %": lambda forks: similarity(forks, tolerance=0.1),
        "same": lambda forks: similarity(forks, "same"),
        "same, threshold 0.05": lambda forks: similarity(forks, "same", threshold=0.05),
    }
)
"""Both methods, with and without steady's additions for steady forks."""


def sax(segments: int, alphabet: int) -> Verdict:
    """Return the heuristic with other SAX words in M2."""
    return lambda forks: not similarity(forks, segments=segments, alphabet=alphabet).similar


def printed_cosine(forks: FloatArray) -> bool:
    """Judge by the heuristic with M4 as printed: over the sum of the squared norms."""
    measures = dict(similarity(forks).measures)
    squares = np.sum(forks**2, axis=1)
    pairs = combinations(range(len(forks)), 2)
    similarities = [forks[i] @ forks[j] / (squares[i] + squares[j]) for i, j in pairs]
    measures["cosine"] = 1 - float(np.mean(similarities))
    return is_dissimilar(measures)


def centred_fourier(forks: FloatArray) -> bool:
    """Judge by the heuristic with M3 of centred forks, without the zero frequency."""
    measures = dict(similarity(forks).measures)
    centred = forks - forks.mean(axis=1, keepdims=True)
    measures["fourier"] = similarity(centred).measures["fourier"]
    return is_dissimilar(measures)


def is_dissimilar(measures: dict[str, float]) -> bool:
    """Apply the heuristic's rule to averaged measures."""
    return sum(value > THRESHOLD for value in measures.values()) >= MAJORITY


CHOICES: MappingProxyType[str, Verdict] = MappingProxyType(
    {
        "as chosen: 30 letters of 4, M4 by norms, M3 with mean": sax(30, 4),
        "M2: 15 letters of 4": sax(15, 4),
        "M2: 60 letters of 4": sax(60, 4),
        "M2: 30 letters of 3": sax(30, 3),
        "M2: 30 letters of 8": sax(30, 8),
        "M4 as printed": printed_cosine,
        "M3 without mean": centred_fourier,
    }
)
"""Variants where the paper is ambiguous or has a misprint; the first one is steady's."""


def own_lengths(forks: list[FloatArray]) -> bool:
    """Judge forks of unequal length by the heuristic, each pair over its own common length."""
    pairs = []
    for first, second in combinations(forks, 2):
        length = min(len(first), len(second))
        measures = similarity(np.stack([first[:length], second[:length]])).measures
        pairs.append(measures)
    return is_dissimilar({name: float(np.mean([m[name] for m in pairs])) for name in pairs[0]})


def shortest_length(forks: list[FloatArray]) -> bool:
    """Judge forks of unequal length by the heuristic, all cut to the shortest: steady's way."""
    length = min(map(len, forks))
    return not similarity(np.stack([fork[:length] for fork in forks])).similar
