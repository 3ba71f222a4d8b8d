"""Each measure compared with a literal implementation of its formula."""

import math
from itertools import combinations
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from steady.model import FloatArray
from steady.papers.fork_clusters import kumar_hassebrook, scaled_rmse, wave_hedges
from steady.similarity import pair_measures
from steady.similarity.pair_measures import compression_dissimilarity, phrases, sax_words

Series = list[float]


def literal_correlation(x: Series, y: Series) -> float:
    mx, my = sum(x) / len(x), sum(y) / len(y)
    sxy = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    sxx = sum((a - mx) ** 2 for a in x)
    syy = sum((b - my) ** 2 for b in y)
    return 1 - max(sxy / math.sqrt(sxx * syy), 0)


def literal_fourier(x: Series, y: Series) -> float:
    fx, fy = np.fft.fft(x), np.fft.fft(y)

    def norm(coefficients: npt.NDArray[np.complex128]) -> float:
        return math.sqrt(sum(abs(c) ** 2 for c in coefficients))

    return norm(fx - fy) / (norm(fx) + norm(fy))


def literal_cosine(x: Series, y: Series) -> float:
    inner = sum(a * b for a, b in zip(x, y, strict=True))
    return 1 - max(inner / math.sqrt(sum(a * a for a in x) * sum(b * b for b in y)), 0)


def literal_kolmogorov_smirnov(x: Series, y: Series, slack: float) -> float:
    def at_most(values: Series, t: float) -> float:
        return sum(value <= t for value in values) / len(values)

    # The difference increases only at values of the first series, and decreases at the second's.
    one = max(at_most(x, t) - at_most(y, t + slack) for t in x)
    other = max(at_most(y, t) - at_most(x, t + slack) for t in y)
    return max(one, other, 0.0)


def literal_wave_hedges(x: Series, y: Series) -> float:
    return sum(abs(a - b) / max(a, b) for a, b in zip(x, y, strict=True)) / len(x)


def literal_kumar_hassebrook(x: Series, y: Series) -> float:
    inner = sum(a * b for a, b in zip(x, y, strict=True))
    return 1 - inner / (sum(a * a for a in x) + sum(b * b for b in y) - inner)


def literal_rmse(x: Series, y: Series) -> float:
    error = math.sqrt(sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) / len(x))
    return min(error / ((sum(x) + sum(y)) / (2 * len(x))), 1)


def literal_word(x: Series, segments: int, alphabet: int) -> str:
    mean = sum(x) / len(x)
    deviation = math.sqrt(sum((a - mean) ** 2 for a in x) / len(x))
    cuts = [NormalDist().inv_cdf(k / alphabet) for k in range(1, alphabet)]
    count = min(segments, len(x))
    word = ""
    for k in range(count):
        piece = x[k * len(x) // count : (k + 1) * len(x) // count]
        value = sum((a - mean) / deviation for a in piece) / len(piece)
        word += "ABCDEFGHIJ"[sum(value >= cut for cut in cuts)]
    return word


def literal_phrases(word: str, known: str) -> int:
    """Extend each phrase while it occurs in `known` or earlier in `word`."""
    count, start = 0, 0
    while start < len(word):
        size = 1
        while start + size <= len(word) and (
            word[start : start + size] in known
            or any(word[i : i + size] == word[start : start + size] for i in range(start))
        ):
            size += 1
        if start + size > len(word):
            return count
        count += 1
        start += size
    return count


@st.composite
def fork_arrays(draw: st.DrawFn) -> FloatArray:
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.integers(2, 5)), draw(st.integers(10, 80))
    forks = 1 + draw(st.sampled_from([0.01, 0.2])) * random.standard_normal(shape)
    forks += draw(st.sampled_from([0.0, 1.0])) * np.sin(np.arange(shape[1]) / 5)
    return np.abs(forks) * (1 + draw(st.sampled_from([0.0, 0.5])) * random.random((shape[0], 1)))


@settings(max_examples=40, deadline=None)
@given(fork_arrays(), st.sampled_from([0.0, 0.03, 0.3]))
def test_measures_equal_their_formulas(forks: FloatArray, slack: float) -> None:
    pairs = list(combinations(forks.tolist(), 2))
    for measure, literal in (
        (pair_measures.correlation(forks), literal_correlation),
        (pair_measures.fourier(forks), literal_fourier),
        (pair_measures.cosine(forks), literal_cosine),
        (wave_hedges(forks), literal_wave_hedges),
        (kumar_hassebrook(forks), literal_kumar_hassebrook),
        (scaled_rmse(forks), literal_rmse),
    ):
        np.testing.assert_allclose(measure, [literal(x, y) for x, y in pairs], atol=1e-12)
    expected = [literal_kolmogorov_smirnov(x, y, slack) for x, y in pairs]
    np.testing.assert_allclose(pair_measures.kolmogorov_smirnov(forks, slack), expected, atol=1e-12)
    np.testing.assert_allclose(
        pair_measures.kolmogorov_smirnov(forks),
        [ks_2samp(x, y, method="asymp").statistic for x, y in pairs],
        atol=1e-12,
    )


@settings(deadline=None)
@given(fork_arrays(), st.integers(2, 90), st.integers(2, 10))
def test_words_equal_their_definition(forks: FloatArray, segments: int, alphabet: int) -> None:
    expected = [literal_word(x, segments, alphabet) for x in forks.tolist()]
    assert sax_words(forks, segments, alphabet) == expected


WORDS = st.text("ABC", min_size=1, max_size=25)


@given(WORDS, WORDS)
def test_phrases_equal_their_definition(word: str, known: str) -> None:
    assert phrases(word) == literal_phrases(word, "")
    assert phrases(word, known) == literal_phrases(word, known)


@given(WORDS, WORDS)
def test_compression_is_a_dissimilarity(first: str, second: str) -> None:
    value = compression_dissimilarity(first, second)
    assert 0 <= value <= 1
    assert value == compression_dissimilarity(second, first)
    assert compression_dissimilarity(first, first) == 0
    # The paper's formula, with the concatenation's length averaged over both orders.
    c_xy = phrases(first) + phrases(second, first)
    c_yx = phrases(second) + phrases(first, second)
    paper = (c_xy + c_yx) / (phrases(first) + phrases(second)) - 1
    assert value == pytest.approx(paper, abs=1e-12)


def test_known_phrases() -> None:
    # The example of Lempel and Ziv: 0|001|10|100|1000|101, whose end is not a new phrase.
    assert phrases("0001101001000101") == 5
    assert phrases("AAAA") == 1
    assert phrases("AAAA", "AA") == 1
    assert phrases("AAAA", "AAAA") == 0
    assert compression_dissimilarity("ABABABAB", "BABABABA") == 0.5
    assert compression_dissimilarity("AAAA", "BBBB") == 1


def test_constant_forks() -> None:
    forks = np.array([[1.0] * 20, [2.0] * 20, np.linspace(1, 2, 20), [0.0] * 20])
    np.testing.assert_array_equal(pair_measures.correlation(forks), [0, 1, 0, 1, 0, 1])
    np.testing.assert_array_equal(pair_measures.compression(forks, 10, 4)[[0, 2, 4]], [0, 0, 0])
    assert pair_measures.cosine(forks)[2] == 1
    assert kumar_hassebrook(forks)[2] == 1
    zeros = np.zeros((2, 20))
    for measure in (
        pair_measures.correlation,
        pair_measures.fourier,
        pair_measures.cosine,
        pair_measures.kolmogorov_smirnov,
        wave_hedges,
        kumar_hassebrook,
        scaled_rmse,
    ):
        np.testing.assert_array_equal(measure(zeros), [0])
